//! What is measured of a run, and how it is defined.

use serde::Serialize;

/// Which way a measure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither by itself.
    Neither,
}

/// What tables are made of, one a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// What was trained for.
    Reward,
    /// What was not trained for.
    Scores,
    /// Whether the pictures of a prompt still differ.
    Diversity,
    /// How calm the training is, and what it costs.
    Stability,
}

impl Group {
    /// All of them, in the order of the report.
    pub const ALL: [Self; 4] = [Self::Reward, Self::Scores, Self::Diversity, Self::Stability];

    /// A heading.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Reward => "Reward of the training prompts",
            Self::Scores => "Verifier scores, training and held-out prompts",
            Self::Diversity => "Diversity",
            Self::Stability => "Stability and cost",
        }
    }
}

/// A number a run, see [`Measure::definition`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Evaluation reward of the base model.
    StartReward,
    /// Evaluation reward at the end.
    FinalReward,
    /// Final less start.
    Gain,
    /// Mean of the evaluation curve.
    RewardArea,
    /// Sampling error of the final evaluation.
    FinalRewardError,
    /// Verifier score of the training prompts at the end.
    FinalVerifier,
    /// Share of exact pictures of the training prompts at the end.
    FinalExact,
    /// Held-out verifier score of the base model.
    StartHeldOut,
    /// Held-out verifier score at the end.
    FinalHeldOut,
    /// Final less start.
    HeldOutGain,
    /// Share of exact held-out pictures at the end.
    FinalHeldOutExact,
    /// Distance of pictures at the end.
    ImageDiversity,
    /// The same over that of the first iterations.
    ImageDiversityKept,
    /// Distance of latents at the end.
    LatentDiversity,
    /// The same over that of the first iterations.
    LatentDiversityKept,
    /// KL at the end.
    FinalKl,
    /// Mean gradient norm.
    GradientNorm,
    /// Its coefficient of variation.
    GradientVariation,
    /// Its greatest value over its median.
    GradientSpike,
    /// Median time of an iteration.
    SecondsPerIteration,
}

/// What is to be said about a measure.
struct Facts {
    key: &'static str,
    name: &'static str,
    unit: &'static str,
    group: Group,
    better: Better,
    definition: &'static str,
}

const fn facts(
    key: &'static str,
    name: &'static str,
    unit: &'static str,
    of: (Group, Better),
    definition: &'static str,
) -> Facts {
    Facts { key, name, unit, group: of.0, better: of.1, definition }
}

/// In the order of [`Measure`].
const FACTS: [Facts; 20] = [
    facts(
        "start_reward",
        "start reward",
        "",
        (Group::Reward, Better::Neither),
        "R(0): evaluation/reward at step 0, the base model. The same prompts and noise at every evaluation and in every run.",
    ),
    facts(
        "final_reward",
        "final reward",
        "",
        (Group::Reward, Better::Higher),
        "R(N): evaluation/reward after the last iteration N; missing if the run was not evaluated there.",
    ),
    facts("gain", "gain", "", (Group::Reward, Better::Higher), "R(N) \u{2212} R(0)."),
    facts(
        "reward_area",
        "mean along the run",
        "",
        (Group::Reward, Better::Higher),
        "Area under the evaluation curve over its length, by trapezoids: \
         1/N \u{b7} \u{3a3} (s[i+1] \u{2212} s[i]) \u{b7} (R(s[i]) + R(s[i+1])) / 2 from step 0 to N. Of two runs that end alike, the one that \
         learnt sooner has more.",
    ),
    facts(
        "final_reward_error",
        "error of final evaluation",
        "",
        (Group::Reward, Better::Lower),
        "evaluation/reward/standard_error at N: how far R(N) may be off because it is the mean over so many pictures. All \
         runs share the noise of the evaluation, so the intervals between runs do not contain this error.",
    ),
    facts(
        "final_verifier",
        "final verifier",
        "",
        (Group::Scores, Better::Higher),
        "evaluation/verifier at N: the verifier's mean for the training prompts. If the reward rises and this falls, the \
         reward is being exploited.",
    ),
    facts(
        "final_exact",
        "final exact",
        "share",
        (Group::Scores, Better::Higher),
        "evaluation/exact at N: share of the pictures of the training prompts that are right in every respect.",
    ),
    facts(
        "start_held_out",
        "held-out start",
        "",
        (Group::Scores, Better::Neither),
        "held_out/verifier at step 0: the verifier's mean for prompts that are not trained on, base model.",
    ),
    facts(
        "final_held_out",
        "held-out final",
        "",
        (Group::Scores, Better::Higher),
        "held_out/verifier at N; missing if the run was not evaluated there.",
    ),
    facts(
        "held_out_gain",
        "held-out gain",
        "",
        (Group::Scores, Better::Higher),
        "held_out/verifier at N less that at 0. Negative: the model forgets what it is not trained on.",
    ),
    facts(
        "final_held_out_exact",
        "held-out exact",
        "share",
        (Group::Scores, Better::Higher),
        "held_out/exact at N.",
    ),
    facts(
        "image_diversity",
        "images, final",
        "",
        (Group::Diversity, Better::Neither),
        "Mean of diversity/images (mean pairwise distance of the pictures of a group) over the last fifth of the iterations.",
    ),
    facts(
        "image_diversity_kept",
        "images, final / first",
        "ratio",
        (Group::Diversity, Better::Higher),
        "The final value over the mean of the first fifth of the iterations, at most the first 10. Far below 1: collapse.",
    ),
    facts(
        "latent_diversity",
        "latents, final",
        "",
        (Group::Diversity, Better::Neither),
        "As for images, of diversity/latents (final latents of a group).",
    ),
    facts(
        "latent_diversity_kept",
        "latents, final / first",
        "ratio",
        (Group::Diversity, Better::Higher),
        "As for images, of diversity/latents.",
    ),
    facts(
        "final_kl",
        "final KL",
        "",
        (Group::Stability, Better::Neither),
        "Mean of kl over the last fifth of the iterations.",
    ),
    facts(
        "gradient_norm",
        "gradient norm",
        "",
        (Group::Stability, Better::Neither),
        "Mean over all iterations of gradient_norm/whole, the norm before clipping.",
    ),
    facts(
        "gradient_variation",
        "its variation",
        "ratio",
        (Group::Stability, Better::Lower),
        "Coefficient of variation of gradient_norm/whole over the iterations of a run: deviation (with n \u{2212} 1) / mean. The \
         paper's claim of instability as a number.",
    ),
    facts(
        "gradient_spike",
        "its greatest / median",
        "ratio",
        (Group::Stability, Better::Lower),
        "Greatest gradient_norm/whole of a run over its median. Infinite if one was infinite.",
    ),
    facts(
        "seconds_per_iteration",
        "time an iteration",
        "s",
        (Group::Stability, Better::Lower),
        "Median of time/iteration, evaluations and pauses not included.",
    ),
];

impl Measure {
    /// All of them, in the order of the report.
    pub const ALL: [Self; 20] = [
        Self::StartReward,
        Self::FinalReward,
        Self::Gain,
        Self::RewardArea,
        Self::FinalRewardError,
        Self::FinalVerifier,
        Self::FinalExact,
        Self::StartHeldOut,
        Self::FinalHeldOut,
        Self::HeldOutGain,
        Self::FinalHeldOutExact,
        Self::ImageDiversity,
        Self::ImageDiversityKept,
        Self::LatentDiversity,
        Self::LatentDiversityKept,
        Self::FinalKl,
        Self::GradientNorm,
        Self::GradientVariation,
        Self::GradientSpike,
        Self::SecondsPerIteration,
    ];

    const fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// Name in files: `final_reward`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        self.facts().key
    }

    /// Name for people, under the heading of its group.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Its unit; empty for scores and distances, which have none.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        self.facts().unit
    }

    /// The table it belongs to.
    #[must_use]
    pub const fn group(self) -> Group {
        self.facts().group
    }

    /// Which way it is better.
    #[must_use]
    pub const fn better(self) -> Better {
        self.facts().better
    }

    /// How it is computed.
    #[must_use]
    pub const fn definition(self) -> &'static str {
        self.facts().definition
    }
}

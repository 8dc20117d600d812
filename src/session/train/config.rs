//! Settings of a training run. Those of the method, [`RlConfig`], can change while it runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, in_range};
use crate::model::noise::NoiseKey;
use crate::rl::config::RlConfig;
use crate::world::prompt::Caption;

/// Settings of `marscope train`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TrainConfig {
    /// Seed of everything random, 0 to 9,223,372,036,854,775,807.
    pub seed: u64,
    /// Iterations, 1 to 10,000,000. An iteration samples one group of pictures a prompt and updates the policy.
    pub iterations: usize,
    /// Prompts, taken in turn.
    pub prompts: Vec<String>,
    /// Shards computed side by side, 1 to 64. Fixed by the run and not by the machine, so that a run does not depend on the
    /// number of cores.
    pub shards: usize,
    /// The method.
    pub rl: RlConfig,
    /// Scores on the way.
    pub evaluate: EvaluationConfig,
    /// Pictures of fixed prompts with fixed noise, and the gradient noise.
    pub probe: ProbeConfig,
    /// What is written down.
    pub record: RecordConfig,
}

/// Scores on the way, with the same noise every time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationConfig {
    /// Iterations between two evaluations, 0 to 1,000,000; 0 evaluates only at the start and the end.
    pub every: usize,
    /// Pictures of the training prompts, 0 to 10,000.
    pub pictures: usize,
    /// Held-out captions of each of the six task families, two pictures each, 0 to 1,000.
    pub held_out: usize,
}

/// Probes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProbeConfig {
    /// Iterations between two frames of the film strips, 0 to 1,000,000; 0 draws none.
    pub every: usize,
    /// Prompts of the film strips, next to the training prompts.
    pub prompts: Vec<String>,
    /// Iterations between two measurements of the gradient noise, 0 to 1,000,000; 0 measures only when asked.
    pub noise_every: usize,
    /// Redraws of the head's noise in a measurement, 2 to 64.
    pub noise_redraws: usize,
}

/// What is written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecordConfig {
    /// Iterations between two recorded groups with their pictures and maps, 0 to 1,000,000; 0 records none.
    pub groups_every: usize,
    /// Iterations between two recorded sets of trajectories, 0 to 1,000,000; 0 records none. They are large.
    pub trajectories_every: usize,
    /// Iterations between two checkpoints, 1 to 1,000,000.
    pub checkpoint_every: usize,
    /// Automatic checkpoints kept, 1 to 1,000,000; those that were asked for are kept beside them.
    pub checkpoints_kept: usize,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            seed: 0,
            iterations: 30,
            prompts: vec!["a blue ring left of a purple square".into()],
            shards: 2,
            rl: RlConfig::default(),
            evaluate: EvaluationConfig::default(),
            probe: ProbeConfig::default(),
            record: RecordConfig::default(),
        }
    }
}

impl Default for EvaluationConfig {
    fn default() -> Self {
        Self { every: 10, pictures: 48, held_out: 4 }
    }
}

impl Default for ProbeConfig {
    fn default() -> Self {
        Self {
            every: 5,
            prompts: vec!["two red circles".into(), "a green star above a white cross".into()],
            noise_every: 0,
            noise_redraws: 8,
        }
    }
}

impl Default for RecordConfig {
    fn default() -> Self {
        Self { groups_every: 1, trajectories_every: 10, checkpoint_every: 10, checkpoints_kept: 3 }
    }
}

impl TrainConfig {
    /// Pictures of one iteration.
    #[must_use]
    pub const fn pictures(&self) -> usize {
        self.rl.group * self.rl.groups
    }

    /// Checks the documented ranges and parses the prompts.
    ///
    /// # Errors
    /// [`Error::Config`] naming the first setting that is out of range, or the word of a prompt that is not understood.
    pub fn validate(&self) -> Result<()> {
        let within = |name: &str, value: usize, low: usize, high: usize| {
            in_range(name, value as f64, low as f64, high as f64)
        };
        if i64::try_from(self.seed).is_err() {
            return Err(Error::Config(format!("seed = {}: choose at most {}", self.seed, i64::MAX)));
        }
        within("iterations", self.iterations, 1, 10_000_000)?;
        within("shards", self.shards, 1, 64)?;
        within("evaluate.every", self.evaluate.every, 0, 1_000_000)?;
        within("evaluate.pictures", self.evaluate.pictures, 0, 10_000)?;
        within("evaluate.held_out", self.evaluate.held_out, 0, 1_000)?;
        within("probe.every", self.probe.every, 0, 1_000_000)?;
        within("probe.noise_every", self.probe.noise_every, 0, 1_000_000)?;
        within("probe.noise_redraws", self.probe.noise_redraws, 2, 64)?;
        within("record.groups_every", self.record.groups_every, 0, 1_000_000)?;
        within("record.trajectories_every", self.record.trajectories_every, 0, 1_000_000)?;
        within("record.checkpoint_every", self.record.checkpoint_every, 1, 1_000_000)?;
        within("record.checkpoints_kept", self.record.checkpoints_kept, 1, 1_000_000)?;
        self.rl.validate()?;
        if (self.iterations as u128) * (self.pictures() as u128) >= NoiseKey::IMAGES as u128 {
            return Err(Error::Config(format!(
                "{} iterations of {} pictures: choose fewer, a run numbers at most {} pictures",
                self.iterations,
                self.pictures(),
                NoiseKey::IMAGES
            )));
        }
        self.captions()?;
        self.probe_captions().map(drop)
    }

    /// The training prompts.
    ///
    /// # Errors
    /// [`Error::Config`] if there is none, or naming the word that is not understood.
    pub fn captions(&self) -> Result<Vec<Caption>> {
        if self.prompts.is_empty() {
            return Err(Error::Config("prompts: name at least one".into()));
        }
        self.prompts.iter().map(|prompt| Caption::parse(prompt)).collect()
    }

    /// The prompts of the film strips: the first training prompts, up to four, then `probe.prompts`.
    ///
    /// # Errors
    /// [`Error::Config`] naming the word that is not understood.
    pub fn probe_captions(&self) -> Result<Vec<Caption>> {
        self.prompts.iter().take(4).chain(&self.probe.prompts).map(|prompt| Caption::parse(prompt)).collect()
    }
}

//! The numbers by which a run is seen to go wrong, with what each says at an iteration. The bounds are those of
//! [`crate::runs::health`], which writes the alerts.

use crate::runs::health::{ALIKE, ENOUGH, ERRORS, FLAT, SPIKE, START, WINDOW};
use crate::runs::series::Series;
use crate::runs::store::RunStore;

use super::since::since;
use crate::ui::number::{number, signed};

pub use super::since::Since;

/// Points looked at when a number is compared with its past, however many of them are not finite.
const REACH: usize = 1000;

/// Share of the start's spread of rewards below which a group is worth a look: what is left may be the reward's own noise,
/// and the advantage divides by it.
const LEAST_SPREAD: f64 = 0.1;

/// What a number says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is wrong with it.
    Fine,
    /// Worth a look.
    Look,
    /// Wrong.
    Wrong,
    /// It cannot be judged.
    Unknown,
}

impl Verdict {
    /// In a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Look => "look",
            Self::Wrong => "wrong",
            Self::Unknown => "not judged",
        }
    }
}

/// A number that is watched.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// What it is.
    pub name: &'static str,
    /// What it means, for a tooltip.
    pub meaning: &'static str,
    /// The number, in words; empty if there is none.
    pub number: String,
    /// The iteration it is of.
    pub step: Option<usize>,
    /// What it says.
    pub verdict: Verdict,
    /// In plain words.
    pub words: String,
    /// Since when it is not fine; `None` for one that is, or that cannot be judged.
    pub since: Option<Since>,
}

/// Series that are watched.
const WATCHED: [&str; 5] =
    ["group/std", "group/zero_std_share", "gradient_norm/whole", "kl", "diversity/images"];

/// Iterations of which at least one watched number was recorded.
#[must_use]
pub fn watched(store: &RunStore) -> usize {
    WATCHED.iter().filter_map(|name| store.series(name)).map(Series::len).max().unwrap_or(0)
}

/// The last iteration at or before `step` of which a watched number was recorded.
#[must_use]
pub fn watched_at(store: &RunStore, step: usize) -> Option<usize> {
    WATCHED.iter().filter_map(|name| store.series(name)?.at(step)).map(|point| point.step).max()
}

/// All signals of `store` at iteration `step`.
#[must_use]
pub fn signals(store: &RunStore, step: usize) -> [Signal; 6] {
    let judges: [fn(&RunStore, usize) -> Signal; 6] = [
        group_std,
        zero_std,
        |store, step| against_median(store, step, GRADIENT),
        |store, step| against_median(store, step, KL),
        diversity,
        held_out,
    ];
    judges.map(|judge| {
        let signal = judge(store, step);
        Signal { since: since(&signal, |before| judge(store, before)), ..signal }
    })
}

/// A number that counts by how it stands to its recent median.
#[derive(Clone, Copy)]
struct Watched {
    name: &'static str,
    series: &'static str,
    meaning: &'static str,
    /// What a spike is called.
    spike: &'static str,
}

const GRADIENT: Watched = Watched {
    name: "Gradient norm",
    series: "gradient_norm/whole",
    meaning: "Norm of the whole gradient against its median over the last 20 iterations. Single spikes come before a run \
              diverges.",
    spike: "a spike",
};

const KL: Watched = Watched {
    name: "KL",
    series: "kl",
    meaning: "KL divergence from the reference policy against its median over the last 20 iterations. It grows slowly while \
              the policy learns; a jump says that the policy left the reference.",
    spike: "it grew at once",
};

impl Signal {
    fn new(name: &'static str, meaning: &'static str) -> Self {
        Self {
            name,
            meaning,
            number: String::new(),
            step: None,
            verdict: Verdict::Unknown,
            words: "not recorded".to_owned(),
            since: None,
        }
    }

    fn says(self, verdict: Verdict, words: impl Into<String>) -> Self {
        Self { verdict, words: words.into(), ..self }
    }
}

/// Place of the last point of `series` at or before `step`.
fn place(series: &Series, step: usize) -> Option<usize> {
    series.columns().0.partition_point(|at| *at <= step).checked_sub(1)
}

/// The signal with the number of `name` at `step`, and where it is; ends with the signal alone if there is none or it is
/// not finite.
fn read<'a>(
    signal: Signal,
    store: &'a RunStore,
    name: &str,
    step: usize,
) -> Result<(Signal, &'a Series, usize), Signal> {
    let Some(series) = store.series(name) else { return Err(signal) };
    let Some((at, point)) = place(series, step).and_then(|at| Some((at, series.get(at)?))) else {
        return Err(signal.says(Verdict::Unknown, "not recorded at this iteration yet"));
    };
    let signal = Signal { number: number(point.value), step: Some(point.step), ..signal };
    if point.value.is_finite() {
        Ok((signal, series, at))
    } else {
        Err(signal.says(Verdict::Wrong, "not finite"))
    }
}

/// Mean of the first finite values, at most [`START`] of them, none behind place `at`.
fn start(series: &Series, at: usize) -> Option<f64> {
    let values = series.columns().2.iter().take(at + 1).take(REACH);
    let first: Vec<f64> = values.copied().filter(|value| value.is_finite()).take(START).collect();
    (first.len() == START).then(|| first.iter().sum::<f64>() / START as f64)
}

fn group_std(store: &RunStore, step: usize) -> Signal {
    let signal = Signal::new(
        "Group std",
        "Standard deviation of the rewards within a group, mean over the groups. Advantages are relative to it: a group \
         without variance teaches nothing.",
    );
    let (signal, series, at) = match read(signal, store, "group/std", step) {
        Ok(found) => found,
        Err(signal) => return signal,
    };
    let value = series.columns().2.get(at).copied().unwrap_or(f64::NAN);
    if value == 0.0 {
        return signal.says(Verdict::Look, "every picture of a group earned the same: nothing to learn here");
    }
    let Some(start) = start(series, at).filter(|start| *start > 0.0) else {
        return signal.says(Verdict::Fine, "pictures earn different rewards");
    };
    let spread = format!("{:.0} % of the start's spread", 100.0 * value / start);
    if value < LEAST_SPREAD * start {
        return signal.says(
            Verdict::Look,
            format!("pictures earn nearly the same: {spread}, and advantages are noise made large"),
        );
    }
    signal.says(Verdict::Fine, format!("pictures earn different rewards; {spread}"))
}

fn zero_std(store: &RunStore, step: usize) -> Signal {
    let signal = Signal::new(
        "Zero-std share",
        "Share of the iteration's groups in which every picture earned the same. Their advantages are 0.",
    );
    let (signal, series, at) = match read(signal, store, "group/zero_std_share", step) {
        Ok(found) => found,
        Err(signal) => return signal,
    };
    let values = series.columns().2;
    let value = values.get(at).copied().unwrap_or(f64::NAN);
    let flat = values.iter().take(at + 1).rev().take(REACH).take_while(|share| **share >= 1.0).count();
    if flat >= FLAT {
        let at_least = if flat == REACH { "at least " } else { "" };
        return signal.says(
            Verdict::Wrong,
            format!("no group had variance in {at_least}{flat} iterations: nothing is learned"),
        );
    }
    if value > 0.0 {
        return signal.says(
            Verdict::Look,
            format!("{:.0} % of the groups teach nothing at this iteration", 100.0 * value),
        );
    }
    signal.says(Verdict::Fine, "every group has something to learn from")
}

fn against_median(store: &RunStore, step: usize, watched: Watched) -> Signal {
    let signal = Signal::new(watched.name, watched.meaning);
    let (signal, series, at) = match read(signal, store, watched.series, step) {
        Ok(found) => found,
        Err(signal) => return signal,
    };
    let values = series.columns().2;
    let value = values.get(at).copied().unwrap_or(f64::NAN);
    let past = values.iter().take(at).rev().take(REACH).copied().filter(|value| value.is_finite());
    let mut past: Vec<f64> = past.take(WINDOW).collect();
    past.sort_by(f64::total_cmp);
    let median = past.get(past.len() / 2).copied().filter(|median| *median > 0.0);
    let Some(median) = median.filter(|_| past.len() >= ENOUGH) else {
        return signal.says(
            Verdict::Unknown,
            format!("{} earlier numbers; {ENOUGH} are needed to compare", past.len()),
        );
    };
    let times = value / median;
    let words = format!("{times:.1} times its median of the last {} iterations", past.len());
    if times >= SPIKE {
        return signal.says(Verdict::Wrong, format!("{words}: {}", watched.spike));
    }
    signal.says(Verdict::Fine, words)
}

fn diversity(store: &RunStore, step: usize) -> Signal {
    let signal = Signal::new(
        "Diversity",
        "Mean distance between the pictures of a group. When it falls, the pictures of a prompt become alike: collapse.",
    );
    let (signal, series, at) = match read(signal, store, "diversity/images", step) {
        Ok(found) => found,
        Err(signal) => return signal,
    };
    let value = series.columns().2.get(at).copied().unwrap_or(f64::NAN);
    let Some(start) = start(series, at).filter(|start| *start > 0.0) else {
        return signal
            .says(Verdict::Unknown, format!("the first {START} iterations are what it is compared with"));
    };
    let words = format!("{:.0} % of the start", 100.0 * value / start);
    if value / start < ALIKE {
        return signal.says(Verdict::Wrong, format!("{words}: the pictures of a group have become alike"));
    }
    signal.says(Verdict::Fine, words)
}

/// A change of a score since the first evaluation: first, now, and the change in standard errors.
fn change(store: &RunStore, name: &str, step: usize) -> Option<(f64, f64, f64, usize)> {
    let (score, error) = (store.series(name)?, store.series(&format!("{name}/standard_error"))?);
    let (then, now) = (score.get(0)?, score.at(step)?);
    let errors = error.get(0)?.value.hypot(error.at(step)?.value);
    (now.step > then.step).then_some((then.value, now.value, (now.value - then.value) / errors, now.step))
}

fn held_out(store: &RunStore, step: usize) -> Signal {
    let signal = Signal::new(
        "Reward against held-out",
        "Change of the training prompts' reward and of the held-out prompts' score since the first evaluation. The one up \
         and the other down is how reward hacking looks.",
    );
    if store.series("evaluation/reward").is_none() || store.series("held_out/verifier").is_none() {
        return signal;
    }
    let changes = (change(store, "evaluation/reward", step), change(store, "held_out/verifier", step));
    let (Some(reward), Some(held_out)) = changes else {
        return signal.says(Verdict::Unknown, "one evaluation so far; two are needed to compare");
    };
    let signal = Signal {
        number: format!("{} / {}", signed(reward.1 - reward.0), signed(held_out.1 - held_out.0)),
        step: Some(held_out.3.min(reward.3)),
        ..signal
    };
    if ![reward.0, reward.1, held_out.0, held_out.1].iter().all(|score| score.is_finite()) {
        return signal.says(Verdict::Wrong, "a score is not finite");
    }
    if held_out.2 < -ERRORS && reward.2 > ERRORS {
        return signal.says(
            Verdict::Wrong,
            "the reward rose while the held-out score fell: it looks like reward hacking",
        );
    }
    let word = |errors: f64, one: &str| match errors {
        e if e > ERRORS => format!("{one} rose"),
        e if e < -ERRORS => format!("{one} fell"),
        _ => format!("{one} did not change beyond {ERRORS:.0} standard errors"),
    };
    let words = format!("{}; {}", word(reward.2, "the reward"), word(held_out.2, "the held-out score"));
    signal.says(if held_out.2 < -ERRORS { Verdict::Look } else { Verdict::Fine }, words)
}

/// A series with numbers that are not finite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFinite {
    /// The series.
    pub name: String,
    /// Its NaN.
    pub nan: usize,
    /// Its infinities, of either sign.
    pub infinite: usize,
    /// Its points.
    pub of: usize,
    /// The first iteration with one.
    pub first: usize,
}

/// All series with numbers that are not finite, over the whole run.
#[must_use]
pub fn not_finite(store: &RunStore) -> Vec<NotFinite> {
    let found = store.all_series().filter_map(|(name, series)| {
        let all = series.summary()?;
        let infinite = all.positive_infinity + all.negative_infinity;
        if all.nan + infinite == 0 {
            return None;
        }
        let first = first_not_finite(series, all.first_step, all.last_step);
        Some(NotFinite { name: name.to_owned(), nan: all.nan, infinite, of: all.count, first })
    });
    found.collect()
}

/// The first step with a number that is not finite, of a series that has one: narrowed down in the pyramid.
fn first_not_finite(series: &Series, mut low: usize, mut high: usize) -> usize {
    while low < high {
        let buckets = series.buckets(low..=high, 16);
        let bad = buckets.iter().find(|b| b.nan + b.positive_infinity + b.negative_infinity > 0);
        let Some(bad) = bad else { return low };
        if (bad.first_step, bad.last_step) == (low, high) {
            return low;
        }
        (low, high) = (bad.first_step, bad.last_step);
    }
    low
}

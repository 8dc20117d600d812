//! What each plot shows, and the curves of the runs in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::data::run::{OpenRun, RunId};
use super::layout::PlotId;
use super::plot::{LinkedX, PanelChoice, XAxis, XMap};
use crate::runs::series::{Point, Series};
use crate::runs::store::RunStore;
use crate::session::train::config::TrainConfig;

/// How plots are drawn.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct CurveView {
    /// The horizontal axis that all share.
    pub linked: LinkedX,
    /// Smoothing: 0 for none, towards 1 for more.
    pub smoothing: f64,
    /// What the band around the mean reward is.
    pub band: RewardBand,
    /// What was chosen for each plot.
    pub choices: BTreeMap<PlotId, PanelChoice>,
    /// Which series each plot of a comparison draws, where that is not the first.
    pub compared: BTreeMap<PlotId, String>,
    /// Which series the plot of any series shows.
    pub pattern: String,
}

/// What the band around the mean reward of a group is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RewardBand {
    /// Least to greatest reward of the group.
    #[default]
    MinMax,
    /// One standard deviation of the group on both sides.
    Std,
    /// None.
    None,
}

impl RewardBand {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::MinMax, Self::Std, Self::None];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MinMax => "min to max",
            Self::Std => "± std",
            Self::None => "none",
        }
    }
}

impl Default for CurveView {
    fn default() -> Self {
        Self {
            linked: LinkedX::default(),
            smoothing: 0.0,
            band: RewardBand::default(),
            choices: BTreeMap::new(),
            compared: BTreeMap::new(),
            pattern: String::new(),
        }
    }
}

impl CurveView {
    /// Puts numbers that a file may hold into their ranges.
    pub fn validate(&mut self) {
        if !(0.0..1.0).contains(&self.smoothing) {
            self.smoothing = 0.0;
        }
    }
}

/// What a plot shows.
pub struct PlotSpec {
    /// Unit of its values.
    pub unit: &'static str,
    /// Names of its series; one that ends in `/` stands for all below it.
    pub series: &'static [&'static str],
}

/// What `plot` shows. The first series that a run has is the one that comparisons draw.
#[must_use]
pub const fn spec(plot: PlotId) -> PlotSpec {
    let (unit, series): (&str, &[&str]) = match plot {
        PlotId::Reward => ("", &["reward/mean"]),
        PlotId::RewardParts => ("", &["verifier/", "reward/part/"]),
        PlotId::Scores => (
            "",
            &[
                "held_out/verifier",
                "evaluation/reward",
                "evaluation/verifier",
                "held_out/exact",
                "evaluation/exact",
                "held_out_mean/all",
            ],
        ),
        PlotId::Kl => ("nats", &["kl"]),
        PlotId::GradientNorm => ("", &["gradient_norm/whole", "gradient_norm/"]),
        PlotId::Shares => ("share of tokens", &["consistency/kept", "mte/share"]),
        PlotId::KeptByStep => ("share of tokens", &["consistency/kept/"]),
        PlotId::Uncertainty => {
            ("latent units", &["uncertainty/mean", "uncertainty/selected", "uncertainty/rest"])
        }
        PlotId::Diversity => ("", &["diversity/images", "diversity/latents"]),
        PlotId::GroupStd => ("", &["group/std", "group/zero_std_share"]),
        PlotId::Loss => ("", &["loss/total", "loss/"]),
        PlotId::Time => ("s", &["time/iteration", "time/"]),
        PlotId::LearningRate => ("", &["learning_rate/"]),
        PlotId::Any => ("", &[]),
    };
    PlotSpec { unit, series }
}

/// A moment and no duration.
pub const CLOCK: &str = "time/unix_seconds";

/// Names of the series of `store` that `plot` shows, in order, without repetition. `pattern` is what the plot of any series
/// shows.
///
/// # Errors
/// If the pattern is no regular expression.
pub fn names(store: &RunStore, plot: PlotId, pattern: &str) -> Result<Vec<String>, String> {
    if plot == PlotId::Any {
        return matching(store, pattern);
    }
    let mut found: Vec<String> = Vec::new();
    for wanted in spec(plot).series {
        for name in store.names() {
            let fits = if wanted.ends_with('/') { name.starts_with(wanted) } else { name == *wanted };
            if fits && name != CLOCK && !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
        }
    }
    Ok(found)
}

/// Most series that the plot of any series draws.
const MOST: usize = 24;

fn matching(store: &RunStore, pattern: &str) -> Result<Vec<String>, String> {
    let regex = regex::RegexBuilder::new(pattern)
        .case_insensitive(true)
        .build()
        .map_err(|error| format!("the pattern cannot be read: {error}"))?;
    Ok(store.names().filter(|name| regex.is_match(name)).take(MOST).map(str::to_owned).collect())
}

/// What is made from the series of a run and kept between frames: places on the horizontal axis, and the band of one
/// standard deviation.
#[derive(Default)]
pub struct Derived {
    of: BTreeMap<RunId, Made>,
}

#[derive(Default)]
struct Made {
    version: u64,
    wall: Vec<(usize, f64)>,
    images: Vec<(usize, f64)>,
    std_band: Option<[Series; 2]>,
}

impl Derived {
    /// Makes anew what changed, and forgets runs that were closed.
    pub fn update<'a>(&mut self, runs: impl Iterator<Item = &'a OpenRun>) {
        let mut kept = BTreeMap::new();
        for run in runs {
            let old = self.of.remove(&run.id).filter(|made| made.version == run.version);
            kept.insert(run.id, old.unwrap_or_else(|| Made::of(run)));
        }
        self.of = kept;
    }

    /// Where points of `run` lie on the horizontal axis. `None` if the run does not tell.
    #[must_use]
    pub fn map(&self, run: RunId, axis: XAxis) -> Option<XMap<'_>> {
        let made = self.of.get(&run)?;
        let knots = |knots: &'_ [(usize, f64)]| knots.len() >= 2;
        match axis {
            XAxis::Iteration => Some(XMap::Step),
            XAxis::ActiveTime => Some(XMap::Seconds { offset: 0.0 }),
            XAxis::WallTime => knots(&made.wall).then_some(XMap::Knots(&made.wall)),
            XAxis::ImagesSeen => knots(&made.images).then_some(XMap::Knots(&made.images)),
        }
    }

    /// Mean reward less and plus one standard deviation of the group.
    #[must_use]
    pub fn std_band(&self, run: RunId) -> Option<[&Series; 2]> {
        let [low, high] = self.of.get(&run)?.std_band.as_ref()?;
        Some([low, high])
    }
}

impl Made {
    fn of(run: &OpenRun) -> Self {
        Self {
            version: run.version,
            wall: run.store.series(CLOCK).map(wall).unwrap_or_default(),
            images: run.config().map(|config| images(run, &config)).unwrap_or_default(),
            std_band: std_band(&run.store),
        }
    }
}

/// Seconds since the first iteration, pauses included. A clock that was set back is held.
fn wall(clock: &Series) -> Vec<(usize, f64)> {
    let mut knots: Vec<(usize, f64)> = Vec::with_capacity(clock.len());
    let first = clock.get(0).map_or(0.0, |point| point.value);
    for point in clock.iter().filter(|point| point.value.is_finite()) {
        let place = point.value - first;
        match knots.last() {
            Some((step, last)) if *step >= point.step || *last >= place => {}
            _ => knots.push((point.step, place)),
        }
    }
    knots
}

/// Pictures sampled before each iteration, with every change of the group's size.
fn images(run: &OpenRun, config: &TrainConfig) -> Vec<(usize, f64)> {
    let (mut group, mut groups) = (config.rl.group as f64, config.rl.groups as f64);
    let mut knots = vec![(0, 0.0)];
    let (mut step, mut seen) = (0, 0.0);
    for change in run.store.changes() {
        let value = change.to.as_f64();
        let (Some(value), true) = (value, matches!(change.setting.as_str(), "rl.group" | "rl.groups")) else {
            continue;
        };
        seen += (change.step - step) as f64 * group * groups;
        if change.step > step {
            knots.push((change.step, seen));
            step = change.step;
        }
        if change.setting == "rl.group" { group = value } else { groups = value }
    }
    knots.push((step + 1, seen + group * groups));
    knots
}

fn std_band(store: &RunStore) -> Option<[Series; 2]> {
    let (mean, std) = (store.series("reward/mean")?, store.series("reward/std")?);
    let mut band = [Series::default(), Series::default()];
    for point in mean.iter() {
        let Some(width) = std.at(point.step).filter(|p| p.step == point.step) else { continue };
        band[0].push(Point { value: point.value - width.value, ..point });
        band[1].push(Point { value: point.value + width.value, ..point });
    }
    Some(band)
}

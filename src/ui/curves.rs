//! What each plot shows, and the curves of the runs in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::data::run::{OpenRun, RunId, Runs};
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
    /// Versions of the run, and of those that it descends from.
    versions: Vec<(RunId, u64)>,
    wall: Vec<(usize, f64)>,
    images: Vec<(usize, f64)>,
    std_band: Option<[Series; 2]>,
}

impl Derived {
    /// Makes anew what changed, and forgets runs that were closed.
    pub fn update(&mut self, runs: &Runs) {
        let mut kept = BTreeMap::new();
        for run in runs.iter() {
            let line = descent(runs, run);
            let versions: Vec<(RunId, u64)> = line.iter().map(|(run, _)| (run.id, run.version)).collect();
            let old = self.of.remove(&run.id).filter(|made| made.versions == versions);
            kept.insert(run.id, old.unwrap_or_else(|| Made::of(&line, versions)));
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

/// Generations of branches that are looked at; records that name each other as parents end there.
const GENERATIONS: usize = 16;

/// `run` and the open runs that it descends from, each with the iteration at which it began.
fn descent<'a>(runs: &'a Runs, run: &'a OpenRun) -> Vec<(&'a OpenRun, usize)> {
    let mut line = Vec::new();
    let mut next = Some(run);
    while let Some(run) = next.filter(|_| line.len() < GENERATIONS) {
        let parent = runs.parent(run);
        line.push((run, parent.map_or(0, |(_, step)| step)));
        next = parent.map(|(parent, _)| parent);
    }
    line
}

impl Made {
    fn of(line: &[(&OpenRun, usize)], versions: Vec<(RunId, u64)>) -> Self {
        let Some((run, _)) = line.first() else { return Self::default() };
        Self {
            versions,
            wall: run.store.series(CLOCK).map(wall).unwrap_or_default(),
            images: images_of(line),
            std_band: std_band(&run.store),
        }
    }
}

/// Pictures sampled before each iteration of the first of `line`, with those of the runs that it descends from.
fn images_of(line: &[(&OpenRun, usize)]) -> Vec<(usize, f64)> {
    let mut start = (0, 0.0);
    let mut knots = Vec::new();
    for (place, (run, _)) in line.iter().enumerate().rev() {
        let Some(config) = run.config() else { return Vec::new() };
        knots = images(run, &config, start);
        let began = place.checked_sub(1).and_then(|child| line.get(child)).map_or(0, |(_, step)| *step);
        start = (began, seen_at(&knots, began));
    }
    knots
}

/// What the last two of `knots` up to `step` say of it.
fn seen_at(knots: &[(usize, f64)], step: usize) -> f64 {
    let after =
        knots.partition_point(|(known, _)| *known < step).clamp(1, knots.len().saturating_sub(1).max(1));
    match (knots.get(after - 1), knots.get(after)) {
        (Some((from, seen)), Some((to, more))) => {
            let slope = (more - seen) / (*to as f64 - *from as f64);
            seen + slope * (step as f64 - *from as f64)
        }
        (Some((_, seen)), None) => *seen,
        _ => 0.0,
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

/// Pictures sampled before each iteration from `start` on (iteration, pictures), with every change of the group's size.
fn images(run: &OpenRun, config: &TrainConfig, start: (usize, f64)) -> Vec<(usize, f64)> {
    let (mut group, mut groups) = (config.rl.group as f64, config.rl.groups as f64);
    let (mut step, mut seen) = start;
    let mut knots = vec![start];
    for change in run.store.changes().iter().filter(|change| change.step >= start.0) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::event::Event;
    use crate::runs::folder::{Parent, RunFolder, RunHeader};

    fn write(path: &std::path::Path, group: usize, parent: Option<Parent>) -> RunFolder {
        let mut config = crate::session::train::preset::config("default").unwrap();
        (config.rl.group, config.rl.groups) = (group, 1);
        let config = serde_json::to_value(&config).unwrap();
        RunFolder::create(path, &RunHeader { parent, ..RunHeader::new("train", config, "cpu") }).unwrap()
    }

    fn all(paths: [&std::path::Path; 2]) -> Runs {
        let mut runs = Runs::default();
        for path in paths {
            runs.open(path, || {}).unwrap();
        }
        while runs.iter().any(|run| !run.complete) {
            runs.update();
            std::thread::yield_now();
        }
        runs
    }

    /// 10 iterations of 8 pictures, then of 4; a branch at 20 iterations samples 2 at each.
    #[test]
    fn a_branch_has_seen_what_its_parent_had_when_it_began() {
        let root = tempfile::tempdir().unwrap();
        let [parent, branch] = ["parent", "branch"].map(|name| root.path().join(name));
        let mut run = write(&parent, 8, None);
        let change = |step: usize, to: usize| Event::Change {
            step,
            setting: "rl.group".into(),
            from: 8.into(),
            to: to.into(),
        };
        run.record(&change(10, 4)).unwrap();
        run.record(&change(30, 16)).unwrap();
        let of = Parent { run: parent.display().to_string(), step: 20 };
        drop(write(&branch, 2, Some(of)));
        let runs = all([&branch, &parent]);
        let mut derived = Derived::default();
        derived.update(&runs);
        let seen = |index: usize, step: usize| {
            let id = runs.iter().nth(index).unwrap().id;
            let map = derived.map(id, XAxis::ImagesSeen).unwrap();
            map.x(Point { step, seconds: 0.0, value: 0.0 })
        };
        assert_eq!([seen(1, 10), seen(1, 20), seen(1, 31)].map(f64::round), [80.0, 120.0, 176.0]);
        assert_eq!([seen(0, 20), seen(0, 25)].map(f64::round), [120.0, 130.0]);
    }

    #[test]
    fn records_that_name_each_other_as_parents_end() {
        let root = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| root.path().join(name));
        let of = |path: &std::path::Path| Some(Parent { run: path.display().to_string(), step: 3 });
        drop(write(&a, 2, of(&b)));
        drop(write(&b, 2, of(&a)));
        let runs = all([&a, &b]);
        assert_eq!(descent(&runs, runs.iter().next().unwrap()).len(), GENERATIONS);
        Derived::default().update(&runs);
    }
}

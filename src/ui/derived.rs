//! What is made from the series of runs and kept between frames: places on the horizontal axis, and bands.

use std::collections::BTreeMap;

use super::curves::CLOCK;
use super::data::run::{OpenRun, RunId, Runs};
use super::plot::{Growth, Seen, XAxis, XMap};
use crate::runs::series::{Point, Series};
use crate::runs::store::RunStore;
use crate::session::train::config::TrainConfig;

/// For each run where its points lie on the horizontal axes, and the band of one standard deviation around its reward.
#[derive(Default)]
pub struct Derived {
    of: BTreeMap<RunId, Made>,
}

#[derive(Default)]
struct Made {
    /// Versions of the run, and of those that it descends from.
    versions: Vec<(RunId, u64)>,
    wall: Wall,
    images: Vec<(usize, f64)>,
    std_band: StdBand,
}

impl Derived {
    /// Makes anew what changed, and forgets runs that were closed.
    pub fn update(&mut self, runs: &Runs) {
        let mut kept = BTreeMap::new();
        for run in runs.iter() {
            let line = descent(runs, run);
            let versions: Vec<(RunId, u64)> = line.iter().map(|(run, _)| (run.id, run.version)).collect();
            let mut made = self.of.remove(&run.id).unwrap_or_default();
            if made.versions != versions {
                made.follow(&line, versions);
            }
            kept.insert(run.id, made);
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
            XAxis::WallTime => knots(&made.wall.knots).then_some(XMap::Knots(&made.wall.knots)),
            XAxis::ImagesSeen => knots(&made.images).then_some(XMap::Knots(&made.images)),
        }
    }

    /// Mean reward less and plus one standard deviation of the group.
    #[must_use]
    pub fn std_band(&self, run: RunId) -> Option<[&Series; 2]> {
        let [low, high] = &self.of.get(&run)?.std_band.edges;
        (!low.is_empty()).then_some([low, high])
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
    /// Takes in what is new in the first of `line`.
    fn follow(&mut self, line: &[(&OpenRun, usize)], versions: Vec<(RunId, u64)>) {
        let Some((run, _)) = line.first() else { return };
        self.versions = versions;
        self.wall.follow(run.store.series(CLOCK));
        self.images = images_of(line);
        self.std_band.follow(&run.store);
    }
}

/// Points of a series that were not taken yet, the first of which is at the given place; from 0 if it is another series.
fn new_points(taken: &mut Seen, series: &Series) -> Option<usize> {
    let from = match taken.growth(series) {
        Growth::None => return None,
        Growth::AtTheEnd => taken.length,
        Growth::Elsewhere => 0,
    };
    *taken = Seen::of(series);
    Some(from)
}

/// Seconds since the first iteration, pauses included. A clock that was set back is held.
#[derive(Default)]
struct Wall {
    taken: Seen,
    knots: Vec<(usize, f64)>,
}

impl Wall {
    fn follow(&mut self, clock: Option<&Series>) {
        let Some(clock) = clock else {
            *self = Self::default();
            return;
        };
        let Some(from) = new_points(&mut self.taken, clock) else { return };
        if from == 0 {
            self.knots.clear();
        }
        let first = clock.get(0).map_or(0.0, |point| point.value);
        for point in (from..clock.len()).filter_map(|i| clock.get(i)).filter(|point| point.value.is_finite())
        {
            let place = point.value - first;
            match self.knots.last() {
                Some((step, last)) if *step >= point.step || *last >= place => {}
                _ => self.knots.push((point.step, place)),
            }
        }
    }
}

/// Mean reward less and plus one standard deviation of the group.
#[derive(Default)]
struct StdBand {
    taken: Seen,
    edges: [Series; 2],
}

impl StdBand {
    fn follow(&mut self, store: &RunStore) {
        let (Some(mean), Some(std)) = (store.series("reward/mean"), store.series("reward/std")) else {
            *self = Self::default();
            return;
        };
        let Some(from) = new_points(&mut self.taken, mean) else { return };
        if from == 0 {
            self.edges = Default::default();
        }
        for point in (from..mean.len()).filter_map(|i| mean.get(i)) {
            let Some(width) = std.at(point.step).filter(|p| p.step == point.step) else { continue };
            self.edges[0].push(Point { value: point.value - width.value, ..point });
            self.edges[1].push(Point { value: point.value + width.value, ..point });
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

    /// What is taken in piece by piece is what is made at once, whatever the pieces and however often the log begins anew.
    #[test]
    fn following_gives_what_reading_at_once_gives() {
        let mut clock = Series::default();
        let mut wall = Wall::default();
        for step in 0..50_usize {
            // Set back once, held once, and one that is no number.
            let value = match step {
                20 => 3.0,
                21 => f64::NAN,
                _ => 1000.0 + step as f64 * 1.5,
            };
            clock.push(Point { step, seconds: 0.0, value });
            if step % 7 == 0 {
                wall.follow(Some(&clock));
            }
        }
        wall.follow(Some(&clock));
        let mut whole = Wall::default();
        whole.follow(Some(&clock));
        assert_eq!(wall.knots, whole.knots);
        assert_eq!(whole.knots.len(), 48);
        let mut other = Series::default();
        other.push(Point { step: 5, seconds: 0.0, value: 7.0 });
        wall.follow(Some(&other));
        assert_eq!(wall.knots, [(5, 0.0)]);
    }
}

//! What the table says of a run, computed anew only when something more was recorded.

use std::collections::BTreeMap;

use serde_json::Value;

use super::columns::{Quantity, differing};
use super::number;
use crate::rl::config::Advantages;
use crate::rl::variant::Variant;
use crate::runs::list::REWARD;
use crate::session::settings::flatten;
use crate::ui::data::run::{OpenRun, RunId, Runs};

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Its number.
    pub id: RunId,
    /// Its colour when every run has its own.
    pub colour: usize,
    /// What the user calls it.
    pub name: String,
    /// What kind of run.
    pub kind: String,
    /// The variant of the algorithm and what it was switched to, with `+shuffled` for a control.
    pub variant: String,
    /// Seed of everything random in it.
    pub seed: Option<u64>,
    /// Iterations done.
    pub iterations: usize,
    /// One number a [`Quantity`], in the order of [`Quantity::ALL`].
    pub numbers: [Option<f64>; Quantity::ALL.len()],
    /// Settings by path.
    pub settings: BTreeMap<String, Setting>,
    /// Why it cannot be read on.
    pub problem: Option<String>,
    /// What the filter looks at: a line for the name, the variant, the kind and every setting.
    pub searched: String,
    version: u64,
}

/// A setting with every value it had, the first first.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting(pub Vec<Value>);

impl Setting {
    /// In words; an arrow between two values says that it changed while the run went on.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.iter().map(number::setting).collect::<Vec<_>>().join(number::THEN)
    }

    /// Whether it changed while the run went on.
    #[must_use]
    pub const fn changed(&self) -> bool {
        self.0.len() > 1
    }
}

impl RunRow {
    /// Of what was recorded so far; `name` tells it from the other runs.
    #[must_use]
    pub fn of(run: &OpenRun, name: String) -> Self {
        let store = &run.store;
        let settings = settings(run);
        let variant = variant(run);
        let done = store.series(REWARD).and_then(|series| Some(series.last()?.step + 1));
        let mut row = Self {
            id: run.id,
            colour: run.colour,
            name,
            kind: store.header().kind.clone(),
            variant,
            seed: store.header().seed,
            iterations: done.or(store.last_step()).unwrap_or(0),
            numbers: Quantity::ALL.map(|quantity| quantity.of(store)),
            settings,
            problem: run.problem.clone(),
            searched: String::new(),
            version: run.version,
        };
        row.searched = row.lines();
        row
    }

    /// The number of that quantity.
    #[must_use]
    pub fn number(&self, quantity: Quantity) -> Option<f64> {
        self.numbers.get(quantity as usize).copied().flatten()
    }

    /// What it is trained on.
    #[must_use]
    pub fn prompts(&self) -> String {
        self.settings.get("prompts").map(Setting::text).unwrap_or_default()
    }

    fn lines(&self) -> String {
        let mut lines = vec![self.name.clone(), self.variant.clone(), self.kind.clone()];
        lines.extend(self.settings.iter().map(|(path, setting)| format!("{path}={}", setting.text())));
        lines.join("\n")
    }
}

fn settings(run: &OpenRun) -> BTreeMap<String, Setting> {
    let leaves = flatten(&run.store.header().config).unwrap_or_default();
    // A run without settings has one empty leaf of no name.
    let named = leaves.into_iter().filter(|(path, _)| !path.is_empty());
    let mut settings: BTreeMap<String, Setting> =
        named.map(|(path, value)| (path, Setting(vec![value]))).collect();
    for change in run.store.changes() {
        let setting =
            settings.entry(change.setting.clone()).or_insert_with(|| Setting(vec![change.from.clone()]));
        if setting.0.last() != Some(&change.to) {
            setting.0.push(change.to.clone());
        }
    }
    settings
}

fn variant(run: &OpenRun) -> String {
    let first = run.store.header().variant.clone().unwrap_or_default();
    let last = run
        .store
        .changes()
        .last()
        .and_then(|change| run.config_at(change.step))
        .map(|config| Variant::of(&config.rl).map_or("custom", Variant::name));
    let name = match last {
        Some(last) if last != first => format!("{first}{}{last}", number::THEN),
        _ => first,
    };
    // A control must not be taken for the variant itself, in means above all.
    let shuffled = run.config().is_some_and(|config| config.rl.advantages == Advantages::Shuffled);
    if shuffled { format!("{name}+shuffled") } else { name }
}

/// All open runs.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    all: Vec<RunRow>,
    differing: Vec<String>,
    generation: u64,
}

impl Rows {
    /// Takes in what changed.
    pub fn update(&mut self, runs: &Runs) {
        // A run that is opened or closed may change the names of the others.
        let same = |row: &RunRow, run: &OpenRun| row.id == run.id && row.version == run.version;
        let as_many = self.all.len() == runs.iter().len();
        if as_many && self.all.iter().zip(runs.iter()).all(|(row, run)| same(row, run)) {
            return;
        }
        let mut old: BTreeMap<RunId, RunRow> = self.all.drain(..).map(|row| (row.id, row)).collect();
        self.all = runs
            .iter()
            .map(|run| match old.remove(&run.id) {
                Some(row) if same(&row, run) && as_many => row,
                _ => RunRow::of(run, run.name.clone()),
            })
            .collect();
        self.differing = differing(&self.all);
        self.generation += 1;
    }

    /// The rows, in the order in which the runs were opened.
    #[must_use]
    pub fn all(&self) -> &[RunRow] {
        &self.all
    }

    /// Paths of the settings in which they differ.
    #[must_use]
    pub fn differing(&self) -> &[String] {
        &self.differing
    }

    /// Grows with every change.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }
}

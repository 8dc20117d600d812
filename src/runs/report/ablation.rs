//! Runs grouped by variant, with what is known about each measure and its difference to the baseline.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::cell::{Cell, Outcome};
use super::measure::Measure;
use super::stats::{Difference, Estimate};

/// The variant that others are compared with.
pub const BASELINE: &str = "grpo";

/// Variants x prompts x seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Ablation {
    /// Name of the variant that others are compared with.
    pub baseline: String,
    /// The runs, in any order. Variants and prompts are shown in the order in which they come first here, the baseline
    /// before all.
    pub cells: Vec<Cell>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariantRow {
    /// Name of the variant.
    pub variant: String,
    /// Whether it is the one that others are compared with.
    pub is_baseline: bool,
    /// What became of its runs.
    pub runs: RunCounts,
    /// Values of any number of its runs that are NaN or infinite.
    pub not_finite: usize,
    /// All measures, in the order of [`Measure::ALL`].
    pub measures: Vec<MeasureRow>,
}

/// What became of the runs of a variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunCounts {
    /// All.
    pub all: usize,
    /// Those whose numbers enter the means.
    pub finished: usize,
    /// Those that stopped by themselves.
    pub failed: usize,
    /// Those that were stopped or never started.
    pub unfinished: usize,
}

impl RunCounts {
    /// In words: `3 of 5 (1 failed, 1 unfinished)`.
    #[must_use]
    pub fn words(&self) -> String {
        let lost = [(self.failed, "failed"), (self.unfinished, "unfinished")];
        let lost = lost.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let lost = lost.collect::<Vec<_>>().join(", ");
        let words = format!("{} of {}", self.finished, self.all);
        if lost.is_empty() { words } else { format!("{words} ({lost})") }
    }
}

/// What is known about a measure of a variant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasureRow {
    /// Which.
    pub measure: Measure,
    /// Over the finished runs.
    pub estimate: Estimate,
    /// To the baseline, over the prompts and seeds of which both finished; none for the baseline itself.
    pub difference: Option<Difference>,
}

impl Ablation {
    /// An ablation whose baseline is [`BASELINE`].
    #[must_use]
    pub fn new(cells: Vec<Cell>) -> Self {
        Self { baseline: BASELINE.to_owned(), cells }
    }

    /// Names of the variants, the baseline first.
    #[must_use]
    pub fn variants(&self) -> Vec<&str> {
        let mut variants = distinct(self.cells.iter().map(|cell| cell.variant.as_str()));
        variants.sort_by_key(|variant| *variant != self.baseline);
        variants
    }

    /// The prompts.
    #[must_use]
    pub fn prompts(&self) -> Vec<&str> {
        distinct(self.cells.iter().map(|cell| cell.prompt.as_str()))
    }

    /// The seeds, ascending.
    #[must_use]
    pub fn seeds(&self) -> Vec<u64> {
        self.cells.iter().map(|cell| cell.seed).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The runs of a variant and, if named, of a prompt, in whatever state.
    pub fn runs_of<'a>(
        &'a self,
        variant: &'a str,
        prompt: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Cell> + 'a {
        self.cells
            .iter()
            .filter(move |cell| cell.variant == variant && prompt.is_none_or(|prompt| cell.prompt == prompt))
    }

    /// The runs whose numbers count: those that finished, and of several of the same variant, prompt and seed the first,
    /// since the same run twice is no more evidence than once.
    #[must_use]
    pub fn counted<'a>(&'a self, variant: &'a str, prompt: Option<&'a str>) -> Vec<&'a Cell> {
        let mut seen = BTreeSet::new();
        self.runs_of(variant, prompt)
            .filter(|cell| cell.finished() && seen.insert((cell.prompt.as_str(), cell.seed)))
            .collect()
    }

    /// A row a variant, over all prompts.
    #[must_use]
    pub fn rows(&self) -> Vec<VariantRow> {
        self.rows_of(None)
    }

    /// A row a variant, over all prompts or one. Variants without a run of that prompt have a row too.
    #[must_use]
    pub fn rows_of(&self, prompt: Option<&str>) -> Vec<VariantRow> {
        self.variants().into_iter().map(|variant| self.row(variant, prompt)).collect()
    }

    fn row(&self, variant: &str, prompt: Option<&str>) -> VariantRow {
        let is_baseline = variant == self.baseline;
        let cells = self.counted(variant, prompt);
        let mut runs = RunCounts::default();
        let mut not_finite = 0;
        for cell in self.runs_of(variant, prompt) {
            runs.all += 1;
            not_finite += cell.not_finite();
            match cell.outcome {
                Outcome::Finished => runs.finished += 1,
                Outcome::Failed(_) => runs.failed += 1,
                Outcome::Unfinished { .. } => runs.unfinished += 1,
            }
        }
        let measures = Measure::ALL.map(|measure| MeasureRow {
            measure,
            estimate: Estimate::of(cells.iter().map(|cell| cell.recorded.measures.get(measure))),
            difference: (!is_baseline).then(|| {
                Difference::of(&self.paired(variant, prompt, measure).into_values().collect::<Vec<_>>())
            }),
        });
        let measures = measures.into_iter().collect();
        VariantRow { variant: variant.to_owned(), is_baseline, runs, not_finite, measures }
    }

    /// By prompt and seed: the measure of the variant less that of the baseline, where both finished with a finite value.
    #[must_use]
    pub fn paired(
        &self,
        variant: &str,
        prompt: Option<&str>,
        measure: Measure,
    ) -> BTreeMap<(String, u64), f64> {
        let values = |variant| -> BTreeMap<(String, u64), f64> {
            let cells = self.counted(variant, prompt).into_iter();
            let of =
                |cell: &Cell| Some(((cell.prompt.clone(), cell.seed), cell.recorded.measures.get(measure)?));
            cells.filter_map(of).collect()
        };
        let baseline = values(&self.baseline);
        let ours = values(variant).into_iter();
        ours.filter_map(|(key, value)| {
            let difference = value - baseline.get(&key)?;
            difference.is_finite().then_some((key, difference))
        })
        .collect()
    }
}

/// In order of first appearance, each once.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

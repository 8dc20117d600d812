//! The report's numbers as JSON. What is not finite is a string, as in the record of a run.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::About;
use super::ablation::{Ablation, VariantRow};
use super::cell::{Cell, Outcome};
use super::measure::{Better, Measure};
use super::remarks::remarks;
use super::settings::{SettingRow, differing};
use crate::runs::event::Scalar;

/// The whole report.
#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    about: &'a About,
    baseline: &'a str,
    remarks: Vec<String>,
    settings: Vec<SettingRow>,
    measures: Vec<MeasureFacts>,
    variants: Vec<VariantRow>,
    by_prompt: BTreeMap<&'a str, Vec<VariantRow>>,
    cells: Vec<CellRow<'a>>,
}

#[derive(Debug, Serialize)]
struct MeasureFacts {
    key: &'static str,
    name: &'static str,
    unit: &'static str,
    better: Better,
    definition: &'static str,
}

#[derive(Debug, Serialize)]
struct CellRow<'a> {
    variant: &'a str,
    prompt: &'a str,
    seed: u64,
    folder: &'a Path,
    outcome: &'a Outcome,
    iterations: usize,
    seconds: f64,
    device: &'a str,
    version: &'a str,
    measures: BTreeMap<&'static str, Scalar>,
    not_finite: &'a BTreeMap<String, usize>,
    changes: &'a [String],
}

impl<'a> Report<'a> {
    pub fn of(ablation: &'a Ablation, about: &'a About) -> Self {
        let facts = |measure: Measure| MeasureFacts {
            key: measure.key(),
            name: measure.name(),
            unit: measure.unit(),
            better: measure.better(),
            definition: measure.definition(),
        };
        let prompts = ablation.prompts().into_iter();
        Self {
            about,
            baseline: &ablation.baseline,
            remarks: remarks(ablation),
            settings: differing(ablation),
            measures: Measure::ALL.into_iter().map(facts).collect(),
            variants: ablation.rows(),
            by_prompt: prompts.map(|prompt| (prompt, ablation.rows_of(Some(prompt)))).collect(),
            cells: ablation.cells.iter().map(CellRow::of).collect(),
        }
    }
}

impl<'a> CellRow<'a> {
    fn of(cell: &'a Cell) -> Self {
        let recorded = &cell.recorded;
        let measures = recorded.measures.iter().map(|(measure, value)| (measure.key(), Scalar(value)));
        Self {
            variant: &cell.variant,
            prompt: &cell.prompt,
            seed: cell.seed,
            folder: &cell.folder,
            outcome: &cell.outcome,
            iterations: recorded.iterations,
            seconds: recorded.seconds,
            device: &recorded.device,
            version: &recorded.version,
            measures: measures.collect(),
            not_finite: &recorded.not_finite,
            changes: &recorded.changes,
        }
    }
}

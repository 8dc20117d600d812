//! What a reader must know before believing the numbers.

use std::collections::{BTreeMap, BTreeSet};

use super::ablation::Ablation;
use super::cell::Cell;
use super::settings::differing;

/// Whatever may make the comparison unfair or the numbers doubtful, in sentences, the gravest first.
#[must_use]
pub fn remarks(ablation: &Ablation) -> Vec<String> {
    let mut remarks = Vec::new();
    if ablation.cells.is_empty() {
        return vec!["There are no runs.".into()];
    }
    baseline(ablation, &mut remarks);
    survivors(ablation, &mut remarks);
    grid(ablation, &mut remarks);
    alike(ablation, &mut remarks);
    settings(ablation, &mut remarks);
    numbers(ablation, &mut remarks);
    remarks
}

fn baseline(ablation: &Ablation, remarks: &mut Vec<String>) {
    let name = &ablation.baseline;
    if ablation.runs_of(name, None).next().is_none() {
        remarks.push(format!("There is no run of the baseline {name}, so there are no differences to it."));
    } else if ablation.counted(name, None).is_empty() {
        remarks.push(format!("No run of the baseline {name} finished, so there are no differences to it."));
    }
    if ablation.seeds().len() < 2 {
        remarks.push(
            "There is one seed only: nothing here says how far a run with another seed would differ.".into(),
        );
    }
}

/// A mean over the runs that survived flatters a variant whose runs fail.
fn survivors(ablation: &Ablation, remarks: &mut Vec<String>) {
    for row in ablation.rows().iter().filter(|row| row.runs.finished < row.runs.all) {
        remarks.push(format!(
            "{}: finished runs: {}. Its means are over these only and may flatter it; the others are listed below.",
            row.variant,
            row.runs.words()
        ));
    }
}

/// Runs that are missing or there twice.
fn grid(ablation: &Ablation, remarks: &mut Vec<String>) {
    let (prompts, seeds) = (ablation.prompts(), ablation.seeds());
    for variant in ablation.variants() {
        let mut found: BTreeMap<(&str, u64), usize> = BTreeMap::new();
        for cell in ablation.runs_of(variant, None) {
            *found.entry((&cell.prompt, cell.seed)).or_default() += 1;
        }
        let whole = prompts.len() * seeds.len();
        if found.len() < whole {
            remarks.push(format!(
                "{variant}: {} of {whole} combinations of prompt and seed have no run. Means over different prompts and \
                 seeds cannot be compared with one another; the paired differences can.",
                whole - found.len()
            ));
        }
        let twice = found.values().filter(|count| **count > 1).count();
        if twice > 0 {
            remarks.push(format!(
                "{variant}: {twice} combinations of prompt and seed have more than one run; the first that finished counts."
            ));
        }
    }
}

/// What should be the same for all runs.
fn alike(ablation: &Ablation, remarks: &mut Vec<String>) {
    let finished: Vec<&Cell> = ablation.cells.iter().filter(|cell| cell.finished()).collect();
    let lengths: BTreeSet<usize> = finished.iter().map(|cell| cell.recorded.iterations).collect();
    if lengths.len() > 1 {
        remarks.push(format!("The runs differ in length: {} iterations.", list(lengths)));
    }
    let of = |text: fn(&Cell) -> &String| -> BTreeSet<&String> {
        ablation.cells.iter().map(text).filter(|text| !text.is_empty()).collect()
    };
    let devices = of(|cell| &cell.recorded.device);
    let cards: BTreeSet<String> = devices.iter().map(|device| card(device)).collect();
    if cards.len() > 1 {
        remarks.push(format!(
            "The runs were made with different devices, so times cannot be compared: {}.",
            list(devices)
        ));
    }
    let versions = of(|cell| &cell.recorded.version);
    if versions.len() > 1 {
        remarks
            .push(format!("The runs were made with different versions of the program: {}.", list(versions)));
    }
}

/// `cuda:1 (NVIDIA H200)` without its number: the cards of one machine are mostly of a kind.
fn card(device: &str) -> String {
    match device.split_once(':') {
        Some((kind, rest)) => format!("{kind}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())),
        None => device.to_owned(),
    }
}

fn settings(ablation: &Ablation, remarks: &mut Vec<String>) {
    for row in differing(ablation).iter().filter(|row| row.is_mixed()) {
        for (variant, values) in row.values.iter().filter(|(_, values)| values.len() > 1) {
            remarks.push(format!("Runs of {variant} differ in {}: {}.", row.setting, list(values)));
        }
    }
    for cell in ablation.cells.iter().filter(|cell| !cell.recorded.changes.is_empty()) {
        remarks.push(format!(
            "{}: settings were changed while it ran: {}.",
            cell.label(),
            cell.recorded.changes.join("; ")
        ));
    }
}

fn numbers(ablation: &Ablation, remarks: &mut Vec<String>) {
    for cell in ablation.cells.iter().filter(|cell| cell.not_finite() > 0) {
        let counts = cell.recorded.not_finite.iter().map(|(name, count)| format!("{count} of {name}"));
        remarks.push(format!("{}: values that are NaN or infinite: {}.", cell.label(), list(counts)));
    }
}

fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

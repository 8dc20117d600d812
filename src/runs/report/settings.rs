//! Settings that differ between variants.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::ablation::Ablation;
use super::cell::Cell;

/// Settings that differ between the runs of one variant by design.
const BY_DESIGN: [&str; 2] = ["prompts", "seed"];

/// A setting and its values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingRow {
    /// Path of the setting, as in the configuration file: `mte.share`.
    pub setting: String,
    /// By variant, in the order of the report: its values, more than one if its runs differ.
    pub values: Vec<(String, Vec<String>)>,
}

impl SettingRow {
    /// Whether runs of one variant differ in it, so that the variants may not be what their names say.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        self.values.iter().any(|(_, values)| values.len() > 1)
    }
}

/// Settings that differ between variants or, apart from prompts and seed, between runs of one variant. A setting that a
/// run does not have is `not set`.
#[must_use]
pub fn differing(ablation: &Ablation) -> Vec<SettingRow> {
    let known = |variant| -> Vec<BTreeMap<String, Value>> {
        let cells = ablation.runs_of(variant, None).filter(|cell| !cell.recorded.config.is_null());
        cells.map(flat).collect()
    };
    let variants: Vec<(&str, Vec<_>)> = ablation.variants().into_iter().map(|v| (v, known(v))).collect();
    let settings: BTreeSet<&String> =
        variants.iter().flat_map(|(_, runs)| runs).flat_map(BTreeMap::keys).collect();
    let row = |setting: &String| SettingRow {
        setting: setting.clone(),
        values: variants
            .iter()
            .map(|(variant, runs)| ((*variant).to_owned(), values(setting, runs).into_iter().collect()))
            .collect(),
    };
    let differs = |row: &SettingRow| {
        let all: BTreeSet<&String> = row.values.iter().flat_map(|(_, values)| values).collect();
        all.len() > 1
    };
    settings.into_iter().map(row).filter(differs).collect()
}

fn values(setting: &str, runs: &[BTreeMap<String, Value>]) -> BTreeSet<String> {
    let word = |run: &BTreeMap<String, Value>| match run.get(setting) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "not set".to_owned(),
    };
    runs.iter().map(word).collect()
}

/// Paths of all settings of a run, but those that are its place in the ablation.
fn flat(cell: &Cell) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    collect("", &cell.recorded.config, &mut found);
    found.retain(|path, _| !BY_DESIGN.contains(&path.as_str()));
    found
}

fn collect(path: &str, value: &Value, found: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                collect(&path, value, found);
            }
        }
        value => {
            found.insert(path.to_owned(), value.clone());
        }
    }
}

//! Runs grouped by a setting: one colour a group, and a mean with a band over its runs in the curves.

use std::collections::BTreeMap;

use super::row::{RunRow, Setting};
use crate::ui::data::run::RunId;

/// Runs that share a colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunGroup {
    /// What they have in common, or the name of the one run.
    pub name: String,
    /// Which colour of the series palette they have.
    pub colour: usize,
    /// The runs that are drawn, in the order in which they were opened.
    pub runs: Vec<RunId>,
}

/// What runs are grouped by that is no setting.
pub const BY_VARIANT: &str = "variant";
/// See [`BY_VARIANT`].
pub const BY_KIND: &str = "kind";
/// The prompts, which are a setting and always offered.
pub const BY_PROMPTS: &str = "prompts";

/// What can be grouped by, with the names for people.
#[must_use]
pub fn keys(differing: &[String]) -> Vec<(String, String)> {
    let mut keys: Vec<(String, String)> =
        [(BY_VARIANT, "Variant"), (BY_KIND, "Kind"), (BY_PROMPTS, "Prompts")].map(owned).into();
    let settings = differing.iter().filter(|path| *path != BY_PROMPTS);
    keys.extend(settings.map(|path| (path.clone(), path.strip_prefix("rl.").unwrap_or(path).to_owned())));
    keys
}

fn owned((key, name): (&str, &str)) -> (String, String) {
    (key.to_owned(), name.to_owned())
}

/// What `row` has in common with the others of its group.
#[must_use]
pub fn value(row: &RunRow, key: &str) -> String {
    let text = match key {
        BY_VARIANT => row.variant.clone(),
        BY_KIND => row.kind.clone(),
        setting => row.settings.get(setting).map(Setting::text).unwrap_or_default(),
    };
    if text.is_empty() { "not recorded".into() } else { text }
}

/// The groups of `rows` by `key`, each run for itself without one. The colour of a group depends on all open runs, so that
/// hiding some changes no colour; `drawn` says which runs are in it.
#[must_use]
pub fn grouped(rows: &[RunRow], key: Option<&str>, drawn: impl Fn(&RunRow) -> bool) -> Vec<RunGroup> {
    let mut groups: Vec<RunGroup> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows {
        let (name, colour, own) = match key {
            Some(key) => (name(key, &value(row, key)), None, None),
            None => (row.name.clone(), Some(row.colour), Some(row.id)),
        };
        // Two runs may have the same name and are still two.
        let place = own.map_or_else(|| name.clone(), |RunId(id)| id.to_string());
        let place = *places.entry(place).or_insert_with(|| {
            groups.push(RunGroup { name, colour: colour.unwrap_or(groups.len()), runs: Vec::new() });
            groups.len() - 1
        });
        if drawn(row)
            && let Some(group) = groups.get_mut(place)
        {
            group.runs.push(row.id);
        }
    }
    groups.retain(|group| !group.runs.is_empty());
    groups
}

fn name(key: &str, value: &str) -> String {
    match key {
        BY_VARIANT | BY_KIND | BY_PROMPTS => value.to_owned(),
        setting => format!("{} = {value}", setting.rsplit('.').next().unwrap_or(setting)),
    }
}

/// The colour of every run, by its group.
#[must_use]
pub fn colours(rows: &[RunRow], key: Option<&str>) -> BTreeMap<RunId, usize> {
    let groups = grouped(rows, key, |_| true);
    groups.iter().flat_map(|group| group.runs.iter().map(|run| (*run, group.colour))).collect()
}

//! Settings as paths and values: `rl.mte.share` and 0.3. Flags, recorded changes and comparisons of runs all speak this way.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, Result};

/// Every leaf of `settings` by its path, the same as in a TOML file. A list is a leaf.
///
/// # Errors
/// [`Error::Config`] if it has no such form.
pub fn flatten(settings: &impl Serialize) -> Result<BTreeMap<String, Value>> {
    let value = serde_json::to_value(settings).map_err(|error| Error::Config(error.to_string()))?;
    let mut leaves = BTreeMap::new();
    walk("", value, &mut leaves);
    Ok(leaves)
}

fn walk(path: &str, value: Value, leaves: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name } else { format!("{path}.{name}") };
                walk(&path, value, leaves);
            }
        }
        leaf => {
            leaves.insert(path.to_owned(), leaf);
        }
    }
}

/// One setting that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Its path.
    pub setting: String,
    /// Value in the first.
    pub from: Value,
    /// Value in the second.
    pub to: Value,
}

/// The settings in which `from` and `to` differ, by path.
///
/// # Errors
/// [`Error::Config`] if they have no such form.
pub fn differences(from: &impl Serialize, to: &impl Serialize) -> Result<Vec<Difference>> {
    let (from, mut to) = (flatten(from)?, flatten(to)?);
    let mut found: Vec<Difference> = Vec::new();
    for (setting, from) in from {
        let to = to.remove(&setting).unwrap_or(Value::Null);
        if from != to {
            found.push(Difference { setting, from, to });
        }
    }
    found.extend(to.into_iter().map(|(setting, to)| Difference { setting, from: Value::Null, to }));
    Ok(found)
}

/// What the documentation of `T` says of every leaf, by path: the doc comments of its fields.
#[must_use]
pub fn descriptions<T: JsonSchema>() -> BTreeMap<String, String> {
    let schema = schemars::schema_for!(T).to_value();
    let mut found = BTreeMap::new();
    describe("", &schema, &schema, &mut found);
    found
}

fn describe(path: &str, schema: &Value, root: &Value, found: &mut BTreeMap<String, String>) {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|name| {
        let name = name.strip_prefix("#/$defs/")?;
        root.get("$defs")?.get(name)
    });
    let fields = target.unwrap_or(schema).get("properties").and_then(Value::as_object);
    let Some(fields) = fields else {
        let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        found.insert(path.to_owned(), text.replace('\n', " "));
        return;
    };
    for (name, field) in fields {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        describe(&path, field, root, found);
    }
}

/// Puts `value` at `path` of `tree`.
///
/// # Errors
/// [`Error::Config`] if a part of the path is a value and no table.
pub fn put(tree: &mut toml::Table, path: &str, value: toml::Value) -> Result<()> {
    match path.split_once('.') {
        None => {
            tree.insert(path.to_owned(), value);
            Ok(())
        }
        Some((first, rest)) => {
            let inner = tree.entry(first).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            match inner {
                toml::Value::Table(inner) => put(inner, rest, value),
                _ => Err(Error::Config(format!("{first} is a value and has no setting {rest}"))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::train::config::TrainConfig;

    #[test]
    fn every_setting_has_a_description() {
        let described = descriptions::<TrainConfig>();
        for setting in flatten(&TrainConfig::default()).unwrap().keys() {
            let text = described.get(setting).unwrap_or_else(|| panic!("{setting} is not in the schema"));
            assert!(text.len() > 10, "{setting}: {text:?}");
        }
    }

    #[test]
    fn a_changed_setting_is_named_by_its_path() {
        let (from, mut to) = (TrainConfig::default(), TrainConfig::default());
        assert!(differences(&from, &to).unwrap().is_empty());
        to.rl.mte.share = 0.5;
        let found = differences(&from, &to).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].setting.as_str(), &found[0].to), ("rl.mte.share", &Value::from(0.5)));
    }
}

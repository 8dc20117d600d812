//! Settings by their path with what may stand there, from the schema that the configuration file has too.

use std::sync::LazyLock;

use serde_json::Value;

use crate::session::settings::{descriptions, flatten};
use crate::session::train::config::TrainConfig;

/// One setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its path: `rl.mte.share`.
    pub path: String,
    /// What it is.
    pub meaning: String,
    /// What may stand there.
    pub kind: Kind,
}

/// What may stand at a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Yes or no.
    Switch,
    /// One of several words, each with what it means.
    Choice(Vec<(String, String)>),
    /// A number of things.
    Count,
    /// A whole number that may be too large for a number with a point.
    Whole,
    /// A number with a point.
    Number,
    /// A text.
    Text,
    /// A list of texts.
    List,
}

impl Field {
    /// The table it stands in; empty for the settings of the run itself.
    #[must_use]
    pub fn table(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(table, _)| table)
    }

    /// Its name within the table.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit_once('.').map_or(&self.path, |(_, name)| name)
    }

    /// Whether it is what the user looks for.
    #[must_use]
    pub fn matches(&self, wanted: &str) -> bool {
        let wanted = wanted.trim().to_lowercase();
        wanted.is_empty()
            || self.path.to_lowercase().contains(&wanted)
            || self.meaning.to_lowercase().contains(&wanted)
    }
}

/// All settings of a training run: those of the run itself, then table after table.
#[must_use]
pub fn fields() -> &'static [Field] {
    static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(all);
    &FIELDS
}

fn all() -> Vec<Field> {
    let schema = schemars::schema_for!(TrainConfig).to_value();
    let described = descriptions::<TrainConfig>();
    let leaves = flatten(&TrainConfig::default()).unwrap_or_default();
    let mut fields: Vec<Field> = leaves
        .into_iter()
        .map(|(path, value)| {
            let kind = kind(&schema, &path, &value);
            let meaning = described.get(&path).cloned().unwrap_or_default();
            Field { path, meaning, kind }
        })
        .collect();
    fields.sort_by_key(|field| field.table().to_owned());
    fields
}

fn kind(schema: &Value, path: &str, value: &Value) -> Kind {
    let at = at(schema, path);
    let format = at.and_then(|at| at.get("format")).and_then(Value::as_str);
    match (value, format) {
        (Value::Bool(_), _) => Kind::Switch,
        (Value::Number(_), Some("double" | "float")) => Kind::Number,
        (Value::Number(_), Some("uint64" | "int64")) => Kind::Whole,
        (Value::Number(_), _) => Kind::Count,
        (Value::Array(_), _) => Kind::List,
        _ => {
            let choices = at.map(choices).unwrap_or_default();
            if choices.is_empty() { Kind::Text } else { Kind::Choice(choices) }
        }
    }
}

/// The schema of the setting at `path`.
fn at<'a>(schema: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(schema, |table, name| resolved(schema, table.get("properties")?.get(name)?))
}

fn resolved<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    match schema.get("$ref").and_then(Value::as_str) {
        None => Some(schema),
        Some(name) => root.get("$defs")?.get(name.strip_prefix("#/$defs/")?),
    }
}

/// The words of an enumeration, each with what its documentation says.
#[must_use]
pub fn choices(schema: &Value) -> Vec<(String, String)> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let plain = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let plain = plain.filter_map(|word| Some((word.as_str()?.to_owned(), String::new())));
    let described = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten().flat_map(|one| {
        let meaning = text(one.get("description")).unwrap_or_default().replace('\n', " ");
        let several = one.get("enum").and_then(Value::as_array).into_iter().flatten();
        let words: Vec<String> =
            text(one.get("const")).into_iter().chain(several.filter_map(|w| text(Some(w)))).collect();
        words.into_iter().map(move |word| (word, meaning.clone())).collect::<Vec<_>>()
    });
    plain.chain(described).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(path: &str) -> Kind {
        fields().iter().find(|field| field.path == path).unwrap().kind.clone()
    }

    #[test]
    fn every_setting_has_a_meaning_and_every_word_of_a_choice_is_accepted() {
        let tree = serde_json::to_value(TrainConfig::default()).unwrap();
        for field in fields() {
            assert!(field.meaning.len() > 10, "{}", field.path);
            let Kind::Choice(words) = &field.kind else { continue };
            assert!(words.len() > 1, "{}", field.path);
            for (word, meaning) in words {
                assert!(!meaning.is_empty(), "{} {word}", field.path);
                let mut tree = tree.clone();
                *tree.pointer_mut(&format!("/{}", field.path.replace('.', "/"))).unwrap() =
                    Value::from(word.clone());
                let read: TrainConfig = serde_json::from_value(tree).unwrap();
                assert_eq!(flatten(&read).unwrap()[&field.path], Value::from(word.clone()));
            }
        }
    }

    #[test]
    fn kinds_come_from_the_schema() {
        assert_eq!(kind_of("seed"), Kind::Whole);
        assert_eq!(kind_of("iterations"), Kind::Count);
        assert_eq!(kind_of("rl.optim.beta1"), Kind::Number);
        assert_eq!(kind_of("rl.consistency.tau"), Kind::Number);
        assert_eq!(kind_of("rl.mte.enabled"), Kind::Switch);
        assert_eq!(kind_of("rl.reward"), Kind::Text);
        assert_eq!(kind_of("probe.prompts"), Kind::List);
        assert!(matches!(kind_of("rl.rollout.rounding"), Kind::Choice(words) if words.len() == 2));
    }
}

//! Settings that ship with the program, by name.

use super::config::TrainConfig;
use crate::error::{Error, Result};
use crate::world::near;

/// Name and TOML text of each; the first is what `marscope train` does on its own.
const PRESETS: [(&str, &str); 11] = [
    ("default", include_str!("../../../presets/default.toml")),
    ("smoke", include_str!("../../../presets/smoke.toml")),
    ("grpo", include_str!("../../../presets/grpo.toml")),
    ("frozen_head", include_str!("../../../presets/frozen_head.toml")),
    ("mte_all", include_str!("../../../presets/mte_all.toml")),
    ("mte_top_k", include_str!("../../../presets/mte_top_k.toml")),
    ("mte_random", include_str!("../../../presets/mte_random.toml")),
    ("mar_grpo", include_str!("../../../presets/mar_grpo.toml")),
    ("head_only", include_str!("../../../presets/head_only.toml")),
    ("policy_gradient", include_str!("../../../presets/policy_gradient.toml")),
    ("released_code", include_str!("../../../presets/released_code.toml")),
];

/// Names of the presets.
#[must_use]
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|(name, _)| *name).collect()
}

/// The TOML text of a preset.
///
/// # Errors
/// [`Error::Config`] if there is none of that name.
pub fn text(name: &str) -> Result<&'static str> {
    PRESETS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text).ok_or_else(|| {
        let near = near::suggestion(name, names());
        let near = if near.is_empty() { "." } else { &near };
        Error::Config(format!("there is no preset {name:?}{near} The presets are {}", names().join(", ")))
    })
}

/// The settings of a preset.
///
/// # Errors
/// [`Error::Config`] if there is none of that name.
pub fn config(name: &str) -> Result<TrainConfig> {
    toml::from_str(text(name)?)
        .map_err(|error| Error::Config(format!("the preset {name} cannot be read: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rl::variant::Variant;

    #[test]
    fn every_preset_is_valid() {
        for name in names() {
            config(name).unwrap().validate().unwrap();
        }
        for variant in Variant::ALL {
            assert_eq!(Variant::of(&config(variant.name()).unwrap().rl), Some(variant));
        }
        assert!(config("defalt").unwrap_err().to_string().contains("default"));
    }
}

//! What the user chose for an ablation, and the plan that it makes or why it makes none.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::rl::variant::Variant;
use crate::session::ablate::{Arm, Plan};
use crate::session::device::{DeviceChoice, DeviceLine};
use crate::session::prompts::resolve;
use crate::session::train::config::TrainConfig;
use crate::world::families::Family;
use crate::world::prompt::Caption;

/// What is compared.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct AblationForm {
    /// Names of the arms: `mar_grpo`, `mar_grpo+shuffled`.
    pub arms: Vec<String>,
    /// Prompts, one a line.
    pub prompts: String,
    /// Number of seeds.
    pub seeds: u64,
    /// Folder of the runs and of the report.
    pub out: String,
    /// Where runs are trained, with commas; on that of the next run if it is empty.
    pub devices: String,
    /// The devices of this machine, if somebody looked for them.
    #[serde(skip)]
    pub found: Option<Arc<Vec<DeviceLine>>>,
    #[serde(skip)]
    checked: Option<Checked>,
}

impl Default for AblationForm {
    fn default() -> Self {
        let arms = [Variant::Grpo, Variant::FrozenHead, Variant::MteTopK, Variant::MarGrpo];
        Self {
            arms: arms.map(|variant| variant.name().to_owned()).into(),
            prompts: String::new(),
            seeds: 3,
            out: "runs/ablation".into(),
            devices: String::new(),
            found: None,
            checked: None,
        }
    }
}

/// What all runs share.
#[derive(Clone, Copy, Debug)]
pub struct AblationBase<'a> {
    /// Settings.
    pub config: &'a TrainConfig,
    /// Folder of the model to start from; the shipped one if there is none.
    pub model: Option<&'a Path>,
    /// Where the next run trains, and these if no other devices are named.
    pub device: DeviceChoice,
}

/// What a plan is made of.
#[derive(Clone, Debug, PartialEq)]
struct Typed {
    arms: Vec<String>,
    prompts: String,
    seeds: u64,
    out: String,
    devices: String,
    config: TrainConfig,
    model: Option<PathBuf>,
    device: DeviceChoice,
}

#[derive(Clone, Debug)]
struct Checked {
    of: Typed,
    plan: Result<Plan, String>,
}

impl AblationForm {
    /// Whether that arm is compared.
    #[must_use]
    pub fn has(&self, arm: Arm) -> bool {
        self.arms.contains(&arm.name())
    }

    /// Adds an arm or takes it out; they stay in the order of the variants.
    pub fn set(&mut self, arm: Arm, compared: bool) {
        self.arms.retain(|name| *name != arm.name());
        if compared {
            self.arms.push(arm.name());
        }
        let place = |name: &String| name.parse::<Arm>().ok().map(|arm| (arm.shuffled, arm.variant));
        self.arms.sort_by_key(place);
    }

    /// The plan, checked again only when something changed.
    ///
    /// # Errors
    /// A sentence saying what is to be mended.
    pub fn plan(&mut self, base: AblationBase<'_>) -> Result<&Plan, &str> {
        let of = Typed {
            arms: self.arms.clone(),
            prompts: self.prompts.clone(),
            seeds: self.seeds,
            out: self.out.clone(),
            devices: self.devices.clone(),
            config: base.config.clone(),
            model: base.model.map(Path::to_path_buf),
            device: base.device,
        };
        let checked = self.checked.take().filter(|checked| checked.of == of);
        let checked = checked.unwrap_or_else(|| Checked { plan: self.check(base), of });
        self.checked.insert(checked).plan.as_ref().map_err(String::as_str)
    }

    /// Where runs are trained; on `device` if none is named.
    ///
    /// # Errors
    /// A sentence naming what is no device.
    pub fn named_devices(&self, device: DeviceChoice) -> Result<Vec<DeviceChoice>, String> {
        if self.devices.trim().is_empty() {
            return Ok(vec![device]);
        }
        DeviceChoice::several(&self.devices).map_err(|error| format!("Devices: {error}"))
    }

    fn check(&self, base: AblationBase<'_>) -> Result<Plan, String> {
        let arms: Result<Vec<Arm>, _> = self.arms.iter().map(|name| name.parse::<Arm>()).collect();
        let arms = arms.map_err(|error| error.to_string())?;
        if arms.is_empty() {
            return Err("Choose at least one variant.".into());
        }
        let listed = prompts(&self.prompts, base.config.seed)?;
        let prompts = if listed.is_empty() { base.config.prompts.clone() } else { listed };
        let out = self.out.trim();
        if out.is_empty() {
            return Err("Name a folder for the runs and the report.".into());
        }
        let plan = Plan {
            arms,
            prompts,
            seeds: self.seeds,
            config: base.config.clone(),
            out: PathBuf::from(out),
            model: base.model.map(Path::to_path_buf),
            devices: self.named_devices(base.device)?,
        };
        plan.validate().map_err(|error| error.to_string())?;
        Ok(plan)
    }
}

/// The prompts of a text, one a line; a task family stands for prompts drawn of it. Empty lines and those that begin with
/// `#` are passed over.
///
/// # Errors
/// A sentence naming the line and the word that is not understood.
pub fn prompts(text: &str, seed: u64) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let at = |error: crate::error::Error| format!("Prompts, line {}: {error}", number + 1);
        // A file of that name is not meant here: this is a list of prompts.
        let family = line.parse::<Family>().is_ok() && !Path::new(line).exists();
        if family {
            found.extend(resolve(line, seed).map_err(at)?);
        } else {
            found.push(Caption::parse(line).map_err(at)?.to_string());
        }
    }
    Ok(found)
}

/// Runs of the plan.
#[must_use]
pub fn runs(plan: &Plan) -> u64 {
    (plan.arms.len() as u64).saturating_mul(plan.prompts.len() as u64).saturating_mul(plan.seeds)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn base(config: &TrainConfig) -> AblationBase<'_> {
        AblationBase { config, model: None, device: DeviceChoice::Cpu }
    }

    #[test]
    fn a_prompt_that_is_not_understood_is_named_with_its_line() {
        assert_eq!(prompts("two red circles\n\n# mine\n a ring ", 0).unwrap(), ["two red circles", "a ring"]);
        let text = prompts("a ring\na purple elephant", 0).unwrap_err();
        assert!(text.contains("line 2") && text.contains("elephant"), "{text}");
        assert!(prompts("counting", 0).unwrap().len() > 20);
    }

    #[test]
    fn the_form_says_what_is_missing_and_then_makes_the_plan() {
        let config = TrainConfig::default();
        let mut form = AblationForm { arms: Vec::new(), ..AblationForm::default() };
        assert!(form.plan(base(&config)).unwrap_err().contains("variant"));
        form.set(Arm { variant: Variant::MarGrpo, shuffled: true }, true);
        form.set(Arm { variant: Variant::Grpo, shuffled: false }, true);
        assert_eq!(form.arms, ["grpo", "mar_grpo+shuffled"]);
        let plan = form.plan(base(&config)).unwrap();
        assert_eq!((plan.prompts.as_slice(), runs(plan)), (config.prompts.as_slice(), 6));
        form.prompts = "a ring\na ring".into();
        assert!(form.plan(base(&config)).unwrap_err().contains("twice"));
        form.prompts = "a ring".into();
        form.seeds = 0;
        assert!(form.plan(base(&config)).is_err());
        form.seeds = 1;
        assert_eq!(form.plan(base(&config)).unwrap().devices, [DeviceChoice::Cpu]);
        form.devices = "cuda:1, cuda:1".into();
        assert_eq!(form.plan(base(&config)).unwrap().devices, [DeviceChoice::Cuda(1); 2]);
        form.devices = "cuda:1, gpu".into();
        let refused = form.plan(base(&config)).unwrap_err();
        assert!(refused.starts_with("Devices: ") && refused.contains("\"gpu\""), "{refused}");
        form.devices = " ".into();
        form.out = " ".into();
        assert!(form.plan(base(&config)).unwrap_err().contains("folder"));
    }

    proptest! {
        #[test]
        fn an_arm_set_twice_is_there_once(choices in prop::collection::vec((0usize..8, any::<bool>(), any::<bool>()), 0..20)) {
            let mut form = AblationForm::default();
            for (place, shuffled, compared) in choices {
                let arm = Arm { variant: Variant::ALL[place], shuffled };
                form.set(arm, compared);
                prop_assert_eq!(form.has(arm), compared);
                let once: std::collections::BTreeSet<_> = form.arms.iter().collect();
                prop_assert_eq!(once.len(), form.arms.len());
            }
        }
    }
}

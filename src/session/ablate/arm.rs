//! One row of an ablation.

use std::str::FromStr;

use crate::error::{Error, Result};
use crate::rl::variant::Variant;

/// One row of an ablation: a variant, perhaps with shuffled advantages as a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The variant.
    pub variant: Variant,
    /// Whether advantages are shuffled within the group: what remains is not the reward's doing.
    pub shuffled: bool,
}

const SHUFFLED: &str = "+shuffled";

impl Arm {
    /// Its name: `mar_grpo`, `mar_grpo+shuffled`.
    #[must_use]
    pub fn name(self) -> String {
        format!("{}{}", self.variant.name(), if self.shuffled { SHUFFLED } else { "" })
    }
}

impl FromStr for Arm {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (variant, shuffled) =
            text.strip_suffix(SHUFFLED).map_or((text, false), |variant| (variant, true));
        Ok(Self { variant: variant.parse()?, shuffled })
    }
}

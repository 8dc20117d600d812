//! What the user chose to look at. All of it but the selection is kept between two starts.

use serde::{Deserialize, Serialize};

use super::data::run::RunId;
use super::overlay::colormap::ColourMap;

/// A way of using the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tab {
    /// Watch training.
    #[default]
    Live,
    /// Runs side by side.
    Compare,
    /// One picture, token by token.
    Inspect,
}

impl Tab {
    /// All of them, in the order of the tabs.
    pub const ALL: [Self; 3] = [Self::Live, Self::Compare, Self::Inspect];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Live => "Live",
            Self::Compare => "Compare",
            Self::Inspect => "Inspect",
        }
    }
}

/// What is selected, one for the whole window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The run that Live and Inspect show.
    pub run: Option<RunId>,
    /// The iteration that everything shows; `None` follows the newest.
    pub cursor: Option<usize>,
    /// Which of an iteration's groups, from 0.
    pub group: usize,
    /// Which picture of the group, from 0.
    pub picture: usize,
    /// The AR step that pictures are shown at; `None` is the finished picture.
    pub ar_step: Option<usize>,
    /// The token that is pinned.
    pub token: Option<usize>,
}

/// Numbers of tokens that are laid over pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The picture alone.
    None,
    /// Standard deviation of the head's trajectories.
    #[default]
    Uncertainty,
    /// Tokens that get multi-trajectory expectation.
    MteMask,
    /// Tokens that an AR step is trained on, and those dropped.
    Consistency,
    /// How much an AR step brought a token closer to its final latent.
    CosineGain,
    /// The AR step at which a token is predicted.
    Order,
    /// Share of the loss.
    LossShare,
    /// KL divergence.
    Kl,
}

impl Layer {
    /// All of them, in the order of the menu.
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::Uncertainty,
        Self::MteMask,
        Self::Consistency,
        Self::CosineGain,
        Self::Order,
        Self::LossShare,
        Self::Kl,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Uncertainty => "Uncertainty",
            Self::MteMask => "MTE mask",
            Self::Consistency => "Consistency",
            Self::CosineGain => "Cosine gain",
            Self::Order => "Generation order",
            Self::LossShare => "Share of loss",
            Self::Kl => "KL",
        }
    }

    /// Name of the recorded map.
    #[must_use]
    pub const fn map(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Uncertainty => Some("uncertainty"),
            Self::MteMask => Some("mte_mask"),
            Self::Consistency => Some("consistency_mask"),
            Self::CosineGain => Some("cosine_gain"),
            Self::Order => Some("order"),
            Self::LossShare => Some("loss_share"),
            Self::Kl => Some("kl"),
        }
    }

    /// What it is, in the paper's terms.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::None => "The picture alone.",
            Self::Uncertainty => {
                "Uncertainty: standard deviation of the token's latent over S denoising trajectories of the head, from \
                 the same transformer output. The top k of it get multi-trajectory expectation."
            }
            Self::MteMask => {
                "Tokens that get multi-trajectory expectation: the objective is averaged over S trajectories there, and \
                 uses the single sampled one elsewhere."
            }
            Self::Consistency => {
                "Consistency-aware selection: a token is trained at an AR step only where its cosine similarity to the \
                 final latent rose by more than tau (kept); elsewhere it is dropped."
            }
            Self::CosineGain => {
                "Rise of the cosine similarity to the final latent from the AR step before to this one; signed, centred \
                 at zero."
            }
            Self::Order => "The AR step, from 0, at which the token was predicted.",
            Self::LossShare => "The token's share of the absolute policy loss of its picture at the AR step.",
            Self::Kl => {
                "The token's KL divergence from the reference policy at the AR step, mean over the trained diffusion steps."
            }
        }
    }

    /// Whether it is yes or no.
    #[must_use]
    pub const fn is_mask(self) -> bool {
        matches!(self, Self::MteMask | Self::Consistency)
    }

    /// Whether it is centred at zero.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::CosineGain)
    }
}

/// Over what the range of colours is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScaleScope {
    /// Each picture has its own: what stands out within it.
    Picture,
    /// All pictures of the group.
    Group,
    /// All pictures and all iterations looked at so far: what changes while training.
    #[default]
    Run,
}

impl ScaleScope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Picture, Self::Group, Self::Run];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Picture => "each picture",
            Self::Group => "the group",
            Self::Run => "all iterations seen",
        }
    }
}

/// How token maps are laid over pictures, the same in Live, Compare and Inspect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OverlayView {
    /// Which numbers.
    pub layer: Layer,
    /// How much of the picture they hide, 0 to 1.
    pub opacity: f32,
    /// Colours of unsigned numbers; signed ones have a diverging map.
    pub colours: ColourMap,
    /// Over what the range is taken.
    pub scale: ScaleScope,
    /// Only tokens at or above it are coloured.
    pub threshold: Option<f32>,
    /// Whether the token grid is drawn.
    pub grid: bool,
    /// Whether colours run smoothly from token to token.
    pub smooth: bool,
}

impl Default for OverlayView {
    fn default() -> Self {
        Self {
            layer: Layer::default(),
            opacity: 0.5,
            colours: ColourMap::default(),
            scale: ScaleScope::default(),
            threshold: None,
            grid: false,
            smooth: false,
        }
    }
}

impl OverlayView {
    /// Puts numbers that a file may hold into their ranges.
    pub fn validate(&mut self) {
        if !(0.0..=1.0).contains(&self.opacity) {
            self.opacity = Self::default().opacity;
        }
        self.threshold = self.threshold.filter(|threshold| threshold.is_finite());
    }
}

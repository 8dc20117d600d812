//! What one draw shows over a picture.

use std::sync::Arc;

use super::colormap::ColourMap;
use super::layer::{Picture, TokenMap, TokenMask};
use super::scale::ValueRange;

/// What is drawn over a picture. Cheap to clone: layers are shared.
#[derive(Clone, Debug)]
pub struct Overlay {
    /// Tokens along the side of the picture; 0 if they are not known, then there is no grid and no selection.
    pub side: usize,
    /// Numbers shown as colours.
    pub map: Option<Arc<TokenMap>>,
    /// Colours of the map.
    pub colours: ColourMap,
    /// The ends of the colour scale.
    pub range: ValueRange,
    /// How much the colours of the map hide the picture, 0 to 1.
    pub opacity: f32,
    /// Only tokens with at least this value are coloured.
    pub threshold: Option<f32>,
    /// How much the tokens under the threshold are dimmed, 0 to 1.
    pub dim: f32,
    /// Marks drawn as hatching and outlines.
    pub mask: Option<Arc<TokenMask>>,
    /// Shows the picture as it was built.
    pub built: Option<Built>,
    /// The token with an outline of its own.
    pub selected: Option<usize>,
    /// Lines between tokens.
    pub grid: bool,
    /// Colours run smoothly from token to token.
    pub smooth_map: bool,
    /// Pixels run smoothly into each other when the picture is magnified.
    pub smooth_picture: bool,
    /// A second picture.
    pub comparison: Comparison,
}

impl Overlay {
    /// Nothing over a picture of `side` x `side` tokens.
    #[must_use]
    pub const fn none(side: usize) -> Self {
        Self {
            side,
            map: None,
            colours: ColourMap::Viridis,
            range: ValueRange { low: 0.0, high: 1.0 },
            opacity: 0.6,
            threshold: None,
            dim: 0.5,
            mask: None,
            built: None,
            selected: None,
            grid: false,
            smooth_map: false,
            smooth_picture: false,
            comparison: Comparison::None,
        }
    }

    /// The layers of the draw.
    pub(super) fn layers<'a>(&'a self, picture: &'a Picture) -> Layers<'a> {
        let second = self.comparison.second();
        Layers {
            picture,
            second_picture: second.map(|s| s.picture.as_ref()),
            map: self.map.as_deref(),
            second_map: second.and_then(|s| s.map.as_deref()),
            mask: self.mask.as_deref(),
            second_mask: second.and_then(|s| s.mask.as_deref()),
            order: self.built.as_ref().map(|b| b.order.as_ref()),
        }
    }
}

/// The picture as it was at one AR step: tokens known before it, predicted at it, and still masked.
#[derive(Clone, Debug)]
pub struct Built {
    /// The AR step that predicted each token. A token whose step is not finite stays masked.
    pub order: Arc<TokenMap>,
    /// The AR step shown.
    pub ar_step: usize,
}

/// A second picture for comparison, with its own layers.
#[derive(Clone, Debug)]
pub struct Second {
    /// The second picture.
    pub picture: Arc<Picture>,
    /// Its map, on the colours and the range of the first.
    pub map: Option<Arc<TokenMap>>,
    /// Its marks.
    pub mask: Option<Arc<TokenMask>>,
}

/// How a second picture is compared with the first.
#[derive(Clone, Debug)]
pub enum Comparison {
    /// There is none.
    None,
    /// The first left of a line, the second right of it.
    Swipe {
        /// The second picture.
        second: Second,
        /// Where the line is, 0 at the left of the widget and 1 at its right.
        split: f32,
    },
    /// The absolute difference of each colour channel.
    Difference {
        /// The second picture; its layers are not drawn.
        second: Second,
        /// Factor on the difference.
        gain: f32,
    },
    /// Lightness of the second less that of the first, on the diverging colours: orange where the second is lighter.
    SignedDifference {
        /// The second picture; its layers are not drawn.
        second: Second,
        /// Factor on the difference.
        gain: f32,
    },
}

impl Comparison {
    /// The second picture.
    #[must_use]
    pub const fn second(&self) -> Option<&Second> {
        match self {
            Self::None => None,
            Self::Swipe { second, .. }
            | Self::Difference { second, .. }
            | Self::SignedDifference { second, .. } => Some(second),
        }
    }
}

/// Everything of a draw that is a texture.
#[derive(Clone, Copy)]
pub(super) struct Layers<'a> {
    pub(super) picture: &'a Picture,
    pub(super) second_picture: Option<&'a Picture>,
    pub(super) map: Option<&'a TokenMap>,
    pub(super) second_map: Option<&'a TokenMap>,
    pub(super) mask: Option<&'a TokenMask>,
    pub(super) second_mask: Option<&'a TokenMask>,
    pub(super) order: Option<&'a TokenMap>,
}

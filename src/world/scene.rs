//! What a picture of the world holds: shapes, colours, positions.
//!
//! Lengths are pixels of the 64 x 64 picture, x to the right, y down; the pixel in column `i` covers `[i, i +
//! 1)`.

use serde::{Deserialize, Serialize};

/// Side of a picture, in pixels.
pub const SIDE: usize = 64;

/// The farthest any shape reaches from its centre, in radii: the points of the star.
pub const MAX_REACH: f32 = 1.08;

/// The six shapes. Proportions (in radii) are those of the prototype, chosen so that all six cover similar
/// areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Disc of radius 1.
    Circle,
    /// Half side 0.88.
    Square,
    /// Apex at -1, base at +0.8 with half width 0.98.
    Triangle,
    /// Five points, outer radius 1.08, inner 0.44, one point up.
    Star,
    /// Annulus of middle radius 0.76 and half width 0.24.
    Ring,
    /// Two bars of half length 1 and half width 0.32.
    Cross,
}

impl Shape {
    /// Every shape, in the order of the shape probabilities and of the vocabulary.
    pub const ALL: [Self; 6] =
        [Self::Circle, Self::Square, Self::Triangle, Self::Star, Self::Ring, Self::Cross];

    /// The singular noun.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["circle", "square", "triangle", "star", "ring", "cross"][self as usize]
    }

    /// The plural noun.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        ["circles", "squares", "triangles", "stars", "rings", "crosses"][self as usize]
    }
}

/// The eight colours: those of GenEval without pink, brown and black, which lie too near to red, orange and
/// the background, and with cyan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Colour {
    Red,
    Orange,
    Yellow,
    Green,
    Cyan,
    Blue,
    Purple,
    White,
}

impl Colour {
    /// Every colour, in the order of the colour probabilities and of the vocabulary.
    pub const ALL: [Self; 8] = [
        Self::Red,
        Self::Orange,
        Self::Yellow,
        Self::Green,
        Self::Cyan,
        Self::Blue,
        Self::Purple,
        Self::White,
    ];

    /// The adjective.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["red", "orange", "yellow", "green", "cyan", "blue", "purple", "white"][self as usize]
    }

    /// Its palette entry: sRGB components in 0..1.
    #[must_use]
    pub const fn rgb(self) -> [f32; 3] {
        match self {
            Self::Red => [0.87, 0.16, 0.16],
            Self::Orange => [0.99, 0.55, 0.12],
            Self::Yellow => [0.96, 0.90, 0.20],
            Self::Green => [0.18, 0.72, 0.26],
            Self::Cyan => [0.20, 0.82, 0.88],
            Self::Blue => [0.19, 0.33, 0.93],
            Self::Purple => [0.66, 0.23, 0.84],
            Self::White => [0.95, 0.95, 0.95],
        }
    }
}

/// Where the first object lies as seen from the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Relation {
    LeftOf,
    RightOf,
    Above,
    Below,
}

impl Relation {
    /// Every relation, in the order of the vocabulary.
    pub const ALL: [Self; 4] = [Self::LeftOf, Self::RightOf, Self::Above, Self::Below];

    /// The words, as GenEval writes them.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["left of", "right of", "above", "below"][self as usize]
    }

    /// The relation of the second object to the first.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::LeftOf => Self::RightOf,
            Self::RightOf => Self::LeftOf,
            Self::Above => Self::Below,
            Self::Below => Self::Above,
        }
    }

    /// Unit step from the second object to the first; y grows downward.
    #[must_use]
    pub const fn direction(self) -> [f32; 2] {
        match self {
            Self::LeftOf => [-1.0, 0.0],
            Self::RightOf => [1.0, 0.0],
            Self::Above => [0.0, -1.0],
            Self::Below => [0.0, 1.0],
        }
    }
}

/// One shape in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Object {
    /// What it is.
    pub shape: Shape,
    /// Its paint.
    pub colour: Colour,
    /// Centre, pixels from the left edge.
    pub x: f32,
    /// Centre, pixels from the top edge.
    pub y: f32,
    /// Radius in pixels, from which [`Shape`] derives its proportions.
    pub radius: f32,
}

impl Object {
    /// Whether the whole object lies inside the picture.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        let reach = MAX_REACH * self.radius;
        let fits = |centre: f32| centre >= reach && centre + reach <= SIDE as f32;
        fits(self.x) && fits(self.y)
    }

    /// Whether two objects lie clear of each other: centres more than `1.1 (r1 + r2) + 3` pixels apart and,
    /// for two squares, whose corners reach to 1.24 radii, also 2 pixels between the sides along one axis.
    #[must_use]
    pub fn is_clear_of(&self, other: &Self) -> bool {
        let (dx, dy) = ((self.x - other.x).abs(), (self.y - other.y).abs());
        let radii = self.radius + other.radius;
        let squares = self.shape == Shape::Square && other.shape == Shape::Square;
        dx.hypot(dy) > 1.1 * radii + 3.0 && (!squares || dx.max(dy) > 0.88 * radii + 2.0)
    }
}

/// A whole picture, before it is drawn. Later objects cover earlier ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Background: sRGB components in 0..1.
    pub background: [f32; 3],
    /// The objects, in painting order.
    pub objects: Vec<Object>,
}

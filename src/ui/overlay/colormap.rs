//! Colour maps. `shaders/colormap.wgsl` holds the same numbers, and a test compares both for 256 values each.

use std::array;

use eframe::egui::Color32;
use serde::{Deserialize, Serialize};

/// Red, green and blue (sRGB), 0 to 1.
pub(super) type Rgb = [f32; 3];

/// From a number to a colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColourMap {
    /// Dark blue over green to yellow, even in lightness.
    #[default]
    Viridis,
    /// Blue to yellow, the same to people with and without colour-vision deficiency.
    Cividis,
    /// Black over purple to light yellow.
    Magma,
    /// Black to white.
    Grey,
    /// Blue below the middle of the range, orange above it: for signed values.
    Diverging,
}

impl ColourMap {
    /// All of them, in the order of their ids.
    pub const ALL: [Self; 5] = [Self::Viridis, Self::Cividis, Self::Magma, Self::Grey, Self::Diverging];

    /// The id in `colormap.wgsl`.
    #[must_use]
    pub const fn id(self) -> u32 {
        match self {
            Self::Viridis => 0,
            Self::Cividis => 1,
            Self::Magma => 2,
            Self::Grey => 3,
            Self::Diverging => 4,
        }
    }

    /// The name to choose it by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Viridis => "viridis",
            Self::Cividis => "cividis",
            Self::Magma => "magma",
            Self::Grey => "grey",
            Self::Diverging => "diverging",
        }
    }

    /// What it is good for, for a tooltip.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Viridis => "Dark blue over green to yellow, even in lightness",
            Self::Cividis => "Blue to yellow, the same with and without colour-vision deficiency",
            Self::Magma => "Black over purple to light yellow",
            Self::Grey => "Black to white",
            Self::Diverging => "Blue below zero, orange above: for signed values such as the cosine gain",
        }
    }

    /// Whether the middle of the range stands for zero.
    #[must_use]
    pub const fn is_diverging(self) -> bool {
        matches!(self, Self::Diverging)
    }

    /// The colour of a value at `fraction` of the range, 0 at its low end; outside, that of the nearer end.
    #[must_use]
    pub fn colour(self, fraction: f32) -> [f32; 3] {
        let t = fraction.clamp(0.0, 1.0);
        let x = 2.0 * t - 1.0;
        let colour = match self {
            Self::Viridis => polynomial(&VIRIDIS, x),
            Self::Cividis => polynomial(&CIVIDIS, x),
            Self::Magma => polynomial(&MAGMA, x),
            Self::Grey => [t; 3],
            Self::Diverging => diverging(x),
        };
        colour.map(|c| c.clamp(0.0, 1.0))
    }

    /// The same for egui.
    #[must_use]
    pub fn colour32(self, fraction: f32) -> Color32 {
        colour32(self.colour(fraction))
    }
}

/// An 8-bit colour, rounded as the GPU rounds.
pub(super) fn bytes(colour: Rgb) -> [u8; 3] {
    colour.map(|c| (c * 255.0).round() as u8)
}

/// A colour for egui.
pub(super) fn colour32(colour: Rgb) -> Color32 {
    let [r, g, b] = bytes(colour);
    Color32::from_rgb(r, g, b)
}

/// The sum of `coefficients[k] * x^k`.
fn polynomial(coefficients: &[Rgb], x: f32) -> Rgb {
    coefficients.iter().rev().fold([0.0; 3], |sum, c| array::from_fn(|i| sum[i] * x + c[i]))
}

fn diverging(x: f32) -> Rgb {
    let arm = polynomial(if x < 0.0 { &BLUE } else { &ORANGE }, x.abs());
    arm.map(|c| 0.954 + c)
}

// Polynomials in `x = 2 t - 1`, fitted to matplotlib's tables (CC0); they differ from the tables by at most 2.7 / 255.

const VIRIDIS: [Rgb; 9] = [
    [0.124_029, 0.566_142, 0.550_118],
    [-0.106_032, 0.463_768, -0.111_988],
    [0.688_817, -0.029_815, -0.300_282],
    [1.238_643, 0.039_597, -0.119_018],
    [0.085_946, -0.064_337, -0.082_225],
    [-1.366_419, -0.136_345, -0.292_735],
    [-0.474_169, -0.099_417, -0.311_643],
    [0.602_299, 0.084_893, 0.434_305],
    [0.205_503, 0.082_942, 0.380_706],
];

const CIVIDIS: [Rgb; 9] = [
    [0.487_356, 0.484_898, 0.473_936],
    [0.421_725, 0.360_816, 0.040_451],
    [0.138_242, 0.004_562, -0.538_862],
    [0.457_161, 0.066_069, -0.011_631],
    [-0.682_808, 0.145_922, 1.871_383],
    [-1.288_785, -0.095_005, -0.595_369],
    [1.550_088, -0.234_163, -2.677_939],
    [1.328_885, 0.053_937, 0.524_789],
    [-1.413_211, 0.121_009, 1.124_112],
];

const MAGMA: [Rgb; 9] = [
    [0.716_366, 0.218_036, 0.468_012],
    [0.817_382, 0.326_436, -0.289_099],
    [-0.140_638, 0.143_038, -0.268_074],
    [-0.736_522, 0.730_057, 0.603_848],
    [-0.732_052, 1.138_833, 0.711_558],
    [0.799_942, -1.177_214, 0.742_648],
    [1.067_639, -1.842_647, -1.066_872],
    [-0.391_204, 0.626_773, -0.699_609],
    [-0.417_057, 0.837_029, 0.537_059],
];

// The arms of the diverging map, less the near-white they start from. Both lose the same lightness (Oklab, 0.965 to
// 0.42) at hues of 257 and 56 degrees.

const BLUE: [Rgb; 5] = [
    [0.0, 0.0, 0.0],
    [-1.151_708, -0.651_298, 0.058_263],
    [0.215_154, -0.048_94, -0.447_698],
    [0.049_219, 0.010_372, 0.024_53],
    [0.005_988, 0.029_124, -0.013_189],
];

const ORANGE: [Rgb; 5] = [
    [0.0, 0.0, 0.0],
    [-0.160_586, -0.844_807, -1.250_92],
    [-0.362_851, 0.062_959, -0.085_188],
    [0.051_317, 0.015_598, 0.957_77],
    [-0.003_183, 0.031_266, -0.722_126],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maps_are_those_of_matplotlib_to_three_levels() {
        let tables = [
            (ColourMap::Viridis, [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]]),
            (
                ColourMap::Cividis,
                [[0, 34, 78], [67, 78, 108], [125, 124, 120], [188, 174, 108], [254, 232, 56]],
            ),
            (ColourMap::Magma, [[0, 0, 4], [81, 18, 124], [183, 55, 121], [252, 137, 97], [252, 253, 191]]),
        ];
        for (map, colours) in tables {
            for (index, expected) in [0.0, 64.0, 128.0, 192.0, 255.0].into_iter().zip(colours) {
                let got = bytes(map.colour(index / 255.0));
                for (g, e) in got.into_iter().zip(expected) {
                    assert!(i32::from(g).abs_diff(e) <= 3, "{map:?} at {index}: {got:?}, not {expected:?}");
                }
            }
        }
    }

    /// Lightness (CIE L*) of an sRGB colour.
    fn lightness(colour: [f32; 3]) -> f32 {
        let linear = colour.map(|c| if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) });
        let y = 0.212_6 * linear[0] + 0.715_2 * linear[1] + 0.072_2 * linear[2];
        if y > 0.008_856 { 116.0 * y.cbrt() - 16.0 } else { 903.3 * y }
    }

    #[test]
    fn a_larger_value_is_never_darker_and_both_signs_weigh_the_same() {
        for map in ColourMap::ALL {
            for i in 0..255 {
                let (a, b) =
                    (lightness(map.colour(i as f32 / 255.0)), lightness(map.colour((i + 1) as f32 / 255.0)));
                let rising = if map.is_diverging() && i >= 128 { a - b } else { b - a };
                assert!(rising > -0.05 || (map.is_diverging() && i == 127), "{map:?} at {i}: {a} then {b}");
            }
        }
        for i in 0..=128 {
            let s = i as f32 / 256.0;
            let (below, above) = (ColourMap::Diverging.colour(0.5 - s), ColourMap::Diverging.colour(0.5 + s));
            assert!((lightness(below) - lightness(above)).abs() < 5.0, "{below:?} {above:?}");
        }
    }

    #[test]
    fn ids_count_up_and_values_outside_take_the_colour_of_the_end() {
        for (id, map) in ColourMap::ALL.into_iter().enumerate() {
            assert_eq!(map.id() as usize, id);
            assert_eq!(map.colour(-3.0), map.colour(0.0));
            assert_eq!(map.colour(f32::INFINITY), map.colour(1.0));
        }
    }
}

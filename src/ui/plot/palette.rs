//! Colours of curves: Okabe and Ito's, which colour-blind people tell apart, in a variant for each theme.

use eframe::egui::{Color32, Visuals};

/// Colours before they begin anew.
pub const COLOURS: usize = 8;

/// On a light background. The last is the colour of ink, for a baseline.
const LIGHT: [Color32; COLOURS] = [
    Color32::from_rgb(0x00, 0x72, 0xb2),
    Color32::from_rgb(0xd5, 0x5e, 0x00),
    Color32::from_rgb(0x00, 0x8a, 0x64),
    Color32::from_rgb(0xb8, 0x5c, 0x92),
    Color32::from_rgb(0xb5, 0x7b, 0x00),
    Color32::from_rgb(0x2a, 0x8f, 0xc4),
    Color32::from_rgb(0x8c, 0x83, 0x00),
    Color32::from_rgb(0x40, 0x40, 0x40),
];

/// The same hues on a dark background.
const DARK: [Color32; COLOURS] = [
    Color32::from_rgb(0x3d, 0x9b, 0xdc),
    Color32::from_rgb(0xf0, 0x76, 0x2a),
    Color32::from_rgb(0x1f, 0xbf, 0x92),
    Color32::from_rgb(0xd9, 0x8c, 0xb8),
    Color32::from_rgb(0xe6, 0x9f, 0x00),
    Color32::from_rgb(0x7c, 0xc8, 0xf0),
    Color32::from_rgb(0xf0, 0xe4, 0x42),
    Color32::from_rgb(0xdc, 0xdc, 0xdc),
];

/// The colour of the curve in place `slot`; places beyond the eighth begin anew.
#[must_use]
pub const fn series_colour(slot: usize, dark: bool) -> Color32 {
    if dark { DARK[slot % COLOURS] } else { LIGHT[slot % COLOURS] }
}

/// Colours of a plot other than those of its curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlotColours {
    /// Whether the background is dark, which decides the variant of the curves' colours.
    pub dark: bool,
    /// Text and axes.
    pub text: Color32,
    /// Text of less weight.
    pub faint: Color32,
    /// Behind the curves.
    pub background: Color32,
    /// The cursor's line.
    pub cursor: Color32,
    /// Counts of what is not finite.
    pub warning: Color32,
}

impl PlotColours {
    /// Those of egui's theme.
    #[must_use]
    pub fn of(visuals: &Visuals) -> Self {
        Self {
            dark: visuals.dark_mode,
            text: visuals.text_color(),
            faint: visuals.weak_text_color(),
            background: visuals.extreme_bg_color,
            cursor: visuals.strong_text_color(),
            warning: visuals.warn_fg_color,
        }
    }

    /// The colour of the curve in place `slot`.
    #[must_use]
    pub const fn series(&self, slot: usize) -> Color32 {
        series_colour(slot, self.dark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contrast of two colours as WCAG has it.
    fn contrast(a: Color32, b: Color32) -> f64 {
        let luminance = |c: Color32| {
            let linear = |v: u8| {
                let v = f64::from(v) / 255.0;
                if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * linear(c.r()) + 0.7152 * linear(c.g()) + 0.0722 * linear(c.b())
        };
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        if a > b { a / b } else { b / a }
    }

    #[test]
    fn every_colour_stands_out_from_its_background() {
        for (dark, background) in [(true, Visuals::dark()), (false, Visuals::light())] {
            for slot in 0..COLOURS {
                let contrast = contrast(series_colour(slot, dark), background.extreme_bg_color);
                assert!(contrast >= 3.0, "colour {slot}, dark {dark}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn colours_of_a_theme_differ() {
        for dark in [true, false] {
            let all: std::collections::BTreeSet<_> =
                (0..COLOURS).map(|slot| series_colour(slot, dark).to_array()).collect();
            assert_eq!(all.len(), COLOURS);
            assert_eq!(series_colour(COLOURS + 2, dark), series_colour(2, dark));
        }
    }
}

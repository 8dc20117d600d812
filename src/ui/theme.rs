//! Design tokens: every colour, spacing and size that is not a colour map or a series palette, for light and dark.

use eframe::egui::{self, Color32, CornerRadius, Stroke, Visuals};
use serde::{Deserialize, Serialize};

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThemeChoice {
    /// As the system has it.
    #[default]
    System,
    /// Dark.
    Dark,
    /// Light.
    Light,
}

/// Space between controls, points.
pub const GAP: f32 = 6.0;
/// Height of the timeline, points.
pub const TIMELINE_HEIGHT: f32 = 46.0;

/// Colours by what they mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// Whether the background is dark.
    pub dark: bool,
    /// Behind everything.
    pub background: Color32,
    /// Behind panels and bars.
    pub panel: Color32,
    /// Text that is read.
    pub text: Color32,
    /// Text that is looked up: units, captions.
    pub faint: Color32,
    /// Lines of grids and borders.
    pub line: Color32,
    /// What can be acted on, and the cursor.
    pub accent: Color32,
    /// Going well.
    pub good: Color32,
    /// Look here.
    pub warning: Color32,
    /// Wrong.
    pub bad: Color32,
    /// A positive advantage.
    pub positive: Color32,
    /// A negative advantage.
    pub negative: Color32,
    /// A changed setting on the timeline and the curves.
    pub change: Color32,
    /// A checkpoint.
    pub checkpoint: Color32,
    /// A probe or an evaluation.
    pub probe: Color32,
    /// A fork or a resume.
    pub branch: Color32,
}

const fn rgb(r: u8, g: u8, b: u8) -> Color32 {
    Color32::from_rgb(r, g, b)
}

impl Theme {
    /// The tokens of a dark or a light window.
    #[must_use]
    pub const fn of(dark: bool) -> Self {
        if dark { Self::dark() } else { Self::light() }
    }

    /// Dark. Text has a contrast of at least 7 to the panel, faint text of 4.5.
    const fn dark() -> Self {
        Self {
            dark: true,
            background: rgb(16, 18, 22),
            panel: rgb(24, 27, 33),
            text: rgb(224, 228, 234),
            faint: rgb(150, 158, 170),
            line: rgb(52, 58, 68),
            accent: rgb(86, 180, 233),
            good: rgb(64, 190, 150),
            warning: rgb(240, 190, 80),
            bad: rgb(255, 120, 100),
            positive: rgb(86, 180, 233),
            negative: rgb(230, 140, 50),
            change: rgb(240, 190, 80),
            checkpoint: rgb(64, 190, 150),
            probe: rgb(204, 140, 190),
            branch: rgb(86, 180, 233),
        }
    }

    /// Light.
    const fn light() -> Self {
        Self {
            dark: false,
            background: rgb(240, 242, 245),
            panel: rgb(252, 252, 253),
            text: rgb(28, 32, 38),
            faint: rgb(92, 100, 112),
            line: rgb(208, 213, 220),
            accent: rgb(0, 100, 168),
            good: rgb(0, 120, 88),
            warning: rgb(150, 96, 0),
            bad: rgb(190, 40, 20),
            positive: rgb(0, 100, 168),
            negative: rgb(176, 84, 0),
            change: rgb(150, 96, 0),
            checkpoint: rgb(0, 120, 88),
            probe: rgb(150, 66, 130),
            branch: rgb(0, 100, 168),
        }
    }

    /// egui's own look with these tokens.
    #[must_use]
    pub fn visuals(&self) -> Visuals {
        let mut visuals = if self.dark { Visuals::dark() } else { Visuals::light() };
        visuals.panel_fill = self.panel;
        visuals.window_fill = self.panel;
        visuals.extreme_bg_color = self.background;
        visuals.faint_bg_color = self.background;
        visuals.hyperlink_color = self.accent;
        visuals.warn_fg_color = self.warning;
        visuals.error_fg_color = self.bad;
        visuals.selection.bg_fill = self.accent.gamma_multiply(if self.dark { 0.45 } else { 0.30 });
        visuals.selection.stroke = Stroke::new(1.0, self.text);
        visuals.window_stroke = Stroke::new(1.0, self.line);
        let widgets = &mut visuals.widgets;
        widgets.noninteractive.fg_stroke.color = self.text;
        widgets.noninteractive.bg_stroke.color = self.line;
        widgets.inactive.fg_stroke.color = self.text;
        for widget in [
            &mut widgets.noninteractive,
            &mut widgets.inactive,
            &mut widgets.hovered,
            &mut widgets.active,
            &mut widgets.open,
        ] {
            widget.corner_radius = CornerRadius::same(4);
        }
        visuals
    }

    /// Gives `ctx` the looks of both themes.
    pub fn install(ctx: &egui::Context) {
        let mut fonts = egui::FontDefinitions::default();
        // The text font has no arrows; the one for code has.
        let code =
            fonts.families.get(&egui::FontFamily::Monospace).and_then(|family| family.first().cloned());
        if let (Some(code), Some(text)) = (code, fonts.families.get_mut(&egui::FontFamily::Proportional)) {
            text.push(code);
        }
        ctx.set_fonts(fonts);
        for (theme, dark) in [(egui::Theme::Dark, true), (egui::Theme::Light, false)] {
            ctx.set_visuals_of(theme, Self::of(dark).visuals());
            ctx.style_mut_of(theme, |style| {
                style.spacing.item_spacing = egui::vec2(GAP, GAP * 0.75);
                style.interaction.tooltip_delay = 0.35;
                style.url_in_tooltip = true;
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of WCAG 2.
    fn luminance(colour: Color32) -> f64 {
        let channel = |v: u8| {
            let v = f64::from(v) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(colour.r()) + 0.7152 * channel(colour.g()) + 0.0722 * channel(colour.b())
    }

    fn contrast(a: Color32, b: Color32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_is_readable_on_both_backgrounds() {
        for theme in [Theme::of(true), Theme::of(false)] {
            for back in [theme.panel, theme.background] {
                assert!(contrast(theme.text, back) >= 7.0);
                for colour in [
                    theme.faint,
                    theme.accent,
                    theme.good,
                    theme.warning,
                    theme.bad,
                    theme.positive,
                    theme.negative,
                    theme.change,
                    theme.checkpoint,
                    theme.probe,
                    theme.branch,
                ] {
                    assert!(
                        contrast(colour, back) >= 4.5,
                        "{colour:?} on {back:?}: {}",
                        contrast(colour, back)
                    );
                }
            }
        }
    }
}

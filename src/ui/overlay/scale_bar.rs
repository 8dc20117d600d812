//! A colour scale with its numbers.

use eframe::egui::{
    Align2, Color32, FontId, Mesh, Pos2, Rangef, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind,
    TextStyle, Ui, WidgetInfo, pos2, vec2,
};

use super::colormap::ColourMap;
use super::legend::{LegendMark, swatch};
use super::scale::ValueRange;
use crate::ui::number::short;

/// Height of the coloured strip in points.
const STRIP_POINTS: f32 = 12.0;

/// Side of the square that stands for values without a place on the scale, in points.
const SWATCH_POINTS: f32 = 14.0;

/// Steps in which the colours are drawn.
const STEPS: u8 = 64;

/// A colour scale to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct ScaleBar<'a> {
    /// What the numbers are, for screen readers and the tooltip: `uncertainty`.
    pub name: &'a str,
    /// Unit of the numbers; empty if they have none.
    pub unit: &'a str,
    /// Colours.
    pub colours: ColourMap,
    /// The ends.
    pub range: ValueRange,
    /// Only values from here on are coloured.
    pub threshold: Option<f32>,
    /// Values that are not finite, which have no place on the scale.
    pub non_finite: usize,
}

/// Draws the scale `width` points wide: the strip, both ends in numbers, zero on diverging colours, a tick at the
/// threshold, and a count of the values that are not finite.
pub fn scale_bar_ui(ui: &mut Ui, bar: &ScaleBar<'_>, width: f32) -> Response {
    let font = TextStyle::Small.resolve(ui.style());
    let line = ui.fonts_mut(|fonts| fonts.row_height(&font));
    // The number of the threshold stands above.
    let above = if bar.threshold.is_some() { line } else { 0.0 };
    let height =
        above + STRIP_POINTS + 2.0 + line + if bar.non_finite > 0 { SWATCH_POINTS + 4.0 } else { 0.0 };
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, ui.is_enabled(), bar.described()));
    if ui.is_rect_visible(rect) {
        let strip = Rect::from_min_size(rect.min + vec2(0.0, above), vec2(width, STRIP_POINTS));
        paint_strip(ui, bar, strip);
        paint_numbers(ui, bar, strip, &font);
        if bar.non_finite > 0 {
            let top = strip.max.y + 2.0 + line + 4.0;
            let square = Rect::from_min_size(pos2(rect.min.x, top), vec2(SWATCH_POINTS, SWATCH_POINTS));
            swatch(ui.painter(), LegendMark::NonFinite, square);
            let text = format!("{} not finite", bar.non_finite);
            let at = square.right_center() + vec2(4.0, 0.0);
            ui.painter().text(at, Align2::LEFT_CENTER, text, font, ui.visuals().text_color());
        }
    }
    response.on_hover_text(bar.described())
}

impl ScaleBar<'_> {
    /// The scale in words.
    #[must_use]
    pub fn described(&self) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let threshold = match self.threshold {
            Some(threshold) => format!(", coloured from {} on", short(f64::from(threshold))),
            None => String::new(),
        };
        let non_finite = match self.non_finite {
            0 => String::new(),
            1 => ", 1 value is not finite".to_owned(),
            n => format!(", {n} values are not finite"),
        };
        let (low, high) = (short(f64::from(self.range.low)), short(f64::from(self.range.high)));
        format!("Colour scale of {} from {low} to {high}{unit}{threshold}{non_finite}", self.name)
    }
}

fn paint_strip(ui: &Ui, bar: &ScaleBar<'_>, strip: Rect) {
    let mut mesh = Mesh::default();
    let x = |step: u8| strip.min.x + strip.width() * f32::from(step) / f32::from(STEPS);
    for step in 0..STEPS {
        let middle = (f32::from(step) + 0.5) / f32::from(STEPS);
        // A strip of squares is how the map itself looks: one colour a value, no blending towards the next.
        let square = Rect::from_min_max(pos2(x(step), strip.min.y), pos2(x(step + 1), strip.max.y));
        mesh.add_colored_rect(square, bar.colours.colour32(middle));
    }
    let painter = ui.painter();
    painter.add(Shape::mesh(mesh));
    let line = ui.visuals().widgets.noninteractive.bg_stroke;
    if let Some(at) = threshold_at(bar, strip) {
        let cover = Rect::from_min_max(strip.min, pos2(at, strip.max.y));
        painter.rect_filled(cover, 0.0, ui.visuals().extreme_bg_color.gamma_multiply(0.75));
    }
    painter.rect_stroke(strip, 0.0, line, StrokeKind::Outside);
}

fn threshold_at(bar: &ScaleBar<'_>, strip: Rect) -> Option<f32> {
    let threshold = bar.threshold.filter(|t| !t.is_nan())?;
    Some(strip.min.x + strip.width() * bar.range.fraction(threshold))
}

fn paint_numbers(ui: &Ui, bar: &ScaleBar<'_>, strip: Rect, font: &FontId) {
    let painter = ui.painter();
    let colour = ui.visuals().text_color();
    let under = strip.max.y + 2.0;
    let text = |at: Pos2, align: Align2, text: String| painter.text(at, align, text, font.clone(), colour);
    let low = text(pos2(strip.min.x, under), Align2::LEFT_TOP, short(f64::from(bar.range.low)));
    let high = match bar.unit {
        "" => short(f64::from(bar.range.high)),
        unit => format!("{} {unit}", short(f64::from(bar.range.high))),
    };
    let high = text(pos2(strip.max.x, under), Align2::RIGHT_TOP, high);
    if bar.colours.is_diverging() {
        let zero = pos2(strip.center().x, under);
        if low.max.x + 8.0 < zero.x && zero.x + 8.0 < high.min.x {
            text(zero, Align2::CENTER_TOP, short(f64::from(0.5 * (bar.range.low + bar.range.high))));
        }
    }
    if let (Some(at), Some(threshold)) = (threshold_at(bar, strip), bar.threshold) {
        tick(ui, at, strip, colour);
        let galley =
            painter.layout_no_wrap(format!("≥ {}", short(f64::from(threshold))), font.clone(), colour);
        let widest = (strip.max.x - galley.size().x).max(strip.min.x);
        let left = (at - 0.5 * galley.size().x).clamp(strip.min.x, widest);
        painter.galley(pos2(left, strip.min.y - galley.size().y), galley, Color32::PLACEHOLDER);
    }
}

fn tick(ui: &Ui, at: f32, strip: Rect, colour: Color32) {
    let painter = ui.painter();
    let halo = Stroke::new(4.0, ui.visuals().panel_fill);
    // Not above the strip, where the number stands.
    let reach = Rangef::new(strip.min.y, strip.max.y + 2.0);
    painter.vline(at, reach, halo);
    painter.vline(at, reach, Stroke::new(1.5, colour));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_told_in_words() {
        let bar = ScaleBar {
            name: "uncertainty",
            unit: "std",
            colours: ColourMap::Viridis,
            range: ValueRange { low: 0.0, high: 2.0 },
            threshold: Some(1.5),
            non_finite: 2,
        };
        assert_eq!(
            bar.described(),
            "Colour scale of uncertainty from 0 to 2 std, coloured from 1.5 on, 2 values are not finite"
        );
    }
}

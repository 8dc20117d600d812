//! A histogram with a threshold and a brush: which tokens are above, which are chosen.

use eframe::egui::{
    Align2, CursorIcon, FontId, Painter, Rect, Response, Role, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo,
    pos2,
};

use super::palette::PlotColours;
use super::scale::Scale;
use super::ticks::{reading, ticks};

/// How many values fall where. Made once, drawn often.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    low: f64,
    high: f64,
    counts: Vec<usize>,
    not_finite: usize,
}

impl Bins {
    /// `count` equal bins from the least to the greatest finite value.
    #[must_use]
    pub fn of(values: impl Iterator<Item = f64> + Clone, count: usize) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.clone().filter(|value| value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if high - low <= low.abs().max(high.abs()) * 1e-12 {
            let room = if low == 0.0 { 0.5 } else { low.abs() * 0.05 };
            (low, high) = (low - room, high + room);
        }
        let mut bins = Self { low, high, counts: vec![0; count.max(1)], not_finite: 0 };
        for value in values {
            let bin = bins.bin(value);
            match bin.and_then(|bin| bins.counts.get_mut(bin)) {
                Some(count) => *count += 1,
                None => bins.not_finite += 1,
            }
        }
        bins
    }

    fn bin(&self, value: f64) -> Option<usize> {
        let share = (value - self.low) / (self.high - self.low);
        let bin = (share * self.counts.len() as f64).floor();
        (value.is_finite() && bin >= 0.0).then(|| (bin as usize).min(self.counts.len() - 1))
    }

    /// Where the first bin begins and the last ends.
    #[must_use]
    pub const fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Values in each bin.
    #[must_use]
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// Values that are NaN or infinite.
    #[must_use]
    pub const fn not_finite(&self) -> usize {
        self.not_finite
    }

    /// Where that bin begins.
    fn start(&self, bin: usize) -> f64 {
        self.low + (self.high - self.low) * bin as f64 / self.counts.len() as f64
    }
}

/// What a histogram shows.
#[derive(Clone, Copy, Debug)]
pub struct Histogram<'a> {
    /// What the values are.
    pub name: &'a str,
    /// Its bins.
    pub bins: &'a Bins,
    /// A line at this value.
    pub threshold: Option<f64>,
    /// The chosen range.
    pub brush: Option<[f64; 2]>,
    /// Place of the bars' colour in the palette.
    pub colour: usize,
}

/// What the reader did with a histogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HistogramAction {
    /// Chose the values of a range.
    Brushed([f64; 2]),
    /// Chose none in particular.
    Cleared,
    /// Moved the threshold.
    ThresholdMoved(f64),
}

/// What a drag moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drag {
    Threshold,
    Brush,
}

/// A press so near to the threshold takes hold of it.
const NEAR: f32 = 5.0;

/// Height of the axis under the bars.
const AXIS: f32 = 16.0;

/// Draws a histogram of that size; returns what the reader did. A drag chooses a range, a click gives it up, and a drag of
/// the threshold moves that.
pub fn histogram_ui(ui: &mut Ui, histogram: &Histogram<'_>, size: Vec2) -> Option<HistogramAction> {
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let plot = Rect::from_min_max(rect.min, pos2(rect.right(), rect.bottom() - AXIS));
    if ui.is_rect_visible(rect) {
        draw(&ui.painter().with_clip_rect(rect), plot, histogram, &PlotColours::of(ui.visuals()));
    }
    let text = words(histogram);
    response
        .widget_info(|| WidgetInfo::labeled(Role::Canvas, true, format!("Histogram of {}", histogram.name)));
    let action = react(ui, &response, plot, histogram);
    response.on_hover_text(format!(
        "{text}\nDrag: choose a range of values. Click: choose none. Drag the line: move the threshold."
    ));
    action
}

fn words(histogram: &Histogram<'_>) -> String {
    let bins = histogram.bins;
    let values: usize = bins.counts.iter().sum();
    let mut parts = vec![format!("{}: {values} values", histogram.name)];
    if bins.not_finite > 0 {
        parts.push(format!("{} not finite and not drawn", bins.not_finite));
    }
    parts.extend(histogram.threshold.map(|threshold| format!("threshold {}", reading(threshold))));
    parts.extend(histogram.brush.map(|[low, high]| format!("chosen {} to {}", reading(low), reading(high))));
    parts.join(", ")
}

fn px(plot: Rect, bins: &Bins, value: f64) -> f32 {
    let share = ((value - bins.low) / (bins.high - bins.low)).clamp(-1.0, 2.0);
    plot.left() + share as f32 * plot.width()
}

fn value_at(plot: Rect, bins: &Bins, px: f32) -> f64 {
    let share = f64::from(((px - plot.left()) / plot.width().max(1.0)).clamp(0.0, 1.0));
    bins.low + share * (bins.high - bins.low)
}

fn react(ui: &Ui, response: &Response, plot: Rect, histogram: &Histogram<'_>) -> Option<HistogramAction> {
    let bins = histogram.bins;
    let near = |at: f32| histogram.threshold.is_some_and(|value| (px(plot, bins, value) - at).abs() <= NEAR);
    if response.hover_pos().is_some_and(|pointer| near(pointer.x)) {
        ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
    }
    let origin = ui.input(|input| input.pointer.press_origin());
    if response.drag_started()
        && let Some(origin) = origin
    {
        let drag = if near(origin.x) { Drag::Threshold } else { Drag::Brush };
        ui.data_mut(|data| data.insert_temp(response.id, drag));
    }
    let pointer = response.interact_pointer_pos()?;
    if response.clicked() {
        return Some(HistogramAction::Cleared);
    }
    if !response.dragged() {
        return None;
    }
    let drag: Drag = ui.data(|data| data.get_temp(response.id))?;
    let here = value_at(plot, bins, pointer.x);
    match drag {
        Drag::Threshold => Some(HistogramAction::ThresholdMoved(here)),
        Drag::Brush => {
            let there = value_at(plot, bins, origin?.x);
            Some(HistogramAction::Brushed([here.min(there), here.max(there)]))
        }
    }
}

fn draw(painter: &Painter, plot: Rect, histogram: &Histogram<'_>, colours: &PlotColours) {
    let bins = histogram.bins;
    painter.rect_filled(plot, 2.0, colours.background);
    let most = bins.counts.iter().copied().max().unwrap_or(0).max(1) as f32;
    let colour = colours.series(histogram.colour);
    for (bin, &count) in bins.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (low, high) = (bins.start(bin), bins.start(bin + 1));
        let chosen = histogram.brush.is_none_or(|brush| low <= brush[1] && high >= brush[0]);
        // A single value among thousands is still seen.
        let height = (count as f32 / most * (plot.height() - 4.0)).max(1.5);
        let (left, right) = (px(plot, bins, low), px(plot, bins, high));
        let bar = Rect::from_min_max(
            pos2(left, plot.bottom() - height),
            pos2((right - 1.0).max(left + 1.0), plot.bottom()),
        );
        painter.rect_filled(bar, 0.0, if chosen { colour } else { colour.gamma_multiply(0.3) });
    }
    if let Some([low, high]) = histogram.brush {
        let area = Rect::from_x_y_ranges(px(plot, bins, low)..=px(plot, bins, high), plot.y_range());
        painter.rect_filled(area, 0.0, colours.cursor.gamma_multiply(0.1));
        for x in [area.left(), area.right()] {
            painter.vline(x, plot.y_range(), Stroke::new(1.0, colours.cursor));
        }
    }
    if let Some(value) = histogram.threshold {
        let x = px(plot, bins, value);
        let ends = [pos2(x, plot.top()), pos2(x, plot.bottom())];
        painter.extend(Shape::dashed_line(&ends, Stroke::new(1.6, colours.text), 4.0, 2.0));
    }
    let font = FontId::proportional(10.0);
    painter.hline(plot.x_range(), plot.bottom(), Stroke::new(1.0, colours.faint));
    for tick in ticks(Scale::Linear, bins.low, bins.high, (plot.width() / 60.0) as usize) {
        let x = px(plot, bins, tick.at);
        painter.vline(x, plot.bottom()..=plot.bottom() + 3.0, Stroke::new(1.0, colours.faint));
        let room = painter.layout_no_wrap(tick.label, font.clone(), colours.faint);
        let left =
            (x - room.size().x / 2.0).clamp(plot.left(), (plot.right() - room.size().x).max(plot.left()));
        painter.galley(pos2(left, plot.bottom() + 3.0), room, colours.faint);
    }
    let top = format!("highest bar {most}");
    painter.text(plot.right_top() + Vec2::new(-3.0, 1.0), Align2::RIGHT_TOP, top, font, colours.faint);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_value_is_counted_once(values in prop::collection::vec(prop::num::f64::ANY, 0..200), count in 1..40_usize) {
            let bins = Bins::of(values.iter().copied(), count);
            let finite = values.iter().filter(|value| value.is_finite()).count();
            prop_assert_eq!(bins.counts().iter().sum::<usize>() + bins.not_finite(), values.len());
            let huge = values.iter().any(|value| value.is_finite() && value.abs() > 1e300);
            prop_assert!(huge || bins.not_finite() == values.len() - finite);
        }
    }

    #[test]
    fn the_ends_are_in_the_first_and_last_bin() {
        let bins = Bins::of([0.0, 0.49, 0.5, 1.0, f64::NAN].into_iter(), 2);
        assert_eq!((bins.counts(), bins.not_finite(), bins.ends()), (&[2, 2][..], 1, [0.0, 1.0]));
        let same = Bins::of([3.0, 3.0].into_iter(), 4);
        assert_eq!(same.counts().iter().sum::<usize>(), 2);
        assert_eq!(Bins::of(std::iter::empty(), 3).counts(), [0, 0, 0]);
    }
}

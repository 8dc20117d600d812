//! Gradient noise over iterations, on a log axis.

use eframe::egui::{Color32, Rect, RichText, Role, Sense, Shape, Stroke, Ui, WidgetInfo, vec2};
use egui_plot::{GridMark, HoverPosition, Line, LineStyle, MarkerShape, Plot, PlotPoints, Points, VLine};

use super::noise::MODES;
use crate::runs::series::Series;
use crate::ui::action::Action;
use crate::ui::data::run::OpenRun;
use crate::ui::number::{counted, number};
use crate::ui::scene::Scene;
use crate::ui::theme::Theme;

/// Points drawn one by one; of more, the least and the greatest of each piece.
const POINTS: usize = 2000;

/// Which of the measured numbers is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Shown {
    /// Trace of the covariance.
    #[default]
    Trace,
    /// Trace over squared norm of the mean.
    Ratio,
    /// Squared norm of the mean.
    SquaredMean,
}

impl Shown {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Trace, Self::SquaredMean, Self::Ratio];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Ratio => "ratio",
            Self::SquaredMean => "squared mean",
        }
    }

    /// What it is.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Trace => "Draw the trace of the gradient's covariance over the redraws: the noise itself.",
            Self::Ratio => "Draw the trace over the squared norm of the mean gradient.",
            Self::SquaredMean => "Draw the squared norm of the mean gradient over the redraws.",
        }
    }

    fn series(self, mode: &str) -> String {
        match self {
            Self::Trace => format!("{mode}/trace"),
            Self::Ratio => mode.to_owned(),
            Self::SquaredMean => format!("{mode}/squared_mean"),
        }
    }
}

/// Points of one objective, iteration and decimal logarithm, in stretches without a gap; and the iterations that have no
/// place on a log axis.
#[derive(Default)]
struct Drawn {
    stretches: Vec<Vec<[f64; 2]>>,
    left_out: Vec<f64>,
    count: usize,
}

impl Drawn {
    fn of(series: &Series) -> Self {
        let mut drawn = Self::default();
        if series.len() <= POINTS {
            for point in series.iter() {
                drawn.push(point.step as f64, point.value);
            }
            return drawn;
        }
        // The least and the greatest of each piece: no spike is lost.
        let last = series.last().map_or(0, |point| point.step);
        for bucket in series.buckets(0..=last, POINTS / 2) {
            let bad = bucket.nan + bucket.positive_infinity + bucket.negative_infinity;
            if bad > 0 {
                drawn.leave_out(bucket.first_step as f64, bad);
            }
            for (step, value) in [(bucket.first_step, bucket.min), (bucket.last_step, bucket.max)] {
                if let Some(value) = value {
                    drawn.push(step as f64, value);
                }
            }
        }
        drawn
    }

    fn push(&mut self, x: f64, value: f64) {
        if !(value > 0.0 && value.is_finite()) {
            self.leave_out(x, 1);
            return;
        }
        let point = [x, value.log10()];
        match self.stretches.last_mut() {
            Some(stretch) => stretch.push(point),
            None => self.stretches.push(vec![point]),
        }
    }

    /// A gap: no line is drawn over it.
    fn leave_out(&mut self, x: f64, count: usize) {
        self.left_out.push(x);
        self.count += count;
        if self.stretches.last().is_none_or(|stretch| !stretch.is_empty()) {
            self.stretches.push(Vec::new());
        }
    }
}

/// The plot, with the cursor, and a line on what has no place on a log axis. Gives back where a click moves the cursor.
pub(super) fn plot_ui(ui: &mut Ui, scene: Scene<'_>, run: &OpenRun, shown: Shown) -> Option<Action> {
    let theme = scene.theme;
    let all =
        MODES.map(|(name, ..)| run.store.series(&shown.series(name)).map(Drawn::of).unwrap_or_default());
    let left_out: usize = all.iter().map(|drawn| drawn.count).sum();
    let plot = Plot::new("gradient noise over iterations")
        .height(190.0)
        .width(ui.available_width().max(120.0))
        .allow_scroll(false)
        .set_margin_fraction(vec2(0.05, 0.1))
        .x_axis_label("iteration")
        .y_axis_label(shown.name())
        .y_grid_spacer(|input| decades(input.bounds))
        .y_axis_formatter(|mark, _| power(mark.value))
        .label_formatter(|position| match position {
            HoverPosition::NearDataPoint { plot_name, position, .. } => Some(format!(
                "{plot_name}\niteration {:.0}\n{}",
                position.x,
                number(10.0_f64.powf(position.y))
            )),
            HoverPosition::Elsewhere { .. } => None,
        });
    let cursor = scene.step_of(run) as f64;
    let drawn = plot.show(ui, |plot| {
        plot.vline(
            VLine::new("cursor", cursor)
                .color(theme.text)
                .style(LineStyle::dashed_loose())
                .allow_hover(false),
        );
        for (mode, (drawn, (colour, marker))) in MODES.iter().zip(all.into_iter().zip(looks(theme))) {
            for x in drawn.left_out {
                plot.vline(VLine::new("no place on a log axis", x).color(theme.bad).width(1.0));
            }
            for stretch in drawn.stretches {
                let points =
                    Points::new(mode.1, PlotPoints::from(stretch.clone())).color(colour).shape(marker);
                plot.line(Line::new(mode.1, PlotPoints::from(stretch)).color(colour).width(1.5));
                plot.points(points.radius(4.0));
            }
        }
    });
    let clicked = drawn.response.clicked().then(|| drawn.response.interact_pointer_pos()).flatten();
    drawn.response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "Gradient noise over iterations"));
    drawn.response.on_hover_text(
        "The measurements of the whole run on a log axis; the dashed line is the cursor. A click moves the cursor to the \
         nearest measurement, dragging pans, a double click fits.",
    );
    if left_out > 0 {
        let words = format!(
            "{} not positive or not finite: red lines instead of points.",
            counted(left_out, "number")
        );
        ui.label(RichText::new(words).color(theme.bad));
    }
    let x = drawn.transform.value_from_position(clicked?).x;
    nearest(run, shown, x).map(|step| Action::Cursor(Some(step)))
}

/// The measured iteration nearest to `x`.
fn nearest(run: &OpenRun, shown: Shown, x: f64) -> Option<usize> {
    let series = MODES.iter().filter_map(|(name, ..)| run.store.series(&shown.series(name)));
    let of_series = |series: &Series| {
        let steps = series.columns().0;
        let after = steps.partition_point(|step| (*step as f64) < x);
        let around = [after.checked_sub(1), Some(after)].into_iter().flatten();
        around.filter_map(|place| steps.get(place).copied()).collect::<Vec<_>>()
    };
    let away = |step: &usize| (*step as f64 - x).abs();
    series.flat_map(of_series).min_by(|a, b| away(a).total_cmp(&away(b)))
}

/// Blue, orange and green of Okabe and Ito in the shades of the theme, each with a marker of its own.
pub(super) const fn looks(theme: &Theme) -> [(Color32, MarkerShape); 3] {
    [
        (theme.negative, MarkerShape::Circle),
        (theme.positive, MarkerShape::Square),
        (theme.good, MarkerShape::Diamond),
    ]
}

/// The marker of an objective, where the table names it.
pub(super) fn key_ui(ui: &mut Ui, (colour, marker): (Color32, MarkerShape)) {
    let (rect, _) = ui.allocate_exact_size(vec2(10.0, 10.0), Sense::hover());
    let centre = rect.center();
    match marker {
        MarkerShape::Circle => {
            ui.painter().circle_filled(centre, 4.0, colour);
        }
        MarkerShape::Square => {
            ui.painter().rect_filled(Rect::from_center_size(centre, vec2(7.0, 7.0)), 0.0, colour);
        }
        _ => {
            let corners = [vec2(0.0, -5.0), vec2(5.0, 0.0), vec2(0.0, 5.0), vec2(-5.0, 0.0)];
            ui.painter().add(Shape::convex_polygon(corners.map(|c| centre + c).into(), colour, Stroke::NONE));
        }
    }
}

/// A line for each power of ten, or for fewer of them, and fainter ones at 2 and 5 where there is room.
fn decades((low, high): (f64, f64)) -> Vec<GridMark> {
    if !(low.is_finite() && high.is_finite()) || high - low > 1e4 {
        return Vec::new();
    }
    let every = ((high - low) / 8.0).ceil().max(1.0);
    let mut marks = Vec::new();
    let mut decade = (low / every).floor() * every;
    while decade <= high {
        marks.push(GridMark { value: decade, step_size: every });
        if high - low <= 3.0 {
            for between in [2.0_f64, 5.0] {
                marks.push(GridMark { value: decade + between.log10(), step_size: 0.3 });
            }
        }
        decade += every;
    }
    marks.retain(|mark| (low..=high).contains(&mark.value));
    marks
}

fn power(exponent: f64) -> String {
    let value = 10.0_f64.powf(exponent);
    if (-2.0..4.0).contains(&exponent) {
        format!("{}", (value * 1000.0).round() / 1000.0)
    } else {
        format!("{value:.0e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::series::Point;

    fn series(values: impl IntoIterator<Item = f64>) -> Series {
        let mut series = Series::default();
        for (step, value) in values.into_iter().enumerate() {
            series.push(Point { step, seconds: 0.0, value });
        }
        series
    }

    #[test]
    fn no_line_is_drawn_over_a_number_that_has_no_place() {
        let drawn = Drawn::of(&series([1.0, 10.0, f64::NAN, 0.0, 100.0]));
        assert_eq!(drawn.stretches, [vec![[0.0, 0.0], [1.0, 1.0]], vec![[4.0, 2.0]]]);
        assert_eq!((drawn.left_out, drawn.count), (vec![2.0, 3.0], 2));
    }

    #[test]
    fn a_spike_and_every_gap_survive_the_thinning_of_many_points() {
        let values = (0..50_000).map(|i| match i {
            31_337 => 1e6,
            40_000..40_100 => f64::NAN,
            _ => 1.0,
        });
        let drawn = Drawn::of(&series(values));
        assert!(drawn.stretches.iter().flatten().any(|point| point[1] == 6.0));
        assert!(drawn.stretches.iter().flatten().count() <= POINTS);
        assert_eq!(drawn.count, 100);
    }

    #[test]
    fn lines_of_the_grid_are_within_the_bounds() {
        let marks: Vec<f64> = decades((-3.4, -1.2)).into_iter().map(|mark| mark.value).collect();
        assert!(marks.contains(&-3.0) && marks.contains(&-2.0));
        assert!(marks.iter().all(|mark| (-3.4..=-1.2).contains(mark)));
    }
}

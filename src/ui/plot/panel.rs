//! A panel: several curves over one pair of axes.

use std::collections::BTreeSet;

use eframe::egui::{RichText, Role, Ui, WidgetInfo};
use egui_plot::{Plot, PlotBounds};
use serde::{Deserialize, Serialize};

use super::curve::{Curve, NotFinite};
use super::draw::panel_shapes;
use super::extent::{KnownExtent, YChoice};
use super::grid::Names;
use super::header::{header_ui, is_low};
use super::hover::hover_ui;
use super::interact::{Hands, interact};
use super::legend::legend_ui;
use super::linked::LinkedX;
use super::marks::MarkLine;
use super::memory::{Cut, Memory, Part};
use super::mesh::View;
use super::palette::PlotColours;
use super::scale::Scale;
use super::ticks::ticks;

/// What a panel shows.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// Tells it from other panels of the window.
    pub id: &'a str,
    /// What the curves are.
    pub title: &'a str,
    /// Unit of their values; empty if there is none.
    pub unit: &'a str,
    /// The curves, the first drawn first.
    pub curves: &'a [Curve<'a>],
    /// What happened.
    pub marks: &'a [MarkLine<'a>],
    /// The iteration that the window looks at.
    pub cursor: Option<usize>,
    /// Smoothing: 0 for none, towards 1 for more.
    pub smoothing: f64,
    /// Colours of everything but the curves.
    pub colours: PlotColours,
}

/// What the reader chose for a panel, to be kept with the layout.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PanelChoice {
    /// How the vertical axis is divided.
    pub scale: Scale,
    /// Whether the outermost hundredth of the values on both sides is left out of the vertical range.
    pub ignore_outliers: bool,
    /// Names of curves that are not shown.
    pub hidden: BTreeSet<String>,
    /// Coordinates that the vertical axis ends at; `None` if the curves decide.
    pub y: Option<[f64; 2]>,
}

/// The state of a panel between frames.
#[derive(Clone, Debug, Default)]
pub struct PanelState {
    /// What the reader chose.
    pub choice: PanelChoice,
    pub(super) memory: Memory,
    pub(super) extent: KnownExtent,
    pub(super) hands: Hands,
    pub(super) view: Option<View>,
    pub(super) outside: usize,
    not_positive: usize,
}

/// What the reader did with a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotAction {
    /// Looks at another iteration.
    CursorMoved(usize),
    /// Zoomed or panned; the range is in [`LinkedX`] already.
    RangeChanged,
    /// Everything is shown again, after a double click.
    Fitted {
        /// The cursor before the first of the two clicks, which moved it.
        cursor: Option<usize>,
    },
    /// Another vertical axis, other outliers, or other curves; they are in [`PanelChoice`] already.
    ChoiceChanged,
    /// The panel is to be saved.
    Save(SaveAs),
}

/// How a panel is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveAs {
    /// A picture of the screen.
    Png,
    /// A figure for a paper.
    Svg,
    /// The numbers of all points.
    Csv,
}

impl<'a> Panel<'a> {
    /// The curves that are shown.
    pub(super) fn shown(&self, choice: &PanelChoice) -> Vec<&'a Curve<'a>> {
        self.curves.iter().filter(|curve| !choice.hidden.contains(curve.name)).collect()
    }

    /// Points of the shown curves that are not finite.
    pub(super) fn not_finite(&self, choice: &PanelChoice) -> NotFinite {
        self.shown(choice)
            .iter()
            .fold(NotFinite::default(), |sum, curve| sum.and(NotFinite::of(curve.series)))
    }

    /// Title with the unit: `time (s)`.
    pub(super) fn heading(&self) -> String {
        if self.unit.is_empty() { self.title.to_owned() } else { format!("{} ({})", self.title, self.unit) }
    }

    /// Where its data begin and end on the horizontal axis.
    #[must_use]
    pub fn x_extent(&self) -> Option<[f64; 2]> {
        let ends = |curve: &Curve<'_>| {
            let [first, last] = [curve.series.get(0)?, curve.series.last()?].map(|point| curve.x.x(point));
            (first.is_finite() && last.is_finite()).then(|| [first.min(last), first.max(last)])
        };
        let all = self.curves.iter().filter_map(ends);
        all.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
    }
}

impl PanelState {
    /// A panel as the reader left it.
    #[must_use]
    pub fn new(choice: PanelChoice) -> Self {
        Self { choice, ..Self::default() }
    }

    /// Points of the shown curves that are in the horizontal range but beyond the vertical one, as last drawn.
    #[must_use]
    pub const fn outside(&self) -> usize {
        self.outside
    }

    /// Lines that were thinned and meshes that were made so far: neither grows while nothing changes.
    #[must_use]
    pub const fn work(&self) -> [usize; 2] {
        [self.memory.thinned, self.memory.meshed]
    }

    /// Points in view that have no place on a logarithmic axis, as last drawn.
    #[must_use]
    pub const fn not_positive(&self) -> usize {
        self.not_positive
    }

    /// Brings columns and vertical range up to date for a view of that range and so many pixels of the device; returns
    /// the coordinates the vertical axis ends at, and whether smoothing goes on in the next frame.
    pub(super) fn prepare(&mut self, panel: &Panel<'_>, x: [f64; 2], pixels: f64) -> ([f64; 2], bool) {
        let shown = panel.shown(&self.choice);
        let cut = Cut { x, pixels, scale: self.choice.scale, beta: panel.smoothing };
        let unfinished = self.memory.thin(shown.iter().copied(), &cut);
        let PanelChoice { scale, ignore_outliers, y, .. } = self.choice;
        let choice = YChoice { scale, ignore_outliers, chosen: y };
        let extent = self.extent.of(&shown, &self.memory, &choice);
        self.outside = extent.outside;
        let inside = shown.iter().flat_map(|curve| self.memory.inside(curve.id, Part::Raw));
        self.not_positive = inside.map(|column| column.unplaced).sum();
        (extent.y, unfinished)
    }
}

/// Draws a panel into all the room there is; returns what the reader did.
pub fn panel_ui(
    ui: &mut Ui,
    panel: &Panel<'_>,
    state: &mut PanelState,
    linked: &mut LinkedX,
) -> Vec<PlotAction> {
    if linked.include(ui.ctx().cumulative_frame_nr(), panel.x_extent()) {
        ui.ctx().request_repaint();
    }
    let mut actions = Vec::new();
    let low = is_low(ui);
    header_ui(ui, panel, state, linked, &mut actions);
    if !low {
        legend_ui(ui, panel, state, &mut actions);
    }
    let mut plot = frame(panel, state.choice.scale, linked).height(ui.available_height().max(48.0));
    if !low {
        let [left, right] = linked.range();
        plot = plot.x_axis_label(RichText::new(linked.axis().label(left, right)).small());
    }
    let pixels_per_point = ui.pixels_per_point();
    let response = {
        let (state, linked, actions) = (&mut *state, &mut *linked, &mut actions);
        let plot = plot.show(ui, |plot_ui| {
            let rect = plot_ui.response().rect;
            interact(plot_ui.ctx(), plot_ui.response(), panel, state, linked, actions);
            let x = linked.range();
            let (y, unfinished) = state.prepare(panel, x, f64::from(rect.width() * pixels_per_point));
            if unfinished {
                plot_ui.ctx().request_repaint();
            }
            state.view = Some(View { rect, x, y, pixels_per_point });
            plot_ui.set_plot_bounds(PlotBounds::from_min_max([x[0], y[0]], [x[1], y[1]]));
        });
        plot.response
    };
    if let Some(view) = state.view {
        let painter = ui.painter().with_clip_rect(view.rect);
        let shapes = panel_shapes(panel, state, &view, &painter);
        painter.extend(shapes);
        hover_ui(&response, panel, state, &view, linked.axis());
    }
    let name = format!("Plot of {}", panel.title);
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, &name));
    actions
}

/// Points on the screen a labelled tick needs.
const TICK_ROOM: [f64; 2] = [90.0, 42.0];

/// The axes and the grid; what the reader does in it is ours to interpret.
fn frame<'a>(panel: &Panel<'_>, scale: Scale, linked: &LinkedX) -> Plot<'a> {
    let axis = linked.axis();
    let [x, y] = [Names::default(), Names::default()];
    let [x_names, y_names] = [x.clone(), y.clone()];
    Plot::new(panel.id)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .allow_axis_zoom_drag(false)
        .show_crosshair(false)
        .grid_color(panel.colours.faint.gamma_multiply(0.45))
        .grid_color(panel.colours.text.gamma_multiply(0.28))
        .y_axis_min_width(54.0)
        .x_grid_spacer(move |input| {
            x.marks(&input, TICK_ROOM[0], |low, high, most| axis.ticks(low, high, most))
        })
        .y_grid_spacer(move |input| {
            y.marks(&input, TICK_ROOM[1], |low, high, most| ticks(scale, low, high, most))
        })
        .x_axis_formatter(move |mark, _| x_names.of(mark))
        .y_axis_formatter(move |mark, _| y_names.of(mark))
}

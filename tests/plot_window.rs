//! Panels under the hands of a reader.

#![cfg(feature = "gui")]

use eframe::egui::{self, Event, Modifiers, PointerButton, Pos2, Visuals, pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use marscope::runs::series::{Point, Series};
use marscope::ui::plot::{Curve, LinkedX, Panel, PanelState, PlotAction, PlotColours, Scale, XMap, panel_ui};

struct Window {
    series: Series,
    cursor: Option<usize>,
    smoothing: f64,
    state: PanelState,
    linked: LinkedX,
    actions: Vec<PlotAction>,
}

impl Window {
    fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut series = Series::default();
        for (step, value) in values.into_iter().enumerate() {
            series.push(Point { step, seconds: step as f64, value });
        }
        let (state, linked) = (PanelState::default(), LinkedX::default());
        Self { series, cursor: Some(3), smoothing: 0.0, state, linked, actions: Vec::new() }
    }

    fn ui(&mut self, ui: &mut egui::Ui) {
        let curves = [Curve::new("run", "reward of the run", &self.series)];
        let panel = Panel {
            id: "reward",
            title: "Reward",
            unit: "",
            curves: &curves,
            marks: &[],
            cursor: self.cursor,
            smoothing: self.smoothing,
            colours: PlotColours::of(&Visuals::dark()),
        };
        let actions = panel_ui(ui, &panel, &mut self.state, &mut self.linked);
        for action in &actions {
            match action {
                PlotAction::CursorMoved(step) => self.cursor = Some(*step),
                PlotAction::Fitted { cursor } => self.cursor = *cursor,
                _ => {}
            }
        }
        self.actions.extend(actions);
    }

    fn open(self) -> Harness<'static, Self> {
        let mut harness = Harness::builder()
            .with_size(vec2(700.0, 400.0))
            .build_ui_state(|ui, window: &mut Self| window.ui(ui), self);
        harness.run_steps(4);
        harness
    }
}

fn plot(harness: &Harness<'_, Window>) -> egui::Rect {
    harness.get_by_label("Plot of Reward").rect()
}

fn button(harness: &Harness<'_, Window>, at: Pos2, pressed: bool, button: PointerButton) {
    harness.event(Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE });
}

fn click(harness: &mut Harness<'_, Window>, at: Pos2) {
    harness.event(Event::PointerMoved(at));
    button(harness, at, true, PointerButton::Primary);
    button(harness, at, false, PointerButton::Primary);
    harness.step();
}

fn drag(harness: &mut Harness<'_, Window>, from: Pos2, to: Pos2, with: PointerButton) {
    harness.event(Event::PointerMoved(from));
    button(harness, from, true, with);
    harness.step();
    for share in [0.3, 0.6, 1.0] {
        harness.event(Event::PointerMoved(from + (to - from) * share));
        harness.step();
    }
    button(harness, to, false, with);
    harness.step();
}

/// Where a step lies.
fn at(harness: &Harness<'_, Window>, step: f64) -> Pos2 {
    let (rect, [low, high]) = (plot(harness), harness.state().linked.range());
    pos2(rect.left() + ((step - low) / (high - low)) as f32 * rect.width(), rect.center().y)
}

#[test]
fn a_click_moves_the_cursor() {
    let mut harness = Window::of((0..=100).map(f64::from)).open();
    let place = at(&harness, 40.2);
    click(&mut harness, place);
    assert_eq!(harness.state().cursor, Some(40));
    assert_eq!(harness.state().actions, [PlotAction::CursorMoved(40)]);
    let beyond = pos2(plot(&harness).right() - 1.0, place.y);
    harness.run_steps(4);
    click(&mut harness, beyond);
    assert_eq!(harness.state().cursor, Some(100), "no further than the data");
}

#[test]
fn a_drag_moves_the_cursor_all_the_way() {
    let mut harness = Window::of((0..=100).map(f64::from)).open();
    let (from, to) = (at(&harness, 20.0), at(&harness, 80.0));
    drag(&mut harness, from, to, PointerButton::Primary);
    assert_eq!(harness.state().cursor, Some(80));
    assert!(harness.state().actions.contains(&PlotAction::CursorMoved(20)));
    assert!(harness.state().linked.follows());
}

#[test]
fn a_double_click_fits_and_gives_the_cursor_back() {
    let mut harness = Window::of((0..=100).map(f64::from)).open();
    harness.state_mut().linked.show([20.0, 30.0]);
    harness.run_steps(2);
    let place = at(&harness, 25.0);
    for pressed in [true, false, true, false] {
        harness.event(Event::PointerMoved(place));
        button(&harness, place, pressed, PointerButton::Primary);
        if !pressed {
            harness.input_mut().predicted_dt = 0.01;
            harness.input_mut().time = Some(harness.input().time.unwrap_or(10.0) + 0.05);
        }
    }
    harness.run_steps(2);
    assert!(harness.state().actions.iter().any(|action| matches!(action, PlotAction::Fitted { .. })));
    assert!(harness.state().linked.follows());
    assert_eq!(harness.state().cursor, Some(3));
    assert_eq!(harness.state().linked.range(), [-1.5, 101.5]);
}

#[test]
fn scrolling_zooms_around_the_pointer_and_follow_undoes_it() {
    let mut harness = Window::of((0..=100).map(f64::from)).open();
    let place = at(&harness, 40.0);
    harness.event(Event::PointerMoved(place));
    harness.step();
    harness.event(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: vec2(0.0, 120.0),
        modifiers: Modifiers::NONE,
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
    });
    harness.run_steps(12);
    let [low, high] = harness.state().linked.range();
    assert!(high - low < 80.0, "{low} {high}");
    assert!(((40.0 - low) / (high - low) - 41.5 / 103.0).abs() < 0.01, "40 stays where it was");
    assert!(harness.state().actions.contains(&PlotAction::RangeChanged));
    harness.get_by_label("Follow").click();
    harness.run_steps(3);
    assert!(harness.state().linked.follows());
    assert!(harness.query_by_label("Follow").is_none(), "nothing to follow back to");
}

#[test]
fn the_right_button_pans_and_the_middle_one_draws_a_box() {
    let mut harness = Window::of((0..=100).map(f64::from)).open();
    let (from, to) = (at(&harness, 60.0), at(&harness, 50.0));
    drag(&mut harness, from, to, PointerButton::Secondary);
    let [low, high] = harness.state().linked.range();
    assert!((low - 8.5).abs() < 0.2 && (high - 111.5).abs() < 0.2, "{low} {high}");
    let (from, to) = (at(&harness, 20.0) - vec2(0.0, 40.0), at(&harness, 40.0) + vec2(0.0, 40.0));
    drag(&mut harness, from, to, PointerButton::Middle);
    let [low, high] = harness.state().linked.range();
    assert!((low - 20.0).abs() < 0.2 && (high - 40.0).abs() < 0.2, "{low} {high}");
    assert!(harness.state().state.choice.y.is_some());
    assert_eq!(harness.state().cursor, Some(3), "the cursor stays");
}

#[test]
fn what_is_not_finite_is_counted_in_the_header() {
    let mut values: Vec<f64> = (0..=100).map(f64::from).collect();
    (values[3], values[50], values[51], values[70]) = (f64::NAN, f64::NAN, f64::NAN, f64::INFINITY);
    let harness = Window::of(values).open();
    harness.get_by_label("3 NaN, 1 inf");
}

#[test]
fn points_outside_are_counted_and_a_click_shows_them() {
    let mut values: Vec<f64> = (0..=1000).map(|i| f64::from(i % 10)).collect();
    for at in [100, 300, 800] {
        values[at] = 1e6;
    }
    let mut window = Window::of(values);
    window.state.choice.ignore_outliers = true;
    let mut harness = window.open();
    harness.get_by_label("3 points outside").click();
    harness.run_steps(3);
    assert!(!harness.state().state.choice.ignore_outliers);
    assert!(harness.query_by_label("3 points outside").is_none());
}

#[test]
fn a_log_axis_counts_what_has_no_place() {
    let mut window = Window::of([1.0, 0.0, -2.0, 100.0, 1000.0]);
    window.state.choice.scale = Scale::Log;
    let harness = window.open();
    harness.get_by_label("2 points not above 0");
}

#[test]
fn the_legend_hides_a_curve() {
    let mut harness = Window::of((0..=100).map(f64::from)).open();
    harness.get_by_label("reward of the run").click();
    harness.run_steps(2);
    assert!(harness.state().state.choice.hidden.contains("reward of the run"));
    harness.get_by_label("reward of the run").click();
    harness.run_steps(2);
    assert!(harness.state().state.choice.hidden.is_empty());
}

#[test]
fn an_unchanged_frame_computes_nothing_and_a_new_point_is_seen() {
    let mut window = Window::of((0..50_000).map(|i| f64::from(i % 100)));
    window.smoothing = 0.9;
    let mut harness = window.open();
    harness.run_steps(5);
    let work = harness.state().state.work();
    harness.run_steps(10);
    assert_eq!(harness.state().state.work(), work);
    let point = Point { step: 50_000, seconds: 5e4, value: 1e4 };
    harness.state_mut().series.push(point);
    harness.run_steps(3);
    assert_ne!(harness.state().state.work(), work);
    assert!(harness.state().linked.range()[1] > 50_000.0);
}

#[test]
fn a_mark_stands_at_the_same_time_in_every_panel() {
    let mut clock = Series::default();
    let mut rare = Series::default();
    for step in 0..100 {
        clock.push(Point { step, seconds: step as f64 * 3.0, value: 0.0 });
    }
    rare.push(Point { step: 0, seconds: 1.0, value: 0.5 });
    let x = XMap::Seconds { offset: 10.0 };
    let dense = Curve { x, ..Curve::new("run", "kl", &clock) };
    let sparse = Curve { x, clock: Some(&clock), ..Curve::new("run", "score", &rare) };
    assert_eq!(dense.x_of_step(50), Some(160.0));
    assert_eq!(sparse.x_of_step(50), Some(160.0));
    assert_eq!(sparse.step_at(161.0), Some(50));
    assert_eq!(Curve { clock: None, ..sparse }.x_of_step(50), Some(11.0));
}

#[test]
fn a_spike_of_one_point_is_seen_on_the_screen() {
    for (width, at) in [(301.0, 33_333), (517.0, 71_717), (700.0, 12_345)] {
        let window = Window::of((0..100_000).map(|i| if i == at { 100.0 } else { f64::from(i % 3) }));
        let mut harness = Harness::builder()
            .with_size(vec2(width, 300.0))
            .wgpu()
            .build_ui_state(|ui, window: &mut Window| window.ui(ui), window);
        harness.run_steps(4);
        harness.remove_cursor();
        harness.run_steps(2);
        let rect = harness.get_by_label("Plot of Reward").rect();
        let colour = marscope::ui::plot::series_colour(0, true);
        let picture = harness.render().unwrap();
        for share in [0.2, 0.4, 0.6] {
            let y = (rect.top() + share * rect.height()) as u32;
            let seen = (rect.left() as u32..rect.right() as u32).any(|x| {
                let pixel = picture.get_pixel(x, y).0;
                pixel.iter().zip(colour.to_array()).all(|(a, b)| a.abs_diff(b) < 40)
            });
            assert!(seen, "{width} {share}");
        }
    }
}

//! The panels of Inspect on a small recorded run, by the names that a screen reader reads.

use crate::inspect_stage::recorded::{NAN_GAIN, NAN_TOKEN, SIDE, TOKENS, gain, order, record, uncertainty};
use crate::inspect_stage::{Panel, Stage};
use eframe::egui;
use eframe::egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use marscope::rl::select::selected_count;
use marscope::ui::action::Action;
use marscope::ui::inspect::InspectView;
use marscope::ui::inspect::brush::Brush;
use marscope::ui::inspect::facts::{Decision, Why};
use marscope::ui::inspect::state::{Mask, Projection};
use marscope::ui::inspect::steps::{Fact, Sorting};

fn stage(step: usize, panel: Panel) -> (tempfile::TempDir, Stage) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    record(&path);
    let stage = Stage::open(&path, step, panel);
    (root, stage)
}

/// Frames until nothing is being read any more.
fn settle(harness: &mut Harness<'_, Stage>) {
    for _ in 0..30 {
        std::thread::sleep(std::time::Duration::from_millis(5));
        harness.run_steps(1);
    }
}

fn token_at(harness: &Harness<'_, Stage>, picture: &str, token: usize) -> egui::Pos2 {
    let rect = harness.get_by_label(picture).rect();
    let cell = rect.size() / SIDE as f32;
    rect.min + egui::vec2((token % SIDE) as f32 + 0.5, (token / SIDE) as f32 + 0.5) * cell
}

fn click(harness: &mut Harness<'_, Stage>, at: egui::Pos2) {
    harness.hover_at(at);
    harness.run_steps(1);
    harness.drag_at(at);
    harness.drop_at(at);
    harness.run_steps(2);
}

#[test]
fn facts_hold_every_number_and_nan_is_not_absent() {
    let (_root, mut stage) = stage(0, Panel::Token);
    stage.selection.picture = 1;
    let facts = stage.with(|input, view| view.facts(&input));
    let nan = &facts.tokens[NAN_TOKEN];
    assert!(nan.uncertainty.unwrap().is_nan());
    assert_eq!(
        (nan.rank, nan.within_share, nan.multi),
        (Some(1), Some(true), Some(true)),
        "NaN is looked at"
    );
    let token = &facts.tokens[NAN_GAIN];
    assert!(token.steps[2].gain.unwrap().is_nan());
    assert_eq!(token.steps[0].gain, None, "there is no AR step before the first");
    assert_eq!(facts.tokens[0].steps[1].gain, Some(gain(1, 1, 0)));
    let selected = facts.tokens.iter().filter(|t| t.multi == Some(true)).count();
    assert_eq!(selected, selected_count(0.3, TOKENS));
    for token in &facts.tokens {
        assert_eq!(token.order, Some(order(token.token)));
        for step in &token.steps {
            let known = order(token.token) < step.ar_step;
            assert_eq!(step.decision == Decision::Known, known);
            assert_eq!(
                step.kl.is_none(),
                known,
                "a zero of a token that is not in the loss is no measurement"
            );
            if order(token.token) == step.ar_step {
                assert_eq!(step.decision, Decision::Kept(Why::Predicted));
            }
        }
    }
}

#[test]
fn a_click_pins_a_token_and_the_keyboard_moves_and_unpins_it() {
    let (_root, stage) = stage(0, Panel::Picture);
    let mut window = stage.window((600.0, 700.0), true);
    let name = "Picture 1 of 2";
    let at = token_at(&window, name, 5);
    click(&mut window, at);
    assert_eq!(window.state().selection.token, Some(5));
    window.run_steps(2);
    for (key, token) in [(Key::ArrowRight, 6), (Key::ArrowDown, 10), (Key::ArrowLeft, 9), (Key::ArrowUp, 5)] {
        window.key_press(key);
        window.run_steps(2);
        assert_eq!(window.state().selection.token, Some(token), "{key:?}");
    }
    window.key_press(Key::Escape);
    window.run_steps(2);
    assert_eq!(window.state().selection.token, None);
    click(&mut window, at);
    click(&mut window, at);
    assert_eq!(window.state().selection.token, None, "a second click unpins");
}

#[test]
fn the_pointer_tells_the_facts_of_a_token() {
    let (_root, stage) = stage(0, Panel::Picture);
    let mut window = stage.window((600.0, 700.0), true);
    let at = token_at(&window, "Picture 1 of 2", NAN_GAIN);
    window.hover_at(at);
    window.run_steps(40);
    window.get_by_label("Token 15 · row 4, column 4");
    window.get_by_label_contains("of 16, ");
    window.get_by_label("NaN");
}

#[test]
fn pictures_and_ar_steps_are_chosen_by_name() {
    let (_root, stage) = stage(0, Panel::Picture);
    let mut window = stage.window((600.0, 700.0), false);
    window.get_by_label("reward 0.7500");
    window.get_by_label("Next picture ›").click();
    window.run_steps(2);
    assert_eq!(window.state().selection.picture, 1);
    window.get_by_label("Picture 2 of 2");
    window.get_by_label("reward NaN");
    window.get_by_label("Finished picture").click();
    window.run_steps(2);
    assert_eq!(window.state().selection.ar_step, Some(3));
}

#[test]
fn a_token_shows_its_trajectories_or_where_there_are_some() {
    let (_root, mut stage) = stage(0, Panel::Token);
    stage.selection.token = Some(6);
    let mut window = stage.window((1000.0, 1200.0), true);
    settle(&mut window);
    for name in ["Trajectories along principal components", "Spread of the trajectories"] {
        window.get_by_label(name);
    }
    window.get_by_label("S = 3 trajectories");
    window.get_by_label("One channel").click();
    window.run_steps(2);
    assert_eq!(window.state().view.projection, Projection::Channel);
    window.get_by_label("Unpin").click();
    window.run_steps(2);
    assert_eq!(window.state().selection.token, None);
    window.get_by_label_contains("to pin it");
}

#[test]
fn states_that_are_not_finite_are_counted_in_words() {
    let (_root, mut stage) = stage(0, Panel::Token);
    // The first number of the large maps is NaN: token 0 of picture 0.
    stage.selection.token = Some(0);
    let mut window = stage.window((1000.0, 1200.0), true);
    settle(&mut window);
    window.get_by_label("2 states are not finite and left out.");
    window.get_by_label("1 spread is not finite and left out.");
}

#[test]
fn an_iteration_without_trajectories_names_one_that_has_them() {
    let (_root, mut stage) = stage(2, Panel::Token);
    stage.selection.token = Some(6);
    let mut window = stage.window((1000.0, 1200.0), true);
    settle(&mut window);
    window.get_by_label("Show iteration 0").click();
    window.run_steps(2);
    assert!(window.state().actions.iter().any(|action| matches!(action, Action::Cursor(Some(0)))));
}

#[test]
fn the_list_sorts_by_any_fact_and_pins() {
    let (_root, mut stage) = stage(0, Panel::List);
    stage.selection.picture = 1;
    let facts = stage.with(|input, view| view.facts(&input));
    for by in Fact::ALL {
        for descending in [false, true] {
            let order = Sorting { by, descending }.order(&facts.tokens, None);
            let values: Vec<Option<f64>> = order.iter().map(|t| by.of(&facts.tokens[*t], None)).collect();
            let there = values.iter().take_while(|v| v.is_some()).count();
            assert!(values[there..].iter().all(Option::is_none), "what is not there comes last");
            let key = |v: &Option<f64>| if v.unwrap().is_nan() { f64::INFINITY } else { v.unwrap() };
            let sorted = |pair: &[Option<f64>]| {
                let (a, b) = (key(&pair[0]), key(&pair[1]));
                if descending { a >= b } else { a <= b }
            };
            assert!(values[..there].windows(2).all(sorted), "{by:?}");
        }
    }
    let mut window = stage.window((900.0, 600.0), true);
    let first = window.get_by_label_contains("Token 5, Order");
    first.click();
    window.run_steps(2);
    assert_eq!(window.state().selection.token, Some(5));
    window.get_by_label("Sort by KL").click();
    window.run_steps(2);
    assert_eq!(window.state().view.sorting, Sorting { by: Fact::Kl, descending: true });
    window.get_by_label("Sort by KL").click();
    window.run_steps(2);
    assert_eq!(window.state().view.sorting, Sorting { by: Fact::Kl, descending: false });
}

#[test]
fn a_drag_over_the_histogram_brushes_tokens() {
    let (_root, stage) = stage(0, Panel::Histogram);
    let mut window = stage.window((600.0, 500.0), true);
    let rect = window.get_by_label("Histogram of uncertainty").rect();
    let at = |x: f32| egui::pos2(rect.left() + x * rect.width(), rect.center().y);
    window.hover_at(at(0.6));
    window.run_steps(1);
    window.drag_at(at(0.6));
    window.run_steps(1);
    for x in [0.7, 0.8, 0.9] {
        window.hover_at(at(x));
        window.run_steps(1);
    }
    window.drop_at(at(0.9));
    window.run_steps(2);
    let brush = window.state().view.brush.unwrap();
    assert!(brush.low > 0.05 && brush.high < 0.36 && brush.low < brush.high, "{brush:?}");
    let held = (0..TOKENS).filter(|t| brush.holds(uncertainty(0, *t))).count();
    window.get_by_label_contains(&format!("Brushed: {held} of 16 tokens"));
    window.get_by_label("Clear brush").click();
    window.run_steps(2);
    assert_eq!(window.state().view.brush, None);
    window.get_by_label("Brush from the threshold up").click();
    window.run_steps(2);
    let brushed = window.state_mut().with(|input, view| view.brushed(&input));
    assert_eq!(brushed.iter().filter(|b| **b).count(), selected_count(0.3, TOKENS));
}

#[test]
fn nan_uncertainty_is_told_beside_the_histogram() {
    let (_root, mut stage) = stage(0, Panel::Histogram);
    stage.selection.picture = 1;
    let window = stage.window((600.0, 500.0), false);
    window.get_by_label_contains("1 token without a finite uncertainty");
}

#[test]
fn what_would_change_follows_the_settings_and_resets() {
    let (_root, stage) = stage(0, Panel::WhatIf);
    let mut window = stage.window((640.0, 700.0), true);
    window.get_by_label("Iteration 0 was recorded with k = 0.3 (uncertain tokens, S = 5), tau = 0.");
    let recorded = window.state_mut().with(|input, view| view.outcome(&input));
    assert_eq!(recorded.group_multi.unwrap().gained + recorded.group_multi.unwrap().lost, 0);
    window.state_mut().view.tried.share = Some(0.5);
    window.state_mut().view.tried.tau = Some(1.0);
    window.run_steps(2);
    let outcome = window.state_mut().with(|input, view| view.outcome(&input));
    let multi = outcome.multi.as_ref().unwrap().tally;
    assert_eq!((multi.recorded, multi.tried, multi.gained, multi.lost), (4, 8, 4, 0));
    // Only AR step 2 is masked and has tokens that a later one predicts.
    let lost = (0..TOKENS).filter(|t| order(*t) > 2 && gain(0, 2, *t) > 0.0).count();
    assert!(lost > 0);
    assert_eq!(outcome.steps.iter().map(|step| step.tally.lost).collect::<Vec<_>>(), [0, 0, lost, 0]);
    window.get_by_label("Reset to recorded").click();
    window.run_steps(2);
    let back = window.state_mut().with(|input, view| view.outcome(&input));
    assert_eq!(back, recorded);
}

#[test]
fn the_map_of_changes_is_made_once_and_anew_for_other_settings() {
    let (_root, mut stage) = stage(0, Panel::WhatIf);
    assert!(stage.with(|input, view| view.changes(&input)).is_none(), "not asked for");
    stage.view.show_changes = true;
    stage.view.tried.share = Some(0.5);
    let first = stage.with(|input, view| view.changes(&input)).unwrap();
    let again = stage.with(|input, view| view.changes(&input)).unwrap();
    assert_eq!(first.id(), again.id(), "a texture is uploaded once");
    assert_eq!(first.values().iter().filter(|v| **v == 2.0).count(), 4);
    stage.view.mask = Mask::Consistency;
    stage.selection.ar_step = Some(2);
    assert_ne!(stage.with(|input, view| view.changes(&input)).unwrap().id(), first.id());
}

#[test]
fn what_the_panels_keep_survives_a_file_and_a_bad_file_does_no_harm() {
    let mut view = InspectView::default();
    (view.channel, view.whole_group) = (3, true);
    view.brush = Some(Brush::between(0.0, 1.0));
    let text = serde_json::to_string(&view).unwrap();
    let read: InspectView = serde_json::from_str(&text).unwrap();
    assert_eq!((read.channel, read.whole_group, read.brush), (3, true, None), "a brush is of one picture");
    let mut bad: InspectView = serde_json::from_str(r#"{"channel":1000000}"#).unwrap();
    bad.validate();
    assert_eq!(bad.channel, 0);
}

#[test]
fn a_k_below_the_slider_is_shown_and_not_moved() {
    let (_root, mut stage) = stage(0, Panel::WhatIf);
    stage.view.tried.share = Some(1e-4);
    let mut window = stage.window((640.0, 700.0), true);
    window.run_steps(3);
    assert_eq!(window.state().view.tried.share, Some(1e-4));
}

#[test]
fn the_grid_is_drawn_at_first_and_the_choice_is_kept() {
    assert!(!InspectView::default().hide_grid);
    let read: InspectView = serde_json::from_str(r#"{"hide_grid":true}"#).unwrap();
    assert!(read.hide_grid);
}

#[test]
fn the_picture_zooms_about_the_pointer_and_a_double_click_shows_all() {
    let (_root, stage) = stage(0, Panel::Picture);
    let mut window = stage.window((600.0, 700.0), true);
    window.run_steps(3);
    let at = token_at(&window, "Picture 1 of 2", 10);
    window.hover_at(at);
    window.run_steps(2);
    window.event(egui::Event::Zoom(4.0));
    window.run_steps(2);
    let part = window.state().view.part.unwrap();
    assert!((part.width() - 0.25).abs() < 1e-3, "{part:?}");
    let token = egui::pos2(0.625, 0.625);
    assert!(part.contains(token), "{part:?} is about token 10");
    // The same place is the same token.
    click(&mut window, at);
    assert_eq!(window.state().selection.token, Some(10));
    window.get_by_label_contains("Show all (4.0").click();
    window.run_steps(2);
    assert_eq!(window.state().view.part, None);
    window.get_by_label("pinned");
}

#[test]
fn space_over_the_focused_picture_pins_nothing() {
    let (_root, stage) = stage(0, Panel::Picture);
    let mut window = stage.window((600.0, 700.0), true);
    window.run_steps(3);
    let at = token_at(&window, "Picture 1 of 2", 5);
    click(&mut window, at);
    assert_eq!(window.state().selection.token, Some(5));
    let other = token_at(&window, "Picture 1 of 2", 6);
    window.hover_at(other);
    window.run_steps(2);
    window.key_press(Key::Space);
    window.run_steps(2);
    assert_eq!(window.state().selection.token, Some(5));
}

#[test]
fn the_scale_of_the_layer_and_the_marks_stand_below_the_picture() {
    let (_root, mut stage) = stage(0, Panel::Picture);
    stage.view.brush = Some(Brush::between(0.1, 0.2));
    let mut window = stage.window((600.0, 700.0), false);
    window.run_steps(3);
    let picture = window.get_by_label("Picture 1 of 2").rect();
    let scale = window.get_by_label_contains("Colour scale of Uncertainty").rect();
    let brushed = window.get_by_label("brushed").rect();
    assert!(scale.top() >= picture.bottom() && brushed.top() >= scale.bottom());
    assert!(brushed.bottom() <= 700.0, "all of it is seen: {brushed:?}");
}

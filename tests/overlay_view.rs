//! The picture as a widget: names, clicks, keys, zoom, scale bar and legend.

#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, PointerButton, Rect, Vec2, pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use marscope::ui::overlay::{
    ColourMap, ImageView, LegendMark, Overlay, Picture, ScaleBar, ValueRange, WHOLE, image_ui, legend_ui,
    scale_bar_ui, zoomed,
};
use marscope::world::image::Rgb8;

#[derive(Default)]
struct Seen {
    hovered: Option<usize>,
    selected: Option<usize>,
    rect: Option<Rect>,
    uv: Option<Rect>,
}

/// A picture without a renderer: what the user does is the same, and what is said instead of it is seen.
fn window() -> Harness<'static, Seen> {
    let picture = Arc::new(Picture::new(Rgb8::filled(64, 64, [90, 120, 30])).unwrap());
    Harness::builder().with_size(Vec2::new(400.0, 400.0)).with_step_dt(0.02).build_ui_state(
        move |ui, seen: &mut Seen| {
            let overlay = Overlay { selected: seen.selected, ..Overlay::none(8) };
            let view = ImageView { size: Vec2::splat(320.0), uv: seen.uv.unwrap_or(WHOLE) };
            let image = image_ui(ui, None, &picture, &overlay, view, "Picture 3 of the group");
            seen.hovered = image.hovered_token;
            seen.selected = image.clicked_token.or(seen.selected);
            seen.rect = Some(image.response.rect);
            seen.uv = zoomed(ui, &image, view).or(seen.uv);
        },
        Seen::default(),
    )
}

fn place(window: &Harness<'static, Seen>, column: f32, row: f32) -> eframe::egui::Pos2 {
    window.state().rect.unwrap().min + vec2(column + 0.5, row + 0.5) * 40.0
}

fn click(window: &mut Harness<'static, Seen>, pos: eframe::egui::Pos2) {
    window.event(Event::PointerMoved(pos));
    for pressed in [true, false] {
        window.event(Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
    }
    window.run();
}

#[test]
fn a_click_pins_the_token_under_the_pointer() {
    let mut window = window();
    window.get_by_role_and_label(Role::Image, "Picture 3 of the group");
    let at = place(&window, 5.0, 2.0);
    click(&mut window, at);
    assert_eq!(window.state().hovered, Some(21));
    assert_eq!(window.state().selected, Some(21));
}

#[test]
fn arrow_keys_move_the_pin_and_the_focus_stays() {
    let mut window = window();
    window.get_by_label("Picture 3 of the group").focus();
    window.run();
    for (key, token) in
        [(Key::ArrowDown, 0), (Key::ArrowDown, 8), (Key::ArrowRight, 9), (Key::ArrowUp, 1), (Key::ArrowUp, 1)]
    {
        window.key_press(key);
        window.run();
        assert_eq!(window.state().selected, Some(token), "{key:?}");
    }
    assert!(window.get_by_label("Picture 3 of the group").is_focused());
}

#[test]
fn a_pinch_zooms_about_the_pointer_and_a_double_click_shows_all() {
    let mut window = window();
    let at = place(&window, 0.0, 0.0);
    window.event(Event::PointerMoved(at));
    window.run();
    window.event(Event::Zoom(2.0));
    window.run();
    let uv = window.state().uv.unwrap();
    let expected = Rect::from_min_size(pos2(1.0 / 32.0, 1.0 / 32.0), Vec2::splat(0.5));
    assert!((uv.min - expected.min).length() < 1e-4 && (uv.max - expected.max).length() < 1e-4, "{uv:?}");
    for _ in 0..2 {
        for pressed in [true, false] {
            let button = PointerButton::Primary;
            window.event(Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE });
        }
    }
    window.run();
    assert_eq!(window.state().uv, Some(WHOLE));
}

#[test]
fn scale_and_legend_are_read_out() {
    let window = Harness::builder().with_size(Vec2::new(400.0, 200.0)).build_ui(|ui| {
        let range = ValueRange { low: -1.5, high: 1.5 };
        let bar = ScaleBar {
            name: "cosine gain",
            unit: "",
            colours: ColourMap::Diverging,
            range,
            threshold: Some(0.0),
            non_finite: 1,
        };
        scale_bar_ui(ui, &bar, 200.0);
        legend_ui(ui, &[LegendMark::Selected, LegendMark::Dropped]);
    });
    window.get_by_label(
        "Colour scale of cosine gain from \u{2212}1.5 to 1.5, coloured from 0 on, 1 value is not finite",
    );
    window.get_by_label("multi-trajectory");
    window.get_by_label("dropped");
}

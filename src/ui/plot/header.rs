//! The line above a plot: what it is, what it hides, and what can be done with it.

use eframe::egui::{self, Align, Label, Layout, RichText, Role, Ui, WidgetInfo};

use super::interact::USE;
use super::legend::legend_row_ui;
use super::linked::LinkedX;
use super::panel::{Panel, PanelState, PlotAction, SaveAs};
use super::scale::Scale;

/// Height in points below which the legend takes the place of the title, which the panel's tab says too.
const LOW: f32 = 210.0;

/// Whether there is so little room that the curves need all of it.
pub(super) fn is_low(ui: &Ui) -> bool {
    ui.available_height() < LOW
}

/// Title, counts of what is not drawn, and the menu.
pub(super) fn header_ui(
    ui: &mut Ui,
    panel: &Panel<'_>,
    state: &mut PanelState,
    linked: &mut LinkedX,
    actions: &mut Vec<PlotAction>,
) {
    let low = is_low(ui);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            menu_ui(ui, panel, state, actions);
            if !linked.follows() || state.choice.y.is_some() {
                let follow = ui.small_button("Follow");
                if follow.on_hover_text("Show everything again, and grow with the run").clicked() {
                    linked.follow();
                    state.choice.y = None;
                    actions.push(PlotAction::RangeChanged);
                }
            }
            counts_ui(ui, panel, state, actions);
            // Last, so that a long title gives way to the numbers.
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                if low {
                    legend_row_ui(ui, panel, state, actions);
                    return;
                }
                let title = Label::new(RichText::new(panel.heading()).strong()).truncate();
                ui.add(title).on_hover_text(format!("{}\n{USE}", panel.heading()));
            });
        });
    });
}

fn counts_ui(ui: &mut Ui, panel: &Panel<'_>, state: &mut PanelState, actions: &mut Vec<PlotAction>) {
    if state.outside > 0 {
        let text = RichText::new(format!("{} outside", points(state.outside))).small();
        let link =
            ui.link(text).on_hover_text("Points above or below the vertical range. Click to show them");
        if link.clicked() {
            state.choice.y = None;
            state.choice.ignore_outliers = false;
            actions.push(PlotAction::ChoiceChanged);
        }
    }
    if state.not_positive() > 0 {
        let text = RichText::new(format!("{} not above 0", points(state.not_positive()))).small();
        ui.label(text.color(panel.colours.warning)).on_hover_text(
            "They have no place on a logarithmic axis: hollow triangles at the lower edge stand for them",
        );
    }
    let counts = panel.not_finite(&state.choice).words();
    if !counts.is_empty() {
        ui.label(RichText::new(counts).small().strong().color(panel.colours.warning)).on_hover_text(
            "Values that are no numbers. A cross stands for NaN, a triangle at the edge for an infinity; lines have a \
             gap there",
        );
    }
}

pub(super) fn points(count: usize) -> String {
    if count == 1 { "1 point".to_owned() } else { format!("{count} points") }
}

fn menu_ui(ui: &mut Ui, panel: &Panel<'_>, state: &mut PanelState, actions: &mut Vec<PlotAction>) {
    let menu = ui.menu_button(RichText::new(state.choice.scale.word()).small(), |ui| {
        scale_ui(ui, state, actions);
        ui.separator();
        let outliers = ui.checkbox(&mut state.choice.ignore_outliers, "Ignore outliers");
        let outliers = outliers.on_hover_text(
            "The vertical range covers the 1st to the 99th percentile of the points in view; the header says how many \
             are outside",
        );
        if outliers.changed() {
            actions.push(PlotAction::ChoiceChanged);
        }
        ui.separator();
        for (save, name, what) in [
            (SaveAs::Png, "Save PNG…", "This panel as a picture"),
            (SaveAs::Svg, "Save SVG…", "This view as a figure for a paper, with labels, units and legend"),
            (SaveAs::Csv, "Save CSV…", "Every point in the range, unsmoothed, as numbers"),
        ] {
            if ui.button(name).on_hover_text(what).clicked() {
                actions.push(PlotAction::Save(save));
                ui.close();
            }
        }
    });
    let name = format!("Vertical axis and export of {}", panel.title);
    menu.response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    menu.response.on_hover_text(name);
}

fn scale_ui(ui: &mut Ui, state: &mut PanelState, actions: &mut Vec<PlotAction>) {
    let scale = state.choice.scale;
    let threshold = if let Scale::Symlog { threshold } = scale { threshold } else { 0.01 };
    for (choice, name, what) in [
        (Scale::Linear, "Linear", "Evenly divided"),
        (Scale::Log, "Logarithmic", "By powers of ten; zero and less stand at the lower edge"),
        (
            Scale::Symlog { threshold },
            "Symlog",
            "Even around zero, by powers of ten beyond a threshold, for both signs",
        ),
    ] {
        let chosen = choice.word() == scale.word();
        if ui.radio(chosen, name).on_hover_text(what).clicked() && !chosen {
            state.choice.scale = choice;
            // Coordinates of one scale mean nothing on another.
            state.choice.y = None;
            actions.push(PlotAction::ChoiceChanged);
        }
    }
    if let Scale::Symlog { threshold } = &mut state.choice.scale {
        ui.horizontal(|ui| {
            let label = ui.label("Even up to");
            let speed = *threshold * 0.05;
            let field = egui::DragValue::new(threshold).range(1e-12..=1e12).speed(speed).max_decimals(12);
            let field = ui.add(field).labelled_by(label.id);
            if field.on_hover_text("Threshold of the symlog axis").changed() {
                state.choice.y = None;
                actions.push(PlotAction::ChoiceChanged);
            }
        });
    }
}

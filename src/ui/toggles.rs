//! The switches of the method: frozen head, multi-trajectory expectation, consistency, and the numbers next to them.

use eframe::egui::{self, ComboBox, DragValue, Response, RichText, Ui};

use super::data::run::RunId;
use super::theme::Theme;
use crate::rl::config::{Frozen, RlConfig, Selection};
use crate::rl::variant::Variant;

/// What the switches stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A run being trained: a change waits for the next iteration.
    Live,
    /// A recorded run: nothing can be changed.
    Recorded,
    /// The next run.
    Draft,
}

/// View-local state: settings while they are being typed or dragged.
#[derive(Clone, Debug, Default)]
pub struct ToggleState {
    /// Whose they are: what is typed for one run must not reach another.
    of: Option<(Mode, Option<RunId>)>,
    editing: Option<RlConfig>,
    reward: Option<String>,
}

/// Values in force and what is wanted in their place.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// In force.
    pub applied: &'a RlConfig,
    /// Wanted, and waiting for the next iteration.
    pub wanted: Option<&'a RlConfig>,
}

/// Draws the switches; gives the settings once the user has finished a change.
pub fn toggles_ui(
    ui: &mut Ui,
    theme: &Theme,
    (mode, run): (Mode, Option<RunId>),
    values: Values<'_>,
    state: &mut ToggleState,
) -> Option<RlConfig> {
    if state.of != Some((mode, run)) {
        *state = ToggleState { of: Some((mode, run)), ..ToggleState::default() };
    }
    let shown =
        state.editing.clone().or_else(|| values.wanted.cloned()).unwrap_or_else(|| values.applied.clone());
    let mut rows = Rows {
        theme,
        mode,
        applied: values.applied,
        config: shown,
        held: false,
        changed: false,
        done: false,
    };
    ui.add_enabled_ui(mode != Mode::Recorded, |ui| {
        variant_ui(ui, &rows);
        switches_ui(ui, &mut rows);
        ui.separator();
        numbers_ui(ui, &mut rows);
        reward_ui(ui, &mut rows, &mut state.reward);
    });
    let Rows { config, held, changed, done, .. } = rows;
    if done {
        state.editing = None;
        return (mode != Mode::Recorded).then_some(config);
    }
    if changed {
        state.editing = Some(config);
    } else if !held {
        state.editing = None;
    }
    None
}

/// What all rows share.
struct Rows<'a> {
    theme: &'a Theme,
    mode: Mode,
    applied: &'a RlConfig,
    config: RlConfig,
    /// A control is being dragged or typed into.
    held: bool,
    /// Something moved in this frame.
    changed: bool,
    /// A change is finished: let go, left, clicked.
    done: bool,
}

impl Rows<'_> {
    /// Takes note of what a widget did.
    fn took(&mut self, response: &Response) {
        self.changed |= response.changed();
        let held = response.dragged() || response.has_focus();
        self.held |= held;
        self.done |= (response.changed() && !held)
            || response.drag_stopped()
            || (response.lost_focus() && self.differs());
    }

    fn differs(&self) -> bool {
        self.config != *self.applied
    }

    /// What waits for the next iteration, next to the switch.
    fn pending_ui(&self, ui: &mut Ui, before: &str, now: &str) {
        if self.mode == Mode::Live && before != now {
            ui.label(RichText::new(format!("pending, was {before}")).small().color(self.theme.warning))
                .on_hover_text("Applies at the next iteration.");
        }
    }
}

fn variant_ui(ui: &mut Ui, rows: &Rows<'_>) {
    let name = Variant::of(&rows.config).map_or("custom", Variant::name);
    ui.label(RichText::new(format!("variant {name}")).color(rows.theme.faint)).on_hover_text(
        "The ablation of the paper that these switches make up, or custom. An ablation over all of them is under Compare.",
    );
}

fn switches_ui(ui: &mut Ui, rows: &mut Rows<'_>) {
    let mut frozen = rows.config.frozen == Frozen::Head;
    let response = ui.checkbox(&mut frozen, "Frozen head").on_hover_text(
        "The diffusion head keeps its weights; gradient still flows through it to the transformer (paper, stabilisation \
         1). The head-only ablation, which freezes the transformer, is under All settings.",
    );
    if response.changed() {
        rows.config.frozen = if frozen { Frozen::Head } else { Frozen::None };
    }
    rows.took(&response);
    rows.pending_ui(ui, frozen_name(rows.applied.frozen), frozen_name(rows.config.frozen));

    let response = ui.checkbox(&mut rows.config.mte.enabled, "Multi-trajectory expectation").on_hover_text(
        "MTE: the objective is averaged over S denoising trajectories from the same transformer output, only on the k \
         most uncertain tokens (paper, stabilisation 2).",
    );
    rows.took(&response);
    rows.pending_ui(ui, on_off(rows.applied.mte.enabled), on_off(rows.config.mte.enabled));
    ui.indent("mte", |ui| mte_ui(ui, rows));

    let response = ui.checkbox(&mut rows.config.consistency.enabled, "Consistency selection").on_hover_text(
        "Train a token only at AR steps that brought it closer to its final latent, by the cosine similarity (paper, \
         stabilisation 3).",
    );
    rows.took(&response);
    rows.pending_ui(ui, on_off(rows.applied.consistency.enabled), on_off(rows.config.consistency.enabled));
    ui.indent("consistency", |ui| {
        let before = rows.applied.consistency.tau;
        number_ui(
            ui,
            rows,
            ("tau", "Least rise of the cosine similarity that keeps a token, -2 to 2; the paper uses 0."),
            |config| (&mut config.consistency.tau, -2.0..=2.0, 0.005),
            before,
        );
    });
}

const fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

const fn frozen_name(frozen: Frozen) -> &'static str {
    match frozen {
        Frozen::None => "nothing frozen",
        Frozen::Head => "head frozen",
        Frozen::Transformer => "transformer frozen",
    }
}

fn mte_ui(ui: &mut Ui, rows: &mut Rows<'_>) {
    ui.horizontal(|ui| {
        let response = ui.add(
            DragValue::new(&mut rows.config.mte.trajectories)
                .range(1..=64)
                .clamp_existing_to_range(false)
                .speed(0.1),
        );
        let response =
            named(ui, response, "S", "Trajectories of every token (S), 1 to 64; 1 measures no uncertainty.");
        rows.took(&response);
        rows.pending_ui(
            ui,
            &rows.applied.mte.trajectories.to_string(),
            &rows.config.mte.trajectories.to_string(),
        );
    });
    ui.horizontal(|ui| {
        let mut percent = rows.config.mte.share * 100.0;
        let widget = DragValue::new(&mut percent)
            .range(1e-4..=100.0)
            .clamp_existing_to_range(false)
            .speed(0.5)
            .max_decimals(4)
            .suffix(" %");
        let response = ui.add(widget);
        let response = named(
            ui,
            response,
            "k",
            "Share of the tokens that get MTE (k), above 0 to 100 %; the paper uses 30 %.",
        );
        if response.changed() {
            rows.config.mte.share = percent / 100.0;
        }
        rows.took(&response);
        let text = |share: f64| format!("{:.3} %", share * 100.0);
        rows.pending_ui(ui, &text(rows.applied.mte.share), &text(rows.config.mte.share));
    });
    selection_ui(ui, rows);
}

/// A label after a widget, which also gives it its name.
fn named(ui: &mut Ui, response: Response, name: &str, meaning: &str) -> Response {
    let label = ui.label(name).on_hover_text(meaning);
    response.labelled_by(label.id).on_hover_text(meaning)
}

const SELECTIONS: [(Selection, &str, &str); 5] = [
    (Selection::Uncertain, "uncertain", "The k most uncertain tokens (the paper)."),
    (Selection::Stable, "stable", "The k least uncertain tokens (the opposite ablation)."),
    (Selection::Random, "random", "As many at random (the control)."),
    (Selection::All, "all", "Every token."),
    (
        Selection::None,
        "none",
        "No token: uncertainty is measured, the objective is the single-trajectory one.",
    ),
];

fn selection_name(selection: Selection) -> &'static str {
    SELECTIONS.iter().find(|s| s.0 == selection).map_or("", |s| s.1)
}

fn selection_ui(ui: &mut Ui, rows: &mut Rows<'_>) {
    ui.horizontal(|ui| {
        let before = rows.config.mte.selection;
        let combo =
            ComboBox::from_id_salt("selection").selected_text(selection_name(before)).show_ui(ui, |ui| {
                for (selection, name, meaning) in SELECTIONS {
                    ui.selectable_value(&mut rows.config.mte.selection, selection, name)
                        .on_hover_text(meaning);
                }
            });
        combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Selection"));
        combo.response.on_hover_text("Which tokens get multi-trajectory expectation.");
        ui.label("tokens");
        if rows.config.mte.selection != before {
            (rows.changed, rows.done) = (true, true);
        }
        rows.pending_ui(
            ui,
            selection_name(rows.applied.mte.selection),
            selection_name(rows.config.mte.selection),
        );
    });
}

type Field = fn(&mut RlConfig) -> (&mut f64, std::ops::RangeInclusive<f64>, f64);

fn number_ui(ui: &mut Ui, rows: &mut Rows<'_>, (name, meaning): (&str, &str), field: Field, before: f64) {
    ui.horizontal(|ui| {
        let (value, range, speed) = field(&mut rows.config);
        let widget = DragValue::new(value)
            .range(range)
            .clamp_existing_to_range(false)
            .speed(speed)
            .custom_formatter(|v, _| short(v))
            .custom_parser(|text| text.trim().parse().ok());
        let response = ui.add(widget);
        let now = *field(&mut rows.config).0;
        let response = named(ui, response, name, meaning);
        rows.took(&response);
        rows.pending_ui(ui, &short(before), &short(now));
    });
}

/// Few digits, and powers of ten where they are shorter: `0.01`, `3e-4`.
fn short(value: f64) -> String {
    let plain = format!("{value}");
    if value != 0.0 && (value.abs() < 1e-3 || plain.len() > 7) { format!("{value:e}") } else { plain }
}

fn numbers_ui(ui: &mut Ui, rows: &mut Rows<'_>) {
    let (beta, rate, guidance) =
        (rows.applied.objective.beta, rows.applied.optim.transformer, rows.applied.rollout.guidance);
    number_ui(
        ui,
        rows,
        ("beta", "Weight of the KL term, 0 to 100."),
        |c| (&mut c.objective.beta, 0.0..=100.0, 0.001),
        beta,
    );
    number_ui(
        ui,
        rows,
        (
            "learning rate",
            "Of the transformer, 0 to 1. Those of the head and the text encoder are under All settings.",
        ),
        |c| (&mut c.optim.transformer, 0.0..=1.0, 1e-5),
        rate,
    );
    number_ui(
        ui,
        rows,
        ("guidance", "Classifier-free guidance while sampling, 0 to 20; 1 is none."),
        |c| (&mut c.rollout.guidance, 0.0..=20.0, 0.05),
        guidance,
    );
    ui.horizontal(|ui| {
        let response = ui.add(
            DragValue::new(&mut rows.config.group).range(2..=1024).clamp_existing_to_range(false).speed(0.1),
        );
        let response = named(
            ui,
            response,
            "group size",
            "Pictures of one prompt (G), 2 to 1024; their advantages are relative to each other.",
        );
        rows.took(&response);
        rows.pending_ui(ui, &rows.applied.group.to_string(), &rows.config.group.to_string());
    });
}

fn reward_ui(ui: &mut Ui, rows: &mut Rows<'_>, typed: &mut Option<String>) {
    ui.label("reward").on_hover_text("Rewards and their weights: verifier=1,jpeg_small=0.2");
    let mut text = typed.clone().unwrap_or_else(|| rows.config.reward.clone());
    let response = ui.add(egui::TextEdit::singleline(&mut text).desired_width(f32::INFINITY));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Reward and weights"));
    let response =
        response.on_hover_text("Rewards and their weights, as verifier=1,jpeg_small=0.2. Enter applies it.");
    let wrong = text.parse::<crate::world::reward::RewardSet>().err();
    if let Some(error) = &wrong {
        ui.label(RichText::new(error.to_string()).small().color(rows.theme.bad));
    }
    if response.changed() {
        *typed = Some(text.clone());
    }
    if response.lost_focus() {
        if wrong.is_none() && text != rows.config.reward {
            rows.config.reward = text;
            (rows.changed, rows.done) = (true, true);
        }
        if wrong.is_none() {
            *typed = None;
        }
    }
    rows.pending_ui(ui, &rows.applied.reward.clone(), &rows.config.reward.clone());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_written_with_powers_of_ten() {
        assert_eq!([short(0.01), short(3e-4), short(0.0), short(1.5)], ["0.01", "3e-4", "0", "1.5"]);
    }
}

//! What looks wrong in a run: the watched numbers at the cursor, what is not finite, and the alerts with the iteration each
//! began.

use eframe::egui::{self, Align, Button, Color32, Layout, RichText, ScrollArea, Ui, vec2};

use super::signals::{NotFinite, Signal, Verdict, not_finite, signals, watched, watched_at};
use super::tour;
use crate::runs::event::Mark;
use crate::runs::store::MarkEntry;
use crate::ui::action::Action;
use crate::ui::data::run::OpenRun;
use crate::ui::number::counted;
use crate::ui::scene::Scene;
use crate::ui::theme::Theme;

/// From this width on an alert takes one line.
const WIDE: f32 = 560.0;

/// Health of the selected run. A click on an alert moves the cursor.
pub fn health_ui(ui: &mut Ui, scene: Scene<'_>, out: &mut Vec<Action>) {
    let Some(run) = scene.run() else {
        let what =
            "Here is what looks wrong in a run, in plain words with the number and the iteration it began.";
        tour::no_run_ui(ui, scene.theme, what, out);
        return;
    };
    tour::problem_ui(ui, scene.theme, run.problem.as_deref());
    let step = scene.step_of(run);
    let signals = signals(&run.store, step);
    let bad = not_finite(&run.store);
    let alerts: Vec<&MarkEntry> =
        run.store.marks().iter().filter(|mark| mark.mark == Mark::Alert).rev().collect();
    let height = ui.available_height();
    ScrollArea::vertical().id_salt("health").auto_shrink(false).show(ui, |ui| {
        let top = ui.cursor().top();
        headline_ui(ui, scene.theme, run, &Findings { signals: &signals, bad: &bad, alerts: alerts.len() });
        let at = watched_at(&run.store, step);
        if let Some(at) = at {
            let cursor =
                if at == step { String::new() } else { format!(", the last with numbers up to {step}") };
            ui.label(RichText::new(format!("At iteration {at}{cursor}")).color(scene.theme.faint));
        }
        for signal in &signals {
            signal_ui(ui, scene.theme, signal, at);
        }
        for series in &bad {
            not_finite_ui(ui, scene.theme, series, out);
        }
        let left = height - (ui.cursor().top() - top);
        alerts_ui(ui, scene.theme, (&alerts, left.max(120.0)), out);
    });
}

struct Findings<'a> {
    signals: &'a [Signal],
    bad: &'a [NotFinite],
    alerts: usize,
}

/// One sentence on the whole run. It says that nothing is wrong only where that was looked at.
fn headline_ui(ui: &mut Ui, theme: &Theme, run: &OpenRun, found: &Findings<'_>) {
    let iterations = counted(watched(&run.store), "iteration");
    let of = |verdict: Verdict| found.signals.iter().filter(|signal| signal.verdict == verdict).count();
    let judged = found.signals.len() - of(Verdict::Unknown);
    let (words, colour) = if watched(&run.store) == 0 {
        let words = "None of the watched numbers was recorded in this run, so that nothing can be said about its health.";
        (words.to_owned(), theme.faint)
    } else if found.alerts > 0 || !found.bad.is_empty() || of(Verdict::Wrong) > 0 {
        let mut words = vec![counted(found.alerts, "alert")];
        if !found.bad.is_empty() {
            words.push(format!("numbers that are not finite in {} series", found.bad.len()));
        }
        if of(Verdict::Wrong) > 0 {
            words.push(format!("{} wrong at the cursor", counted(of(Verdict::Wrong), "signal")));
        }
        (format!("{}, in {iterations} watched.", words.join(", ")), theme.bad)
    } else if of(Verdict::Look) > 0 {
        (format!("No alert in {iterations} watched; see what is worth a look below."), theme.warning)
    } else {
        let all = found.signals.len();
        let judged = if judged == all {
            String::new()
        } else {
            format!(" ({judged} of {all} signals could be judged)")
        };
        (format!("Nothing looks wrong in {iterations} watched{judged}."), theme.good)
    };
    let words = if run.complete { words } else { format!("{words} The run is still being read.") };
    ui.label(RichText::new(words).strong().color(colour)).on_hover_text(
        "Over the whole run: the alerts, numbers that are not finite, and the state of the watched signals at the cursor.",
    );
}

const fn colour_of(theme: &Theme, verdict: Verdict) -> Color32 {
    match verdict {
        Verdict::Fine => theme.good,
        Verdict::Look => theme.warning,
        Verdict::Wrong => theme.bad,
        Verdict::Unknown => theme.faint,
    }
}

/// Name, number and verdict, and below it what that means.
fn signal_ui(ui: &mut Ui, theme: &Theme, signal: &Signal, step: Option<usize>) {
    ui.separator();
    let response = ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ui.horizontal(|ui| {
            ui.label(RichText::new(signal.name).strong());
            ui.label(RichText::new(&signal.number).monospace());
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(RichText::new(signal.verdict.word()).color(colour_of(theme, signal.verdict)));
            });
        });
        let at = match signal.step {
            Some(at) if Some(at) != step => format!(" (of iteration {at})"),
            _ => String::new(),
        };
        let since = signal.since.map_or_else(String::new, |since| format!("; not fine {}", since.words()));
        ui.label(RichText::new(format!("{}{at}{since}", signal.words)).color(theme.faint));
    });
    response.response.on_hover_text(signal.meaning);
}

fn not_finite_ui(ui: &mut Ui, theme: &Theme, series: &NotFinite, out: &mut Vec<Action>) {
    ui.separator();
    let mut kinds = Vec::new();
    if series.nan > 0 {
        kinds.push(format!("{} NaN", series.nan));
    }
    if series.infinite > 0 {
        kinds.push(format!("{} infinite", series.infinite));
    }
    let words = format!(
        "{}: {} of {}, first at iteration {}",
        series.name,
        kinds.join(" and "),
        counted(series.of, "number"),
        series.first
    );
    let button = Button::new(RichText::new(words).color(theme.bad)).frame(false).wrap();
    let tooltip =
        "Numbers that are not finite, counted over the whole run. A click moves the cursor to the first.";
    if ui.add(button).on_hover_text(tooltip).clicked() {
        out.push(Action::Cursor(Some(series.first)));
    }
}

/// The alerts, the newest first. Only those in sight are laid out: a restless run has thousands.
fn alerts_ui(ui: &mut Ui, theme: &Theme, (alerts, height): (&[&MarkEntry], f32), out: &mut Vec<Action>) {
    ui.separator();
    let words = if alerts.is_empty() {
        "No alerts".to_owned()
    } else {
        format!("{}, the newest first", counted(alerts.len(), "alert"))
    };
    ui.label(RichText::new(words).strong()).on_hover_text(
        "Alerts that the run recorded, each once when it began. They are marked on the timeline as well.",
    );
    let lines = if ui.available_width() >= WIDE { 1 } else { 3 };
    let line = ui.text_style_height(&egui::TextStyle::Body);
    let row = lines as f32 * line + 8.0;
    let area = ScrollArea::vertical().id_salt("alerts").max_height(height).auto_shrink([false, true]);
    area.show_rows(ui, row, alerts.len(), |ui, rows| {
        for alert in alerts.get(rows).unwrap_or_default() {
            let response = alert_ui(ui, theme, alert, (row, lines));
            if response.clicked() {
                out.push(Action::Cursor(Some(alert.step)));
            }
        }
    });
}

fn alert_ui(ui: &mut Ui, theme: &Theme, alert: &MarkEntry, (height, lines): (f32, usize)) -> egui::Response {
    let body = egui::TextStyle::Body.resolve(ui.style());
    let mut job = egui::text::LayoutJob::default();
    let format = |colour: Color32| egui::TextFormat::simple(body.clone(), colour);
    let gap = if lines == 1 { "   " } else { "\n" };
    job.append(&format!("iteration {}{gap}", alert.step), 0.0, format(theme.faint));
    job.append(&alert.text, 0.0, format(theme.bad));
    job.wrap.max_rows = lines;
    job.wrap.max_width = ui.available_width() - 8.0;
    let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), egui::Sense::click());
    if response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect, 3.0, theme.line);
    }
    ui.painter().galley(rect.min + vec2(4.0, 4.0), galley, theme.text);
    let name = format!("Alert at iteration {}: {}", alert.step, alert.text);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
    response.on_hover_text(format!("{name}\n\nA click moves the cursor there."))
}

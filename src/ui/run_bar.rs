//! What is being trained, how far it is, and the buttons that drive it.

use std::time::Duration;

use eframe::egui::{self, RichText, Ui};

use super::action::Action;
use super::commands::{Command, Situation, commands, keys_text};
use super::compare::ablating::AblationProgress;
use super::scene::Scene;
use super::theme::Theme;
use super::training::Training;
use crate::session::ablate::UnderWay;
use crate::session::device::DeviceChoice;
use crate::session::train::status::{Activity, Status};

/// Buttons of the bar: the command's name and the label.
const BUTTONS: [(&str, &str); 5] = [
    ("Pause or go on", "Pause"),
    ("Step one iteration", "Step"),
    ("Stop training", "Stop"),
    ("Write a checkpoint", "Checkpoint"),
    ("Resume the selected run", "Resume"),
];

/// Draws the bar.
pub fn run_bar_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    (training, ablation): (Option<&Training>, Option<&AblationProgress>),
    situation: Situation,
    out: &mut Vec<Action>,
) {
    ui.horizontal_wrapped(|ui| {
        command_button_ui(ui, "Start training", "Start", situation, out);
        let paused =
            training.is_some_and(|t| !t.is_over() && (t.is_paused() || t.recording_failed.is_some()));
        for (name, label) in BUTTONS {
            let label = if name == "Pause or go on" && paused { "Go on" } else { label };
            command_button_ui(ui, name, label, situation, out);
        }
        fork_button_ui(ui, scene, out);
        if situation.ablation {
            command_button_ui(ui, "Stop the ablation", "Stop ablation", situation, out);
        }
        ui.separator();
        match ablation {
            Some(progress) => ablation_status_ui(ui, scene.theme, progress),
            None => status_ui(ui, scene, training),
        }
    });
}

/// A button that gives a command of the table; disabled with the reason.
pub fn command_button_ui(ui: &mut Ui, name: &str, label: &str, situation: Situation, out: &mut Vec<Action>) {
    let Some(command) = commands().find(|command| command.name == name) else { return };
    let missing = command.needs.missing(situation);
    let button = ui.add_enabled(missing.is_none(), egui::Button::new(label));
    if button.clicked() {
        out.push((command.action)());
    }
    let text = tooltip(ui, command);
    button
        .on_hover_text(&text)
        .on_disabled_hover_text(format!("{text}\nNot now: {}", missing.unwrap_or_default()));
}

fn tooltip(ui: &Ui, command: &Command) -> String {
    match command.keys {
        None => command.meaning.to_owned(),
        Some(keys) => format!("{} ({})", command.meaning, keys_text(ui.ctx(), keys)),
    }
}

fn fork_button_ui(ui: &mut Ui, scene: Scene<'_>, out: &mut Vec<Action>) {
    let run = scene.run().filter(|run| run.is_training());
    let can = run.is_some_and(|run| !run.checkpoints.is_empty());
    let button = ui.add_enabled(can, egui::Button::new("Fork…"));
    if button.clicked()
        && let Some(run) = run
    {
        out.push(Action::AskFork(run.id));
    }
    button
        .on_hover_text(
            "Branch off from a checkpoint of the selected run, with other settings and the same noise.",
        )
        .on_disabled_hover_text("Select a training run that has a checkpoint first.");
}

/// Which runs of the ablation are under way.
fn ablation_status_ui(ui: &mut Ui, theme: &Theme, progress: &AblationProgress) {
    let title = |ui: &mut Ui, words: String| ui.label(RichText::new(words).color(theme.good).strong());
    let far = |cell: &UnderWay| {
        let Status { activity, iteration, .. } = cell.status;
        format!("{}, iteration {iteration} / {}", activity.name(), progress.iterations)
    };
    match progress.under_way.as_slice() {
        [one] if progress.devices < 2 => {
            title(ui, format!("ablation, run {} of {}", one.number, progress.of));
            ui.label(&one.name);
            ui.label(far(one));
        }
        cells => {
            title(ui, "ablation".into());
            let each: Vec<String> =
                cells.iter().map(|cell| format!("{} on {}: {}", cell.name, cell.device, far(cell))).collect();
            let label = ui.label(progress.words());
            if !each.is_empty() {
                label.on_hover_text(each.join("\n"));
            }
        }
    }
}

/// Run, state, progress and speed.
fn status_ui(ui: &mut Ui, scene: Scene<'_>, training: Option<&Training>) {
    let theme = scene.theme;
    let run = training.and_then(|training| scene.runs.get(training.run?));
    if let Some(run) = run {
        ui.label(RichText::new(&run.name).strong()).on_hover_text(run.store.path().display().to_string());
    }
    let status = training.map(Training::status).unwrap_or_default();
    let (text, colour) = state(training, &status, theme);
    ui.label(RichText::new(text).color(colour).strong()).on_hover_text(
        "What the training thread is doing, and for how long. The first iteration on a GPU tries out and compiles kernels \
         (autotuning), which takes long once.",
    );
    let Some(training) = training else { return };
    ui.label(format!("iteration {} / {}", status.iteration, status.iterations));
    if status.iteration_seconds > 0.0 {
        ui.label(speed(status.iteration_seconds)).on_hover_text("Mean over the last ten iterations.");
        ui.label(format!("{:.1} images/s", status.pictures_per_second))
            .on_hover_text("Pictures sampled a second, mean over the last ten iterations.");
    }
    if let (Some(left), false) = (status.remaining(), training.is_over()) {
        ui.label(format!("{} left", clock(left))).on_hover_text("At the present speed, pauses not counted.");
    }
    let device = run.map_or_else(|| training.device.to_string(), |run| run.store.header().device.clone());
    ui.label(RichText::new(format!("on {device}")).color(theme.faint))
        .on_hover_text("Where tensors live; see `marscope devices`. Chosen for the next run under Next run.");
}

/// A device in words.
#[must_use]
pub fn device_name(device: DeviceChoice) -> String {
    match device {
        DeviceChoice::Auto => "device auto".into(),
        other => format!("device {other}"),
    }
}

fn state(training: Option<&Training>, status: &Status, theme: &Theme) -> (String, egui::Color32) {
    let Some(training) = training else { return (Activity::Idle.name().into(), theme.faint) };
    if training.recording_failed.is_some() && !training.is_over() {
        return ("paused: recording failed".into(), theme.bad);
    }
    let colour = match status.activity {
        Activity::Failed => theme.bad,
        Activity::Paused | Activity::Stopped => theme.warning,
        Activity::Idle => theme.faint,
        _ => theme.good,
    };
    let name = status.activity.name();
    let text = if status.activity.is_over() {
        name.to_owned()
    } else {
        format!("{name} {}", clock(status.since.elapsed()))
    };
    (text, colour)
}

/// Iterations a second, or seconds an iteration where that is the larger number.
fn speed(seconds: f64) -> String {
    if seconds < 10.0 { format!("{:.2} it/s", 1.0 / seconds) } else { format!("{seconds:.1} s/it") }
}

/// A duration as it is read off a clock: `7 s`, `1:05`, `2:03:00`.
#[must_use]
pub fn clock(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{rest} s"),
        (0, _) => format!("{minutes}:{rest:02}"),
        _ => format!("{hours}:{minutes:02}:{rest:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_off_a_clock() {
        let of = |seconds| clock(Duration::from_secs(seconds));
        assert_eq!([of(7), of(65), of(7380), of(90_000)], ["7 s", "1:05", "2:03:00", "25:00:00"]);
    }

    #[test]
    fn every_button_is_a_command() {
        for (name, _) in BUTTONS {
            assert!(commands().any(|command| command.name == name), "{name}");
        }
    }
}

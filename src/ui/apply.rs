//! Carries out what the user did: one function an action, or a line.

use std::time::Instant;

use eframe::egui;

use super::action::{Action, Content, Export, Zoom};
use super::app::App;
use super::capture::Shot;
use super::compare::fork::ForkView;
use super::dialogs::{Answer, Purpose};
use super::layout::default_panels;
use super::popups::{Palette, PathField};
use super::side;
use super::theme::ThemeChoice;
use crate::error::Result;
use crate::session::train::origin::check_model;

impl App {
    /// Carries out `action`.
    pub(super) fn apply(&mut self, action: Action) {
        match action {
            Action::Start
            | Action::TogglePause
            | Action::Step
            | Action::Stop
            | Action::Checkpoint
            | Action::ProbeNoise
            | Action::Resume(_)
            | Action::Change(_)
            | Action::Draft(_)
            | Action::AskFork(_)
            | Action::Fork(_)
            | Action::Ablate(_)
            | Action::StopAblation => self.apply_work(action),
            Action::Open(_)
            | Action::AskOpenFolder
            | Action::AskOpenFile
            | Action::AskPath
            | Action::AskModelFolder
            | Action::AskModelPath
            | Action::Model(_)
            | Action::Close(_)
            | Action::Select(_)
            | Action::Show(..)
            | Action::Export(_)
            | Action::Complain(_) => self.apply_files(action),
            Action::Tab(_)
            | Action::Cursor(_)
            | Action::MoveCursor(_)
            | Action::FirstStep
            | Action::TogglePlay
            | Action::Group(_)
            | Action::Picture(_)
            | Action::ArStep(_)
            | Action::Token(_)
            | Action::NextPicture(_)
            | Action::NextArStep(_)
            | Action::InspectSelected
            | Action::Inspect { .. } => self.apply_selection(&action),
            Action::Switch(switch) => self.switch(switch),
            Action::Look(look) => self.saved.look(look),
            Action::Layer(layer) => {
                self.saved.overlay.layer = layer;
                self.saved.overlay.threshold = None;
            }
            Action::AskForkSelected | Action::CloseSelected | Action::NextRun(_) => self.apply_run(&action),
            other => self.apply_window(&other),
        }
    }

    /// Tells what went wrong, if anything did.
    fn told(&mut self, outcome: Result<()>) {
        if let Err(error) = outcome {
            self.messages.problem(error.to_string());
        }
    }

    fn apply_work(&mut self, action: Action) {
        match action {
            Action::Start => {
                // What is typed and cannot be read must not be passed over.
                let outcome = match self.locals.prompts.as_deref().map_or(Ok(()), side::check_prompts) {
                    Ok(()) => self.work.start(),
                    Err(error) => Err(error),
                };
                self.told(outcome);
            }
            Action::Resume(iterations) => {
                let folder =
                    self.selection.run.and_then(|id| self.runs.get(id)).map(|r| r.store.path().to_path_buf());
                if let Some(folder) = folder {
                    let outcome = self.work.resume(folder, iterations);
                    self.told(outcome);
                }
            }
            Action::Change(config) => {
                let outcome = self.work.change(*config);
                self.told(outcome);
            }
            Action::Draft(config) => self.work.draft = *config,
            Action::AskFork(id) => self.ask_fork(id),
            Action::Fork(fork) => {
                let outcome = self.work.fork(fork.checkpoint, fork.config);
                if outcome.is_ok() {
                    self.fork = None;
                }
                self.told(outcome);
            }
            Action::Ablate(plan) => {
                let outcome = {
                    let repaint = self.repaint.clone();
                    // Runs of an ablation are compared by what they vary.
                    self.saved.compare.table.group_by_variant();
                    self.work.ablate(*plan, move || repaint.news())
                };
                self.told(outcome);
            }
            Action::StopAblation => {
                if let Some(ablating) = &self.work.ablating {
                    ablating.stop();
                }
            }
            other => self.drive(&other),
        }
    }

    /// Orders to the run that is being trained.
    fn drive(&mut self, action: &Action) {
        let Some(training) = self.work.training.as_mut().filter(|training| !training.is_over()) else {
            return;
        };
        match action {
            Action::TogglePause => training.toggle_pause(),
            Action::Step => training.session().step(),
            Action::Stop => training.session().stop(),
            Action::Checkpoint => training.session().checkpoint(),
            Action::ProbeNoise => {
                training.session().probe_noise();
                self.messages.done("the gradient noise is measured in the next iteration");
            }
            _ => {}
        }
    }

    fn ask_fork(&mut self, id: super::data::run::RunId) {
        let Some(run) = self.runs.get_mut(id) else { return };
        run.look_for_checkpoints();
        match ForkView::new(run) {
            Some(view) => self.fork = Some(view),
            None => self.messages.problem("only a training run of marscope can be branched off"),
        }
    }

    fn open_and_show(&mut self, path: &std::path::Path) {
        if self.open(path).is_some() {
            self.selection.token = None;
            self.locals.side = side::Shown::ThisRun;
        }
    }

    fn apply_files(&mut self, action: Action) {
        match action {
            Action::Open(path) => self.open_and_show(&path),
            Action::AskOpenFolder => self.dialogs.open_folder(&self.ctx),
            Action::AskOpenFile => self.dialogs.open_file(&self.ctx),
            Action::AskPath => self.popups.path = Some(PathField::of_run()),
            Action::AskModelFolder => self.dialogs.model_folder(&self.ctx),
            Action::AskModelPath => self.popups.path = Some(PathField::of_model()),
            Action::Model(model) => self.choose_model(model),
            Action::Close(id) => self.close(id),
            Action::Select(id) => {
                self.selection.run = Some(id);
                self.selection.token = None;
                self.locals.resume = None;
            }
            Action::Show(id, shown) => {
                if let Some(run) = self.runs.get_mut(id) {
                    run.shown = shown;
                }
            }
            Action::Export(export) => self.export(*export),
            Action::Complain(text) => self.messages.problem(text),
            _ => {}
        }
    }

    fn close(&mut self, id: super::data::run::RunId) {
        if self.work.active().is_some_and(|training| training.run == Some(id)) {
            self.messages.problem("the run is being trained; stop it before closing it");
            return;
        }
        self.runs.close(id);
        self.locals.ranges.keep(&self.runs);
        self.play = None;
        if self.selection.run == Some(id) {
            self.selection.run = self.runs.iter().next().map(|run| run.id);
            self.selection.token = None;
        }
    }

    /// The next run starts from `model`, if it is one.
    fn choose_model(&mut self, model: Option<std::path::PathBuf>) {
        match model.as_deref().map(check_model).transpose() {
            Ok(_) => self.work.model = model,
            Err(error) => self.messages.problem(error.to_string()),
        }
    }

    /// What dialogs gave.
    pub(super) fn dialogs_ended(&mut self) {
        for (purpose, answer) in self.dialogs.ended() {
            match (answer, purpose) {
                (Answer::Chosen(path), Purpose::Open) => self.apply(Action::Open(path)),
                (Answer::Chosen(path), Purpose::Model) => self.apply(Action::Model(Some(path))),
                (Answer::Chosen(path), Purpose::Save(export)) => self.save_export(&path, *export),
                (Answer::Cancelled, _) => {}
                (Answer::Unavailable(reason), Purpose::Open) => {
                    self.messages.problem(format!(
                        "no file dialog could be shown ({reason}); type the path here, or drop the file on the window"
                    ));
                    self.popups.path = Some(PathField::of_run());
                }
                (Answer::Unavailable(reason), Purpose::Model) => {
                    let words = format!("no file dialog could be shown ({reason}); type the path here");
                    self.messages.problem(words);
                    self.popups.path = Some(PathField::of_model());
                }
                (Answer::Unavailable(reason), Purpose::Save(export)) => {
                    self.save_without_dialog(*export, &reason);
                }
            }
        }
    }

    /// Where there is no dialog, what is to be saved goes into the runs folder.
    fn save_without_dialog(&mut self, export: Export, reason: &str) {
        let folder = self.work.folder.join("exports");
        if let Err(error) = crate::runs::files::create_folder(&folder) {
            self.messages.problem(error.to_string());
            return;
        }
        let ending = export.content.ending();
        let path = (1..10_000)
            .map(|n| folder.join(format!("{}-{n}.{ending}", export.name)))
            .find(|path| !path.exists());
        match path {
            Some(path) => {
                self.messages.problem(format!("no file dialog could be shown ({reason})"));
                self.save_export(&path, export);
            }
            None => self.messages.problem(format!("{} is full", folder.display())),
        }
    }

    /// Asks where to save `export`; what the window shows is taken before.
    pub(super) fn export(&mut self, export: Export) {
        match export.content {
            Content::Screen(rect) => self.shot = Some(Shot::take(&self.ctx, rect, export.name)),
            _ => self.dialogs.save(&self.ctx, Box::new(export)),
        }
    }

    /// Saves a picture of a panel that was taken.
    pub(super) fn shot_taken(&mut self) {
        let Some(export) = self.shot.as_ref().and_then(Shot::export) else { return };
        self.shot = None;
        match export {
            Ok(export) => self.export(export),
            Err(reason) => self.messages.problem(format!("the picture of the panel was not taken: {reason}")),
        }
    }

    fn save_export(&mut self, path: &std::path::Path, export: Export) {
        let bytes = match export.content {
            Content::Svg(text) | Content::Csv(text) => text.into_bytes(),
            Content::Png(bytes) => bytes,
            Content::Screen(_) => return,
        };
        match crate::runs::files::write_whole(path, &bytes) {
            Ok(()) => self.messages.done(format!("saved {}", path.display())),
            Err(error) => self.messages.problem(format!("not saved: {error}")),
        }
    }

    fn apply_selection(&mut self, action: &Action) {
        match *action {
            Action::Tab(tab) => self.tab = tab,
            Action::FirstStep => self.selection.cursor = Some(self.first_step()),
            Action::Cursor(cursor) => {
                self.selection.cursor = cursor;
                self.play = self.play.filter(|_| cursor.is_some());
            }
            Action::MoveCursor(by) => self.move_cursor(by),
            Action::TogglePlay => {
                self.play = if self.play.is_some() { None } else { Some(Instant::now()) };
                // Playing from the end begins at the start.
                if self.play.is_some() && self.selection.cursor.is_none() {
                    self.selection.cursor = Some(self.first_step());
                }
            }
            Action::Group(group) => (self.selection.group, self.selection.picture) = (group, 0),
            Action::Picture(picture) => self.selection.picture = picture,
            Action::ArStep(step) => self.selection.ar_step = step,
            Action::Token(token) => self.selection.token = token,
            Action::NextPicture(by) => self.next_picture(by),
            Action::NextArStep(by) => self.next_ar_step(by),
            Action::InspectSelected => self.tab = super::view::Tab::Inspect,
            Action::Inspect { run, step, group, picture } => {
                self.selection.run = Some(run);
                (self.selection.group, self.selection.picture) = (group, picture);
                let newest = self.runs.get(run).and_then(|run| run.store.last_step());
                if self.selection.cursor.is_some() || newest != Some(step) {
                    self.selection.cursor = Some(step);
                }
                self.tab = super::view::Tab::Inspect;
            }
            _ => {}
        }
    }

    fn apply_window(&mut self, action: &Action) {
        let toggle = |open: &mut bool| *open = !*open;
        match action {
            Action::ResetLayout => self.reset_layout(),
            Action::UndoLayout | Action::RedoLayout => self.step_layout(matches!(action, Action::UndoLayout)),
            Action::ToggleTheme => {
                let dark = self.ctx.global_style().visuals.dark_mode;
                self.saved.theme = if dark { ThemeChoice::Light } else { ThemeChoice::Dark };
                self.apply_theme();
            }
            Action::Zoom(zoom) => self.zoom(*zoom),
            Action::TogglePalette => {
                self.popups.palette =
                    if self.popups.palette.is_some() { None } else { Some(Palette::default()) };
            }
            Action::ToggleShortcuts => toggle(&mut self.popups.shortcuts),
            Action::ToggleAbout => toggle(&mut self.popups.about),
            Action::ToggleSettings => toggle(&mut self.popups.settings),
            Action::ToggleMessages => toggle(&mut self.popups.messages),
            Action::CloseFloating => self.close_floating(),
            Action::Quit => self.ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            _ => {}
        }
    }

    fn reset_layout(&mut self) {
        let tab = self.tab;
        if let Some(before) = self.saved.panels.insert(tab, default_panels(tab)) {
            self.history.changed(tab, before);
        }
        self.messages.done(format!("the panels of {} are as at first", tab.name()));
    }

    fn step_layout(&mut self, back: bool) {
        let panels = &self.saved.panels;
        let now = |tab| panels.get(&tab).cloned().unwrap_or_else(|| default_panels(tab));
        let found = if back { self.history.undo(now) } else { self.history.redo(now) };
        if let Some((tab, panels)) = found {
            self.saved.panels.insert(tab, panels);
            self.tab = tab;
        }
    }

    fn zoom(&mut self, zoom: Zoom) {
        let factor = match zoom {
            Zoom::In => self.saved.zoom * 1.1,
            Zoom::Out => self.saved.zoom / 1.1,
            Zoom::Reset => 1.0,
        };
        self.saved.zoom = factor.clamp(0.5, 3.0);
        self.ctx.set_zoom_factor(self.saved.zoom);
    }
}

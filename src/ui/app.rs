//! The window's application: takes in what is new, draws, and then carries out what the user did.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use eframe::egui::{self, Context, Ui};

use super::action::Action;
use super::capture::{Capture, Shot};
use super::commands::{Situation, commands};
use super::compare::fork::ForkView;
use super::data::media::Media;
use super::data::run::{RunId, Runs};
use super::dialogs::Dialogs;
use super::exporting::Exporting;
use super::graphics::Graphics;
use super::layout::History;
use super::messages::Messages;
use super::overlay::OverlayRenderer;
use super::panels::Locals;
use super::popups::Popups;
use super::repaint::Repaint;
use super::saved::Saved;
use super::scene::Scene;
use super::theme::{Theme, ThemeChoice};
use super::timeline::Happening;
use super::toggles::ToggleState;
use super::view::{Selection, Tab};
use super::work::Work;
use crate::error::Result;
use crate::session::control::StopSignal;
use crate::session::train::config::TrainConfig;
use crate::session::train::preset;

/// How the window starts.
#[derive(Clone, Debug)]
pub struct Options {
    /// Runs and logs to open.
    pub open: Vec<PathBuf>,
    /// Folder in which new runs are made.
    pub folder: PathBuf,
    /// Settings of the next run.
    pub draft: TrainConfig,
    /// Folder of the model that the next run starts from; the shipped one if there is none.
    pub model: Option<PathBuf>,
    /// Where the next run trains.
    pub device: crate::session::device::DeviceChoice,
    /// Where the layout is kept; it is not kept if there is none.
    pub saved: Option<PathBuf>,
    /// Light or dark, in place of what was kept.
    pub theme: Option<ThemeChoice>,
    /// The tab at first.
    pub tab: Tab,
    /// What is selected at first; the run is the first that is opened.
    pub selection: Selection,
    /// A picture of the window to be taken, after which it closes.
    pub capture: Option<PathBuf>,
    /// Whether training starts at once.
    pub start: bool,
    /// Whether the system's file dialogs are used. Without them paths are typed, and exports go to `exports/` in the runs
    /// folder.
    pub dialogs: bool,
    /// Closes the window, as Ctrl-C in the terminal does.
    pub stop: StopSignal,
}

impl Options {
    /// As at a first start: nothing open, the default preset.
    ///
    /// # Errors
    /// Those of [`preset::config`].
    pub fn new() -> Result<Self> {
        Ok(Self {
            open: Vec::new(),
            folder: PathBuf::from("runs"),
            draft: preset::config("default")?,
            model: None,
            device: crate::session::device::DeviceChoice::Auto,
            saved: None,
            theme: None,
            tab: Tab::default(),
            selection: Selection::default(),
            capture: None,
            start: false,
            dialogs: true,
            stop: StopSignal::default(),
        })
    }
}

/// The application.
pub struct App {
    pub(super) ctx: Context,
    pub(super) runs: Runs,
    pub(super) media: Media,
    pub(super) selection: Selection,
    pub(super) tab: Tab,
    pub(super) work: Work,
    pub(super) saved: Saved,
    pub(super) saved_file: Option<PathBuf>,
    pub(super) history: History,
    pub(super) popups: Popups,
    pub(super) fork: Option<ForkView>,
    pub(super) messages: Messages,
    pub(super) dialogs: Dialogs,
    pub(super) exporting: Exporting,
    pub(super) locals: Locals,
    pub(super) toggles: ToggleState,
    pub(super) play: Option<Instant>,
    pub(super) capture: Option<Capture>,
    pub(super) shot: Option<Shot>,
    pub(super) graphics: Graphics,
    pub(super) repaint: Repaint,
    pub(super) renderer: Option<OverlayRenderer>,
    pub(super) stop: StopSignal,
    pub(super) timeline: TimelineCache,
    applied: [AppliedCache; 2],
    pub(super) actions: Vec<Action>,
    started: Instant,
    /// Frames drawn so far.
    frames: u64,
}

/// Happenings of the selected run, made anew only when it grew.
#[derive(Default)]
pub(super) struct TimelineCache {
    of: Option<(RunId, u64, usize)>,
    happenings: Vec<Happening>,
    planned: Option<usize>,
}

impl TimelineCache {
    /// What happened, by iteration.
    pub(super) fn happenings(&self) -> &[Happening] {
        &self.happenings
    }
}

/// Settings in force of a run, read anew only when it grew or the cursor moved.
#[derive(Default)]
struct AppliedCache {
    of: Option<(RunId, u64, usize)>,
    config: Option<TrainConfig>,
}

impl App {
    /// The application in the window of `cx`.
    ///
    /// # Errors
    /// [`crate::error::Error::Device`] if a thread cannot be started.
    pub fn new(cx: &eframe::CreationContext<'_>, options: Options) -> Result<Self> {
        let ctx = cx.egui_ctx.clone();
        Theme::install(&ctx);
        let (mut saved, problems) = options.saved.as_deref().map_or_else(Default::default, Saved::read);
        saved.theme = options.theme.unwrap_or(saved.theme);
        let graphics = Graphics::install(cx);
        let repaint = Repaint::new(ctx.clone(), graphics.is_software());
        let of_media = repaint.clone();
        let mut work = Work::new(options.draft, options.folder);
        (work.model, work.device) = (options.model, options.device);
        let mut app = Self {
            runs: Runs::default(),
            media: Media::new(move || of_media.news())?,
            repaint,
            selection: options.selection,
            tab: options.tab,
            work,
            history: History::default(),
            popups: Popups::default(),
            fork: None,
            messages: Messages::default(),
            dialogs: Dialogs::new(options.dialogs),
            exporting: Exporting::default(),
            locals: Locals::default(),
            toggles: ToggleState::default(),
            play: None,
            capture: options.capture.map(Capture::new),
            shot: None,
            graphics,
            renderer: cx.wgpu_render_state.as_ref().map(OverlayRenderer::install),
            stop: options.stop,
            timeline: TimelineCache::default(),
            applied: Default::default(),
            actions: Vec::new(),
            started: Instant::now(),
            frames: 0,
            saved,
            saved_file: options.saved,
            ctx,
        };
        wake_on(&app.stop, &app.ctx)?;
        app.apply_theme();
        app.ctx.set_zoom_factor(app.saved.zoom);
        // Ours keeps what it does.
        app.ctx.options_mut(|options| options.zoom_with_keyboard = false);
        for problem in problems {
            app.messages.problem(problem);
        }
        for path in options.open {
            app.open(&path);
        }
        app.selection.run = app.runs.iter().next().map(|run| run.id);
        if app.selection.run.is_some() {
            app.locals.side = super::side::Shown::ThisRun;
        }
        if options.start {
            app.actions.push(Action::Start);
        }
        app.locals.found.look(&app.work.folder, &app.ctx);
        Ok(app)
    }

    /// Gives egui the chosen theme.
    pub(super) fn apply_theme(&self) {
        self.ctx.set_theme(match self.saved.theme {
            ThemeChoice::System => egui::ThemePreference::System,
            ThemeChoice::Dark => egui::ThemePreference::Dark,
            ThemeChoice::Light => egui::ThemePreference::Light,
        });
    }

    /// Settings in force in `run` at iteration `step`.
    pub(super) fn config_of(&mut self, run: RunId, step: usize) -> Option<TrainConfig> {
        let open = self.runs.get(run)?;
        let key = (run, open.version, step);
        // One for the newest iteration and one for the cursor, which are asked for in turn.
        let cache = &mut self.applied[usize::from(step == usize::MAX)];
        if cache.of != Some(key) {
            *cache = AppliedCache { of: Some(key), config: open.config_at(step) };
        }
        cache.config.clone()
    }

    /// What panels may read.
    pub(super) fn scene<'a>(&'a self, theme: &'a Theme) -> Scene<'a> {
        Scene {
            runs: &self.runs,
            media: &self.media,
            selection: &self.selection,
            theme,
            ranges: &self.locals.ranges,
            renderer: self.renderer.as_ref(),
            training: self.work.active().and_then(|training| training.run),
        }
    }

    fn update_timeline(&mut self) {
        let Some(run) = self.selection.run.and_then(|id| self.runs.get(id)) else {
            self.timeline = TimelineCache::default();
            return;
        };
        // A branch that is opened is a mark of its parent.
        let key = (run.id, run.version, self.runs.iter().len());
        if self.timeline.of != Some(key) {
            self.timeline = TimelineCache {
                of: Some(key),
                happenings: super::timeline::happenings(run, &self.runs),
                planned: run.config().map(|config| config.iterations),
            };
        }
    }

    /// Keys that give a command. A key alone is left to a field that is being typed into, or to a control with focus.
    fn keys(&mut self, situation: Situation) {
        let typing = self.ctx.egui_wants_keyboard_input() || self.popups.takes_keys();
        let focused = self.ctx.memory(|memory| memory.focused().is_some());
        // Longest first: Ctrl+Shift+Z must not be taken as Ctrl+Z.
        let mut keyed: Vec<_> = commands().filter_map(|c| Some((c, c.keys?))).collect();
        keyed.sort_by_key(|(_, keys)| std::cmp::Reverse(keys.modifiers.shift));
        for (command, keys) in keyed {
            let plain = !keys.modifiers.command;
            // A text field has an undo of its own.
            let of_text = matches!(keys.logical_key, egui::Key::Z) && typing;
            // Without such a window the key is left to menus.
            let nothing_to_close = matches!(keys.logical_key, egui::Key::Escape) && !self.has_floating();
            if of_text || nothing_to_close || (plain && (typing || focused)) {
                continue;
            }
            if self.ctx.input_mut(|input| input.consume_shortcut(&keys)) {
                match command.needs.missing(situation) {
                    None => self.actions.push((command.action)()),
                    Some(reason) => self.messages.problem(format!("{}: {reason}", command.name)),
                }
            }
        }
    }

    fn dropped_files(&mut self) {
        let dropped = self.ctx.input(|input| input.raw.dropped_files.clone());
        self.actions.extend(dropped.iter().map(|file| Action::Open(file.path().to_path_buf())));
    }

    fn bars_ui(&mut self, ui: &mut Ui, theme: &Theme, situation: Situation, out: &mut Vec<Action>) {
        egui::Panel::top("tabs").show(ui, |ui| super::top_bar::top_bar_ui(ui, self.tab, &self.messages, out));
        egui::Panel::top("run bar").show(ui, |ui| {
            let ablation = self.work.ablating.as_ref().filter(|ablating| !ablating.is_over());
            let ablation = ablation.and_then(super::compare::ablating::Ablating::progress);
            let work = (self.work.training.as_ref(), ablation.as_deref());
            super::run_bar::run_bar_ui(ui, self.scene(theme), work, situation, out);
        });
        egui::Panel::bottom("timeline").min_size(super::theme::TIMELINE_HEIGHT).show(ui, |ui| {
            ui.add_space(3.0);
            let of = (&self.timeline.happenings[..], self.timeline.planned);
            super::timeline::timeline_ui(ui, self.scene(theme), of, self.play.is_some(), out);
        });
    }
}

/// Wakes a window that sleeps when it is to be closed from the terminal.
fn wake_on(stop: &StopSignal, ctx: &Context) -> Result<()> {
    let (stop, ctx) = (stop.clone(), ctx.clone());
    std::thread::Builder::new()
        .name("interrupt".into())
        .spawn(move || {
            while stop.check().is_ok() {
                std::thread::sleep(Duration::from_millis(200));
            }
            ctx.request_repaint();
        })
        .map(drop)
        .map_err(|error| crate::error::Error::Device(format!("a thread could not be started: {error}")))
}

impl eframe::App for App {
    fn logic(&mut self, _ctx: &Context, _frame: &mut eframe::Frame) {
        self.repaint.drawing();
        self.take_in();
        self.update_timeline();
        // Also while the window is hidden: what was asked for by a dialog or by the graphics must not wait.
        self.carry_out();
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        let theme = Theme::of(ui.visuals().dark_mode);
        let situation = self.work.situation(&self.runs, &self.selection);
        self.keys(situation);
        self.dropped_files();
        let mut out = std::mem::take(&mut self.actions);
        self.bars_ui(ui, &theme, situation, &mut out);
        self.side_ui(ui, &theme, &mut out);
        egui::CentralPanel::no_frame().show(ui, |ui| self.panels_ui(ui, &theme, &mut out));
        self.popups_ui(&theme, situation, &mut out);
        // Not in the picture of a panel.
        if self.shot.is_none() {
            self.messages.lines_ui(&self.ctx.clone(), &theme);
        }
        self.actions = out;
        self.carry_out();
        self.capture_ui();
        if self.frames == 0 {
            log::info!(
                "first frame {:.3} s after the graphics were ready",
                self.started.elapsed().as_secs_f64()
            );
        }
        self.frames += 1;
        if self.ctx.input(|input| !input.events.is_empty() || input.pointer.is_moving()) {
            self.repaint.touched();
        }
    }

    /// The background of panels: cleared once, it need not be painted again, which on a software adapter is most of a frame.
    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        visuals.panel_fill.to_normalized_gamma_f32()
    }

    fn on_exit(&mut self) {
        log::info!("{} frames in {:.0} s", self.frames, self.started.elapsed().as_secs_f64());
        self.keep();
        // Dropped, they stop with a checkpoint and are waited for.
        self.work.training = None;
        self.work.ablating = None;
    }
}

impl App {
    /// Writes down what is kept between two starts.
    pub fn keep(&mut self) {
        if let Some(file) = self.saved_file.clone()
            && let Err(problem) = self.saved.write(&file)
        {
            self.messages.problem(problem);
        }
    }

    fn carry_out(&mut self) {
        for action in std::mem::take(&mut self.actions) {
            self.apply(action);
        }
    }

    fn capture_ui(&mut self) {
        let waiting = !self.is_settled();
        if let Some(capture) = &mut self.capture {
            capture.ui(&self.ctx, waiting);
        }
    }
}

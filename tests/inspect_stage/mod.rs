//! The panels of Inspect on a small recorded run.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui::{self, Color32, Ui};
use egui_kittest::Harness;
use marscope::ui::action::Action;
use marscope::ui::data::group::{LoadedGroup, group_at};
use marscope::ui::data::media::{Loaded, Media};
use marscope::ui::data::run::Runs;
use marscope::ui::inspect::{
    InspectView, Inspected, histogram_ui, list_ui, picture_panel_ui, token_ui, what_if_ui,
};
use marscope::ui::ranges::Ranges;
use marscope::ui::scene::Scene;
use marscope::ui::theme::Theme;
use marscope::ui::view::{OverlayView, Selection};

pub mod recorded;

/// Which panels are drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    Picture,
    Token,
    List,
    Histogram,
    WhatIf,
}

/// A run with what is chosen of it.
pub struct Stage {
    pub runs: Runs,
    pub media: Media,
    pub selection: Selection,
    pub theme: Theme,
    pub group: Arc<LoadedGroup>,
    pub view: InspectView,
    pub overlay: OverlayView,
    pub panel: Panel,
    pub actions: Vec<Action>,
}

impl Stage {
    /// Of the run in `path` at iteration `step`.
    pub fn open(path: &Path, step: usize, panel: Panel) -> Self {
        let mut runs = Runs::default();
        let id = runs.open(path, || {}).unwrap();
        let media = Media::new(|| {}).unwrap();
        let start = Instant::now();
        let group = loop {
            runs.update();
            let run = runs.get(id).unwrap();
            if run.complete
                && let Some(Loaded::Ready(group)) = group_at(run, &media, (step, 0), None)
            {
                break group;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "never read");
            std::thread::sleep(Duration::from_millis(5));
        };
        let selection = Selection { run: Some(id), cursor: Some(step), ..Selection::default() };
        let (view, overlay) = (InspectView::default(), OverlayView::default());
        Self {
            runs,
            media,
            selection,
            theme: Theme::of(true),
            group,
            view,
            overlay,
            panel,
            actions: Vec::new(),
        }
    }

    /// Lets `look` see what the panels see.
    pub fn with<R>(&mut self, look: impl FnOnce(Inspected<'_>, &mut InspectView) -> R) -> R {
        let scene = Scene {
            runs: &self.runs,
            media: &self.media,
            selection: &self.selection,
            theme: &self.theme,
            ranges: &Ranges::default(),
            renderer: None,
            training: None,
        };
        let input = Inspected { scene, group: &self.group, overlay: &self.overlay, colour: &okabe_ito };
        look(input, &mut self.view)
    }

    /// Draws the panel and carries out what the user did to the selection.
    pub fn draw(&mut self, ui: &mut Ui) {
        let panel = self.panel;
        let actions = self.with(|input, view| match panel {
            Panel::Picture => picture_panel_ui(ui, input, view),
            Panel::Token => token_ui(ui, input, view),
            Panel::List => list_ui(ui, input, view),
            Panel::Histogram => histogram_ui(ui, input, view),
            Panel::WhatIf => what_if_ui(ui, input, view),
        });
        for action in &actions {
            match action {
                Action::Token(token) => self.selection.token = *token,
                Action::Picture(picture) => self.selection.picture = *picture,
                Action::ArStep(step) => self.selection.ar_step = *step,
                _ => {}
            }
        }
        self.actions.extend(actions);
    }

    /// A window with the panel.
    pub fn window(self, size: (f32, f32), dark: bool) -> Harness<'static, Self> {
        let stage = Self { theme: Theme::of(dark), ..self };
        let theme = if dark { egui::Theme::Dark } else { egui::Theme::Light };
        let mut harness = Harness::builder()
            .with_size(egui::vec2(size.0, size.1))
            .with_theme(theme)
            .with_max_steps(60)
            .wgpu()
            .build_ui_state(
                |ui, stage: &mut Self| {
                    egui::Frame::central_panel(ui.style()).show(ui, |ui| stage.draw(ui));
                },
                stage,
            );
        Theme::install(&harness.ctx);
        harness.ctx.set_theme(theme);
        harness.run_ok();
        harness
    }
}

/// The colour-blind-safe palette of Okabe and Ito.
pub fn okabe_ito(number: usize) -> Color32 {
    let colours =
        [[86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [213, 94, 0], [0, 114, 178]];
    let [r, g, b] = colours[number % colours.len()];
    Color32::from_rgb(r, g, b)
}

//! The panels over runs on disk.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui::{self, Vec2};
use eframe::egui_wgpu::RendererOptions;
use egui_kittest::Harness;
use egui_kittest::wgpu::{WgpuTestRenderer, create_render_state, default_wgpu_setup};
use marscope::ui::action::Action;
use marscope::ui::data::group::LoadedGroup;
use marscope::ui::data::media::Media;
use marscope::ui::data::run::{RunId, Runs};
use marscope::ui::overlay::OverlayRenderer;
use marscope::ui::ranges::Ranges;
use marscope::ui::scene::Scene;
use marscope::ui::theme::Theme;
use marscope::ui::view::{OverlayView, Selection};

/// What a panel is drawn from, and what the user did.
pub struct World {
    pub runs: Runs,
    pub media: Media,
    pub selection: Selection,
    pub theme: Theme,
    pub ranges: Ranges,
    pub renderer: Option<OverlayRenderer>,
    pub training: Option<RunId>,
    pub view: OverlayView,
    pub held: Option<Arc<LoadedGroup>>,
    pub out: Vec<Action>,
    /// Whether what the user chose is carried out, as the window does it.
    pub obeys: bool,
}

impl World {
    /// No run.
    pub fn empty() -> Self {
        Self {
            runs: Runs::default(),
            media: Media::new(|| {}).unwrap(),
            selection: Selection::default(),
            theme: Theme::of(true),
            ranges: Ranges::default(),
            renderer: None,
            training: None,
            view: OverlayView::default(),
            held: None,
            out: Vec::new(),
            obeys: true,
        }
    }

    /// The run at `path`, read in full.
    pub fn open(path: &Path) -> Self {
        let mut world = Self::empty();
        let id = world.runs.open(path, || {}).unwrap();
        let start = Instant::now();
        while !world.runs.get(id).unwrap().complete {
            world.runs.update();
            assert!(start.elapsed() < Duration::from_secs(20), "the run is never read");
            std::thread::sleep(Duration::from_millis(2));
        }
        world.selection.run = Some(id);
        world
    }

    fn obey(&mut self, from: usize) {
        for action in &self.out[from..] {
            match action {
                Action::Cursor(cursor) => self.selection.cursor = *cursor,
                Action::ArStep(step) => self.selection.ar_step = *step,
                Action::Picture(picture) => self.selection.picture = *picture,
                Action::Group(group) => self.selection.group = *group,
                _ => {}
            }
        }
    }
}

/// A panel.
pub type Panel =
    fn(&mut egui::Ui, Scene<'_>, &mut OverlayView, &mut Option<Arc<LoadedGroup>>, &mut Vec<Action>);

/// The panel over `world` in a window of `size` points.
pub fn window<'a>(mut world: World, panel: Panel, size: impl Into<Vec2>) -> Harness<'a, World> {
    let dark = world.theme.dark;
    let state = create_render_state(default_wgpu_setup(), RendererOptions::PREDICTABLE);
    world.renderer = Some(OverlayRenderer::install(&state));
    let builder = Harness::builder()
        .with_size(size)
        .with_max_steps(40)
        // Two clicks within this are near enough for a double click.
        .with_step_dt(0.05)
        .with_theme(if dark { egui::Theme::Dark } else { egui::Theme::Light })
        .with_context_setup(Theme::install)
        .renderer(WgpuTestRenderer::from_render_state(state));
    builder.build_ui_state(
        move |ui, world: &mut World| {
            let before = world.out.len();
            let World { runs, media, selection, theme, ranges, renderer, training, view, held, out, .. } =
                world;
            if let Some(held) = held {
                ranges.see(held);
            }
            let (ranges, renderer) = (&*ranges, renderer.as_ref());
            let scene = Scene { runs, media, selection, theme, ranges, renderer, training: *training };
            egui::CentralPanel::default().show(ui, |ui| panel(ui, scene, view, held, out));
            if world.obeys {
                world.obey(before);
            }
        },
        world,
    )
}

/// Draws until everything that was asked for is read.
pub fn settle(harness: &mut Harness<'_, World>) {
    for _ in 0..40 {
        harness.step();
        std::thread::sleep(Duration::from_millis(5));
    }
    harness.run_ok();
}

//! Small runs on disk, and a panel with its state.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui::{Color32, Ui};
use eframe::egui_wgpu::RendererOptions;
use egui_kittest::wgpu::{WgpuTestRenderer, create_render_state, default_wgpu_setup};
use egui_kittest::{Harness, HarnessBuilder};
use marscope::runs::event::{Element, Event, GroupRecord, PictureRecord, ProbeFrame, Scalar};
use marscope::runs::folder::{RunFolder, RunHeader};
use marscope::session::train::config::TrainConfig;
use marscope::ui::action::Action;
use marscope::ui::data::media::Media;
use marscope::ui::data::run::{RunId, Runs};
use marscope::ui::overlay::OverlayRenderer;
use marscope::ui::ranges::Ranges;
use marscope::ui::scene::Scene;
use marscope::ui::theme::Theme;
use marscope::ui::view::Selection;
use marscope::world::image::Rgb8;

/// A run of a test.
pub struct Made<'a> {
    pub name: &'a str,
    pub config: TrainConfig,
    /// Reward of every iteration, which is also how bright its pictures are.
    pub rewards: &'a [f64],
    pub changes: Vec<(usize, &'a str, serde_json::Value, serde_json::Value)>,
}

impl<'a> Made<'a> {
    pub fn new(name: &'a str, rewards: &'a [f64]) -> Self {
        Self { name, config: TrainConfig::default(), rewards, changes: Vec::new() }
    }

    pub fn with(mut self, change: impl FnOnce(&mut TrainConfig)) -> Self {
        change(&mut self.config);
        self
    }

    /// Writes it below `root`: two pictures an iteration, fixed prompts at every one, checkpoints at 0 and the end.
    pub fn write(&self, root: &Path) -> PathBuf {
        let path = root.join(self.name);
        let header = RunHeader {
            seed: Some(self.config.seed),
            variant: Some("mar_grpo".into()),
            ..RunHeader::new("train", serde_json::to_value(&self.config).unwrap(), "cpu")
        };
        let mut run = RunFolder::create(&path, &header).unwrap();
        for (step, setting, from, to) in &self.changes {
            let (setting, from, to) = ((*setting).to_owned(), from.clone(), to.clone());
            run.record(&Event::Change { step: *step, setting, from, to }).unwrap();
        }
        for (step, reward) in self.rewards.iter().enumerate() {
            let values =
                [("reward/mean", *reward), ("kl", 0.01), ("diversity/images", 0.2), ("time/iteration", 1.5)];
            let values: BTreeMap<String, f64> = values.map(|(name, value)| (name.to_owned(), value)).into();
            run.scalars(step, step as f64, &values).unwrap();
            let group = self.group(&mut run, *reward);
            run.record(&Event::Group { step, group }).unwrap();
            let png = run.media(&picture(*reward).to_png().unwrap()).unwrap();
            let frame = ProbeFrame { prompt: "two red circles".into(), score: Scalar(0.5), png };
            run.record(&Event::Probes { step, frames: vec![frame] }).unwrap();
        }
        for done in [0, self.rewards.len()] {
            std::fs::create_dir_all(path.join("checkpoints").join(format!("{done:06}"))).unwrap();
        }
        path
    }

    fn group(&self, run: &mut RunFolder, reward: f64) -> GroupRecord {
        let pictures = [reward, reward / 2.0].map(|reward| PictureRecord {
            reward: Scalar(reward),
            parts: BTreeMap::new(),
            advantage: Scalar(0.0),
            png: run.media(&picture(reward).to_png().unwrap()).unwrap(),
        });
        let map =
            run.map("uncertainty", &[2, 4], Element::F32, &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]).unwrap();
        GroupRecord {
            prompt: self.config.prompts[0].clone(),
            side: 2,
            ar_steps: 8,
            trained_ar_steps: vec![0],
            trained_diffusion_steps: vec![0],
            zero_std: false,
            pictures: pictures.into(),
            maps: vec![map],
        }
    }
}

/// A grey picture: 100 at a reward of 1.
pub fn picture(reward: f64) -> Rgb8 {
    Rgb8::filled(8, 8, [(reward * 100.0) as u8; 3])
}

/// What a panel needs, and what the user did.
pub struct World<V> {
    pub runs: Runs,
    pub media: Media,
    pub selection: Selection,
    pub theme: Theme,
    pub ranges: Ranges,
    pub renderer: Option<OverlayRenderer>,
    pub view: V,
    pub out: Vec<Action>,
}

impl<V> World<V> {
    pub fn new(paths: &[PathBuf], view: V) -> Self {
        let mut runs = Runs::default();
        for path in paths {
            runs.open(path, || {}).unwrap();
        }
        let start = Instant::now();
        while runs.iter().any(|run| !run.complete) {
            runs.update();
            assert!(start.elapsed() < Duration::from_secs(20), "the runs are never read");
            std::thread::sleep(Duration::from_millis(2));
        }
        let media = Media::new(|| {}).unwrap();
        Self {
            runs,
            media,
            selection: Selection::default(),
            theme: Theme::of(true),
            ranges: Ranges::default(),
            renderer: None,
            view,
            out: Vec::new(),
        }
    }

    pub fn ids(&self) -> Vec<RunId> {
        self.runs.iter().map(|run| run.id).collect()
    }
}

/// A window of `size` points with one panel.
pub fn window<'a, V: 'a>(
    size: [f32; 2],
    world: World<V>,
    draw: impl FnMut(&mut Ui, Scene<'_>, &mut V, &mut Vec<Action>) + 'a,
) -> Harness<'a, World<V>> {
    built(Harness::builder().with_size(size), world, draw)
}

/// The same with a device that draws pictures, software if there is one.
pub fn painted<'a, V: 'a>(
    size: [f32; 2],
    mut world: World<V>,
    draw: impl FnMut(&mut Ui, Scene<'_>, &mut V, &mut Vec<Action>) + 'a,
) -> Harness<'a, World<V>> {
    let state = create_render_state(default_wgpu_setup(), RendererOptions::PREDICTABLE);
    world.renderer = Some(OverlayRenderer::install(&state));
    let renderer = WgpuTestRenderer::from_render_state(state);
    built(Harness::builder().with_size(size).renderer(renderer), world, draw)
}

fn built<'a, V: 'a>(
    builder: HarnessBuilder<World<V>>,
    world: World<V>,
    mut draw: impl FnMut(&mut Ui, Scene<'_>, &mut V, &mut Vec<Action>) + 'a,
) -> Harness<'a, World<V>> {
    builder.with_max_steps(30).build_ui_state(
        move |ui, world: &mut World<V>| {
            let scene = Scene {
                runs: &world.runs,
                media: &world.media,
                selection: &world.selection,
                theme: &world.theme,
                ranges: &world.ranges,
                renderer: world.renderer.as_ref(),
                training: None,
            };
            draw(ui, scene, &mut world.view, &mut world.out);
        },
        world,
    )
}

/// Steps until `done`, while pictures are being read.
pub fn until<V>(harness: &mut Harness<'_, World<V>>, done: impl Fn(&Harness<'_, World<V>>) -> bool) {
    let start = Instant::now();
    while !done(harness) {
        assert!(start.elapsed() < Duration::from_secs(20), "it never came");
        std::thread::sleep(Duration::from_millis(5));
        harness.step();
    }
}

/// Colours of the series palette.
pub fn colour(slot: usize) -> Color32 {
    Color32::from_gray((slot * 20) as u8)
}

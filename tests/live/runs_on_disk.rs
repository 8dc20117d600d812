//! Small runs on disk.

use std::collections::BTreeMap;
use std::path::Path;

use marscope::runs::event::{Element, Event, GroupRecord, PictureRecord, Scalar};
use marscope::runs::folder::{RunFolder, RunHeader};
use marscope::session::train::config::TrainConfig;
use marscope::session::train::origin::KIND;
use marscope::world::image::Rgb8;

/// Tokens along a side.
pub const SIDE: usize = 4;
/// AR steps of a rollout.
pub const AR_STEPS: usize = 4;
/// Those that were trained.
pub const TRAINED: [usize; 2] = [1, 3];

/// An empty run of the default settings.
pub fn create(path: &Path) -> RunFolder {
    let config = serde_json::to_value(TrainConfig::default()).unwrap();
    RunFolder::create(path, &RunHeader::new(KIND, config, "cpu")).unwrap()
}

/// A picture of stripes in the run.
pub fn picture(run: &mut RunFolder, shade: u8) -> marscope::runs::event::MediaRef {
    let mut image = Rgb8::filled(16, 16, [shade, 120, 255 - shade]);
    for (i, pixel) in image.pixels.chunks_mut(3).enumerate() {
        if (i % 16 / 4 + i / 64) % 2 == 0 {
            pixel.copy_from_slice(&[240, 220, shade]);
        }
    }
    run.media(&image.to_png().unwrap()).unwrap()
}

/// A group with these rewards and advantages, with the maps that multi-trajectory expectation records; those of
/// consistency are off.
pub fn group(run: &mut RunFolder, prompt: &str, earned: &[(f64, f64)]) -> GroupRecord {
    let count = earned.len();
    let tokens = SIDE * SIDE;
    let pictures: Vec<PictureRecord> = earned
        .iter()
        .enumerate()
        .map(|(i, (reward, advantage))| PictureRecord {
            reward: Scalar(*reward),
            parts: [("verifier", *reward), ("verifier.colour", 0.25), ("verifier.shape", 1.0)]
                .map(|(name, value)| (name.to_owned(), Scalar(value)))
                .into(),
            advantage: Scalar(*advantage),
            png: picture(run, (i * 23 % 256) as u8),
        })
        .collect();
    let order: Vec<f32> = (0..count * tokens).map(|t| (t % tokens / SIDE) as f32).collect();
    let uncertainty: Vec<f32> = (0..count * tokens).map(|t| (t % tokens) as f32).collect();
    let kl: Vec<f32> = (0..count * TRAINED.len() * tokens).map(|t| t as f32 * 0.01).collect();
    let flat = [count, tokens];
    let maps = vec![
        run.map("order", &flat, Element::F16, &order).unwrap(),
        run.map("uncertainty", &flat, Element::F32, &uncertainty).unwrap(),
        run.map("kl", &[count, TRAINED.len(), tokens], Element::F32, &kl).unwrap(),
    ];
    GroupRecord {
        prompt: prompt.to_owned(),
        side: SIDE,
        ar_steps: AR_STEPS,
        trained_ar_steps: TRAINED.to_vec(),
        trained_diffusion_steps: vec![0],
        zero_std: earned.iter().all(|e| e.0 == earned[0].0),
        pictures,
        maps,
    }
}

/// Records a group at `step`.
pub fn record_group(run: &mut RunFolder, step: usize, prompt: &str, earned: &[(f64, f64)]) {
    let group = group(run, prompt, earned);
    run.record(&Event::Group { step, group }).unwrap();
}

/// Records numbers at `step`.
pub fn record(run: &mut RunFolder, step: usize, values: &[(&str, f64)]) {
    let values: BTreeMap<String, f64> = values.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
    run.scalars(step, step as f64, &values).unwrap();
}

//! `marscope pretrain mar`.

use std::collections::BTreeMap;
use std::path::Path;

use burn::tensor::{Device, Tensor};
use serde_json::json;

use super::super::config::PretrainMar;
use super::super::control::{Progress, Report, StopSignal};
use super::super::evaluate::{EvaluateConfig, Scores, evaluate};
use super::super::threads::on_threads;
use super::{Place, Task, model_folder, train};
use crate::error::{Error, Result};
use crate::model::noise::{NoiseKey, Purpose};
use crate::model::pixels::to_tensor;
use crate::model::sample::SampleConfig;
use crate::model::vae::{Autoencoder, AutoencoderConfig};
use crate::model::weights::{WeightFolder, to_files};
use crate::model::{Generator, Model, ModelConfig};
use crate::rl::pretrain::mar::{LatentSet, MarBatch, loss};
use crate::runs::files::{create_folder, write_whole};
use crate::world::draw::draw;
use crate::world::image::Rgb8;
use crate::world::sampler::{Split, sample_mixture, sample_scene};
use crate::world::scene::SIDE;
use crate::world::tokenizer::{SLOTS, encode};

/// Scenes encoded together.
const ENCODE_BATCH: usize = 32;
const EVALUATION_SEED: u64 = 1_000_003;

struct MarTask<'a> {
    config: &'a PretrainMar,
    model: ModelConfig,
    autoencoder: Autoencoder,
    set: LatentSet,
}

impl Task for MarTask<'_> {
    type Module = Generator;
    const KIND: &'static str = "pretrain_mar";

    fn loss(&self, module: &Generator, key: NoiseKey, device: &Device) -> Result<Tensor<1>> {
        let settings = (&self.config.loss, &self.model.diffusion);
        let batch = MarBatch::draw(&self.set, &mut key.rng(), self.config.training.batch, settings, device)?;
        Ok(loss(module, &batch))
    }

    fn evaluate(
        &self,
        module: Generator,
        captions: usize,
        stop: &StopSignal,
    ) -> Result<(BTreeMap<String, f64>, String)> {
        let model =
            Model { config: self.model.clone(), autoencoder: self.autoencoder.clone(), generator: module };
        let rows = held_out(&model, captions, stop)?;
        let mut scores = BTreeMap::new();
        for row in &rows {
            for (name, estimate) in [("mean", row.mean), ("exact", row.exact)] {
                if let Some(estimate) = estimate {
                    scores.insert(format!("held_out_{name}/{}", row.family), estimate.mean);
                }
            }
        }
        let all = |name: &str| scores.get(&format!("held_out_{name}/all")).copied().unwrap_or(f64::NAN);
        let words = format!("held-out {:.4}, exact {:.4}", all("mean"), all("exact"));
        Ok((scores, words))
    }
}

fn held_out(model: &Model, captions: usize, stop: &StopSignal) -> Result<Vec<Scores>> {
    let config = EvaluateConfig { captions, seed: EVALUATION_SEED, sample: SampleConfig::default() };
    evaluate(model, &config, stop, &mut |_| {})
}

/// Draws and encodes the training scenes, the two halves side by side.
fn encode_scenes(
    autoencoder: &Autoencoder,
    config: &PretrainMar,
    device: &Device,
    stop: &StopSignal,
) -> Result<LatentSet> {
    let batches = config.scenes.div_ceil(ENCODE_BATCH);
    let part = |half: usize| -> Result<(Vec<f32>, Vec<[u8; SLOTS]>)> {
        let (mut latents, mut captions) = (Vec::new(), Vec::new());
        for batch in (batches * half / 2)..(batches * (half + 1) / 2) {
            stop.check()?;
            let mut rng = NoiseKey::new(config.training.seed, Purpose::World, batch as u32).rng();
            let count = ENCODE_BATCH.min(config.scenes - batch * ENCODE_BATCH);
            let mut images: Vec<Rgb8> = Vec::with_capacity(count);
            for _ in 0..count {
                let caption = sample_mixture(&mut rng, Split::Train);
                images.push(draw(&sample_scene(&mut rng, &caption)));
                captions.push(encode(&caption));
            }
            let tokens = autoencoder.encode(to_tensor(&images, device)?);
            let values = tokens
                .try_into_vec_as::<f32>()
                .map_err(|error| Error::Device(format!("latents could not be read back: {error}")))?;
            latents.extend(values);
        }
        Ok((latents, captions))
    };
    let (mut latents, mut captions) = (Vec::new(), Vec::new());
    for (values, words) in on_threads(2, &part)? {
        latents.extend(values);
        captions.extend(words);
    }
    let tokens = config.model.mar.side * config.model.mar.side;
    let channels = latents.len() / (captions.len() * tokens).max(1);
    Ok(LatentSet { latents, captions, tokens, channels })
}

/// Trains transformer and head on the latents of the autoencoder in `base`, and writes the whole model to `model/` in
/// the run's folder.
///
/// # Errors
/// [`Error::Config`] for settings out of range, [`Error::Cancelled`] after a checkpoint if stopped,
/// [`Error::Diverged`] if the loss or gradient is not finite, [`Error::Io`] if the folder cannot be written, and
/// whatever is wrong with `base`.
pub fn run(
    config: &PretrainMar,
    base: &Path,
    place: &Place,
    stop: &StopSignal,
    report: Report<'_>,
) -> Result<Vec<Scores>> {
    config.validate()?;
    if config.model.mar.side * AutoencoderConfig::PATCH != SIDE {
        return Err(Error::Config(format!(
            "mar.side = {}: scenes of {SIDE} x {SIDE} pixels have {} tokens a side",
            config.model.mar.side,
            SIDE / AutoencoderConfig::PATCH
        )));
    }
    let device = place.device.open()?;
    let folder = WeightFolder::read(base)?;
    let autoencoder = folder.autoencoder(&device)?;
    let model =
        ModelConfig { autoencoder: folder.manifest().config.autoencoder.clone(), ..config.model.clone() };
    report(Progress::Remark(format!("encoding {} scenes", config.scenes)));
    let set = encode_scenes(&autoencoder, config, &device, stop)?;
    let fresh = Generator::new(&model, config.training.seed, &device);
    let task = MarTask { config, model: model.clone(), autoencoder: autoencoder.clone(), set };
    let record = serde_json::to_value(config).map_err(|e| Error::Config(e.to_string()))?;
    let (generator, seconds) = train(&task, fresh, &config.training, (place, record), stop, report)?;
    let whole = Model { config: model.clone(), autoencoder, generator };
    report(Progress::Remark("scoring held-out captions".into()));
    let rows = held_out(&whole, config.training.final_captions, stop)?;
    let mut made = folder.manifest().made.clone();
    made.insert(
        "generator".into(),
        json!({ "seed": config.training.seed, "steps": config.training.steps, "seconds": seconds.round(),
                "sampling": SampleConfig::default(), "held_out": rows }),
    );
    let out = model_folder(&place.out);
    create_folder(&out)?;
    let parts = (Some(whole.autoencoder), Some(whole.generator));
    for (name, bytes) in to_files(&model, parts.0, parts.1, made)? {
        write_whole(&out.join(name), &bytes)?;
    }
    Ok(rows)
}

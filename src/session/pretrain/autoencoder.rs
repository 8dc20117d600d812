//! `marscope pretrain autoencoder`.

use std::collections::BTreeMap;

use burn::tensor::{Device, Tensor};
use serde_json::json;

use super::super::config::PretrainAutoencoder;
use super::super::control::{Report, StopSignal};
use super::super::evaluate::held_out_captions;
use super::{Place, Task, model_folder, train};
use crate::error::{Error, Result};
use crate::model::nn::init::WeightDraw;
use crate::model::noise::{NoiseKey, Purpose};
use crate::model::pixels::{to_images, to_tensor};
use crate::model::vae::{Autoencoder, ChannelStatistics};
use crate::model::weights::to_files;
use crate::rl::pretrain::autoencoder::{ImageBatch, loss};
use crate::runs::files::{create_folder, write_whole};
use crate::world::draw::draw;
use crate::world::families::Family;
use crate::world::image::Rgb8;
use crate::world::prompt::Caption;
use crate::world::reward::{Verdict, Verifier};
use crate::world::sampler::{Split, sample_mixture, sample_scene};

/// Pictures over which the latent statistics are measured.
const CALIBRATION: usize = 2048;
const EVALUATION_SEED: u64 = 1_000_003;

struct AutoencoderTask<'a> {
    config: &'a PretrainAutoencoder,
}

impl Task for AutoencoderTask<'_> {
    type Module = Autoencoder;
    const KIND: &'static str = "pretrain_autoencoder";

    fn loss(&self, module: &Autoencoder, key: NoiseKey, device: &Device) -> Result<Tensor<1>> {
        let channels = self.config.model.autoencoder.latent_channels;
        let batch = ImageBatch::draw(&mut key.rng(), self.config.training.batch, channels, device)?;
        Ok(loss(module, &batch, &self.config.loss))
    }

    fn evaluate(
        &self,
        module: Autoencoder,
        captions: usize,
        stop: &StopSignal,
    ) -> Result<(BTreeMap<String, f64>, String)> {
        let module = calibrated(module, self.config.training.seed)?;
        let scores = reconstruction_scores(&module, captions, 0.0, stop)?;
        let words = format!(
            "reconstruction {:.4}, exact {:.4}, PSNR {:.1} dB",
            scores["held_out_mean"], scores["held_out_exact"], scores["held_out_psnr"]
        );
        Ok((scores, words))
    }
}

/// The autoencoder with latent statistics measured over training scenes.
fn calibrated(module: Autoencoder, seed: u64) -> Result<Autoencoder> {
    let device = module.device();
    let mut rng = NoiseKey::new(seed, Purpose::World, 0).rng();
    let mut raw = Vec::new();
    for _ in 0..CALIBRATION / 64 {
        let images: Vec<Rgb8> = (0..64)
            .map(|_| {
                let caption = sample_mixture(&mut rng, Split::Train);
                draw(&sample_scene(&mut rng, &caption))
            })
            .collect();
        raw.push(module.encode_raw(to_tensor(&images, &device)?));
    }
    let statistics = ChannelStatistics::of(Tensor::cat(raw, 0));
    Ok(module.with_statistics(&statistics))
}

/// The verifier's scores of reconstructed held-out scenes, with noise of deviation `latent_noise` on the latents.
///
/// # Errors
/// [`Error::Cancelled`] if stopped, [`Error::Device`] if the device fails.
pub fn reconstruction_scores(
    module: &Autoencoder,
    captions: usize,
    latent_noise: f64,
    stop: &StopSignal,
) -> Result<BTreeMap<String, f64>> {
    let device = module.device();
    let verifier = Verifier;
    let (mut verdicts, mut squared, mut pixels) = (Vec::<Verdict>::new(), 0.0, 0usize);
    for family in Family::ALL {
        let asked = held_out_captions(family, captions, EVALUATION_SEED);
        let mut rng = NoiseKey::new(EVALUATION_SEED + 1, Purpose::World, family as u32).rng();
        let scenes: Vec<(Caption, Rgb8)> =
            asked.into_iter().map(|c| (c, draw(&sample_scene(&mut rng, &c)))).collect();
        for chunk in scenes.chunks(16) {
            stop.check()?;
            let images: Vec<Rgb8> = chunk.iter().map(|(_, image)| image.clone()).collect();
            let latents = module.encode(to_tensor(&images, &device)?);
            let shape = latents.dims();
            let noise = NoiseKey::new(EVALUATION_SEED, Purpose::Denoising, verdicts.len() as u32)
                .normal(shape.iter().product());
            let noise = Tensor::<3>::from_data(burn::tensor::TensorData::new(noise, shape), &device);
            let back = to_images(module.decode(latents + noise.mul_scalar(latent_noise)))?;
            for ((caption, image), back) in chunk.iter().zip(&back) {
                verdicts.push(verifier.verify(back, caption));
                squared += image
                    .pixels
                    .iter()
                    .zip(&back.pixels)
                    .map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2))
                    .sum::<f64>();
                pixels += image.pixels.len();
            }
        }
    }
    let n = verdicts.len() as f64;
    let mean = |get: fn(&Verdict) -> f64| verdicts.iter().map(get).sum::<f64>() / n;
    let mse = squared / pixels as f64 / (255.0 * 255.0);
    Ok(BTreeMap::from([
        ("held_out_mean".to_owned(), mean(|v| f64::from(v.mean))),
        ("held_out_exact".to_owned(), mean(|v| f64::from(u8::from(v.exact)))),
        ("held_out_psnr".to_owned(), -10.0 * mse.log10()),
    ]))
}

/// Trains an autoencoder and writes it to `model/` in the run's folder.
///
/// # Errors
/// [`Error::Config`] for settings out of range, [`Error::Cancelled`] after a checkpoint if stopped,
/// [`Error::Diverged`] if the loss or gradient is not finite, [`Error::Io`] if the folder cannot be written.
pub fn run(
    config: &PretrainAutoencoder,
    place: &Place,
    stop: &StopSignal,
    report: Report<'_>,
) -> Result<BTreeMap<String, f64>> {
    config.validate()?;
    let device = place.device.open()?;
    let fresh = config.model.autoencoder.init(&mut WeightDraw::new(config.training.seed, &device));
    let task = AutoencoderTask { config };
    let record = serde_json::to_value(config).map_err(|e| Error::Config(e.to_string()))?;
    let (module, seconds) = train(&task, fresh, &config.training, (place, record), stop, report)?;
    let module = calibrated(module, config.training.seed)?;
    let scores = reconstruction_scores(&module, config.training.final_captions, 0.0, stop)?;
    let noisy = reconstruction_scores(&module, config.training.final_captions, 0.15, stop)?;
    let made = BTreeMap::from([(
        "autoencoder".to_owned(),
        json!({ "seed": config.training.seed, "steps": config.training.steps, "seconds": seconds.round(),
                "reconstruction": scores, "reconstruction_with_latent_noise_0.15": noisy }),
    )]);
    let folder = model_folder(&place.out);
    create_folder(&folder)?;
    for (name, bytes) in to_files(&config.model, Some(module), None, made)? {
        write_whole(&folder.join(name), &bytes)?;
    }
    Ok(scores)
}

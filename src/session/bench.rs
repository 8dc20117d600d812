//! Times of what takes time: a sampling run and a pretraining step of the shipped model.

use std::time::Instant;

use burn::tensor::Device;
use serde::Serialize;

use super::config::LoopConfig;
use super::control::StopSignal;
use super::generate::generate;
use super::pretrain::{State, Step};
use crate::error::Result;
use crate::model::Model;
use crate::model::noise::{NoiseKey, Purpose};
use crate::model::sample::{Request, SampleConfig};
use crate::rl::pretrain::mar::{LatentSet, MarBatch, MarLossConfig, loss};
use crate::world::sampler::{Split, sample_mixture};
use crate::world::tokenizer::{SLOTS, encode};

/// Medians, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Timings {
    /// One pretraining step of 48 pictures: forward, backward, clipping, optimiser, average. Drawing the batch is not
    /// counted.
    pub pretrain_step_s: f64,
    /// Eight pictures with default sampling, decoded.
    pub sample_8_s: f64,
}

/// Times `steps` pretraining steps and `runs` sampling runs after a warm-up.
///
/// # Errors
/// [`crate::error::Error::Cancelled`] if stopped, [`crate::error::Error::Device`] if the device fails.
pub fn measure(
    model: &Model,
    device: &Device,
    steps: usize,
    runs: usize,
    stop: &StopSignal,
) -> Result<Timings> {
    Ok(Timings {
        pretrain_step_s: pretrain_step(model, device, steps, stop)?,
        sample_8_s: sampling(model, runs, stop)?,
    })
}

fn sampling(model: &Model, runs: usize, stop: &StopSignal) -> Result<f64> {
    let mut rng = NoiseKey::new(0, Purpose::World, 0).rng();
    let requests: Vec<Request> = (0..8)
        .map(|image| Request { caption: encode(&sample_mixture(&mut rng, Split::HeldOut)), seed: 0, image })
        .collect();
    let mut times = Vec::new();
    for _ in 0..=runs {
        let started = Instant::now();
        generate(model, &requests, &SampleConfig::default(), stop, &mut |_| {})?;
        times.push(started.elapsed().as_secs_f64());
    }
    Ok(median(&mut times[1..]))
}

fn pretrain_step(model: &Model, device: &Device, steps: usize, stop: &StopSignal) -> Result<f64> {
    const WARM_UP: usize = 3;
    let config = LoopConfig::default();
    let set = random_latents(model);
    let mut state = State::new(model.generator.clone(), &config);
    let mut times = Vec::new();
    for step in 0..steps + WARM_UP {
        stop.check()?;
        let batches = (0..config.shards)
            .map(|shard| {
                let key = NoiseKey {
                    trajectory: shard as u8,
                    ..NoiseKey::new(0, Purpose::Pretraining, step as u32)
                };
                let settings = (&MarLossConfig::default(), &model.config.diffusion);
                MarBatch::draw(&set, &mut key.rng(), config.batch, settings, device)
            })
            .collect::<Result<Vec<MarBatch>>>()?;
        let started = Instant::now();
        let _: Step = state.advance(&config, &|generator, shard| Ok(loss(generator, &batches[shard])))?;
        times.push(started.elapsed().as_secs_f64());
    }
    Ok(median(&mut times[WARM_UP..]))
}

/// Latents of the right shape; their values do not matter for time.
fn random_latents(model: &Model) -> LatentSet {
    const COUNT: usize = 256;
    let mut rng = NoiseKey::new(0, Purpose::World, 1).rng();
    let captions: Vec<[u8; SLOTS]> =
        (0..COUNT).map(|_| encode(&sample_mixture(&mut rng, Split::Train))).collect();
    let (tokens, channels) = (model.generator.mar.tokens(), model.generator.mar.channels());
    let latents = NoiseKey::new(0, Purpose::Pretraining, 0).normal(COUNT * tokens * channels);
    LatentSet { latents, captions, tokens, channels }
}

/// The middle one of `times`; NaN of none.
pub(super) fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

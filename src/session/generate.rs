//! Captions to pictures, on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use burn::tensor::Tensor;

use super::control::{Progress, Report, StopSignal};
use super::panic;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::pixels::to_images;
use crate::model::sample::{ArStep, Observer, Request, SampleConfig, sample};
use crate::world::image::Rgb8;

/// Pictures generated together. Fixed, so that a picture does not depend on how many cores there are.
const CHUNK: usize = 4;

/// Asked between AR steps, on the sampling threads: may wait, and ends the job with an error.
pub type Poll<'a> = &'a (dyn Fn() -> Result<()> + Sync);

/// Polls between AR steps and counts them.
struct Watch<'a> {
    poll: Poll<'a>,
    done: &'a AtomicUsize,
    images: usize,
}

impl Observer for Watch<'_> {
    fn ar_step(&mut self, _: &ArStep<'_>) -> Result<()> {
        self.done.fetch_add(self.images, Ordering::Relaxed);
        (self.poll)()
    }
}

/// Generates one picture for each request, in order.
///
/// # Errors
/// [`Error::Config`] for settings out of range, [`Error::Cancelled`] if stopped, [`Error::Device`] if the device fails.
pub fn generate(
    model: &Model,
    requests: &[Request],
    config: &SampleConfig,
    stop: &StopSignal,
    report: Report<'_>,
) -> Result<Vec<Rgb8>> {
    generate_polled(model, requests, config, &|| stop.check(), report)
}

/// [`generate`] with a poll of the caller's.
///
/// # Errors
/// As [`generate`], and whatever `poll` returns.
pub fn generate_polled(
    model: &Model,
    requests: &[Request],
    config: &SampleConfig,
    poll: Poll<'_>,
    report: Report<'_>,
) -> Result<Vec<Rgb8>> {
    config.validate()?;
    let chunks: Vec<&[Request]> = requests.chunks(CHUNK).collect();
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Result<Vec<Rgb8>>>>> = Mutex::new(chunks.iter().map(|_| None).collect());
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = chunks.get(index) else { break };
            let mut watch = Watch { poll, done: &done, images: chunk.len() };
            let images = one_chunk(model, chunk, config, &mut watch);
            let failed = images.is_err();
            if let Ok(mut results) = results.lock() {
                results[index] = Some(images);
            }
            if failed {
                next.store(chunks.len(), Ordering::Relaxed);
            }
        }
    };
    let total = requests.len() * config.ar_steps;
    thread::scope(|scope| -> Result<()> {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(chunks.len());
        let workers = (0..threads)
            .map(|i| thread::Builder::new().name(format!("sampler-{i}")).spawn_scoped(scope, work))
            .collect::<std::io::Result<Vec<_>>>()
            .map_err(|error| Error::Device(format!("a sampling thread could not be started: {error}")))?;
        while workers.iter().any(|w| !w.is_finished()) {
            thread::sleep(std::time::Duration::from_millis(20));
            let done = done.load(Ordering::Relaxed).min(total);
            report(Progress::At { part: "sample", done, total, note: String::new() });
        }
        for worker in workers {
            worker.join().map_err(|caught| {
                Error::Device(format!("the device failed while sampling: {}", panic::text(&*caught)))
            })?;
        }
        Ok(())
    })?;
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut images = Vec::with_capacity(requests.len());
    let mut cancelled = false;
    for result in results {
        match result {
            Some(chunk) => images.extend(chunk?),
            None => cancelled = true,
        }
    }
    if cancelled { Err(Error::Cancelled) } else { Ok(images) }
}

fn one_chunk(
    model: &Model,
    chunk: &[Request],
    config: &SampleConfig,
    observer: &mut dyn Observer,
) -> Result<Vec<Rgb8>> {
    let latents: Tensor<3> = sample(&model.generator, &model.config.diffusion, chunk, config, observer)?;
    // A sum of finite latents is finite; a picture of others looks black and could pass for one.
    let sum = f64::from(latents.clone().sum().into_scalar::<f32>());
    if !sum.is_finite() {
        return Err(Error::Diverged { what: "sum of the latents of a picture", value: sum, step: 0 });
    }
    to_images(model.autoencoder.decode(latents))
}

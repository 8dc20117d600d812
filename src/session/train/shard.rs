//! One shard's part of an iteration: some pictures, sampled, scored and replayed on one thread.

use burn::tensor::Tensor;

use super::group::choice_key;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::diffusion::Diffusion;
use crate::model::pixels::to_images;
use crate::model::sample::Request;
use crate::rl::config::RlConfig;
use crate::rl::decisions::{LatentsOf, TokenDecisions};
use crate::rl::mte::Trajectories;
use crate::rl::plan::StepPlan;
use crate::rl::rollout::Rollout;
use crate::session::generate::Poll;
use crate::world::image::Rgb8;

/// Some pictures of an iteration.
pub struct Shard {
    /// The sampled pictures.
    pub rollout: Rollout,
    /// Their extra trajectories, if multi-trajectory expectation is on.
    pub trajectories: Option<Trajectories>,
    /// What was decided about their tokens.
    pub decisions: Vec<TokenDecisions>,
    /// The finished latents, one picture after the other.
    pub latents: Vec<f32>,
}

/// What a shard works with.
#[derive(Clone, Copy)]
pub struct ShardInput<'a> {
    /// The policy that samples, plain.
    pub model: &'a Model,
    /// Settings.
    pub config: &'a RlConfig,
    /// Trained steps.
    pub plan: &'a StepPlan,
    /// Asked between AR steps.
    pub poll: Poll<'a>,
}

impl Shard {
    /// Samples `requests`.
    ///
    /// # Errors
    /// Those of [`Rollout::collect`] and of reading back.
    pub fn collect(input: ShardInput<'_>, requests: Vec<Request>) -> Result<Self> {
        let ShardInput { model, config, plan, poll } = input;
        let rollout = Rollout::collect(
            &model.generator,
            &model.config.diffusion,
            requests,
            (config, plan),
            &mut |_| poll(),
        )?;
        let latents = host(rollout.latents.clone())?;
        Ok(Self { rollout, trajectories: None, decisions: Vec::new(), latents })
    }

    /// The pictures.
    ///
    /// # Errors
    /// [`Error::Device`] if they cannot be read back.
    pub fn decode(&self, model: &Model) -> Result<Vec<Rgb8>> {
        to_images(model.autoencoder.decode(self.rollout.latents.clone()))
    }

    /// Draws the extra trajectories and decides about every token.
    ///
    /// # Errors
    /// Whatever the poll returns, [`Error::Device`] if numbers cannot be read back.
    pub fn decide(&mut self, input: ShardInput<'_>, diffusion: &Diffusion) -> Result<()> {
        let ShardInput { model, config, plan, poll } = input;
        if config.mte.enabled {
            let head = &model.generator.head;
            let drawn = Trajectories::draw(head, diffusion, &self.rollout, config, &mut || poll())?;
            self.trajectories = Some(drawn);
        }
        let rollout = &self.rollout;
        let ends: Vec<Vec<f32>> =
            self.trajectories.iter().flat_map(Trajectories::finals).map(host).collect::<Result<_>>()?;
        let mut denoised = std::collections::BTreeMap::new();
        for (step, latents) in &rollout.denoised {
            denoised.insert(*step, host(latents.clone())?);
        }
        let size = rollout.tokens() * rollout.channels();
        self.decisions = rollout
            .predicted_at
            .iter()
            .enumerate()
            .map(|(picture, predicted_at)| {
                let part = picture * size..(picture + 1) * size;
                let latents = LatentsOf {
                    channels: rollout.channels(),
                    last: &self.latents[part.clone()],
                    trajectories: ends.iter().map(|end| &end[part.clone()]).collect(),
                    denoised: &|step| denoised.get(&step).map(|all| &all[part.clone()]),
                };
                let request = rollout.requests[picture];
                let key = choice_key(request.seed, request.image);
                TokenDecisions::new(predicted_at.clone(), &latents, config, plan, key)
            })
            .collect();
        Ok(())
    }
}

/// Numbers of a tensor in row-major order.
///
/// # Errors
/// [`Error::Device`] if they cannot be read back.
pub fn host<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>> {
    tensor
        .try_into_vec_as::<f32>()
        .map_err(|error| Error::Device(format!("numbers could not be read back from the device: {error}")))
}

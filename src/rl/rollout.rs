//! What replay needs of a rollout, and nothing else.

use std::collections::BTreeMap;

use burn::tensor::{Device, Tensor, TensorData};

use super::config::RlConfig;
use super::plan::StepPlan;
use crate::error::{Error, Result};
use crate::model::Generator;
use crate::model::ar_step::{flat_rows, is_guided};
use crate::model::denoise::DenoisingStep;
use crate::model::diffusion::DiffusionConfig;
use crate::model::sample::{ArStep, Observer, Request, sample};

/// The sampled pictures of one shard, with the trajectories of the AR steps that will be trained.
#[derive(Clone, Debug)]
pub struct Rollout {
    /// One for each picture.
    pub requests: Vec<Request>,
    /// AR step that predicted each token, `[pictures][tokens]`.
    pub predicted_at: Vec<Vec<usize>>,
    /// `[pictures, tokens, channels]`, the finished latents.
    pub latents: Tensor<3>,
    /// Trained AR steps, ascending.
    pub steps: Vec<TrainedStep>,
    /// Denoised latents of all tokens, `[pictures * tokens, channels]`, of the trained AR steps and the one before each,
    /// if consistency-aware selection asked for them.
    pub denoised: BTreeMap<usize, Tensor<2>>,
    /// Zc: for each token the transformer's output of the step that predicted it, `[pictures, tokens, width]`, with
    /// guidance twice as many rows, those without a caption last.
    pub deciding_z: Tensor<3>,
}

/// The trajectories of one AR step.
#[derive(Clone, Debug)]
pub struct TrainedStep {
    /// AR step, counted from 0.
    pub ar_step: usize,
    /// `[pictures, tokens, channels]`, tokens known before the step, zero elsewhere.
    pub before: Tensor<3>,
    /// Tokens that were denoised, for each picture: all, or the predicted ones.
    pub tokens: Vec<Vec<usize>>,
    /// Noisy latents `[rows, channels]` before the first diffusion step, after it, .. after the last, in the order of
    /// `tokens`.
    pub states: Vec<Tensor<2>>,
}

impl Rollout {
    /// Tokens of a picture.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.latents.dims()[1]
    }

    /// Channels of a latent.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.latents.dims()[2]
    }

    /// Where the tensors are.
    #[must_use]
    pub fn device(&self) -> Device {
        self.latents.device()
    }

    /// `[T + 1, tokens, channels]` of one picture: each token along the trajectory of the AR step that predicted it; NaN
    /// where that step was not trained and so not kept.
    ///
    /// # Errors
    /// [`Error::Device`] if numbers cannot be read back.
    pub fn sampled_trajectory(&self, picture: usize) -> Result<Vec<f32>> {
        let (tokens, channels) = (self.tokens(), self.channels());
        let states = self.steps.first().map_or(0, |step| step.states.len());
        let mut values = vec![f32::NAN; states * tokens * channels];
        for step in &self.steps {
            let before: usize = step.tokens[..picture].iter().map(Vec::len).sum();
            let own = &step.tokens[picture];
            for (number, state) in step.states.iter().enumerate() {
                let rows = state.clone().narrow(0, before, own.len()).try_into_vec_as::<f32>();
                let rows = rows.map_err(|error| {
                    Error::Device(format!("a trajectory could not be read back from the device: {error}"))
                })?;
                for (token, row) in own.iter().zip(rows.chunks(channels)) {
                    if self.predicted_at[picture][*token] == step.ar_step {
                        let place = (number * tokens + token) * channels;
                        values[place..place + channels].copy_from_slice(row);
                    }
                }
            }
        }
        Ok(values)
    }

    /// `[pictures, tokens]`, 1 where a token is known before `ar_step`.
    #[must_use]
    pub fn known_before(&self, ar_step: usize) -> Tensor<2> {
        let known: Vec<f32> =
            self.predicted_at.iter().flatten().map(|at| f32::from(u8::from(*at < ar_step))).collect();
        let shape = [self.requests.len(), self.tokens()];
        Tensor::from_data(TensorData::new(known, shape), &self.device())
    }

    /// Samples `requests` and keeps what `plan` trains. `poll` is asked between AR steps.
    ///
    /// # Errors
    /// [`Error::Config`] for settings out of range, and whatever `poll` returns.
    pub fn collect(
        generator: &Generator,
        diffusion: &DiffusionConfig,
        requests: Vec<Request>,
        (config, plan): (&RlConfig, &StepPlan),
        poll: &mut dyn FnMut(usize) -> Result<()>,
    ) -> Result<Self> {
        let (tokens, channels) = (generator.mar.tokens(), generator.mar.channels());
        let mut collector = Collector::new(config, plan, (requests.len(), tokens), poll);
        let latents = sample(generator, diffusion, &requests, &config.rollout.sampler(), &mut collector)?;
        let Collector { predicted_at, steps, denoised, deciding_z, .. } = collector;
        let deciding_z = deciding_z.ok_or_else(|| Error::Config("a picture without tokens".into()))?;
        let rollout = Self { requests, predicted_at, latents, steps, denoised, deciding_z };
        rollout.check(plan, channels)?;
        Ok(rollout)
    }

    /// Shapes that replay relies on.
    fn check(&self, plan: &StepPlan, channels: usize) -> Result<()> {
        let wrong =
            |what: &str| Err(Error::Config(format!("internal: the rollout's {what} do not fit its plan")));
        if self.steps.iter().map(|s| s.ar_step).ne(plan.ascending()) {
            return wrong("AR steps");
        }
        let rows_fit = |step: &TrainedStep| {
            let rows = step.tokens.iter().map(Vec::len).sum::<usize>();
            step.states.iter().all(|x| x.dims() == [rows, channels])
        };
        if !self.steps.iter().all(rows_fit) {
            return wrong("trajectories");
        }
        let all = [self.requests.len() * self.tokens(), channels];
        if !self.denoised.values().all(|x| x.dims() == all) {
            return wrong("denoised latents");
        }
        Ok(())
    }
}

/// The observer that fills a rollout.
struct Collector<'a> {
    all_tokens: Vec<bool>,
    keeps_denoised: bool,
    trained: Vec<usize>,
    tokens: usize,
    predicted_at: Vec<Vec<usize>>,
    states: Vec<Tensor<2>>,
    steps: Vec<TrainedStep>,
    denoised: BTreeMap<usize, Tensor<2>>,
    deciding_z: Option<Tensor<3>>,
    guided: bool,
    poll: &'a mut dyn FnMut(usize) -> Result<()>,
}

impl<'a> Collector<'a> {
    fn new(
        config: &RlConfig,
        plan: &StepPlan,
        (pictures, tokens): (usize, usize),
        poll: &'a mut dyn FnMut(usize) -> Result<()>,
    ) -> Self {
        let trained = plan.ascending();
        let needed = |k: usize| {
            let before_trained = config.consistency.enabled && trained.contains(&(k + 1));
            config.needs_all_tokens() && (trained.contains(&k) || before_trained)
        };
        Self {
            all_tokens: (0..plan.ar_steps).map(needed).collect(),
            keeps_denoised: config.consistency.enabled,
            trained,
            tokens,
            predicted_at: vec![vec![0; tokens]; pictures],
            states: Vec::new(),
            steps: Vec::new(),
            denoised: BTreeMap::new(),
            deciding_z: None,
            guided: is_guided(config.rollout.guidance),
            poll,
        }
    }

    /// Takes over the rows of the tokens that this step predicts.
    fn keep_deciding_z(&mut self, step: &ArStep<'_>) {
        let [rows, tokens, width] = step.z.dims();
        let now = step.z.clone().reshape([rows * tokens, width]);
        let mut predicted = step.predicted.to_vec();
        if self.guided {
            predicted.extend_from_slice(step.predicted);
        }
        let index = flat_rows(&predicted, tokens, &step.z.device());
        let kept = self.deciding_z.take().unwrap_or_else(|| step.z.zeros_like());
        let kept = kept.reshape([rows * tokens, width]);
        let values = now.select(0, index.clone());
        // Every token is predicted once, and its row is zero before that.
        let kept = kept.select_assign(0, index, values, burn::tensor::IndexingUpdateOp::Add);
        self.deciding_z = Some(kept.reshape([rows, tokens, width]));
    }
}

impl Observer for Collector<'_> {
    fn wants_all_tokens(&self, ar_step: usize) -> bool {
        self.all_tokens.get(ar_step).copied().unwrap_or(false)
    }

    fn denoising_step(&mut self, ar_step: usize, step: &DenoisingStep<'_>) -> Result<()> {
        if self.trained.contains(&ar_step) {
            if step.step == 0 {
                self.states = vec![step.x.clone()];
            }
            self.states.push(step.next.clone());
        }
        Ok(())
    }

    fn ar_step(&mut self, step: &ArStep<'_>) -> Result<()> {
        for (picture, predicted) in step.predicted.iter().enumerate() {
            for token in predicted {
                self.predicted_at[picture][*token] = step.ar_step;
            }
        }
        self.keep_deciding_z(step);
        let denoised_all = step.denoised.iter().all(|tokens| tokens.len() == self.tokens);
        if self.keeps_denoised && denoised_all {
            self.denoised.insert(step.ar_step, step.rows.clone());
        }
        if self.trained.contains(&step.ar_step) {
            self.steps.push(TrainedStep {
                ar_step: step.ar_step,
                before: step.before.clone(),
                tokens: step.denoised.to_vec(),
                states: std::mem::take(&mut self.states),
            });
        }
        (self.poll)(step.ar_step)
    }
}

//! What training changes: weights, optimiser state, average; and one update of them.

use std::collections::BTreeMap;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use crate::error::Result;
use crate::model::Generator;
use crate::model::groups::Part;
use crate::model::params::{FlatParam, flatten, with_values};
use crate::rl::config::{Frozen, RlConfig, RlOptimConfig};
use crate::rl::ema::Ema;
use crate::rl::optim::{OptimConfig, ParamOptimizer, global_norm};

/// The policy and everything that is needed to go on training it. Cloning is cheap: tensors are shared until changed.
#[derive(Clone)]
pub struct Policy {
    /// Weights, with autodiff.
    pub generator: Generator,
    /// State of the optimiser.
    pub optimizer: ParamOptimizer,
    /// Average of weights, if one is kept.
    pub average: Option<Ema>,
    /// Iterations done.
    pub iteration: usize,
    /// Seconds of training, pauses not counted.
    pub seconds: f64,
    /// Pictures sampled: the number of the next one, so that no noise is used twice whatever the size of a group becomes.
    pub pictures: usize,
    /// Optimiser steps done.
    pub updates: usize,
}

/// What one update saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateSeen {
    /// Global gradient norm before clipping.
    pub whole: f64,
    /// The same of each part: `head`, `transformer`, `text`.
    pub parts: BTreeMap<&'static str, f64>,
}

/// The numbers of the optimiser that parameters share; the learning rate of each part is a factor.
#[must_use]
pub fn optimizer_config(config: &RlOptimConfig) -> OptimConfig {
    OptimConfig {
        learning_rate: 1.0,
        beta1: config.beta1,
        beta2: config.beta2,
        weight_decay: config.weight_decay,
        muon_learning_rate: 0.0,
        muon_weight_decay: 0.0,
        clip_norm: config.clip_norm,
    }
}

impl Policy {
    /// The start of a run from `base`, plain weights.
    #[must_use]
    pub fn new(base: Generator, config: &RlConfig) -> Self {
        let mut policy = Self {
            generator: base.train(),
            optimizer: ParamOptimizer::new(&optimizer_config(&config.optim)),
            average: None,
            iteration: 0,
            seconds: 0.0,
            pictures: 0,
            updates: 0,
        };
        policy.configure(config);
        policy
    }

    /// Takes up `config`: what is frozen, the optimiser's numbers, whether an average is kept.
    pub fn configure(&mut self, config: &RlConfig) {
        let mut generator = self.generator.clone();
        for part in Part::ALL {
            generator = generator.set_require_grad_group(part.group(), !is_frozen(part, config.frozen));
        }
        self.generator = generator;
        self.optimizer.reconfigure(&optimizer_config(&config.optim));
        let decay = config.optim.ema_decay;
        self.average = match self.average.take() {
            _ if decay == 0.0 => None,
            Some(average) => Some(average.with_decay(decay)),
            None => Some(Ema::from_module(decay, &self.generator)),
        };
    }

    /// One optimiser step.
    ///
    /// # Errors
    /// [`crate::error::Error::Diverged`] if the gradient norm is not finite; the policy is then unchanged.
    pub fn update(
        &mut self,
        gradients: Vec<Option<Tensor<1>>>,
        config: &RlOptimConfig,
    ) -> Result<UpdateSeen> {
        let params = flatten(&self.generator);
        let parts = norms(&params, &gradients);
        let rate = |param: &FlatParam| match Part::of(&param.path) {
            Part::Head => config.head,
            Part::Transformer => config.transformer,
            Part::Text => config.text,
        };
        let step = self.optimizer.step(self.iteration, &params, gradients, &rate)?;
        if let Some(average) = &mut self.average {
            average.update(self.iteration, &step.values);
        }
        self.generator = with_values(self.generator.clone(), step.values);
        self.updates += 1;
        Ok(UpdateSeen { whole: step.gradient_norm, parts })
    }

    /// The weights that are scored and shown: the average if one is kept, else the newest; plain.
    #[must_use]
    pub fn shown(&self) -> Generator {
        match &self.average {
            None => self.generator.valid(),
            Some(average) => average.apply(self.generator.valid()),
        }
    }

    /// The weights that sample: the newest, plain.
    #[must_use]
    pub fn sampling(&self) -> Generator {
        self.generator.valid()
    }

    /// Mean absolute change of a weight since `start`, over the trained ones.
    #[must_use]
    pub fn displacement(&self, start: &Generator, device: &Device) -> f64 {
        let (mut sums, mut count) = (Tensor::<1>::zeros([1], device), 0usize);
        for (now, then) in flatten(&self.generator).into_iter().zip(flatten(start)) {
            if now.trained {
                count += now.value.dims()[0];
                sums = sums + (now.value - then.value).abs().sum();
            }
        }
        f64::from(sums.into_scalar::<f32>()) / count.max(1) as f64
    }
}

/// Whether `frozen` keeps `part` as it is.
#[must_use]
pub const fn is_frozen(part: Part, frozen: Frozen) -> bool {
    match frozen {
        Frozen::None => false,
        Frozen::Head => matches!(part, Part::Head),
        Frozen::Transformer => !matches!(part, Part::Head),
    }
}

fn norms(params: &[FlatParam], gradients: &[Option<Tensor<1>>]) -> BTreeMap<&'static str, f64> {
    Part::ALL
        .into_iter()
        .map(|part| {
            let own: Vec<Option<Tensor<1>>> = params
                .iter()
                .zip(gradients)
                .filter(|(param, _)| Part::of(&param.path) == part)
                .map(|(_, gradient)| gradient.clone())
                .collect();
            (part.name(), global_norm(&own))
        })
        .collect()
}

//! The policy term and the KL term of one diffusion step, element by element (paper-facts 3.2, 3.4, 3.8).
//!
//! `loss(k) = -(P(k) - beta · KL(k))`. Both are weighted sums over rows. A row is one token's transition; the weights
//! hold advantage, masks and normalisers. Multi-trajectory expectation needs nothing else: a selected token has S rows
//! with a weight of `1 / S` each in the place of one.

use burn::tensor::Tensor;

use super::config::KlElement;
use crate::model::diffusion::{Spread, Transition};

/// Deviations below this are floored in a log-probability, so that `min_std = 0` reproduces the variance floor of 1e-12
/// of the released code and not a division by zero (paper-facts 3.12).
pub const STD_FLOOR: f64 = 1e-6;

/// The transitions of some rows at one diffusion step.
#[derive(Clone, Debug)]
pub struct StepTerms {
    /// The policy's transition, `[rows, channels]`.
    pub transition: Transition,
    /// Mean of the reference policy's transition, `[rows, channels]`, outside the graph.
    pub reference_mean: Tensor<2>,
    /// Where the rollout went, `[rows, channels]`.
    pub next: Tensor<2>,
}

impl StepTerms {
    /// The same with the deviation outside the graph: the released code gives the variance no gradient.
    #[must_use]
    pub fn new(transition: Transition, reference_mean: Tensor<2>, next: Tensor<2>) -> Self {
        let std = match transition.std {
            Spread::Uniform(std) => Spread::Uniform(std),
            Spread::Elementwise(std) => Spread::Elementwise(std.detach()),
        };
        Self { transition: Transition { mean: transition.mean, std }, reference_mean, next }
    }

    /// Log-probability of the rollout's step under the policy, `[rows, channels]`.
    #[must_use]
    pub fn log_prob(&self) -> Tensor<2> {
        self.transition.log_prob(self.next.clone(), STD_FLOOR)
    }

    /// `sum(weight · exp(logp - sg(logp)))`: the ratio is 1 by construction, its gradient is that of the log-probability.
    ///
    /// # Shapes
    /// - `weight`: `[rows, 1]`, advantage times mask over normaliser
    /// - output: `[1]`
    #[must_use]
    pub fn policy(&self, weight: Tensor<2>, min_std: f64) -> Tensor<1> {
        let log_prob = self.log_prob();
        let ratio = (log_prob.clone() - log_prob.detach()).exp();
        let weighted = ratio * weight;
        match &self.transition.std {
            Spread::Elementwise(std) if min_std > 0.0 => {
                let skipped = std.clone().lower_elem(min_std);
                weighted.mask_fill(skipped, 0.0).sum()
            }
            _ => weighted.sum(),
        }
    }

    /// KL elements, `[rows, channels]`.
    #[must_use]
    pub fn kl_elements(&self, element: KlElement) -> Tensor<2> {
        let d = self.reference_mean.clone() - self.transition.mean.clone();
        match element {
            KlElement::MeanK3 => d.clone().exp() - d - 1.0,
            KlElement::Gaussian => match &self.transition.std {
                Spread::Uniform(std) => d.square().mul_scalar(0.5 / std.max(STD_FLOOR).powi(2)),
                Spread::Elementwise(std) => {
                    d.square() / std.clone().clamp_min(STD_FLOOR).square().mul_scalar(2.0)
                }
            },
        }
    }

    /// `|next - mean| / std²` summed over channels, `[rows, 1]`: the size of the policy term's gradient with respect to
    /// the mean, before weighting. Outside the graph.
    #[must_use]
    pub fn score_size(&self) -> Tensor<2> {
        let distance = (self.next.clone() - self.transition.mean.clone().detach()).abs();
        match &self.transition.std {
            Spread::Uniform(std) => distance.mul_scalar(1.0 / std.max(STD_FLOOR).powi(2)).sum_dim(1),
            Spread::Elementwise(std) => (distance / std.clone().clamp_min(STD_FLOOR).square()).sum_dim(1),
        }
    }
}

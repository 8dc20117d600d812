//! A stochastic denoising step as a Gaussian, and its log-probability.

use std::f64::consts::PI;

use burn::tensor::Tensor;

/// Standard deviation of a [`Transition`].
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a handful exist at a time")]
pub enum Spread {
    /// One number for all elements (flow, fixed variance).
    Uniform(f64),
    /// `[rows, channels]` (learned variance).
    Elementwise(Tensor<2>),
}

/// `next ~ N(mean, std²)` for each latent element.
#[derive(Clone, Debug)]
pub struct Transition {
    /// `[rows, channels]`.
    pub mean: Tensor<2>,
    /// Standard deviation.
    pub std: Spread,
}

impl Transition {
    /// The sample for standard normal `noise`.
    ///
    /// # Shapes
    /// - `noise` and output: `[rows, channels]`
    #[must_use]
    pub fn sample(&self, noise: Tensor<2>) -> Tensor<2> {
        match &self.std {
            Spread::Uniform(std) => self.mean.clone() + noise.mul_scalar(*std),
            Spread::Elementwise(std) => self.mean.clone() + noise * std.clone(),
        }
    }

    /// Log-density of `next`, element by element: `-(next - mean)² / (2 std²) - ln std - ln sqrt(2 pi)`.
    ///
    /// The standard deviation is floored at `min_std` (latent units), which must be positive if a step is
    /// deterministic; 1e-6 reproduces NOVA's DDPM variance floor of 1e-12 (paper-facts 3.12).
    ///
    /// # Shapes
    /// - `next` and output: `[rows, channels]`
    #[must_use]
    pub fn log_prob(&self, next: Tensor<2>, min_std: f64) -> Tensor<2> {
        let squared = (next - self.mean.clone()).square();
        let constant = 0.5 * (2.0 * PI).ln();
        match &self.std {
            Spread::Uniform(std) => {
                let std = std.max(min_std);
                squared.mul_scalar(-0.5 / (std * std)) - (std.ln() + constant)
            }
            Spread::Elementwise(std) => {
                let std = std.clone().clamp_min(min_std);
                -(squared / std.clone().square()).mul_scalar(0.5) - std.log() - constant
            }
        }
    }
}

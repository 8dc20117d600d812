//! Counter-based noise: the same numbers on every device, in every process, in any order of asking.
//!
//! Each draw is addressed, not consumed: `(seed, purpose, image, trajectory, AR step, diffusion step)` names a `ChaCha8`
//! stream of its own, generated on the host. A picture therefore does not depend on its neighbours in the batch,
//! a resumed run continues exactly, and "the same noise with other weights" is the same address.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal, StandardUniform};

/// What a draw is used for. Different purposes never share numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// Initial weights.
    Weights = 0,
    /// The order in which tokens are generated.
    Order = 1,
    /// The head's starting noise and the noise of its stochastic steps.
    Denoising = 2,
    /// Batches, masks and noise of supervised training.
    Pretraining = 3,
    /// Scenes and captions.
    World = 4,
    /// Choices of reinforcement learning: trained steps, random selections, shuffled advantages.
    Training = 5,
}

/// The address of one draw.
///
/// Ranges: `image` < 2^28, `trajectory` < 2^8, `ar_step` < 2^12, `diffusion_step` < 2^12.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoiseKey {
    /// The run's seed.
    pub seed: u64,
    /// What the draw is for.
    pub purpose: Purpose,
    /// Image number, or training step for [`Purpose::Pretraining`].
    pub image: u32,
    /// Denoising trajectory; 0 is the sampled one, 1.. are the extra ones of multi-trajectory expectation.
    pub trajectory: u8,
    /// AR step, counted from 0.
    pub ar_step: u16,
    /// Diffusion step, counted from 0; the starting noise has [`NoiseKey::START`].
    pub diffusion_step: u16,
}

impl NoiseKey {
    /// `diffusion_step` of the head's starting noise.
    pub const START: u16 = 0xfff;
    /// Images that have an address.
    pub const IMAGES: usize = 1 << 28;

    /// The draw for `image` with all other counters at zero.
    #[must_use]
    pub const fn new(seed: u64, purpose: Purpose, image: u32) -> Self {
        Self { seed, purpose, image, trajectory: 0, ar_step: 0, diffusion_step: 0 }
    }

    /// The generator at this address, for draws that need more than a plain vector.
    #[must_use]
    pub fn rng(self) -> ChaCha8Rng {
        debug_assert!(self.image < 1 << 28 && self.ar_step < 1 << 12 && self.diffusion_step < 1 << 12);
        let stream = (self.purpose as u64) << 60
            | u64::from(self.trajectory) << 52
            | u64::from(self.ar_step) << 40
            | u64::from(self.diffusion_step) << 28
            | u64::from(self.image);
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(stream);
        rng
    }

    /// `len` standard normal numbers.
    #[must_use]
    pub fn normal(self, len: usize) -> Vec<f32> {
        StandardNormal.sample_iter(self.rng()).take(len).collect()
    }

    /// `len` numbers uniform in `[0, 1)`.
    #[must_use]
    pub fn uniform(self, len: usize) -> Vec<f32> {
        StandardUniform.sample_iter(self.rng()).take(len).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_depends_on_every_part_of_its_address() {
        let base = NoiseKey::new(7, Purpose::Denoising, 3);
        let others = [
            NoiseKey { seed: 7 + 256, ..base },
            NoiseKey { purpose: Purpose::Order, ..base },
            NoiseKey { image: 4, ..base },
            NoiseKey { trajectory: 1, ..base },
            NoiseKey { ar_step: 1, ..base },
            NoiseKey { diffusion_step: 1, ..base },
        ];
        for other in others {
            assert_ne!(base.normal(4), other.normal(4), "{other:?}");
        }
        assert_eq!(base.normal(64)[..8], base.normal(8)[..], "a longer draw begins with the shorter one");
    }

    #[test]
    fn normal_draws_have_unit_variance() {
        let draw = NoiseKey::new(1, Purpose::Denoising, 0).normal(100_000);
        let mean = draw.iter().sum::<f32>() / 1e5;
        let variance = draw.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 1e5;
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "mean {mean}, variance {variance}");
    }
}

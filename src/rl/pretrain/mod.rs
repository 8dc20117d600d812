//! Supervised training of the shipped base, before any reinforcement learning.

pub mod autoencoder;
pub mod mar;

use serde::{Deserialize, Serialize};

/// Linear warm-up, then a cosine from 1 down to `floor`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CosineSchedule {
    /// Steps over which the learning rate rises from 0.
    pub warmup: usize,
    /// Share of the learning rate at the last step, 0 to 1.
    pub floor: f64,
}

impl Default for CosineSchedule {
    fn default() -> Self {
        Self { warmup: 100, floor: 0.01 }
    }
}

impl CosineSchedule {
    /// Factor on the learning rate at `step` of `steps`, counted from 0.
    #[must_use]
    pub fn at(&self, step: usize, steps: usize) -> f64 {
        if step < self.warmup {
            return (step + 1) as f64 / self.warmup as f64;
        }
        let progress = (step - self.warmup) as f64 / (steps.saturating_sub(self.warmup)).max(1) as f64;
        self.floor + (1.0 - self.floor) * 0.5 * (1.0 + (std::f64::consts::PI * progress.min(1.0)).cos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_then_falls_to_the_floor() {
        let schedule = CosineSchedule { warmup: 10, floor: 0.1 };
        assert!((schedule.at(0, 110) - 0.1).abs() < 1e-12);
        assert!((schedule.at(10, 110) - 1.0).abs() < 1e-12);
        assert!((schedule.at(60, 110) - 0.55).abs() < 1e-12);
        assert!((schedule.at(110, 110) - 0.1).abs() < 1e-12);
        assert!(schedule.at(3, 2).is_finite(), "a run shorter than its warm-up");
    }
}

//! What a session is doing right now.

use std::time::{Duration, Instant};

/// State of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Nothing yet.
    Idle,
    /// Weights are being read.
    Loading,
    /// Kernels are being tried out and compiled for the device.
    Autotuning,
    /// Pictures are being sampled.
    Sampling,
    /// Pictures are being decoded and judged.
    Rewarding,
    /// The rollout is being replayed and the weights updated.
    Updating,
    /// Scores, probes and pictures of fixed prompts are being made.
    Evaluating,
    /// Waiting for the user.
    Paused,
    /// All iterations are done.
    Finished,
    /// The user stopped it; it can be resumed.
    Stopped,
    /// It ended with an error; what was recorded is kept.
    Failed,
}

impl Activity {
    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Loading => "loading",
            Self::Autotuning => "autotuning",
            Self::Sampling => "sampling",
            Self::Rewarding => "rewarding",
            Self::Updating => "updating",
            Self::Evaluating => "evaluating",
            Self::Paused => "paused",
            Self::Finished => "finished",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }

    /// Whether nothing more will come.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Stopped | Self::Failed)
    }
}

/// What a session is doing, since when, and how far it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// What it does.
    pub activity: Activity,
    /// Since when.
    pub since: Instant,
    /// Iterations done.
    pub iteration: usize,
    /// Iterations in all.
    pub iterations: usize,
    /// Time of training, pauses not counted.
    pub active: Duration,
    /// Seconds of an iteration, mean over the last ten; 0 before the first.
    pub iteration_seconds: f64,
    /// Pictures sampled a second, over the same iterations.
    pub pictures_per_second: f64,
}

impl Default for Status {
    fn default() -> Self {
        Self {
            activity: Activity::Idle,
            since: Instant::now(),
            iteration: 0,
            iterations: 0,
            active: Duration::ZERO,
            iteration_seconds: 0.0,
            pictures_per_second: 0.0,
        }
    }
}

impl Status {
    /// Time left at the present speed; none before the first iteration.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        let left = self.iterations.saturating_sub(self.iteration) as f64 * self.iteration_seconds;
        (self.iteration_seconds > 0.0).then(|| Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX))
    }
}

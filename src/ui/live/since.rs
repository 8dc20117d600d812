//! Since when a signal is not fine.

use super::signals::{Signal, Verdict};

/// Recorded numbers looked at, from the cursor back. What is wrong for longer is said to be so.
const REACH: usize = 200;

/// Since when a signal is not fine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// The first iteration of those looked at.
    pub step: usize,
    /// Whether it may have begun before that.
    pub or_before: bool,
}

impl Since {
    /// In words.
    #[must_use]
    pub fn words(self) -> String {
        let before = if self.or_before { " or before" } else { "" };
        format!("since iteration {}{before}", self.step)
    }
}

const fn is_bad(signal: &Signal) -> bool {
    matches!(signal.verdict, Verdict::Look | Verdict::Wrong)
}

/// The first of the recorded numbers up to that of `signal` that are all not fine, `judge` giving the signal at or before an
/// iteration.
pub(super) fn since(signal: &Signal, judge: impl Fn(usize) -> Signal) -> Option<Since> {
    let mut step = signal.step.filter(|_| is_bad(signal))?;
    for _ in 0..REACH {
        let earlier = step.checked_sub(1).map(&judge).filter(is_bad).and_then(|earlier| earlier.step);
        match earlier {
            Some(earlier) if earlier < step => step = earlier,
            _ => return Some(Since { step, or_before: false }),
        }
    }
    Some(Since { step, or_before: true })
}

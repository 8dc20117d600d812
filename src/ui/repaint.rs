//! When the window is drawn again because something is new, and not because of its user.
//!
//! A graphics card draws at no cost to training. A software adapter takes the very cores that train: while nobody touches the
//! window, news wait for each other there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use eframe::egui::Context;

/// Between two frames on a software adapter while nobody touches the window.
const CALM: Duration = Duration::from_secs(3);
/// For so long after the last touch the window is as quick as it can be.
const TOUCHED: Duration = Duration::from_millis(1500);

/// Asks for frames. Clones share what they know.
#[derive(Clone)]
pub struct Repaint {
    ctx: Context,
    shared: Arc<Shared>,
}

struct Shared {
    start: Instant,
    software: bool,
    /// Milliseconds since `start`.
    drawn: AtomicU64,
    touched: AtomicU64,
}

impl Repaint {
    /// For the window of `ctx`; `software` says whether a software adapter draws it.
    #[must_use]
    pub fn new(ctx: Context, software: bool) -> Self {
        let shared =
            Shared { start: Instant::now(), software, drawn: AtomicU64::new(0), touched: AtomicU64::new(0) };
        Self { ctx, shared: Arc::new(shared) }
    }

    fn now(&self) -> u64 {
        self.shared.start.elapsed().as_millis() as u64
    }

    /// A frame begins: what is asked for while it is drawn waits for the one after it.
    pub fn drawing(&self) {
        self.shared.drawn.store(self.now(), Ordering::Relaxed);
    }

    /// The user did something.
    pub fn touched(&self) {
        self.shared.touched.store(self.now(), Ordering::Relaxed);
    }

    /// Something is new: it is drawn at once, or with what else is new soon.
    pub fn news(&self) {
        let wait = self.wait();
        if wait.is_zero() { self.ctx.request_repaint() } else { self.ctx.request_repaint_after(wait) }
    }

    /// What is shown changes with time: it is drawn after `interval`, or later where that costs too much.
    pub fn tick(&self, interval: Duration) {
        self.ctx.request_repaint_after(interval.max(self.wait()));
    }

    fn wait(&self) -> Duration {
        let now = self.now();
        let since =
            |moment: &AtomicU64| Duration::from_millis(now.saturating_sub(moment.load(Ordering::Relaxed)));
        if !self.shared.software || since(&self.shared.touched) < TOUCHED {
            return Duration::ZERO;
        }
        CALM.saturating_sub(since(&self.shared.drawn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_untouched_window_on_a_software_adapter_waits() {
        let quick = Repaint::new(Context::default(), false);
        quick.drawing();
        assert_eq!(quick.wait(), Duration::ZERO);
        let calm = Repaint::new(Context::default(), true);
        std::thread::sleep(Duration::from_millis(5));
        calm.shared.touched.store(0, Ordering::Relaxed);
        assert_eq!(calm.wait(), Duration::ZERO, "just opened counts as touched");
        let past = Instant::now().checked_sub(CALM * 4).unwrap();
        let calm = Repaint {
            ctx: Context::default(),
            shared: Arc::new(Shared {
                start: past,
                software: true,
                drawn: AtomicU64::new(0),
                touched: AtomicU64::new(0),
            }),
        };
        assert_eq!(calm.wait(), Duration::ZERO, "the last frame is long ago");
        calm.drawing();
        let wait = calm.wait();
        assert!(wait > CALM / 2 && wait <= CALM, "what a frame asks for waits for the next: {wait:?}");
        calm.touched();
        assert_eq!(calm.wait(), Duration::ZERO, "touched");
    }
}

//! Opens the window. What can keep it from opening is told in a sentence that says what to do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use eframe::egui::{IconData, ViewportBuilder, vec2};

use super::app::{App, Options};
use super::log_file;
use crate::error::{Error, Result};

/// Size of the window at first, points.
pub const SIZE: [f32; 2] = [1440.0, 900.0];
/// The least size at which everything can be reached, points.
pub const LEAST_SIZE: [f32; 2] = [1024.0, 700.0];

/// What to do instead, at the end of every reason.
const INSTEAD: &str = "`marscope train` trains without a window and `marscope runs` reads what was recorded";

/// Opens the window and returns when it is closed.
///
/// # Errors
/// [`Error::Device`] if there is no display, no graphics adapter, or the adapter was lost.
pub fn open(options: Options, size: [f32; 2]) -> Result<()> {
    display()?;
    if let Err(problem) = log_file::start() {
        eprintln!("{problem}");
    }
    let native = eframe::NativeOptions {
        viewport: ViewportBuilder::default()
            .with_title("marscope")
            .with_app_id("marscope")
            .with_inner_size(vec2(size[0], size[1]))
            .with_min_inner_size(vec2(LEAST_SIZE[0].min(size[0]), LEAST_SIZE[1].min(size[1])))
            .with_icon(icon()),
        ..Default::default()
    };
    let failure = Arc::new(Mutex::new(None));
    let theirs = Arc::clone(&failure);
    // A broken driver or a missing library may panic; the reason is in the log, and a sentence is better than a trace.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        eframe::run_native(
            "marscope",
            native,
            Box::new(move |cx| Ok(Box::new(Watched { app: App::new(cx, options)?, failure: theirs }))),
        )
    }));
    match outcome {
        Err(caught) => Err(Error::Device(not_opened(crate::session::panic::text(caught.as_ref())))),
        Ok(Err(error)) => Err(Error::Device(not_opened(&error.to_string()))),
        Ok(Ok(())) => match failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(reason) => Err(Error::Device(reason)),
            None => Ok(()),
        },
    }
}

/// Hands on what went wrong when the window closes.
struct Watched {
    app: App,
    failure: Arc<Mutex<Option<String>>>,
}

impl eframe::App for Watched {
    fn logic(&mut self, ctx: &eframe::egui::Context, frame: &mut eframe::Frame) {
        self.app.logic(ctx, frame);
    }

    fn ui(&mut self, ui: &mut eframe::egui::Ui, frame: &mut eframe::Frame) {
        self.app.ui(ui, frame);
    }

    fn clear_color(&self, visuals: &eframe::egui::Visuals) -> [f32; 4] {
        self.app.clear_color(visuals)
    }

    fn on_exit(&mut self) {
        self.app.on_exit();
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = self.app.failure();
    }
}

/// Whether there is a display to open a window on.
#[cfg(all(unix, not(target_os = "macos")))]
fn display() -> Result<()> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if set("DISPLAY") || set("WAYLAND_DISPLAY") || set("WAYLAND_SOCKET") {
        return Ok(());
    }
    Err(Error::Device(format!(
        "there is no display to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set. Over ssh, log in with \
         `ssh -X`; without a screen, {INSTEAD}"
    )))
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
#[expect(clippy::unnecessary_wraps, reason = "there is always a display here")]
const fn display() -> Result<()> {
    Ok(())
}

/// Why the window did not open, and what to do.
fn not_opened(reason: &str) -> String {
    let lower = reason.to_lowercase();
    let cure = if lower.contains("adapter")
        || lower.contains("wgpu")
        || lower.contains("surface")
        || lower.contains("backend")
    {
        "no graphics adapter can draw it: `marscope devices` lists what there is; on Debian and Ubuntu install the \
         vendor's driver, or mesa-vulkan-drivers for a software adapter"
    } else if lower.contains("lib")
        && (lower.contains("load") || lower.contains("open") || lower.contains(".so"))
    {
        "a library of the display is missing: on Debian and Ubuntu install libxkbcommon-x11-0 libxcursor1 libxi6 libxrandr2"
    } else {
        "the display refused it: is the one that DISPLAY or WAYLAND_DISPLAY names running?"
    };
    format!("the window could not be opened ({}): {cure}; {INSTEAD}", reason.trim().trim_end_matches('.'))
}

/// Tokens of a picture, some of them lit.
fn icon() -> IconData {
    const SIDE: u32 = 64;
    let lit = [(1, 1), (2, 1), (1, 2), (2, 2), (5, 4), (4, 5), (5, 5), (6, 5), (3, 3)];
    let pixel = |i: u32| {
        let (x, y) = (i % SIDE, i / SIDE);
        let edge = x % 8 == 0 || y % 8 == 0;
        match (edge, lit.contains(&(x / 8, y / 8))) {
            (true, _) => [24, 27, 33, 255],
            (false, true) => [240, 190, 80, 255],
            (false, false) => [38, 84, 124, 255],
        }
    };
    IconData { rgba: (0..SIDE * SIDE).flat_map(pixel).collect(), width: SIDE, height: SIDE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_says_what_to_do() {
        let adapter = not_opened("WGPU error: No suitable graphics adapter found.");
        assert!(adapter.contains("mesa-vulkan-drivers") && adapter.contains("marscope devices"), "{adapter}");
        let library = not_opened("Library libxkbcommon-x11.so could not be loaded.");
        assert!(library.contains("libxkbcommon-x11-0"), "{library}");
        let other = not_opened("winit EventLoopError: os error");
        assert!(other.contains("DISPLAY") && other.contains("marscope train"), "{other}");
    }

    #[test]
    fn the_icon_has_its_size() {
        let icon = icon();
        assert_eq!(icon.rgba.len(), (icon.width * icon.height * 4) as usize);
    }
}

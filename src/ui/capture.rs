//! Pictures of the window: of a panel, to be saved, and of all of it, for the README and for tests.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use eframe::egui::{ColorImage, Context, Pos2, Rect, ScreenshotCallback, ViewportCommand, vec2};

use super::action::{Content, Export};
use crate::error::Error;
use crate::session::slot::Slot;
use crate::world::image::Rgb8;

/// Frames that must pass with nothing left to be read.
const SETTLED: usize = 6;
/// Time that must pass, so that nothing is caught half faded in.
const SHORTEST: Duration = Duration::from_millis(1200);
/// A picture that cannot be taken after this time is not waited for.
const LONGEST: Duration = Duration::from_mins(1);

/// A picture of the whole window that is taken once everything is there; then the window closes.
pub struct Capture {
    path: PathBuf,
    started: Instant,
    settled: usize,
    asked: bool,
    outcome: Arc<Mutex<Option<Result<(), String>>>>,
}

impl Capture {
    /// A picture to be written to `path`.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, started: Instant::now(), settled: 0, asked: false, outcome: Arc::default() }
    }

    /// Goes on; `waiting` says whether something is still being read.
    pub fn ui(&mut self, ctx: &Context, waiting: bool) {
        ctx.request_repaint_after(Duration::from_millis(30));
        if self.outcome().is_some() || self.started.elapsed() > LONGEST {
            ctx.send_viewport_cmd(ViewportCommand::Close);
            return;
        }
        self.settled = if waiting { 0 } else { self.settled + 1 };
        if !self.asked && self.settled >= SETTLED && self.started.elapsed() >= SHORTEST {
            self.asked = true;
            let (path, outcome, repaint) = (self.path.clone(), Arc::clone(&self.outcome), ctx.clone());
            let take = ScreenshotCallback::new(move |image| {
                let written = picture(&image)
                    .and_then(|picture| picture.write_png(&path))
                    .map_err(|error| error.to_string());
                *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(written);
                repaint.request_repaint();
            });
            ctx.send_viewport_cmd(ViewportCommand::Screenshot(take));
        }
    }

    fn outcome(&self) -> Option<Result<(), String>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Why there is no picture.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        match self.outcome() {
            Some(Ok(())) => None,
            Some(Err(reason)) => Some(reason),
            None => Some(format!("no picture of the window could be taken for {}", self.path.display())),
        }
    }
}

fn picture(image: &ColorImage) -> crate::error::Result<Rgb8> {
    let pixels = image.pixels.iter().flat_map(|colour| [colour.r(), colour.g(), colour.b()]).collect();
    Rgb8::new(image.size[0], image.size[1], pixels)
}

/// A picture of a panel, taken at once and saved when the user has said where.
pub struct Shot {
    name: String,
    taken: Slot<Result<Vec<u8>, String>>,
}

impl Shot {
    /// Takes what the window shows in `rect` (points) in the next frame.
    #[must_use]
    pub fn take(ctx: &Context, rect: Rect, name: String) -> Self {
        let scale = ctx.pixels_per_point();
        let (taken, repaint) = (Slot::default(), ctx.clone());
        let put: Slot<Result<Vec<u8>, String>> = taken.clone();
        let take = ScreenshotCallback::new(move |image| {
            // The window may have become smaller since.
            let whole =
                Rect::from_min_size(Pos2::ZERO, vec2(image.size[0] as f32, image.size[1] as f32) / scale);
            let rect = rect.intersect(whole);
            let png = if rect.is_positive() {
                picture(&image.region(&rect, Some(scale))).and_then(|picture| picture.to_png())
            } else {
                Err(Error::Config("the panel is not in the window any more".into()))
            };
            put.put(png.map_err(|error| error.to_string()));
            repaint.request_repaint();
        });
        ctx.send_viewport_cmd(ViewportCommand::Screenshot(take));
        ctx.request_repaint();
        Self { name, taken }
    }

    /// What is to be saved, once it is there; or why there is nothing.
    #[must_use]
    pub fn export(&self) -> Option<Result<Export, String>> {
        let taken = self.taken.newest()?;
        let export =
            |bytes: &Vec<u8>| Export { name: self.name.clone(), content: Content::Png(bytes.clone()) };
        Some((*taken).as_ref().map(export).map_err(Clone::clone))
    }
}

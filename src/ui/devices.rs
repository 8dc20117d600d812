//! The devices of this machine, looked for when somebody wants to choose one: that opens every card and may take seconds.

use std::sync::Arc;

use eframe::egui::Context;

use crate::session::device::{DeviceLine, list};
use crate::session::slot::Slot;

/// The devices, once they are known.
#[derive(Default)]
pub struct Devices {
    found: Slot<Vec<DeviceLine>>,
    asked: bool,
}

impl Devices {
    /// The devices; `None` while they are being looked for, which the first call starts.
    pub fn list(&mut self, ctx: &Context) -> Option<Arc<Vec<DeviceLine>>> {
        if !std::mem::replace(&mut self.asked, true) {
            let (found, repaint) = (self.found.clone(), ctx.clone());
            let started = std::thread::Builder::new().name("devices".into()).spawn(move || {
                found.put(list());
                repaint.request_repaint();
            });
            if let Err(error) = started {
                log::error!("the thread that looks for devices could not be started: {error}");
            }
        }
        self.known()
    }

    /// The devices, if they were looked for.
    #[must_use]
    pub fn known(&self) -> Option<Arc<Vec<DeviceLine>>> {
        self.found.newest()
    }
}

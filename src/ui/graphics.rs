//! Watches the graphics adapter: an error of it must not end the program without a word, nor take a run with it.

use std::sync::{Arc, Mutex, PoisonError};

/// What the graphics adapter reported.
#[derive(Clone, Default)]
pub struct Graphics {
    lost: Arc<Mutex<Option<String>>>,
    /// Name of the adapter, and whether it is a software one.
    adapter: Option<(String, bool)>,
}

impl Graphics {
    /// Watches the adapter of the window.
    #[must_use]
    pub fn install(cx: &eframe::CreationContext<'_>) -> Self {
        let Some(render) = &cx.wgpu_render_state else { return Self::default() };
        let info = render.adapter.get_info();
        let software = info.device_type == eframe::wgpu::DeviceType::Cpu;
        let graphics = Self { lost: Arc::default(), adapter: Some((info.name, software)) };
        let (lost, ctx) = (Arc::clone(&graphics.lost), cx.egui_ctx.clone());
        render.device.set_device_lost_callback(move |reason, text| {
            // Reported at the end of the program too.
            if reason != eframe::wgpu::DeviceLostReason::Destroyed {
                *lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
                ctx.request_repaint();
            }
        });
        // The default handler panics.
        render.device.on_uncaptured_error(Arc::new(|error| log::error!("graphics: {error}")));
        graphics
    }

    /// Whether a software adapter draws it.
    #[must_use]
    pub fn is_software(&self) -> bool {
        self.adapter.as_ref().is_some_and(|(_, software)| *software)
    }

    /// What draws the window, in words.
    #[must_use]
    pub fn adapter(&self) -> String {
        match &self.adapter {
            None => "no graphics adapter".to_owned(),
            Some((name, true)) => format!("the software adapter {name}: a graphics driver would be faster"),
            Some((name, false)) => name.clone(),
        }
    }

    /// Why nothing can be drawn any more.
    #[must_use]
    pub fn lost(&self) -> Option<String> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.as_ref().map(|text| {
            format!(
                "the graphics adapter was lost ({}); runs are intact: open them again, or train without a window with \
                 `marscope train`",
                text.trim()
            )
        })
    }
}

//! One picture in egui's list of things to paint.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use eframe::egui::{PaintCallbackInfo, Rect};
use eframe::egui_wgpu::{CallbackResources, CallbackTrait, ScreenDescriptor};
use eframe::wgpu;

use super::cache::Gpu;
use super::layer::Picture;
use super::pipeline::OverlayResources;
use super::settings::Overlay;
use super::uniforms::{Placement, Uniforms};

/// A picture with its overlay, to be painted in a rectangle. It keeps its own place in the frame: many are painted in
/// one frame, each with other textures.
pub(super) struct OverlayCallback {
    picture: Arc<Picture>,
    overlay: Overlay,
    rect: Rect,
    uv: Rect,
    alpha: f32,
    draw: AtomicU32,
}

impl OverlayCallback {
    pub(super) const fn new(
        picture: Arc<Picture>,
        overlay: Overlay,
        rect: Rect,
        uv: Rect,
        alpha: f32,
    ) -> Self {
        Self { picture, overlay, rect, uv, alpha, draw: AtomicU32::new(u32::MAX) }
    }
}

impl CallbackTrait for OverlayCallback {
    fn prepare(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        screen: &ScreenDescriptor,
        _encoder: &mut wgpu::CommandEncoder,
        resources: &mut CallbackResources,
    ) -> Vec<wgpu::CommandBuffer> {
        if let Some(resources) = resources.get_mut::<OverlayResources>() {
            let place = Placement {
                rect_px: self.rect * screen.pixels_per_point,
                uv: self.uv,
                pixels_per_point: screen.pixels_per_point,
                alpha: self.alpha,
            };
            let uniforms = Uniforms::new(&self.overlay, &place);
            let draw = resources.add(Gpu { device, queue }, &self.overlay.layers(&self.picture), &uniforms);
            self.draw.store(draw, Ordering::Relaxed);
        }
        Vec::new()
    }

    fn finish_prepare(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        _encoder: &mut wgpu::CommandEncoder,
        resources: &mut CallbackResources,
    ) -> Vec<wgpu::CommandBuffer> {
        if let Some(resources) = resources.get_mut::<OverlayResources>() {
            resources.send(Gpu { device, queue });
        }
        Vec::new()
    }

    fn paint(
        &self,
        _info: PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        resources: &CallbackResources,
    ) {
        if let Some(resources) = resources.get::<OverlayResources>() {
            resources.paint(pass, self.draw.load(Ordering::Relaxed));
        }
    }
}

//! The one render pipeline of all overlays, and what its draws of a frame share.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::Arc;

use eframe::egui::mutex::RwLock;
use eframe::egui_wgpu::{RenderState, Renderer};
use eframe::wgpu;

use super::SHADER;
use super::cache::{Gpu, Kind, Source, TextureCache, TextureKey};
use super::settings::Layers;
use super::uniforms::{Uniforms, WORDS};

/// Bytes from one draw's numbers to the next: the largest alignment that a device may ask for.
const STRIDE: usize = 256;

/// Texture memory that is kept for pictures which are not on the screen now.
const BOUND_BYTES: usize = 256 << 20;

/// More bind groups than this are not kept from frame to frame.
const MOST_BIND_GROUPS: usize = 4096;

/// Kind of each texture, in the order of the bindings of `overlay.wgsl`.
const BINDINGS: [Kind; 7] =
    [Kind::Picture, Kind::Picture, Kind::Map, Kind::Map, Kind::Mask, Kind::Mask, Kind::Map];

/// The textures of one draw.
type BindKey = [Option<TextureKey>; 7];

/// Draws overlays in a window. Cheap to clone; all clones draw with the same pipeline.
#[derive(Clone)]
pub struct OverlayRenderer {
    renderer: Arc<RwLock<Renderer>>,
}

/// What was sent to the GPU since the start, and what is kept there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UploadCounts {
    /// Textures uploaded.
    pub textures: u64,
    /// Bytes of them.
    pub texture_bytes: u64,
    /// Times that numbers of draws changed and were uploaded, at most once a frame.
    pub uniforms: u64,
    /// Textures kept now.
    pub kept_textures: usize,
    /// Memory they take.
    pub kept_bytes: usize,
    /// Draws of the last frame.
    pub draws: usize,
}

impl OverlayRenderer {
    /// Makes the pipeline for a window without multisampling and without a depth buffer, as eframe opens it.
    #[must_use]
    pub fn install(state: &RenderState) -> Self {
        Self::install_with_bound(state, BOUND_BYTES)
    }

    /// The same with a bound on texture memory in bytes. What one frame draws is kept even if it takes more.
    #[must_use]
    pub fn install_with_bound(state: &RenderState, bound_bytes: usize) -> Self {
        let resources = OverlayResources::new(&state.device, state.target_format, bound_bytes);
        state.renderer.write().callback_resources.insert(resources);
        Self { renderer: Arc::clone(&state.renderer) }
    }

    /// What was uploaded. Not while a frame is being rendered.
    #[must_use]
    pub fn counts(&self) -> UploadCounts {
        let renderer = self.renderer.read();
        renderer
            .callback_resources
            .get::<OverlayResources>()
            .map(OverlayResources::counts)
            .unwrap_or_default()
    }
}

/// One draw of this frame.
#[derive(Clone, Copy)]
struct Draw {
    words: [u32; WORDS],
    textures: BindKey,
}

struct UniformRing {
    buffer: wgpu::Buffer,
    group: wgpu::BindGroup,
    /// What the buffer holds.
    words: Vec<[u32; WORDS]>,
    capacity: usize,
}

struct BoundTextures {
    group: wgpu::BindGroup,
    last_frame: u64,
}

/// Lives in the callback resources of egui's renderer.
pub(super) struct OverlayResources {
    pipeline: wgpu::RenderPipeline,
    uniform_layout: wgpu::BindGroupLayout,
    texture_layout: wgpu::BindGroupLayout,
    ring: UniformRing,
    cache: TextureCache,
    groups: BTreeMap<BindKey, BoundTextures>,
    draws: Vec<Draw>,
    frame: u64,
    /// Whether the draws are those of a frame that was sent off.
    sent: bool,
    uniform_uploads: u64,
}

impl OverlayResources {
    fn new(device: &wgpu::Device, target: wgpu::TextureFormat, bound_bytes: usize) -> Self {
        let uniform_layout = uniform_layout(device);
        let texture_layout = texture_layout(device);
        Self {
            pipeline: render_pipeline(device, target, [&uniform_layout, &texture_layout]),
            ring: UniformRing::new(device, &uniform_layout, 64),
            uniform_layout,
            texture_layout,
            cache: TextureCache::new(device, bound_bytes),
            groups: BTreeMap::new(),
            draws: Vec::new(),
            frame: 1,
            sent: false,
            uniform_uploads: 0,
        }
    }

    /// Adds a draw to the frame and returns its number.
    pub(super) fn add(&mut self, gpu: Gpu<'_>, layers: &Layers<'_>, uniforms: &Uniforms) -> u32 {
        if self.sent {
            self.sent = false;
            self.frame += 1;
            self.draws.clear();
        }
        let sources = [
            Some(Source::Picture(layers.picture)),
            layers.second_picture.map(Source::Picture),
            layers.map.map(Source::Map),
            layers.second_map.map(Source::Map),
            layers.mask.map(Source::Mask),
            layers.second_mask.map(Source::Mask),
            layers.order.map(Source::Map),
        ];
        let textures = sources.map(|source| source.map(|source| self.cache.ensure(gpu, source, self.frame)));
        self.bind(gpu.device, textures);
        self.draws.push(Draw { words: uniforms.words(), textures });
        self.draws.len() as u32 - 1
    }

    fn bind(&mut self, device: &wgpu::Device, textures: BindKey) {
        if let Some(bound) = self.groups.get_mut(&textures) {
            bound.last_frame = self.frame;
            return;
        }
        let views = BINDINGS.iter().zip(textures).enumerate();
        let entries: Vec<_> = views
            .filter_map(|(binding, (kind, key))| {
                let view = self.cache.view(*kind, key)?;
                let resource = wgpu::BindingResource::TextureView(view);
                Some(wgpu::BindGroupEntry { binding: binding as u32, resource })
            })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("overlay textures"),
            layout: &self.texture_layout,
            entries: &entries,
        });
        self.groups.insert(textures, BoundTextures { group, last_frame: self.frame });
    }

    /// Uploads the numbers of this frame's draws if they changed, and drops what has not been drawn for long. Once a
    /// frame, after all draws were added.
    pub(super) fn send(&mut self, gpu: Gpu<'_>) {
        if self.sent {
            return;
        }
        self.sent = true;
        if self.draws.len() > self.ring.capacity {
            let capacity = self.draws.len().next_power_of_two();
            self.ring = UniformRing::new(gpu.device, &self.uniform_layout, capacity);
        }
        if self.ring.update(gpu.queue, &self.draws) {
            self.uniform_uploads += 1;
        }
        if self.cache.trim(self.frame) {
            let cache = &self.cache;
            self.groups.retain(|textures, _| textures.iter().flatten().all(|key| cache.contains(*key)));
        }
        if self.groups.len() > MOST_BIND_GROUPS {
            self.groups.retain(|_, bound| bound.last_frame == self.frame);
        }
    }

    /// Draws number `draw` of this frame into the viewport.
    pub(super) fn paint(&self, pass: &mut wgpu::RenderPass<'static>, draw: u32) {
        let textures = self.draws.get(draw as usize).and_then(|draw| self.groups.get(&draw.textures));
        let Some(textures) = textures.filter(|_| self.sent) else { return };
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.ring.group, &[draw * STRIDE as u32]);
        pass.set_bind_group(1, &textures.group, &[]);
        pass.draw(0..4, 0..1);
    }

    fn counts(&self) -> UploadCounts {
        let (textures, texture_bytes) = self.cache.uploads();
        UploadCounts {
            textures,
            texture_bytes,
            uniforms: self.uniform_uploads,
            kept_textures: self.cache.len(),
            kept_bytes: self.cache.bytes(),
            draws: self.draws.len(),
        }
    }
}

impl UniformRing {
    fn new(device: &wgpu::Device, layout: &wgpu::BindGroupLayout, capacity: usize) -> Self {
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("overlay draws"),
            size: (capacity * STRIDE) as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let binding =
            wgpu::BufferBinding { buffer: &buffer, offset: 0, size: NonZeroU64::new(4 * WORDS as u64) };
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("overlay draw"),
            layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(binding) }],
        });
        Self { buffer, group, words: Vec::new(), capacity }
    }

    /// Uploads from the first to the last draw that changed. Whether there was one.
    fn update(&mut self, queue: &wgpu::Queue, draws: &[Draw]) -> bool {
        let changed = |(i, draw): (usize, &Draw)| (self.words.get(i) != Some(&draw.words)).then_some(i);
        let mut changes = draws.iter().enumerate().filter_map(changed);
        let Some(first) = changes.next() else { return false };
        let last = changes.next_back().unwrap_or(first);
        let mut bytes = Vec::with_capacity((last + 1 - first) * STRIDE);
        for draw in &draws[first..=last] {
            bytes.extend_from_slice(bytemuck::cast_slice(&draw.words));
            bytes.resize(bytes.len().next_multiple_of(STRIDE), 0);
        }
        queue.write_buffer(&self.buffer, (first * STRIDE) as u64, &bytes);
        self.words.resize(self.words.len().max(draws.len()), [0; WORDS]);
        for (held, draw) in self.words.iter_mut().zip(draws) {
            *held = draw.words;
        }
        true
    }
}

fn uniform_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("overlay draw"),
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::VERTEX,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: true,
                min_binding_size: NonZeroU64::new(4 * WORDS as u64),
            },
            count: None,
        }],
    })
}

fn texture_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entries: Vec<_> = BINDINGS
        .iter()
        .enumerate()
        .map(|(binding, kind)| wgpu::BindGroupLayoutEntry {
            binding: binding as u32,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty: wgpu::BindingType::Texture {
                sample_type: kind.sample_type(),
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: false,
            },
            count: None,
        })
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("overlay textures"),
        entries: &entries,
    })
}

fn render_pipeline(
    device: &wgpu::Device,
    target: wgpu::TextureFormat,
    layouts: [&wgpu::BindGroupLayout; 2],
) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("overlay"),
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("overlay"),
        bind_group_layouts: &layouts.map(Some),
        immediate_size: 0,
    });
    let entry_point = if target.is_srgb() { "fragment_linear" } else { "fragment_gamma" };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("overlay"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vertex_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState {
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some(entry_point),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format: target,
                blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}

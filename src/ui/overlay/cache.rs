//! Textures by content: each is uploaded once, and the least recently drawn ones go when there are too many.

use std::borrow::Cow;
use std::collections::BTreeMap;

use eframe::wgpu;

use super::layer::{Picture, TokenMap, TokenMask};

/// A texture takes at least this much, however small it is: drivers give out whole pages.
const LEAST_BYTES: usize = 4096;

/// What a texture holds. The order is that of the bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Picture,
    Map,
    Mask,
}

impl Kind {
    const fn format(self) -> wgpu::TextureFormat {
        match self {
            Self::Picture => wgpu::TextureFormat::Rgba8Unorm,
            Self::Map => wgpu::TextureFormat::R32Uint,
            Self::Mask => wgpu::TextureFormat::R8Uint,
        }
    }

    pub(super) const fn sample_type(self) -> wgpu::TextureSampleType {
        match self {
            Self::Picture => wgpu::TextureSampleType::Float { filterable: false },
            Self::Map | Self::Mask => wgpu::TextureSampleType::Uint,
        }
    }
}

/// The name of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextureKey {
    kind: Kind,
    id: u64,
}

/// What a texture is made from.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Picture(&'a Picture),
    Map(&'a TokenMap),
    Mask(&'a TokenMask),
}

impl Source<'_> {
    fn key(&self) -> TextureKey {
        match self {
            Self::Picture(picture) => TextureKey { kind: Kind::Picture, id: picture.id() },
            Self::Map(map) => TextureKey { kind: Kind::Map, id: map.id() },
            Self::Mask(mask) => TextureKey { kind: Kind::Mask, id: mask.id() },
        }
    }

    fn size(&self) -> [usize; 2] {
        match self {
            Self::Picture(picture) => [picture.image().width, picture.image().height],
            Self::Map(map) => [map.side(); 2],
            Self::Mask(mask) => [mask.side(); 2],
        }
    }

    fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Picture(picture) => Cow::Owned(picture.rgba()),
            Self::Map(map) => Cow::Borrowed(bytemuck::cast_slice(map.values())),
            Self::Mask(mask) => Cow::Borrowed(mask.bits()),
        }
    }
}

/// The device that textures live on.
#[derive(Clone, Copy)]
pub(super) struct Gpu<'a> {
    pub(super) device: &'a wgpu::Device,
    pub(super) queue: &'a wgpu::Queue,
}

struct Entry {
    view: wgpu::TextureView,
    bytes: usize,
    last_frame: u64,
}

/// Textures by content.
pub(super) struct TextureCache {
    entries: BTreeMap<TextureKey, Entry>,
    /// Stand in for layers that a draw does not have.
    blanks: BTreeMap<Kind, wgpu::TextureView>,
    bound_bytes: usize,
    bytes: usize,
    uploads: u64,
    uploaded_bytes: u64,
}

impl TextureCache {
    pub(super) fn new(device: &wgpu::Device, bound_bytes: usize) -> Self {
        let blank = |kind| (kind, view_of(&create(device, kind, [1, 1])));
        Self {
            entries: BTreeMap::new(),
            blanks: [Kind::Picture, Kind::Map, Kind::Mask].map(blank).into(),
            bound_bytes,
            bytes: 0,
            uploads: 0,
            uploaded_bytes: 0,
        }
    }

    /// Sees to it that the texture is there, and notes that this frame draws it.
    pub(super) fn ensure(&mut self, gpu: Gpu<'_>, source: Source<'_>, frame: u64) -> TextureKey {
        let key = source.key();
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.last_frame = frame;
            return key;
        }
        let texture = create(gpu.device, key.kind, source.size());
        let bytes = source.bytes();
        upload(gpu.queue, &texture, &bytes);
        self.uploads += 1;
        self.uploaded_bytes += bytes.len() as u64;
        let bytes = bytes.len().max(LEAST_BYTES);
        self.bytes += bytes;
        self.entries.insert(key, Entry { view: view_of(&texture), bytes, last_frame: frame });
        key
    }

    /// The texture, or a blank one of the kind.
    pub(super) fn view(&self, kind: Kind, key: Option<TextureKey>) -> Option<&wgpu::TextureView> {
        let entry = key.and_then(|key| self.entries.get(&key)).map(|entry| &entry.view);
        entry.or_else(|| self.blanks.get(&kind))
    }

    pub(super) fn contains(&self, key: TextureKey) -> bool {
        self.entries.contains_key(&key)
    }

    /// Drops the textures that were drawn longest ago until the bound is kept; those of `frame` stay. Whether any went.
    pub(super) fn trim(&mut self, frame: u64) -> bool {
        if self.bytes <= self.bound_bytes {
            return false;
        }
        let mut idle: Vec<(u64, TextureKey)> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.last_frame < frame)
            .map(|(key, entry)| (entry.last_frame, *key))
            .collect();
        idle.sort_unstable();
        let before = self.entries.len();
        for (_, key) in idle {
            if self.bytes <= self.bound_bytes {
                break;
            }
            if let Some(entry) = self.entries.remove(&key) {
                self.bytes -= entry.bytes;
            }
        }
        self.entries.len() < before
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) const fn uploads(&self) -> (u64, u64) {
        (self.uploads, self.uploaded_bytes)
    }
}

fn view_of(texture: &wgpu::Texture) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

fn create(device: &wgpu::Device, kind: Kind, size: [usize; 2]) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("overlay layer"),
        size: wgpu::Extent3d { width: size[0] as u32, height: size[1] as u32, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: kind.format(),
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    })
}

fn upload(queue: &wgpu::Queue, texture: &wgpu::Texture, bytes: &[u8]) {
    let size = texture.size();
    queue.write_texture(
        texture.as_image_copy(),
        bytes,
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some((bytes.len() / size.height as usize) as u32),
            rows_per_image: Some(size.height),
        },
        size,
    );
}

//! Token maps over pictures, drawn on the GPU.
//!
//! A [`Picture`], its [`TokenMap`]s and [`TokenMask`]s become textures once; one pipeline (`shaders/overlay.wgsl`)
//! colours, blends, thresholds, hatches and draws the grid and the selection. [`image_ui`] is the widget, [`compose()`]
//! the same picture computed on the CPU for export.

mod cache;
mod callback;
pub mod colormap;
pub mod compose;
pub mod layer;
pub mod legend;
pub mod pipeline;
pub mod scale;
pub mod scale_bar;
pub mod settings;
mod shade;
mod uniforms;
pub mod view;
pub mod zoom;

pub use colormap::ColourMap;
pub use compose::compose;
pub use layer::{Picture, TokenMap, TokenMask};
pub use legend::{LegendMark, brushed_colour, legend_ui};
pub use pipeline::{OverlayRenderer, UploadCounts};
pub use scale::{ValueRange, ValueSummary};
pub use scale_bar::{ScaleBar, scale_bar_ui};
pub use settings::{Built, Comparison, Overlay, Second};
pub use view::{ImageResponse, ImageView, WHOLE, image_ui};
pub use zoom::zoomed;

/// The shader as it is compiled: the colour maps, then the overlay.
pub const SHADER: &str = concat!(
    include_str!("../../../shaders/colormap.wgsl"),
    "\n",
    include_str!("../../../shaders/overlay.wgsl")
);

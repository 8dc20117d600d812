//! Panels of the tab Live other than curves: the group at the cursor, the film strips, health, gradient noise.

mod card;
mod grid;
mod group;
mod health;
mod noise;
mod noise_plot;
mod overlay_bar;
mod probes;
pub mod signals;
mod since;
mod steps;
mod thumbnail;
mod tour;

pub use grid::GridShape;
pub(super) use group::choose_group_ui;
pub use group::group_ui;
pub use health::health_ui;
pub(super) use noise::MODES as NOISE_MODES;
pub use noise::noise_ui;
pub use overlay_bar::overlay_bar_ui;
pub use probes::probes_ui;
pub use steps::{TokenCounts, steps_ui, token_counts};

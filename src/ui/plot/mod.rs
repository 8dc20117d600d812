//! Curves: nothing recorded is lost at any zoom, and nothing that is not a number is hidden.
//!
//! | to do | go to |
//! | --- | --- |
//! | draw a panel of curves | [`panel_ui`], [`Panel`], [`Curve`] |
//! | share the horizontal axis | [`LinkedX`], [`XAxis`], [`XMap`] |
//! | save a panel | [`to_svg`], [`to_csv`] |
//! | mean and band over seeds | [`MeanBand`] |
//! | a curve as small as a word | [`sparkline_ui`] |

mod axis;
mod band;
mod cells;
mod columns;
mod csv;
mod curve;
mod draw;
mod extent;
mod grid;
mod header;
mod hover;
mod interact;
mod legend;
mod linked;
mod marks;
mod memory;
mod mesh;
mod palette;
mod panel;
mod scale;
mod sparkline;
mod svg;
mod ticks;
mod times;
mod trace;

pub use axis::{XAxis, XMap};
pub use band::{Band, MeanBand};
pub use csv::{number as csv_number, quoted as csv_quoted, to_csv};
pub use curve::{Curve, Growth, LEAST_TO_SMOOTH, NotFinite, Seen, SeriesId};
pub use interact::USE;
pub use linked::LinkedX;
pub use marks::{MarkLine, MarkStyle};
pub use palette::{COLOURS, PlotColours, series_colour};
pub use panel::{Panel, PanelChoice, PanelState, PlotAction, SaveAs, panel_ui};
pub use scale::Scale;
pub use sparkline::{SparkRange, sparkline_ui};
pub use svg::to_svg;
pub use ticks::{Tick, ticks};
pub use trace::Odd;

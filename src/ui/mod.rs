//! The window: watch training (Live), compare runs (Compare), look at tokens (Inspect).
//!
//! What is drawn is read from the runs' folders, live ones too; panels read a [`scene::Scene`] and give back
//! [`action::Action`]s, which [`app::App`] carries out after the frame.

pub mod action;
pub mod app;
mod apply;
mod capture;
mod commands;
pub mod compare;
mod compared;
mod curve_bar;
mod curves;
pub mod data;
mod derived;
mod devices;
mod dialogs;
pub mod export;
mod exporting;
mod floating;
mod found;
mod graphics;
mod icons;
pub mod inspect;
mod layout;
pub mod live;
mod log_file;
pub mod look;
mod means;
mod messages;
mod news;
pub mod number;
pub mod overlay;
mod panels;
pub mod picture;
pub mod plot;
mod plots;
mod popups;
pub mod ranges;
mod repaint;
mod run_bar;
mod runs_list;
mod saved;
pub mod scene;
pub mod settings_form;
mod side;
mod steps;
pub mod theme;
mod timeline;
mod toggles;
mod told;
mod top_bar;
mod training;
pub mod view;
pub mod window;
mod work;

pub use app::{App, Options};
pub use layout::Pane;
pub use saved::default_file as default_saved_file;
pub use theme::ThemeChoice;
pub use view::{Selection, Tab};
pub use window::open;

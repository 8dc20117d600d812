//! The tab Inspect: one picture, token by token. Each panel is a function that draws and gives back what the user did.

pub mod brush;
pub mod components;
pub mod cosine;
pub mod curve;
pub mod facts;
pub mod facts_table;
pub mod histogram;
pub mod inspected;
pub mod list;
pub mod marks;
pub mod number;
pub mod picture;
pub mod recorded;
pub mod row;
pub mod state;
pub mod steps;
pub mod token;
pub mod trajectories;
pub mod trajectories_panel;
pub mod what_if;
pub mod what_if_panel;

pub use histogram::histogram_ui;
pub use inspected::Inspected;
pub use list::list_ui;
pub use picture::picture_panel_ui;
pub use state::InspectView;
pub use token::token_ui;
pub use what_if_panel::what_if_ui;

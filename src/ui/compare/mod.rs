//! Compare: runs side by side, as a table, as pictures, as an ablation, and branches of a run.

pub mod ab;
mod ab_pictures;
pub mod ablating;
pub mod ablation;
pub mod ablation_form;
pub mod ablation_plan;
pub mod ablation_result;
pub mod columns;
pub mod differences;
pub mod filter;
pub mod fork;
pub mod found;
pub mod grid;
pub mod groups;
pub mod multiples;
pub mod nothing_drawn;
pub mod number;
pub mod pair;
pub mod pictures;
mod pictures_bar;
pub mod row;
pub mod sameness;
pub mod side;
pub mod source;
pub mod table;
pub mod zoom;

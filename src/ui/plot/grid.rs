//! Our round numbers as the grid of `egui_plot`.

use std::cell::RefCell;
use std::rc::Rc;

use egui_plot::{GridInput, GridMark};

use super::ticks::Tick;

/// Names of the grid's lines: found together with them, asked for one by one.
#[derive(Clone, Default)]
pub(super) struct Names(Rc<RefCell<Vec<Tick>>>);

/// The least distance of two lines in `egui_plot`, which its input is measured in.
const LEAST: f64 = 8.0;

impl Names {
    /// Lines of the grid, each with a label having `room` on the screen.
    pub fn marks(
        &self,
        input: &GridInput,
        room: f64,
        ticks: impl Fn(f64, f64, usize) -> Vec<Tick>,
    ) -> Vec<GridMark> {
        let (low, high) = input.bounds;
        let point = input.base_step_size / LEAST;
        let most = ((high - low) / point / room).clamp(1.0, 40.0) as usize;
        let found = ticks(low, high, most);
        let mark = |tick: &Tick| {
            // Labelled lines are strong, those between are faint.
            let share = if tick.label.is_empty() { 0.25 } else { 1.2 };
            GridMark { value: tick.at, step_size: point * room * share }
        };
        let marks = found.iter().map(mark).collect();
        *self.0.borrow_mut() = found;
        marks
    }

    /// The name of a line.
    pub fn of(&self, mark: GridMark) -> String {
        let ticks = self.0.borrow();
        let tick = ticks.iter().find(|tick| tick.at.to_bits() == mark.value.to_bits());
        tick.map_or_else(String::new, |tick| tick.label.clone())
    }
}

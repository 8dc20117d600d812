//! Why the panels of Compare have nothing to draw.

use crate::ui::data::run::Runs;

/// Why no run is drawn, when none is: nothing is open, nothing is checked, or the filter hides what is.
#[must_use]
pub fn why_nothing_is_drawn(runs: &Runs) -> &'static str {
    if runs.iter().len() == 0 {
        "No run is open. Open one in the table of runs, or drop its folder on the window."
    } else if runs.iter().any(|run| run.shown) {
        "The filter of the table of runs hides every run that is checked. Change it there, or clear it."
    } else {
        "No run is drawn: check one in the table of runs."
    }
}

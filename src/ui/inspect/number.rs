//! Numbers as text: short, and never without what is not finite.

use crate::ui::number::reading;

/// [`reading`], or a dash for a number that does not exist.
#[must_use]
pub fn number_or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), reading)
}

/// Shortest text of a setting: `0.3`, `0`.
#[must_use]
pub fn setting(value: f64) -> String {
    format!("{}", (value * 1e6).round() / 1e6)
}

/// A share as per cent with one decimal.
#[must_use]
pub fn per_cent(part: usize, whole: usize) -> String {
    if whole == 0 { "–".into() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_a_dash_and_nan_is_not() {
        assert_eq!([None, Some(f64::NAN), Some(0.5)].map(number_or_dash), ["–", "NaN", "0.5000"]);
        assert_eq!([setting(0.3), setting(0.1 + 0.2), setting(0.0)], ["0.3", "0.3", "0"]);
        assert_eq!([per_cent(1, 3), per_cent(0, 0)], ["33.3 %", "–"]);
    }
}

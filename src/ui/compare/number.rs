//! What the tables of Compare show besides plain numbers: nothing, intervals, durations and settings.

use serde_json::Value;

use crate::runs::report::stats::Interval;
use crate::ui::number::{minus, number};

/// What stands for a number that is not there.
pub const NOTHING: &str = "\u{2013}";

/// Between a value and the one that came after it, as in the record's own words; the window's font has no arrow.
pub const THEN: &str = " -> ";

/// The number, or what stands for none.
#[must_use]
pub fn number_or_nothing(value: Option<f64>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), number)
}

/// Mean and interval with the same decimals, so many that half the interval has two digits: `0.62 [0.55, 0.69]`.
#[must_use]
pub fn estimate(mean: f64, interval: Option<Interval>, signed: bool) -> String {
    let plus = |text: String| if signed && mean > 0.0 { format!("+{text}") } else { text };
    let Some(Interval { low, high }) = interval else { return plus(number(mean)) };
    let half = (high - low) / 2.0;
    if !(1e-4..1e5).contains(&half) {
        return plus(format!("{} [{}, {}]", number(mean), number(low), number(high)));
    }
    let decimals = (1 - half.log10().floor() as i32).max(0) as usize;
    let of = |value: f64| {
        let text = format!("{value:.decimals$}");
        // -0.00 is 0.00.
        let zero = !text.contains(|c: char| c.is_ascii_digit() && c != '0');
        minus(if zero { text.trim_start_matches('-') } else { &text })
    };
    plus(format!("{} [{}, {}]", of(mean), of(low), of(high)))
}

/// A time: `2 h 5 min`, `4 min 10 s`, `12.3 s`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return format!("{} s", number(seconds));
    }
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 { format!("{hours} h {minutes} min") } else { format!("{minutes} min {rest} s") }
}

/// A setting as people write it. A number that was stored in single precision is shown with the digits it had.
#[must_use]
pub fn setting(value: &Value) -> String {
    match value {
        Value::Null => NOTHING.to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => float(number.as_f64().unwrap_or(f64::NAN)),
        Value::Array(items) => items.iter().map(setting).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// The fewest digits that give this number, in single precision if it is one.
#[must_use]
pub fn float(value: f64) -> String {
    let single = value as f32;
    let size = value.abs();
    let scientific = size != 0.0 && !(1e-4..1e7).contains(&size);
    match (f64::from(single) == value, scientific) {
        (true, true) => format!("{single:e}"),
        (true, false) => format!("{single}"),
        (false, true) => format!("{value:e}"),
        (false, false) => format!("{value}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_not_there_and_what_is_not_finite_are_shown() {
        assert_eq!(number_or_nothing(None), NOTHING);
        assert_eq!(number_or_nothing(Some(f64::NAN)), "NaN");
        assert_eq!(estimate(f64::NAN, None, true), "NaN");
        assert_eq!(estimate(-0.5, None, true), "\u{2212}0.500");
        assert_eq!(duration(f64::INFINITY), "+inf s");
    }

    #[test]
    fn an_interval_sets_the_decimals() {
        let interval = Some(Interval { low: 0.545, high: 0.685 });
        assert_eq!(estimate(0.615, interval, true), "+0.615 [0.545, 0.685]");
        assert_eq!(
            estimate(-0.001, Some(Interval { low: -0.3, high: 0.298 }), true),
            "0.00 [\u{2212}0.30, 0.30]"
        );
        assert_eq!(
            [duration(7512.0), duration(250.4), duration(12.345)],
            ["2 h 5 min", "4 min 10 s", "12.3 s"]
        );
    }

    #[test]
    fn a_setting_of_single_precision_has_the_digits_it_was_given() {
        assert_eq!(setting(&serde_json::to_value(0.9_f32).unwrap()), "0.9");
        assert_eq!(setting(&Value::from(0.0003)), "0.0003");
        assert_eq!(setting(&Value::from(1e-8)), "1e-8");
        assert_eq!(setting(&serde_json::json!(["two rings", "a cross"])), "two rings, a cross");
    }

    proptest! {
        #[test]
        fn the_text_of_a_float_reads_back_as_that_float(value in proptest::num::f64::NORMAL | proptest::num::f64::ZERO) {
            let read: f64 = float(value).parse().unwrap();
            prop_assert!(read == value || read as f32 == value as f32 && f64::from(value as f32) == value);
        }
    }
}

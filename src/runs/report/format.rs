//! Numbers as people read them.

use super::stats::Interval;

/// Three significant digits: `0.00123`, `12.3`, `1230`, `1.23e-7`.
#[must_use]
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        word(value).to_owned()
    } else if size == 0.0 {
        "0".to_owned()
    } else if !(1e-4..1e6).contains(&size) {
        format!("{value:.2e}")
    } else {
        let decimals = (2 - size.log10().floor() as i32).max(0) as usize;
        format!("{value:.decimals$}")
    }
}

/// Mean and interval with the same decimals, so many that the half width has two digits: `0.62 [0.55, 0.69]`.
#[must_use]
pub(super) fn estimate(mean: f64, interval: Option<Interval>, signed: bool) -> String {
    let plus = |text: String| if signed && mean > 0.0 { format!("+{text}") } else { text };
    let Some(Interval { low, high }) = interval else { return plus(number(mean)) };
    let half = (high - low) / 2.0;
    if !half.is_finite() || half == 0.0 || !(1e-5..1e6).contains(&half) || mean.abs() >= 1e7 {
        return plus(format!("{} [{}, {}]", number(mean), number(low), number(high)));
    }
    let decimals = (1 - half.log10().floor() as i32).max(0) as usize;
    let text = |value: f64| {
        let text = format!("{value:.decimals$}");
        // -0.00 is 0.00.
        let zero = !text.contains(|c: char| c.is_ascii_digit() && c != '0');
        if zero { text.trim_start_matches('-').to_owned() } else { text }
    };
    plus(format!("{} [{}, {}]", text(mean), text(low), text(high)))
}

/// A p-value.
#[must_use]
pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

/// A time: `2 h 5 min`, `4 min 10 s`, `12.3 s`.
#[must_use]
pub(super) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 60.0 {
        return format!("{} s", number(seconds));
    }
    let whole = seconds.round() as u64;
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 { format!("{hours} h {minutes} min") } else { format!("{minutes} min {rest} s") }
}

/// What is not finite.
pub(super) const fn word(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "+infinity"
    } else {
        "-infinity"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_no_more() {
        for (value, text) in [
            (0.0, "0"),
            (0.123_456, "0.123"),
            (-12.345, "-12.3"),
            (1234.5, "1234"),
            (0.000_123_4, "0.000123"),
            (1.5e-7, "1.50e-7"),
            (2e9, "2.00e9"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-infinity"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn an_interval_sets_the_decimals() {
        let of = |low, high| Some(Interval { low, high });
        assert_eq!(estimate(0.615, of(0.545, 0.685), false), "0.615 [0.545, 0.685]");
        assert_eq!(estimate(0.6, of(0.2, 1.0), true), "+0.60 [0.20, 1.00]");
        assert_eq!(estimate(-0.001, of(-0.3, 0.298), true), "0.00 [-0.30, 0.30]");
        assert_eq!(estimate(123.4, of(100.0, 147.0), false), "123 [100, 147]");
        assert_eq!(estimate(0.5, of(0.5, 0.5), false), "0.500 [0.500, 0.500]");
        assert_eq!(estimate(0.5, None, true), "+0.500");
        assert_eq!(duration(7512.0), "2 h 5 min");
    }
}

//! Numbers as text: short, and never without what is not finite.

/// Four significant digits; what is not finite by its name.
#[must_use]
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value.is_nan() {
        "NaN".into()
    } else if value.is_infinite() {
        if value > 0.0 { "infinite".into() } else { "-infinite".into() }
    } else if value == 0.0 {
        "0".into()
    } else if (1e-3..1e5).contains(&size) {
        let decimals = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{value:.2e}")
    }
}

/// [`number`], or a dash for a number that does not exist.
#[must_use]
pub fn number_or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), number)
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

/// `1 token`, `2 tokens`.
#[must_use]
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_four_digits_and_what_is_not_finite() {
        let texts: Vec<String> =
            [0.04213, -1.5, 12_345.6, 1e-7, 0.0, f64::NAN, f64::NEG_INFINITY].map(number).into();
        assert_eq!(texts, ["0.04213", "-1.500", "12346", "1.00e-7", "0", "NaN", "-infinite"]);
        assert_eq!(
            (setting(0.3), setting(0.1 + 0.2), setting(0.0)),
            ("0.3".into(), "0.3".into(), "0".into())
        );
        assert_eq!(
            (number_or_dash(None), per_cent(1, 3), per_cent(0, 0)),
            ("–".into(), "33.3 %".into(), "–".into())
        );
        assert_eq!((count(1, "token"), count(0, "token")), ("1 token".into(), "0 tokens".into()));
    }
}

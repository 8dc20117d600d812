//! How numbers are written in labels: few digits, the sign where it matters, and what is not finite by its name.

/// Four digits or so. NaN and infinities are words, not gaps.
#[must_use]
pub fn number(value: f64) -> String {
    if let Some(word) = not_finite(value) {
        return word.to_owned();
    }
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size < 1e-3 => format!("{value:.2e}"),
        size if size < 10.0 => format!("{value:.3}"),
        size if size < 1e3 => format!("{value:.1}"),
        size if size < 1e6 => format!("{value:.0}"),
        _ => format!("{value:.2e}"),
    }
}

/// Two decimals with the sign; zero has none.
#[must_use]
pub fn signed(value: f64) -> String {
    if let Some(word) = not_finite(value) {
        return word.to_owned();
    }
    let size = format!("{:.2}", value.abs());
    match value {
        v if v > 0.0 => format!("+{size}"),
        v if v < 0.0 => format!("−{size}"),
        _ => "0".to_owned(),
    }
}

/// `1 token`, `2 tokens`.
#[must_use]
pub fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

const fn not_finite(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value == f64::INFINITY {
        Some("+infinity")
    } else if value == f64::NEG_INFINITY {
        Some("−infinity")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_first_digits_whatever_their_size() {
        let written: Vec<String> = [0.0, 0.62686, 1.5e-7, -12.34, 123_456.0, 3e9].map(number).into();
        assert_eq!(written, ["0", "0.627", "1.50e-7", "-12.3", "123456", "3.00e9"]);
    }

    #[test]
    fn what_is_not_finite_is_named() {
        let written: Vec<String> = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(number).into();
        assert_eq!(written, ["NaN", "+infinity", "−infinity"]);
        assert_eq!(signed(f64::NAN), "NaN");
    }

    #[test]
    fn an_advantage_shows_its_sign_without_colour() {
        assert_eq!([1.3806, -1.4208, 0.0, -0.0].map(signed), ["+1.38", "−1.42", "0", "0"]);
    }

    #[test]
    fn one_is_not_a_plural() {
        assert_eq!([counted(1, "token"), counted(0, "token")], ["1 token", "0 tokens"]);
    }
}

//! How numbers are written, in one place: few digits, the sign where it matters, the typographic minus, and what is not finite
//! by its name and never as a gap.

/// Three digits or so, for labels.
#[must_use]
pub fn number(value: f64) -> String {
    if let Some(word) = not_finite(value) {
        return word.to_owned();
    }
    minus(&match value.abs() {
        0.0 => "0".to_owned(),
        size if size < 1e-3 => format!("{value:.2e}"),
        size if size < 10.0 => format!("{value:.3}"),
        size if size < 1e3 => format!("{value:.1}"),
        size if size < 1e6 => format!("{value:.0}"),
        _ => format!("{value:.2e}"),
    })
}

/// Four significant digits, for a reader who compares.
#[must_use]
pub fn reading(value: f64) -> String {
    if let Some(word) = not_finite(value) {
        return word.to_owned();
    }
    let size = value.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if !(1e-4..1e7).contains(&size) {
        minus(&format!("{value:.3e}"))
    } else {
        let decimals = (3 - size.log10().floor() as i32).max(0) as usize;
        minus(&format!("{value:.decimals$}"))
    }
}

/// At most four significant digits in as few signs as tell it apart, for the ends of a scale.
#[must_use]
pub fn short(value: f64) -> String {
    if let Some(word) = not_finite(value) {
        return word.to_owned();
    }
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e5).contains(&size) {
        return minus(&format!("{value:.2e}"));
    }
    let whole_digits = size.log10().floor() as i32 + 1;
    let text = minus(&format!("{value:.*}", (4 - whole_digits).clamp(0, 6) as usize));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
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
        v if v < 0.0 => format!("\u{2212}{size}"),
        _ => "0".to_owned(),
    }
}

/// `1 token`, `2 tokens`.
#[must_use]
pub fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// With the typographic minus.
#[must_use]
pub fn minus(text: &str) -> String {
    text.replace('-', "\u{2212}")
}

const fn not_finite(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value == f64::INFINITY {
        Some("+inf")
    } else if value == f64::NEG_INFINITY {
        Some("\u{2212}inf")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_first_digits_whatever_their_size() {
        let of = [0.0, 0.62686, 1.5e-7, -12.34, 123_456.0, 3e9];
        assert_eq!(of.map(number), ["0", "0.627", "1.50e\u{2212}7", "\u{2212}12.3", "123456", "3.00e9"]);
        let of = [0.0, 0.123_45, 12_345.6, -1e-9];
        assert_eq!(of.map(reading), ["0", "0.1235", "12346", "\u{2212}1.000e\u{2212}9"]);
        let of = [0.0, 1.0, 0.25, -12.5, 1234.6, 0.012_34, 1e-7, 3.2e9];
        let written = ["0", "1", "0.25", "\u{2212}12.5", "1235", "0.01234", "1.00e\u{2212}7", "3.20e9"];
        assert_eq!(of.map(short), written);
    }

    #[test]
    fn what_is_not_finite_is_named_alike() {
        for write in [number, reading, short, signed] {
            let written = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(write);
            assert_eq!(written, ["NaN", "+inf", "\u{2212}inf"]);
        }
    }

    #[test]
    fn an_advantage_shows_its_sign_without_colour() {
        assert_eq!([1.3806, -1.4208, 0.0, -0.0].map(signed), ["+1.38", "\u{2212}1.42", "0", "0"]);
    }

    #[test]
    fn one_is_not_a_plural() {
        assert_eq!([counted(1, "token"), counted(0, "token")], ["1 token", "0 tokens"]);
    }
}

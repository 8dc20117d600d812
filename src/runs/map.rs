//! Maps as bytes: numbers are `f32` in memory and little-endian in the file, as narrow as they can be.

use super::event::Element;
use crate::error::{Error, Result};

impl Element {
    /// Bytes of one number.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::F16 => 2,
            Self::F32 => 4,
        }
    }
}

/// The bytes of `values`, which fill `shape`, outermost axis first. [`Element::F16`] rounds to the nearest number of half
/// precision, from 65,520 on to infinity.
///
/// # Errors
/// [`Error::Config`] if the values do not fill the shape, or one of [`Element::U8`] is not a whole number from 0 to 255.
pub fn map_to_bytes(element: Element, shape: &[usize], values: &[f32]) -> Result<Vec<u8>> {
    if numbers(shape) != Some(values.len()) {
        return Err(Error::Config(format!("{} numbers do not fill a map of shape {shape:?}", values.len())));
    }
    match element {
        Element::U8 => values
            .iter()
            .map(|&value| {
                let byte = value as u8;
                if f32::from(byte) == value {
                    return Ok(byte);
                }
                Err(Error::Config(format!(
                    "{value} cannot be stored as a byte, which holds whole numbers from 0 to 255; store the map as f16"
                )))
            })
            .collect(),
        Element::F16 => Ok(values.iter().flat_map(|&value| to_half(value).to_le_bytes()).collect()),
        Element::F32 => Ok(values.iter().flat_map(|value| value.to_le_bytes()).collect()),
    }
}

/// The numbers of a map of `shape` from its bytes.
///
/// # Errors
/// [`Error::Config`] if there are not exactly as many bytes as the shape takes.
pub fn map_from_bytes(element: Element, shape: &[usize], bytes: &[u8]) -> Result<Vec<f32>> {
    let expected = numbers(shape).and_then(|count| count.checked_mul(element.bytes()));
    if expected != Some(bytes.len()) {
        return Err(Error::Config(format!(
            "{} bytes are not a map of shape {shape:?} with {} bytes a number",
            bytes.len(),
            element.bytes()
        )));
    }
    Ok(match element {
        Element::U8 => bytes.iter().map(|&byte| f32::from(byte)).collect(),
        Element::F16 => bytes.chunks_exact(2).map(|b| from_half(u16::from_le_bytes([b[0], b[1]]))).collect(),
        Element::F32 => bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
    })
}

fn numbers(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |product, &side| product.checked_mul(side))
}

/// Half precision, rounded to nearest, ties to even.
fn to_half(value: f32) -> u16 {
    let sign = ((value.to_bits() >> 16) & 0x8000) as u16;
    let size = value.abs();
    if size.is_nan() {
        return sign | 0x7e00;
    }
    if size >= 65_520.0 {
        return sign | 0x7c00;
    }
    if size < 6.103_515_6e-5 {
        // Below the normal numbers the spacing is 2^-24: scaled by that, rounding is to whole numbers.
        return sign | (size * 16_777_216.0).round_ties_even() as u16;
    }
    let bits = size.to_bits();
    // 13 bits of the mantissa go. Half their weight, less one if the bit that stays is even, carries exactly when the
    // number is to be rounded up, into the exponent too.
    let rounded = bits + 0x0fff + ((bits >> 13) & 1);
    // The exponents are biased by 127 and by 15.
    sign | ((rounded >> 13) - (112 << 10)) as u16
}

fn from_half(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let (exponent, mantissa) = (u32::from(half >> 10) & 31, u32::from(half & 0x3ff));
    let size = match exponent {
        0 => mantissa as f32 / 16_777_216.0,
        31 => f32::from_bits(0x7f80_0000 | (mantissa << 13)),
        _ => f32::from_bits(((exponent + 112) << 23) | (mantissa << 13)),
    };
    f32::from_bits(size.to_bits() | sign)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_half_survives() {
        for half in 0..=u16::MAX {
            let value = from_half(half);
            if value.is_nan() {
                assert!(from_half(to_half(value)).is_nan());
            } else {
                assert_eq!(to_half(value), half, "{value}");
            }
        }
    }

    #[test]
    fn halves_are_the_standard_s() {
        let known = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65_504.0),
            (0x0400, 6.103_515_6e-5),
            (0x0001, 5.960_464_5e-8),
            (0x3555, 0.333_251_95),
            (0x7c00, f32::INFINITY),
        ];
        for (half, value) in known {
            assert_eq!(from_half(half), value);
        }
        assert_eq!((to_half(65_519.9), to_half(65_520.0)), (0x7bff, 0x7c00));
        assert_eq!((to_half(2.98e-8), to_half(2.99e-8), to_half(-0.0)), (0, 1, 0x8000));
    }

    proptest! {
        #[test]
        fn a_half_is_the_nearest(value in -70_000.0_f32..70_000.0) {
            let half = to_half(value);
            let error = |h: u16| (f64::from(from_half(h)) - f64::from(value)).abs();
            if from_half(half).is_finite() {
                for other in [half.wrapping_sub(1), half.wrapping_add(1)] {
                    prop_assert!(!from_half(other).is_finite() || error(half) <= error(other));
                }
            }
        }

        #[test]
        fn maps_survive(values in prop::collection::vec(any::<f32>(), 0..40)) {
            let shape = [1, values.len()];
            let bytes = map_to_bytes(Element::F32, &shape, &values).unwrap();
            let back = map_from_bytes(Element::F32, &shape, &bytes).unwrap();
            prop_assert!(back.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(map_to_bytes(Element::U8, &[2], &[0.0, 255.0]).unwrap(), [0, 255]);
        for value in [-1.0, 0.5, 256.0, f32::NAN] {
            assert!(map_to_bytes(Element::U8, &[1], &[value]).unwrap_err().to_string().contains("byte"));
        }
        assert!(map_to_bytes(Element::F32, &[2, 2], &[1.0; 3]).is_err());
        assert!(map_from_bytes(Element::F16, &[2], &[0; 3]).is_err());
        assert!(map_from_bytes(Element::F32, &[usize::MAX, 2], &[0; 8]).is_err());
    }
}

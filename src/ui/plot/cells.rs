//! The grid that columns lie on.

use std::ops::Range;

use super::axis::XMap;

/// Width of a column for a view of so many of the axis' units a pixel: at least a pixel, so that every column is seen, and
/// at most a quarter more, or the next whole step.
#[must_use]
pub(super) fn column_width(units_a_pixel: f64, map: &XMap<'_>) -> f64 {
    let steps = matches!(map, XMap::Step);
    let wanted = units_a_pixel.clamp(if steps { 1.0 } else { 1e-300 }, 1e300);
    let power = 2f64.powf(wanted.log2().floor());
    let widths = [1.0, 1.25, 1.5, 1.75].map(|share| share * power).into_iter();
    // Columns of one and a half steps would hold one step and two in turns.
    widths
        .filter(|width| !steps || width.fract() == 0.0)
        .find(|width| *width >= wanted)
        .unwrap_or(2.0 * power)
}

/// The columns of a grid around a range of `x`.
pub(super) fn grid(x: [f64; 2], width: f64) -> Range<i64> {
    let [low, high] = x.map(|x| (x / width).floor().clamp(-9e15, 9e15) as i64);
    low..high.saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_hardly_wider_than_a_pixel_and_whole_steps() {
        for pixel in [0.2, 1.0, 1.4, 1.7, 2.9, 3.0, 4.5, 100.0, 12_345.6] {
            let width = column_width(pixel, &XMap::Step);
            assert_eq!(width.fract(), 0.0, "{pixel}");
            assert!(width >= pixel && width <= (pixel * 1.25).max(pixel + 1.0), "{pixel} {width}");
            let width = column_width(pixel, &XMap::Seconds { offset: 0.0 });
            assert!(width >= pixel && width <= pixel * 1.25, "{pixel} {width}");
        }
    }
}

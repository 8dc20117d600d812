//! How far two pictures are apart, in numbers computed once for a pair.

use crate::ui::overlay::Picture;
use crate::world::image::Rgb8;

/// How far two pictures are apart, over all pixels, in steps of an 8-bit colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// Mean of |a - b| over all colours, 0 to 255.
    pub absolute: f64,
    /// The same of red, green and blue.
    pub channels: [f64; 3],
    /// The greatest |a - b| of any colour of any pixel.
    pub greatest: u8,
    /// Mean of the lightness of b less that of a, -255 to 255.
    pub lightness: f64,
}

/// The numbers of the pair that was asked for last.
#[derive(Clone, Debug, Default)]
pub struct Differences {
    held: Option<((u64, u64), Result<Apart, String>)>,
}

impl Differences {
    /// How far `a` and `b` are apart.
    ///
    /// # Errors
    /// A sentence if they differ in size.
    pub fn of(&mut self, a: &Picture, b: &Picture) -> Result<Apart, String> {
        let pair = (a.id(), b.id());
        if let Some((_, apart)) = self.held.as_ref().filter(|(of, _)| *of == pair) {
            return apart.clone();
        }
        let apart = Apart::of(a.image(), b.image());
        self.held = Some((pair, apart.clone()));
        apart
    }
}

impl Apart {
    /// How far `a` and `b` are apart.
    ///
    /// # Errors
    /// A sentence if they differ in size.
    pub fn of(a: &Rgb8, b: &Rgb8) -> Result<Self, String> {
        if (a.width, a.height) != (b.width, b.height) {
            return Err(format!(
                "A has {} x {} pixels and B has {} x {}: they have no difference.",
                a.width, a.height, b.width, b.height
            ));
        }
        let pixels = (a.pixels.len() / 3).max(1) as f64;
        let (mut sums, mut greatest, mut lighter) = ([0_u64; 3], 0, 0.0);
        for (a, b) in a.pixels.chunks_exact(3).zip(b.pixels.chunks_exact(3)) {
            for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
                *sum += u64::from(a.abs_diff(*b));
                greatest = greatest.max(a.abs_diff(*b));
            }
            lighter += lightness(b) - lightness(a);
        }
        Ok(Self {
            absolute: sums.iter().sum::<u64>() as f64 / (3.0 * pixels),
            channels: sums.map(|sum| sum as f64 / pixels),
            greatest,
            lightness: lighter / pixels,
        })
    }
}

/// The mean of red, green and blue of `image` and of its lightness, 0 to 255.
#[must_use]
pub fn means(image: &Rgb8) -> [f64; 4] {
    let mut sums = [0.0; 4];
    for colour in image.pixels.chunks_exact(3) {
        for (sum, value) in sums.iter_mut().zip(colour) {
            *sum += f64::from(*value);
        }
        sums[3] += lightness(colour);
    }
    sums.map(|sum| sum / (image.pixels.len() / 3).max(1) as f64)
}

/// As the shader of overlays has it.
fn lightness(colour: &[u8]) -> f64 {
    colour.iter().zip([0.2126, 0.7152, 0.0722]).map(|(value, weight)| f64::from(*value) * weight).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_means_are_those_of_all_pixels() {
        let (a, b) = (Rgb8::filled(2, 2, [10, 20, 30]), Rgb8::filled(2, 2, [13, 10, 30]));
        let apart = Apart::of(&a, &b).unwrap();
        assert_eq!((apart.channels, apart.greatest), ([3.0, 10.0, 0.0], 10));
        assert_eq!(means(&a)[..3], [10.0, 20.0, 30.0]);
        assert!((apart.absolute - 13.0 / 3.0).abs() < 1e-12);
        assert!((apart.lightness - (3.0 * 0.2126 - 10.0 * 0.7152)).abs() < 1e-12);
    }

    #[test]
    fn pictures_of_two_sizes_have_no_difference_and_another_pair_is_computed_anew() {
        let picture = |side, level| Picture::new(Rgb8::filled(side, 2, [level; 3])).unwrap();
        let mut differences = Differences::default();
        assert!(differences.of(&picture(2, 0), &picture(3, 0)).unwrap_err().contains("3 x 2"));
        for _ in 0..2 {
            assert_eq!(differences.of(&picture(2, 4), &picture(2, 9)).unwrap().absolute, 5.0);
        }
    }

    proptest! {
        #[test]
        fn the_absolute_difference_has_no_direction_and_the_other_one_has(
            a in prop::collection::vec(0u8.., 12), b in prop::collection::vec(0u8.., 12),
        ) {
            let (a, b) = (Rgb8::new(2, 2, a).unwrap(), Rgb8::new(2, 2, b).unwrap());
            let (there, back) = (Apart::of(&a, &b).unwrap(), Apart::of(&b, &a).unwrap());
            prop_assert_eq!(there.absolute, back.absolute);
            prop_assert!((there.lightness + back.lightness).abs() < 1e-9);
            prop_assert!(there.lightness.abs() <= 255.0 && there.absolute <= 255.0);
            let same = Apart { absolute: 0.0, channels: [0.0; 3], greatest: 0, lightness: 0.0 };
            prop_assert_eq!(Apart::of(&a, &a).unwrap(), same);
        }
    }
}

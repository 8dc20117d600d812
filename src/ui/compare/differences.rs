//! How far two pictures are apart, in numbers computed once for a pair.

use crate::ui::overlay::Picture;
use crate::world::image::Rgb8;

/// How far two pictures are apart, over all pixels, in steps of an 8-bit colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// Mean of |a - b| over all colours, 0 to 255.
    pub absolute: f64,
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
        let apart = apart(a.image(), b.image());
        self.held = Some((pair, apart.clone()));
        apart
    }
}

/// How far `a` and `b` are apart.
///
/// # Errors
/// A sentence if they differ in size.
fn apart(a: &Rgb8, b: &Rgb8) -> Result<Apart, String> {
    if (a.width, a.height) != (b.width, b.height) {
        return Err(format!(
            "A has {} x {} pixels and B has {} x {}: they have no difference.",
            a.width, a.height, b.width, b.height
        ));
    }
    let colours = a.pixels.len().max(1) as f64;
    let absolute: u64 = a.pixels.iter().zip(&b.pixels).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    let lighter: f64 = a
        .pixels
        .chunks_exact(3)
        .zip(b.pixels.chunks_exact(3))
        .map(|(a, b)| lightness(b) - lightness(a))
        .sum();
    Ok(Apart { absolute: absolute as f64 / colours, lightness: lighter * 3.0 / colours })
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
        let apart = apart(&a, &b).unwrap();
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
            let (there, back) = (apart(&a, &b).unwrap(), apart(&b, &a).unwrap());
            prop_assert_eq!(there.absolute, back.absolute);
            prop_assert!((there.lightness + back.lightness).abs() < 1e-9);
            prop_assert!(there.lightness.abs() <= 255.0 && there.absolute <= 255.0);
            prop_assert_eq!(apart(&a, &a).unwrap(), Apart { absolute: 0.0, lightness: 0.0 });
        }
    }
}

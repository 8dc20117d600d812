//! What is uploaded once: a picture, numbers a token, marks a token.
//!
//! Each has an id made from its content. Equal content has an equal id, so that a mask which is made anew in every
//! frame is still uploaded once.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::error::{Error, Result};
use crate::world::image::Rgb8;

/// Longest side of a picture that can be a texture, in pixels.
pub const MAX_SIDE: usize = 8192;

/// Most tokens along a side of a map.
pub const MAX_TOKEN_SIDE: usize = 1024;

/// A picture with its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    id: u64,
    image: Rgb8,
}

impl Picture {
    /// A picture to be drawn.
    ///
    /// # Errors
    /// If it has no pixels, or a side longer than [`MAX_SIDE`].
    pub fn new(image: Rgb8) -> Result<Self> {
        let (width, height) = (image.width, image.height);
        if width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE {
            return Err(Error::Config(format!(
                "a picture of {width} x {height} pixels cannot be drawn: a side takes 1 to {MAX_SIDE} pixels"
            )));
        }
        if image.pixels.len() != 3 * width * height {
            return Err(Error::Config(format!(
                "a picture of {width} x {height} pixels takes {} bytes, not {}",
                3 * width * height,
                image.pixels.len()
            )));
        }
        Ok(Self { id: content_id(&(width, height, &image.pixels)), image })
    }

    /// The id of its content.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Its pixels.
    #[must_use]
    pub const fn image(&self) -> &Rgb8 {
        &self.image
    }

    /// Red, green, blue and an opaque alpha of each pixel.
    pub(super) fn rgba(&self) -> Vec<u8> {
        self.image.pixels.chunks_exact(3).flat_map(|c| [c[0], c[1], c[2], u8::MAX]).collect()
    }
}

/// A number for each token, row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenMap {
    id: u64,
    side: usize,
    values: Vec<f32>,
}

impl TokenMap {
    /// A map of `side` x `side` tokens.
    ///
    /// # Errors
    /// Unless there are exactly that many values, and 1 to [`MAX_TOKEN_SIDE`] along a side.
    pub fn new(side: usize, values: Vec<f32>) -> Result<Self> {
        check_tokens("map", side, values.len())?;
        let bits: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
        Ok(Self { id: content_id(&(side, &bits)), side, values })
    }

    /// The id of its content.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Tokens along a side.
    #[must_use]
    pub const fn side(&self) -> usize {
        self.side
    }

    /// The numbers, row by row.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

/// Marks of each token: selected, dropped, brushed, in any combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenMask {
    id: u64,
    side: usize,
    bits: Vec<u8>,
}

/// The token was selected, as by the mask of multi-trajectory expectation.
pub(super) const SELECTED: u8 = 1;
/// The token was dropped, as by the consistency mask.
pub(super) const DROPPED: u8 = 2;
/// The token is one of those the user brushed.
pub(super) const BRUSHED: u8 = 4;

impl TokenMask {
    /// A mask of `side` x `side` tokens without marks.
    ///
    /// # Errors
    /// Unless there are 1 to [`MAX_TOKEN_SIDE`] tokens along a side.
    pub fn new(side: usize) -> Result<Self> {
        check_tokens("mask", side, side.saturating_mul(side))?;
        Ok(Self::from_bits(side, vec![0; side * side]))
    }

    /// With the tokens that are true in `selected` hatched upwards: the mask of multi-trajectory expectation.
    ///
    /// # Errors
    /// Unless there is one truth a token.
    pub fn with_selected(self, selected: &[bool]) -> Result<Self> {
        self.with_bit(SELECTED, selected)
    }

    /// With the tokens that are false in `kept` dimmed and hatched downwards: the consistency mask.
    ///
    /// # Errors
    /// Unless there is one truth a token.
    pub fn with_kept(self, kept: &[bool]) -> Result<Self> {
        let dropped: Vec<bool> = kept.iter().map(|kept| !kept).collect();
        self.with_bit(DROPPED, &dropped)
    }

    /// With the tokens that are true in `brushed` outlined.
    ///
    /// # Errors
    /// Unless there is one truth a token.
    pub fn with_brushed(self, brushed: &[bool]) -> Result<Self> {
        self.with_bit(BRUSHED, brushed)
    }

    fn with_bit(self, bit: u8, set: &[bool]) -> Result<Self> {
        check_tokens("mask", self.side, set.len())?;
        let bits = self.bits.iter().zip(set).map(|(old, set)| (old & !bit) | if *set { bit } else { 0 });
        Ok(Self::from_bits(self.side, bits.collect()))
    }

    fn from_bits(side: usize, bits: Vec<u8>) -> Self {
        Self { id: content_id(&(side, &bits)), side, bits }
    }

    /// The id of its content.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Tokens along a side.
    #[must_use]
    pub const fn side(&self) -> usize {
        self.side
    }

    /// Marks of each token.
    pub(super) fn bits(&self) -> &[u8] {
        &self.bits
    }
}

fn check_tokens(what: &str, side: usize, values: usize) -> Result<()> {
    if side == 0 || side > MAX_TOKEN_SIDE {
        return Err(Error::Config(format!(
            "a {what} with {side} tokens along a side cannot be drawn: 1 to {MAX_TOKEN_SIDE} are possible"
        )));
    }
    if values != side * side {
        return Err(Error::Config(format!(
            "a {what} of {side} x {side} tokens takes {} values, not {values}",
            side * side
        )));
    }
    Ok(())
}

fn content_id(content: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_content_has_an_equal_id_and_other_content_another() {
        let map = |last: f32| TokenMap::new(2, vec![0.0, f32::NAN, -0.0, last]).unwrap().id();
        assert_eq!(map(3.0), map(3.0));
        assert_ne!(map(3.0), map(4.0));
        assert_ne!(map(0.0), map(-0.0));
        let picture = |w, h| Picture::new(Rgb8::filled(w, h, [1, 2, 3])).unwrap().id();
        assert_ne!(picture(2, 3), picture(3, 2));
    }

    #[test]
    fn marks_of_a_mask_do_not_disturb_each_other() {
        let on = [true, false, true, false];
        let kept = [true, true, false, false];
        let mask = TokenMask::new(2).unwrap().with_selected(&on).unwrap().with_kept(&kept).unwrap();
        assert_eq!(mask.bits(), [1, 0, 3, 2]);
        assert_eq!(mask.with_selected(&[false; 4]).unwrap().with_brushed(&on).unwrap().bits(), [4, 0, 6, 2]);
    }

    #[test]
    fn what_does_not_fit_is_refused_in_words() {
        assert!(TokenMap::new(3, vec![0.0; 8]).unwrap_err().to_string().contains("takes 9 values, not 8"));
        assert!(TokenMask::new(0).unwrap_err().to_string().contains("0 tokens along a side"));
        assert!(TokenMask::new(2).unwrap().with_kept(&[true]).unwrap_err().to_string().contains("not 1"));
        let wide = Picture::new(Rgb8::filled(MAX_SIDE + 1, 1, [0; 3])).unwrap_err();
        assert!(wide.to_string().contains("cannot be drawn"));
        assert!(Picture::new(Rgb8::filled(0, 4, [0; 3])).is_err());
    }
}

//! A picture of a sheet: where its pixels come from, what is said below it, and the signs on it.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use crate::runs::event::MediaRef;
use crate::runs::media::read_picture;
use crate::ui::overlay::{Overlay, Picture, compose};
use crate::world::image::Rgb8;

/// A sign on a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The token it is on.
    pub token: usize,
    /// Tokens along a side.
    pub side: usize,
    /// `+`, `−` or `•`.
    pub sign: &'static str,
}

/// Where the pixels of a tile come from. Nothing is read or drawn before the sheet becomes a file.
#[derive(Clone, Debug)]
pub enum Pixels {
    /// They are these.
    Ready(Rgb8),
    /// A picture with what lies over it, magnified to at least `side` pixels.
    Composed {
        /// The picture.
        picture: Arc<Picture>,
        /// What lies over it.
        overlay: Box<Overlay>,
        /// Its least width, pixels.
        side: usize,
    },
    /// A recorded picture, magnified to at least `side` pixels.
    Recorded {
        /// The run's folder.
        folder: PathBuf,
        /// Where it lies there.
        at: MediaRef,
        /// Its least width, pixels.
        side: usize,
    },
}

impl Pixels {
    /// A grey square in place of a picture that cannot be shown.
    #[must_use]
    pub fn missing(side: usize) -> Self {
        Self::Ready(Rgb8::filled(side, side, [200; 3]))
    }

    /// Reads and draws them.
    pub(super) fn drawn(&self) -> Result<Cow<'_, Rgb8>, String> {
        match self {
            Self::Ready(picture) => Ok(Cow::Borrowed(picture)),
            Self::Composed { picture, overlay, side } => {
                let times = magnification(picture.image().width, *side);
                compose(picture, overlay, times).map(Cow::Owned).map_err(|error| error.to_string())
            }
            Self::Recorded { folder, at, side } => {
                let read = read_picture(folder, *at).map_err(|error| error.to_string())?;
                Ok(Cow::Owned(read.upscaled(magnification(read.width, *side))))
            }
        }
    }
}

/// A picture of a sheet.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The picture, as large as it is to be in pixels.
    pub pixels: Pixels,
    /// Lines below it.
    pub captions: Vec<String>,
    /// Signs on it.
    pub marks: Vec<Mark>,
}

/// How many times as large a picture of `side` pixels has to be to have at least `wanted`: a whole number, 64 at most.
#[must_use]
pub const fn magnification(side: usize, wanted: usize) -> usize {
    let times = if side == 0 { 1 } else { wanted.div_ceil(side) };
    if times > 64 {
        64
    } else if times == 0 {
        1
    } else {
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_magnification_is_whole_and_bounded() {
        assert_eq!(
            [(32, 256), (30, 256), (512, 256), (0, 9), (1, 999)].map(|(s, w)| magnification(s, w)),
            [8, 9, 1, 1, 64]
        );
    }
}

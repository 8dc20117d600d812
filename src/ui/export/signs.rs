//! Signs on tokens, made of bars: pictures have no font, and fonts differ.

use super::tile::Mark;
use crate::world::image::Rgb8;

/// A bar of a sign.
pub(super) struct Bar {
    /// Its middle.
    pub at: [f64; 2],
    /// Half of its width and height.
    pub half: [f64; 2],
    /// Its colour.
    pub colour: [u8; 3],
}

/// The bars of a sign in the middle of its token, of a picture of `size`: a black rim below, white above.
pub(super) fn bars(mark: Mark, size: [f64; 2]) -> Vec<Bar> {
    let side = mark.side.max(1);
    let cell = size.map(|length| length / side as f64);
    let at = [((mark.token % side) as f64 + 0.5) * cell[0], ((mark.token / side) as f64 + 0.5) * cell[1]];
    let half = 0.28 * cell[0].min(cell[1]);
    let (thin, rim) = ((0.3 * half).max(0.5), (0.25 * half).max(1.0));
    let bars: &[[f64; 2]] = match mark.sign {
        "+" => &[[half, thin], [thin, half]],
        "•" => &[[0.45 * half, 0.45 * half]],
        _ => &[[half, thin]],
    };
    let layers = [(rim, [0; 3]), (0.0, [255; 3])];
    let of_layer = |(grown, colour): (f64, [u8; 3])| {
        bars.iter().map(move |half| Bar { at, half: half.map(|length| length + grown), colour })
    };
    layers.into_iter().flat_map(of_layer).collect()
}

/// Draws the sign into the pixels.
pub(super) fn paint(picture: &mut Rgb8, mark: Mark) {
    for bar in bars(mark, [picture.width as f64, picture.height as f64]) {
        fill(picture, bar.at, bar.half, bar.colour);
    }
}

fn fill(picture: &mut Rgb8, [x, y]: [f64; 2], [half_width, half_height]: [f64; 2], colour: [u8; 3]) {
    let range = |middle: f64, half: f64, end: usize| {
        let (low, high) = ((middle - half).round().max(0.0), (middle + half).round().max(0.0));
        (low as usize).min(end)..(high as usize).min(end)
    };
    for row in range(y, half_height, picture.height) {
        for column in range(x, half_width, picture.width) {
            picture.set_pixel(column, row, colour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_differ_and_stay_within_their_token() {
        let painted = |sign| {
            let mut picture = Rgb8::filled(64, 64, [9; 3]);
            paint(&mut picture, Mark { token: 5, side: 4, sign });
            picture
        };
        let all = ["+", "−", "•"].map(painted);
        assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
        for picture in &all {
            assert_eq!(picture.pixel(24, 24), [255; 3]);
            let changed = |x, y| picture.pixel(x, y) != [9; 3];
            let outside = (0..64).flat_map(|y| (0..64).map(move |x| (x, y)));
            assert!(!outside.into_iter().any(|(x, y)| changed(x, y) && (x / 16, y / 16) != (1, 1)));
        }
    }

    #[test]
    fn a_token_outside_the_picture_is_passed_over() {
        let mut picture = Rgb8::filled(4, 4, [9; 3]);
        paint(&mut picture, Mark { token: 999, side: 4, sign: "+" });
        assert_eq!(picture, Rgb8::filled(4, 4, [9; 3]));
    }
}

//! From pixels to components: what stands out from the background, in connected pieces of one colour.
//!
//! 1. The background is the median, channel by channel, of the outer two pixels on all sides.
//! 2. A pixel takes the palette colour whose direction from the background is nearest to its own; the
//!    projection on that direction is its coverage. An anti-aliased edge thus keeps the colour of its object.
//! 3. Pixels covered by more than 0.4 and off the background by more than 0.2 are foreground; eight-connected
//!    pieces of at least 20 pixels are components. A piece falls apart by colour only when two colours hold
//!    more than 25 pixels and more than a quarter of it each.
//! 4. Each component is named by [`recognise`].

use std::borrow::Cow;

use super::image::Rgb8;
use super::recognise::{self, Mask, length, minus};
use super::scene::Colour;
use super::spatial::Bounds;

/// Longest side that is looked at, in pixels; larger pictures are averaged down to it first.
pub const MAX_SIDE: usize = 256;

/// Components beyond the largest so many are ignored: no prompt asks for more than four.
pub const MAX_COMPONENTS: usize = 32;

/// Smallest component, in pixels.
const MIN_AREA: usize = 20;

/// Distance from the background (sRGB, 0..1) from which a pixel counts as painted at all.
const INK: f32 = 0.1;

/// A piece of the foreground and what it looks like.
#[derive(Clone, Debug)]
pub struct Component {
    /// Foreground pixels.
    pub area: usize,
    /// Painted pixels, with the anti-aliased rim.
    pub ink: usize,
    /// Its box, in pixels of the (shrunk) picture.
    pub bounds: Bounds,
    /// Probability of each of [`Colour::ALL`]; sums to at most 1.
    pub colour: [f32; 8],
    /// Probability of each of [`Shape::ALL`](super::scene::Shape::ALL); sums to at most 1.
    pub shape: [f32; 6],
}

/// A picture taken apart.
#[derive(Clone, Debug, Default)]
pub struct Segmentation {
    /// Estimated background, sRGB 0..1.
    pub background: [f32; 3],
    /// The components, largest first.
    pub components: Vec<Component>,
    /// All painted pixels of the picture.
    pub ink: usize,
}

/// Takes a picture of any size apart. The time is bounded: linear in the pixels, then that of a 256 x 256
/// picture.
#[must_use]
pub fn segment(image: &Rgb8) -> Segmentation {
    if image.width == 0 || image.height == 0 {
        return Segmentation::default();
    }
    let image = shrunk(image);
    let canvas = Canvas::new(&image);
    let pieces = canvas.pieces();
    let mut owner = vec![0_u16; canvas.cover.len()];
    for (piece, number) in pieces.iter().zip(1..) {
        for &i in piece {
            owner[i] = number;
        }
    }
    let components =
        (pieces.iter().zip(1..)).map(|(piece, number)| canvas.component(piece, &owner, number)).collect();
    let ink = canvas.painted.iter().filter(|&&painted| painted).count();
    Segmentation { background: canvas.background, components, ink }
}

/// The picture at no more than [`MAX_SIDE`] pixels a side, averaged over square blocks.
fn shrunk(image: &Rgb8) -> Cow<'_, Rgb8> {
    let factor = image.width.max(image.height).div_ceil(MAX_SIDE);
    if factor <= 1 {
        return Cow::Borrowed(image);
    }
    let (width, height) = (image.width.div_ceil(factor), image.height.div_ceil(factor));
    let mut sums = vec![[0_u64; 4]; width * height];
    for (y, row) in image.pixels.chunks_exact(3 * image.width).enumerate() {
        for (x, pixel) in row.chunks_exact(3).enumerate() {
            let sum = &mut sums[(y / factor) * width + x / factor];
            for (total, &channel) in sum.iter_mut().zip(pixel) {
                *total += u64::from(channel);
            }
            sum[3] += 1;
        }
    }
    let mean = |[r, g, b, n]: [u64; 4]| [r, g, b].map(|total| ((total + n / 2) / n.max(1)) as u8);
    Cow::Owned(Rgb8 { width, height, pixels: sums.into_iter().flat_map(mean).collect() })
}

/// A picture with every pixel labelled.
struct Canvas {
    width: usize,
    height: usize,
    background: [f32; 3],
    pixels: Vec<[f32; 3]>,
    /// Nearest palette direction.
    label: Vec<u8>,
    /// Coverage along it, 0..1.
    cover: Vec<f32>,
    /// Part of the foreground.
    foreground: Vec<bool>,
    /// Off the background at all.
    painted: Vec<bool>,
}

impl Canvas {
    fn new(image: &Rgb8) -> Self {
        let pixels: Vec<[f32; 3]> =
            image.pixels.chunks_exact(3).map(|p| [p[0], p[1], p[2]].map(|c| f32::from(c) / 255.0)).collect();
        let background = background(image.width, image.height, &pixels);
        let directions = Colour::ALL.map(|colour| {
            let towards = minus(colour.rgb(), background);
            (towards, length(towards))
        });
        let mut canvas = Self {
            width: image.width,
            height: image.height,
            background,
            label: Vec::with_capacity(pixels.len()),
            cover: Vec::with_capacity(pixels.len()),
            foreground: Vec::with_capacity(pixels.len()),
            painted: Vec::with_capacity(pixels.len()),
            pixels,
        };
        for i in 0..canvas.pixels.len() {
            let offset = minus(canvas.pixels[i], background);
            let (label, cover) = nearest_direction(offset, &directions);
            let strength = length(offset);
            canvas.label.push(label);
            canvas.cover.push(cover);
            canvas.foreground.push(cover > 0.4 && strength > 0.2);
            canvas.painted.push(strength > INK);
        }
        canvas
    }

    /// The pixels of each component, largest first.
    fn pieces(&self) -> Vec<Vec<usize>> {
        let mut pieces = Vec::new();
        for piece in self.connected(|_, _| true, &mut self.foreground.clone()) {
            if self.has_two_colours(&piece) {
                let mut left = vec![false; self.cover.len()];
                for &i in &piece {
                    left[i] = true;
                }
                pieces.extend(self.connected(|a, b| self.label[a] == self.label[b], &mut left));
            } else {
                pieces.push(piece);
            }
        }
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
        pieces.truncate(MAX_COMPONENTS);
        pieces
    }

    /// Eight-connected pieces of at least [`MIN_AREA`] pixels of what is `left`, joined where `same` holds.
    fn connected(&self, same: impl Fn(usize, usize) -> bool, left: &mut [bool]) -> Vec<Vec<usize>> {
        let mut pieces = Vec::new();
        for start in 0..left.len() {
            if !std::mem::take(&mut left[start]) {
                continue;
            }
            let mut piece = vec![start];
            let mut next = 0;
            while next < piece.len() {
                let here = piece[next];
                next += 1;
                self.each_neighbour(here, |there| {
                    if left[there] && same(here, there) {
                        left[there] = false;
                        piece.push(there);
                    }
                });
            }
            if piece.len() >= MIN_AREA {
                pieces.push(piece);
            }
        }
        pieces
    }

    /// Calls `visit` with each of the up to nine pixels around and at `i`.
    fn each_neighbour(&self, i: usize, mut visit: impl FnMut(usize)) {
        let (x, y) = (i % self.width, i / self.width);
        for row in y.saturating_sub(1)..(y + 2).min(self.height) {
            for column in x.saturating_sub(1)..(x + 2).min(self.width) {
                visit(row * self.width + column);
            }
        }
    }

    fn has_two_colours(&self, piece: &[usize]) -> bool {
        let mut counts = [0_usize; Colour::ALL.len()];
        for &i in piece {
            counts[usize::from(self.label[i])] += 1;
        }
        let large = (piece.len() / 4).max(25);
        counts.iter().filter(|&&count| count > large).count() >= 2
    }

    /// Names a piece, whose pixels hold `number` in `owner`.
    fn component(&self, piece: &[usize], owner: &[u16], number: u16) -> Component {
        let core: Vec<usize> = piece.iter().copied().filter(|&i| self.cover[i] > 0.8).collect();
        let core = if core.is_empty() { piece } else { &core };
        let colours: Vec<[f32; 3]> = core.iter().map(|&i| self.pixels[i]).collect();
        let mut covers: Vec<f32> = core.iter().map(|&i| self.cover[i]).collect();
        let full = recognise::median(&mut covers).unwrap_or(1.0);
        let (mask, ink) = self.mask(piece, owner, number, full);
        let solid = recognise::uniformity(&colours);
        Component {
            area: piece.len(),
            ink,
            bounds: mask.bounds(),
            colour: recognise::colour_probabilities(&colours),
            shape: recognise::shape_probabilities(&mask).map(|p| p * solid),
        }
    }

    /// Coverage of a piece and of the unowned pixels that touch it, relative to `full`, and how many are
    /// painted.
    fn mask(&self, piece: &[usize], owner: &[u16], number: u16, full: f32) -> (Mask, usize) {
        let (mut left, mut top, mut right, mut bottom) = (self.width, self.height, 0, 0);
        for &i in piece {
            let (x, y) = (i % self.width, i / self.width);
            (left, right) = (left.min(x), right.max(x));
            (top, bottom) = (top.min(y), bottom.max(y));
        }
        (left, top) = (left.saturating_sub(1), top.saturating_sub(1));
        let width = (right + 2).min(self.width) - left;
        let height = (bottom + 2).min(self.height) - top;
        let mut mask = Mask { left, top, width, height, alpha: vec![0.0; width * height] };
        let mut ink = 0;
        let mut seen = vec![false; width * height];
        for &i in piece {
            self.each_neighbour(i, |there| {
                let cell = (there / self.width - top) * width + there % self.width - left;
                let ours = owner[there] == number || owner[there] == 0;
                if ours && !std::mem::replace(&mut seen[cell], true) {
                    mask.alpha[cell] = (self.cover[there] / full).min(1.0);
                    ink += usize::from(self.painted[there]);
                }
            });
        }
        (mask, ink)
    }
}

/// Median of the outer two pixels on all sides.
fn background(width: usize, height: usize, pixels: &[[f32; 3]]) -> [f32; 3] {
    let on_border = |i: usize| {
        let (x, y) = (i % width, i / width);
        x.min(y) < 2 || x + 2 >= width || y + 2 >= height
    };
    let border: Vec<[f32; 3]> =
        pixels.iter().enumerate().filter(|&(i, _)| on_border(i)).map(|(_, &pixel)| pixel).collect();
    [0, 1, 2].map(|channel| {
        let mut values: Vec<f32> = border.iter().map(|pixel| pixel[channel]).collect();
        recognise::median(&mut values).unwrap_or(0.0)
    })
}

/// The palette direction with the largest cosine to `offset`, and the coverage along it. A palette colour
/// that cannot be told from the background has no direction and is passed over.
fn nearest_direction(offset: [f32; 3], directions: &[([f32; 3], f32); 8]) -> (u8, f32) {
    let (mut label, mut best, mut cover) = (0, f32::NEG_INFINITY, 0.0);
    for (number, &(towards, norm)) in (0..).zip(directions) {
        if norm < INK {
            continue;
        }
        let along = (offset[0] * towards[0] + offset[1] * towards[1] + offset[2] * towards[2]) / norm;
        if along > best {
            (label, best, cover) = (number, along, (along / norm).clamp(0.0, 1.0));
        }
    }
    (label, cover)
}

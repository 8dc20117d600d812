//! Random captions and scenes, in two splits.
//!
//! The split is a property of the caption, not of the draw: a stable hash of its canonical wording decides,
//! so a caption seen in training is never met in evaluation, whatever the seed. Captions that the same
//! pictures satisfy ("A left of B" and "B right of A"; the two orders of "and") share a canonical wording and
//! so a side.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::families::Family;
use super::prompt::{Caption, Link, ObjectSpec};
use super::scene::{Colour, MAX_REACH, Object, Relation, SIDE, Scene, Shape};

/// Which captions are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// Those a model is trained on.
    Train,
    /// Those it never sees in training.
    HeldOut,
}

/// Family weights of the pretraining mixture.
pub const MIXTURE: [(Family, f64); 6] = [
    (Family::SingleObject, 0.06),
    (Family::Colours, 0.14),
    (Family::Counting, 0.26),
    (Family::TwoObjects, 0.08),
    (Family::ColourAttribution, 0.16),
    (Family::Position, 0.30),
];

/// Draws before a rejection sampler gives up and takes its fixed fallback.
const ATTEMPTS: usize = 200;

/// Goes before the wording when it is hashed. Of the salts "split 0: " to "split 59: " this one alone holds
/// out shares near the intended ones in the small families too (3 of the 15 pairs of two shapes, 22 of 162
/// countings, 6 of 48 coloured shapes) with most shapes and colours among them. Changing it changes both
/// splits of every recorded run.
const SALT: &str = "split 14: ";

/// Whether a caption is kept from training: FNV-1a (64 bit) of a fixed salt and the canonical wording, its
/// high half taken as a fraction of 2^32, below 0.10 (position, colour attribution) or 0.15 (counting,
/// colours, two objects). The six captions of [`Family::SingleObject`] are in both splits: with any of them
/// gone, a shape would never be named alone.
#[must_use]
pub fn is_held_out(caption: &Caption) -> bool {
    let share = match Family::of(caption) {
        Family::SingleObject => return false,
        Family::Position | Family::ColourAttribution => 0.10,
        Family::Counting | Family::Colours | Family::TwoObjects => 0.15,
    };
    let hash = fnv1a(format!("{SALT}{}", caption.canonical()).as_bytes());
    ((hash >> 32) as f64) < share * 4_294_967_296.0
}

/// The 64-bit FNV-1a hash: the same on every machine and in every version, unlike the standard library's.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn belongs(caption: Caption, family: Family, split: Split) -> bool {
    family == Family::SingleObject || is_held_out(&caption) == (split == Split::HeldOut)
}

/// A caption of one family: attributes uniform, three counting captions in four with a colour.
pub fn sample_caption(rng: &mut impl Rng, family: Family, split: Split) -> Caption {
    for _ in 0..ATTEMPTS {
        let caption = draw_caption(rng, family);
        if belongs(caption, family, split) {
            return caption;
        }
    }
    // Reached once in 10^9 calls of the rarest case, 0.9^200; every family has captions in both splits.
    let mut all = family.captions();
    all.retain(|&caption| belongs(caption, family, split));
    *pick(rng, &all)
}

/// A caption of the pretraining mixture, families weighted by [`MIXTURE`].
pub fn sample_mixture(rng: &mut impl Rng, split: Split) -> Caption {
    let mut left = rng.random::<f64>();
    let chosen = MIXTURE.iter().find(|(_, weight)| {
        left -= weight;
        left < 0.0
    });
    // Rounding can leave a sliver above the last weight; it belongs to the last family.
    sample_caption(rng, chosen.unwrap_or(&MIXTURE[MIXTURE.len() - 1]).0, split)
}

fn pick<'a, T>(rng: &mut impl Rng, from: &'a [T]) -> &'a T {
    &from[rng.random_range(0..from.len())]
}

/// Like [`pick`] without `other`: uniform over the rest.
fn pick_other<T: Copy + PartialEq>(rng: &mut impl Rng, from: &[T], other: T) -> T {
    let rest: Vec<T> = from.iter().copied().filter(|&item| item != other).collect();
    *pick(rng, &rest)
}

fn draw_caption(rng: &mut impl Rng, family: Family) -> Caption {
    let first = ObjectSpec { colour: Some(*pick(rng, &Colour::ALL)), shape: *pick(rng, &Shape::ALL) };
    let plain = ObjectSpec { colour: None, ..first };
    match family {
        Family::SingleObject => Caption::Count { count: 1, object: plain },
        Family::Colours => Caption::Count { count: 1, object: first },
        Family::Counting => {
            let object = if rng.random_bool(0.75) { first } else { plain };
            Caption::Count { count: rng.random_range(2..=4), object }
        }
        Family::TwoObjects => {
            let second = ObjectSpec { colour: None, shape: pick_other(rng, &Shape::ALL, first.shape) };
            Caption::Pair { first: plain, link: Link::And, second }
        }
        Family::ColourAttribution => {
            let second = ObjectSpec {
                colour: pick_other(rng, &Colour::ALL.map(Some), first.colour),
                shape: *pick(rng, &Shape::ALL),
            };
            Caption::Pair { first, link: Link::And, second }
        }
        Family::Position => {
            let link = Link::Relation(*pick(rng, &Relation::ALL));
            let all: Vec<ObjectSpec> = Shape::ALL
                .iter()
                .flat_map(|&shape| Colour::ALL.map(|colour| ObjectSpec { colour: Some(colour), shape }))
                .collect();
            Caption::Pair { first, link, second: pick_other(rng, &all, first) }
        }
    }
}

/// A scene that shows the caption and nothing else. Colours left out are drawn afresh for each object; pairs
/// without a relation lie along a random one of the four.
pub fn sample_scene(rng: &mut impl Rng, caption: &Caption) -> Scene {
    let grey = rng.random_range(0.08..0.18);
    let background = [(); 3].map(|()| grey + rng.random_range(-0.01..0.01_f32));
    let mut objects: Vec<Object> = (caption.objects_asked().iter().take(4))
        .map(|spec| {
            let colour = spec.colour.unwrap_or_else(|| *pick(rng, &Colour::ALL));
            Object { shape: spec.shape, colour, x: 0.0, y: 0.0, radius: 0.0 }
        })
        .collect();
    match caption {
        Caption::Count { .. } => place_apart(rng, &mut objects),
        Caption::Pair { link, .. } => {
            let relation = match *link {
                Link::And => *pick(rng, &Relation::ALL),
                Link::Relation(relation) => relation,
            };
            place_pair(rng, &mut objects, relation);
        }
    }
    Scene { background, objects }
}

/// Radii in pixels of one to four equal objects, and of the two of a pair.
const RADII: [[f32; 2]; 4] = [[14.0, 19.0], [11.0, 14.0], [10.0, 12.0], [9.0, 11.0]];
const PAIR_RADII: [f32; 2] = [11.0, 13.5];

/// Anywhere inside the picture, clear of each other ([`Object::is_clear_of`]). Objects are placed one after
/// the other; when the next finds no room, all are placed anew.
fn place_apart(rng: &mut impl Rng, objects: &mut [Object]) {
    let radii = RADII[objects.len().clamp(1, 4) - 1];
    for _ in 0..ATTEMPTS {
        if (0..objects.len()).all(|i| place_next(rng, &mut objects[..=i], radii)) {
            return;
        }
    }
    // The smallest radii on a coarse grid, diagonal first: 32 pixels apart where at most 27.2 are needed.
    let grid: &[[f32; 2]] = if objects.len() == 1 {
        &[[32.0, 32.0]]
    } else {
        &[[16.0, 16.0], [48.0, 48.0], [48.0, 16.0], [16.0, 48.0]]
    };
    for (object, &[x, y]) in objects.iter_mut().zip(grid) {
        (object.x, object.y, object.radius) = (x, y, radii[0]);
    }
}

/// Places the last of `objects` clear of the others, in at most 40 draws; false if none was clear.
fn place_next(rng: &mut impl Rng, objects: &mut [Object], [low, high]: [f32; 2]) -> bool {
    let Some((next, placed)) = objects.split_last_mut() else { return true };
    next.radius = rng.random_range(low..high);
    let reach = MAX_REACH * next.radius;
    (0..40).any(|_| {
        next.x = rng.random_range(reach..SIDE as f32 - reach);
        next.y = rng.random_range(reach..SIDE as f32 - reach);
        placed.iter().all(|other| next.is_clear_of(other))
    })
}

/// Two objects along one axis: centres `1.1 (r1 + r2) + 2 + U(0, 3)` pixels apart, up to 6 pixels off the
/// axis, their middle within 3 pixels of the picture's.
fn place_pair(rng: &mut impl Rng, objects: &mut [Object], relation: Relation) {
    let [dx, dy] = relation.direction();
    let [first, second] = objects else { return };
    let middle = SIDE as f32 / 2.0;
    for _ in 0..ATTEMPTS {
        first.radius = rng.random_range(PAIR_RADII[0]..PAIR_RADII[1]);
        second.radius = rng.random_range(PAIR_RADII[0]..PAIR_RADII[1]);
        let along = 0.5 * (1.1 * (first.radius + second.radius) + 2.0 + rng.random_range(0.0..3.0_f32));
        let across = 0.5 * rng.random_range(-6.0..6.0_f32);
        let (cx, cy) = (middle + rng.random_range(-3.0..3.0_f32), middle + rng.random_range(-3.0..3.0_f32));
        let (ox, oy) = (dx * along + dy * across, dy * along + dx * across);
        (first.x, first.y) = (cx + ox, cy + oy);
        (second.x, second.y) = (cx - ox, cy - oy);
        if first.is_inside() && second.is_inside() {
            return;
        }
    }
    let along = 0.5 * (2.2 * PAIR_RADII[0] + 2.0);
    (first.x, first.y, first.radius) = (middle + dx * along, middle + dy * along, PAIR_RADII[0]);
    (second.x, second.y, second.radius) = (middle - dx * along, middle - dy * along, PAIR_RADII[0]);
}

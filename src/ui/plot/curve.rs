//! A curve of a plot, and what is remembered of its series between two frames.

use super::axis::XMap;
use super::scale::Scale;
use crate::runs::series::{Point, Series};
use crate::runs::smooth::Smoother;

/// Series with fewer points are not smoothed: the mean of two would only move them away from themselves.
pub const LEAST_TO_SMOOTH: usize = 3;

/// Which series it is: the same number for the same one in every frame, another for every other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeriesId(pub u64);

impl SeriesId {
    /// Of the series called `name` of the run called `run`, which may be its folder.
    #[must_use]
    pub fn of(run: &str, name: &str) -> Self {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        (run, name).hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// A curve of a plot.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    /// Which series it is.
    pub id: SeriesId,
    /// The run it belongs to.
    pub run: &'a str,
    /// Its name in the legend.
    pub name: &'a str,
    /// Its place in the palette.
    pub colour: usize,
    /// Its points.
    pub series: &'a Series,
    /// Lower and upper edge of the band around it, of the same steps as each other.
    pub band: Option<[&'a Series; 2]>,
    /// Where its points lie on the horizontal axis.
    pub x: XMap<'a>,
    /// A series of the run with a point at every step, which says when a step was where the axis counts time: cursor and
    /// marks stand at the same place in all panels. `None`: its own points say it.
    pub clock: Option<&'a Series>,
    /// Where its run branched off from another: place on the horizontal axis and value of that one's last point before.
    pub branches_from: Option<[f64; 2]>,
    /// Whether it has gaps, to be told from others in grey.
    pub dashed: bool,
    /// Whether it is wider than the others.
    pub emphasis: bool,
}

impl<'a> Curve<'a> {
    /// A plain curve over training steps.
    #[must_use]
    pub fn new(run: &'a str, name: &'a str, series: &'a Series) -> Self {
        Self {
            id: SeriesId::of(run, name),
            run,
            name,
            colour: 0,
            series,
            band: None,
            x: XMap::Step,
            clock: None,
            branches_from: None,
            dashed: false,
            emphasis: false,
        }
    }

    /// Where `step` of its run lies on the horizontal axis.
    #[must_use]
    pub fn x_of_step(&self, step: usize) -> Option<f64> {
        self.x.x_of_step(self.clock.unwrap_or(self.series), step)
    }

    /// The step of its run that lies nearest to `x`.
    #[must_use]
    pub fn step_at(&self, x: f64) -> Option<usize> {
        self.x.step_at(self.clock.unwrap_or(self.series), x)
    }

    /// From the point that it branches off to its first one, on the scale of the axis.
    pub(super) fn joint(&self, scale: Scale) -> Option<[[f64; 2]; 2]> {
        let ([x, value], first) = (self.branches_from?, self.series.get(0)?);
        Some([[x, scale.place(value)?], [self.x.x(first), scale.place(first.value)?]])
    }

    /// Width of its line in points.
    pub(super) const fn width(&self) -> f32 {
        if self.emphasis { 2.4 } else { 1.4 }
    }

    /// Whether a smoothed line is drawn over it.
    pub(super) fn is_smoothed(&self, beta: f64) -> bool {
        beta > 0.0 && self.series.len() >= LEAST_TO_SMOOTH
    }
}

/// Points of a series that are not finite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotFinite {
    /// NaN.
    pub nan: usize,
    /// Infinity.
    pub above: usize,
    /// Negative infinity.
    pub below: usize,
}

impl NotFinite {
    /// Those of all points of `series`.
    #[must_use]
    pub fn of(series: &Series) -> Self {
        series.summary().map_or_else(Self::default, |all| Self {
            nan: all.nan,
            above: all.positive_infinity,
            below: all.negative_infinity,
        })
    }

    /// With those of another series.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { nan: self.nan + other.nan, above: self.above + other.above, below: self.below + other.below }
    }

    /// In words, `3 NaN, 1 inf`; empty if there are none.
    #[must_use]
    pub fn words(self) -> String {
        let parts = [(self.nan, "NaN"), (self.above, "inf"), (self.below, "\u{2212}inf")];
        let parts =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// What tells that a series is still the one that was seen, or that one with more points at its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Points of it.
    pub length: usize,
    ends: Option<[Point; 2]>,
}

/// What became of a series since it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Nothing.
    None,
    /// It has more points at its end.
    AtTheEnd,
    /// It is another, or has changed before its end.
    Elsewhere,
}

impl Seen {
    /// All of `series`.
    #[must_use]
    pub fn of(series: &Series) -> Self {
        Self::front(series, series.len())
    }

    /// Only so many points of it.
    fn front(series: &Series, length: usize) -> Self {
        let last = length.checked_sub(1).and_then(|last| series.get(last));
        Self { length, ends: series.get(0).zip(last).map(<[Point; 2]>::from) }
    }

    /// What became of it, if it is `series`.
    #[must_use]
    pub fn growth(&self, series: &Series) -> Growth {
        let Some([first, last]) = self.ends else {
            return if series.is_empty() { Growth::None } else { Growth::Elsewhere };
        };
        let same =
            |point: Point, index: usize| series.get(index).is_some_and(|other| identical(point, other));
        match series.len().checked_sub(self.length) {
            Some(more) if same(first, 0) && same(last, self.length - 1) => {
                if more == 0 {
                    Growth::None
                } else {
                    Growth::AtTheEnd
                }
            }
            _ => Growth::Elsewhere,
        }
    }
}

/// To the bit, so that NaN is NaN.
fn identical(a: Point, b: Point) -> bool {
    a.step == b.step && a.seconds.to_bits() == b.seconds.to_bits() && a.value.to_bits() == b.value.to_bits()
}

/// A series smoothed over all its points, kept while it grows.
#[derive(Clone, Debug)]
pub(super) struct Smoothed {
    beta: f64,
    smoother: Smoother,
    taken: Seen,
    pub series: Series,
}

impl Smoothed {
    pub fn new(beta: f64) -> Self {
        Self { beta, smoother: Smoother::new(beta), taken: Seen::default(), series: Series::default() }
    }

    /// Takes the points of `series` that it has not seen, or all if they are others, but at most `room` of them; returns
    /// how many it took.
    pub fn follow(&mut self, series: &Series, beta: f64, room: usize) -> usize {
        let known = self.taken.ends.is_none() || self.taken.growth(series) != Growth::Elsewhere;
        if beta.to_bits() != self.beta.to_bits() || !known {
            *self = Self::new(beta);
        }
        let from = self.taken.length;
        let to = series.len().min(from.saturating_add(room));
        for point in (from..to).filter_map(|index| series.get(index)) {
            if let Some(value) = self.smoother.push(point.value) {
                self.series.push(Point { value, ..point });
            }
        }
        self.taken = Seen::front(series, to);
        to - from
    }

    /// Whether it has taken all points of `series`.
    pub const fn is_whole(&self, length: usize) -> bool {
        self.taken.length == length
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn series(values: &[f64]) -> Series {
        let mut series = Series::default();
        for (step, value) in values.iter().enumerate() {
            series.push(Point { step, seconds: step as f64, value: *value });
        }
        series
    }

    proptest! {
        #[test]
        fn smoothing_piece_by_piece_is_smoothing_at_once(
            values in prop::collection::vec(-9.0..9.0_f64, 1..80), cut in 0..80_usize, room in 1..20_usize,
        ) {
            let all = series(&values);
            let mut smoothed = Smoothed::new(0.9);
            smoothed.follow(&series(&values[..cut.min(values.len())]), 0.9, usize::MAX);
            while !smoothed.is_whole(all.len()) {
                prop_assert!(smoothed.follow(&all, 0.9, room) > 0);
            }
            let (expected, _) = all.smoothed(0.9);
            prop_assert_eq!(smoothed.series.columns(), expected.columns());
        }
    }

    #[test]
    fn another_series_of_the_same_length_is_smoothed_anew() {
        let mut smoothed = Smoothed::new(0.5);
        smoothed.follow(&series(&[1.0, 2.0, 3.0]), 0.5, 99);
        let other = series(&[1.0, 2.0, 4.0]);
        assert_eq!(smoothed.follow(&other, 0.5, 99), 3);
        assert_eq!(smoothed.series.columns(), other.smoothed(0.5).0.columns());
        assert_eq!(smoothed.follow(&other, 0.5, 99), 0, "nothing to do again");
        assert_eq!(smoothed.follow(&other, 0.6, 99), 3, "another beta");
    }

    #[test]
    fn a_point_in_the_middle_is_seen() {
        let mut grown = series(&[1.0, f64::NAN]);
        let seen = Seen::of(&grown);
        assert_eq!(seen.growth(&grown), Growth::None);
        grown.push(Point { step: 2, seconds: 2.0, value: 5.0 });
        assert_eq!(seen.growth(&grown), Growth::AtTheEnd);
        let seen = Seen::of(&grown);
        grown.push(Point { step: 0, seconds: 0.5, value: 7.0 });
        assert_eq!(seen.growth(&grown), Growth::Elsewhere);
    }

    #[test]
    fn counts_in_words() {
        let counts = NotFinite::of(&series(&[f64::NAN, 1.0, f64::NAN, f64::INFINITY]));
        assert_eq!(counts.words(), "2 NaN, 1 inf");
        assert_eq!(NotFinite::default().words(), "");
    }
}

//! A series cut into columns as wide as a pixel, with the least and the greatest value of each.
//!
//! Columns lie on a grid that starts at zero and whose width takes few values, not where the view starts: a view that pans
//! keeps its columns and adds some at the edge, and no curve trembles.

use std::ops::Range;

use super::axis::{XMap, partition};
use super::cells::grid;
use super::curve::{Growth, Seen};
use super::scale::Scale;
use crate::runs::series::Series;

/// The points of a series with their places.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub series: &'a Series,
    /// Never descending; the series' own or what [`Times`](super::times::Times) made of them.
    pub seconds: &'a [f64],
    pub map: XMap<'a>,
    pub scale: Scale,
    /// Another number where the same points were computed in another way.
    pub variant: u64,
}

impl Source<'_> {
    fn x(&self, index: usize) -> Option<f64> {
        match self.map {
            // One of the two columns of numbers is enough.
            XMap::Seconds { offset } => Some(self.seconds.get(index)? + offset),
            XMap::Step | XMap::Knots(_) => Some(self.map.of(*self.series.columns().0.get(index)?, 0.0)),
        }
    }

    fn before(&self, index: usize, x: f64) -> bool {
        self.x(index).is_some_and(|at| at < x)
    }

    /// Index of the first point at or behind `x`.
    pub fn first_from(&self, x: f64) -> usize {
        partition(0..self.series.len(), |index| self.before(index, x))
    }

    /// A column of the points of that range, which is not empty.
    pub fn column(&self, key: i64, range: Range<usize>) -> Option<Column> {
        let (from, to) = (range.start, range.end);
        let (steps, _, values) = self.series.columns();
        let inside = values.get(range)?;
        let (first, last) = (*inside.first()?, *inside.last()?);
        let x = self.x(from)? / 2.0 + self.x(to - 1)? / 2.0;
        let mut column = Column { key, from, to, x, first, last, ..Column::NOTHING };
        if inside.len() <= SCANNED {
            column.scan(inside, self.scale);
            return Some(column);
        }
        let bucket = *self.series.buckets(*steps.get(from)?..=*steps.get(to - 1)?, 1).first()?;
        column.low = bucket.min.unwrap_or(f64::INFINITY);
        column.high = bucket.max.unwrap_or(f64::NEG_INFINITY);
        column.nan = bucket.nan;
        column.above = bucket.positive_infinity;
        column.below = bucket.negative_infinity;
        if column.low <= column.high && !self.scale.has(column.low) {
            // The pyramid does not know the least number that has a place here.
            column = Column { key, from, to, x, first, last, ..Column::NOTHING };
            column.scan(inside, self.scale);
        }
        Some(column)
    }
}

/// So many values are read faster than found in the pyramid.
const SCANNED: usize = 256;

/// The points of a series within one column of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Column {
    /// Which column of the grid.
    pub key: i64,
    /// Index of the first point.
    pub from: usize,
    /// Index behind the last point.
    pub to: usize,
    /// Between the first and the last point.
    pub x: f64,
    pub first: f64,
    pub last: f64,
    /// Least value that has a place on the axis; infinity if there is none.
    pub low: f64,
    /// Greatest value that has a place on the axis; negative infinity if there is none.
    pub high: f64,
    pub nan: usize,
    pub above: usize,
    pub below: usize,
    /// Finite values that have no place on the axis.
    pub unplaced: usize,
}

impl Column {
    const NOTHING: Self = Self {
        key: 0,
        from: 0,
        to: 0,
        x: 0.0,
        first: 0.0,
        last: 0.0,
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        nan: 0,
        above: 0,
        below: 0,
        unplaced: 0,
    };

    fn scan(&mut self, values: &[f64], scale: Scale) {
        let Some((low, high)) = ends(values) else { return self.sort_out(values, scale) };
        if scale.has(low) {
            (self.low, self.high) = (low, high);
        } else {
            self.sort_out(values, scale);
        }
    }

    /// Value by value, where some have no place.
    fn sort_out(&mut self, values: &[f64], scale: Scale) {
        for &value in values {
            if scale.has(value) {
                self.low = self.low.min(value);
                self.high = self.high.max(value);
            } else if value.is_finite() {
                self.unplaced += 1;
            } else if value.is_nan() {
                self.nan += 1;
            } else if value > 0.0 {
                self.above += 1;
            } else {
                self.below += 1;
            }
        }
    }

    /// Whether anything of it has a place on the axis.
    pub fn has_place(&self) -> bool {
        self.low <= self.high
    }

    pub const fn count(&self) -> usize {
        self.to - self.from
    }

    const fn odd(&self) -> usize {
        self.nan + self.above + self.below + self.unplaced
    }

    /// Whether there is a point without a place.
    pub const fn is_odd(&self) -> bool {
        self.odd() > 0
    }
}

/// The least and the greatest value; `None` if one is not finite. Without branches, so that several go at once.
fn ends(values: &[f64]) -> Option<(f64, f64)> {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    let (mut low, mut high, mut odd) = (f64::INFINITY, f64::NEG_INFINITY, false);
    for &value in values {
        low = if value < low { value } else { low };
        high = if value > high { value } else { high };
        odd |= value.to_bits() & EXPONENT == EXPONENT;
    }
    (!odd).then_some((low, high))
}

/// What columns depend on besides the points.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Basis {
    width: f64,
    scale: Scale,
    variant: u64,
    /// Kind and numbers of the map.
    map: (u8, usize, [f64; 4]),
}

fn map_key(map: &XMap<'_>) -> (u8, usize, [f64; 4]) {
    match map {
        XMap::Step => (0, 0, [0.0; 4]),
        XMap::Seconds { offset } => (1, 0, [*offset, 0.0, 0.0, 0.0]),
        XMap::Knots(knots) => {
            let end = |knot: Option<&(usize, f64)>| knot.map_or([0.0; 2], |knot| [knot.0 as f64, knot.1]);
            let ([a, b], [c, d]) = (end(knots.first()), end(knots.last()));
            (2, knots.len(), [a, b, c, d])
        }
    }
}

/// The columns of one series, kept between frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    basis: Option<Basis>,
    seen: Seen,
    covered: Range<i64>,
    cut: Vec<Column>,
    /// Columns computed so far, for tests that nothing is computed twice.
    pub computed: usize,
}

impl Columns {
    /// Covers the columns `wanted` of a grid of that width; says whether anything changed.
    pub fn cover(&mut self, source: &Source<'_>, width: f64, wanted: Range<i64>) -> bool {
        let basis =
            Some(Basis { width, scale: source.scale, variant: source.variant, map: map_key(&source.map) });
        let before = self.computed;
        let growth = self.seen.growth(source.series);
        let anew = basis != self.basis
            || growth == Growth::Elsewhere
            || wanted.end < self.covered.start
            || wanted.start > self.covered.end;
        if anew {
            (self.basis, self.covered) = (basis, wanted.start..wanted.start);
            self.cut.clear();
        } else if growth == Growth::AtTheEnd {
            self.forget_from(source, width);
        }
        if anew || growth != Growth::None {
            self.seen = Seen::of(source.series);
        }
        if wanted.start < self.covered.start {
            let front = cut(source, width, wanted.start..self.covered.start);
            self.computed += front.len();
            self.cut.splice(0..0, front);
            self.covered.start = wanted.start;
        }
        if wanted.end > self.covered.end {
            let back = cut(source, width, self.covered.end..wanted.end);
            self.computed += back.len();
            self.cut.extend(back);
            self.covered.end = wanted.end;
        }
        self.trim(&wanted);
        anew || growth != Growth::None || self.computed != before
    }

    /// Drops the column of the last point that was seen and what is behind it: more points may have come into them.
    fn forget_from(&mut self, source: &Source<'_>, width: f64) {
        let Some(x) = self.seen.length.checked_sub(1).and_then(|last| source.x(last)) else { return };
        let key = grid([x, x], width).start;
        self.covered.end = self.covered.end.min(key).max(self.covered.start);
        let keep = self.cut.partition_point(|column| column.key < self.covered.end);
        self.cut.truncate(keep);
    }

    /// Keeps no more than a few views.
    fn trim(&mut self, wanted: &Range<i64>) {
        let view = wanted.end - wanted.start;
        if self.covered.end - self.covered.start > view.saturating_mul(4) {
            let kept = wanted.start.saturating_sub(view).max(self.covered.start)
                ..wanted.end.saturating_add(view).min(self.covered.end);
            self.cut.retain(|column| kept.contains(&column.key));
            self.covered = kept;
        }
    }

    /// The columns of `wanted` that have points.
    pub fn within(&self, wanted: &Range<i64>) -> &[Column] {
        let from = self.cut.partition_point(|column| column.key < wanted.start);
        let to = self.cut.partition_point(|column| column.key < wanted.end);
        self.cut.get(from..to).unwrap_or(&[])
    }
}

/// The columns of that range of the grid that have points.
fn cut(source: &Source<'_>, width: f64, range: Range<i64>) -> Vec<Column> {
    let (mut found, mut count) = (Vec::new(), 1);
    let mut from = source.first_from(range.start as f64 * width);
    while let Some(x) = source.x(from) {
        let key = grid([x, x], width).start.max(range.start);
        if key >= range.end {
            break;
        }
        let end = (key + 1) as f64 * width;
        let to = behind(source, from, end, count).max(from + 1);
        let Some(column) = source.column(key, from..to) else { break };
        found.push(column);
        (count, from) = (to - from, to);
    }
    found
}

/// Index of the first point from `from` on that is not before `x`; near ones are found fast, and the one `guess` points on
/// at once: most columns hold as many as the one before.
fn behind(source: &Source<'_>, from: usize, x: f64, guess: usize) -> usize {
    if source.before(from + guess - 1, x) && !source.before(from + guess, x) {
        return from + guess;
    }
    let mut reach = 1;
    while from + reach <= source.series.len() && source.before(from + reach - 1, x) {
        reach *= 2;
    }
    let known = from + reach / 2;
    partition(known..(from + reach).min(source.series.len()), |index| source.before(index, x))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::runs::series::Point;
    use crate::ui::plot::cells::column_width;

    fn series(values: impl IntoIterator<Item = f64>) -> Series {
        let mut series = Series::default();
        for (step, value) in values.into_iter().enumerate() {
            series.push(Point { step, seconds: step as f64 * 0.5, value });
        }
        series
    }

    fn source<'a>(series: &'a Series, map: XMap<'a>) -> Source<'a> {
        Source { series, seconds: series.columns().1, map, scale: Scale::Linear, variant: 0 }
    }

    proptest! {
        #[test]
        fn a_spike_survives_any_zoom(
            at in 0..20_000_usize, low in 0.0..1.0_f64, span in 0.001..1.0_f64, pixels in 50..1500_usize, time: bool,
        ) {
            let series = series((0..20_000).map(|i| if i == at { 1e3 } else { f64::from(i as u32 % 7) }));
            let map = if time { XMap::Seconds { offset: 3.0 } } else { XMap::Step };
            let place = map.of(at, at as f64 * 0.5);
            let whole = map.of(20_000, 10_000.0);
            let x = [low * whole, (low + span) * whole];
            let width = column_width((x[1] - x[0]) / pixels as f64, &map);
            let wanted = grid(x, width);
            let mut columns = Columns::default();
            columns.cover(&source(&series, map), width, wanted.clone());
            let seen = columns.within(&wanted);
            prop_assert!(seen.len() <= pixels + 3);
            let spike = seen.iter().any(|column| column.high == 1e3);
            prop_assert!(spike || place < x[0] || place > x[1]);
        }

        #[test]
        fn growing_and_panning_is_as_good_as_anew(
            values in prop::collection::vec(prop_oneof![9 => -5.0..5.0_f64, 1 => Just(f64::NAN)], 1..400),
            moves in prop::collection::vec((0..400_usize, -20.0..300.0_f64, 5.0..200.0_f64, 0..3_usize), 1..12),
        ) {
            let mut kept = Columns::default();
            let mut length = 0;
            for (more, low, span, zoom) in moves {
                length = (length + more / 4).min(values.len());
                let series = series(values[..length].iter().copied());
                let source = source(&series, XMap::Step);
                let width = [1.0, 2.0, 6.0][zoom];
                let wanted = grid([low, low + span], width);
                kept.cover(&source, width, wanted.clone());
                let mut anew = Columns::default();
                anew.cover(&source, width, wanted.clone());
                prop_assert_eq!(format!("{:?}", kept.within(&wanted)), format!("{:?}", anew.within(&wanted)));
            }
        }
    }

    #[test]
    fn nothing_is_computed_twice() {
        let series = series((0..100_000).map(f64::from));
        let source = source(&series, XMap::Step);
        let mut columns = Columns::default();
        assert!(columns.cover(&source, 96.0, grid([0.0, 48_000.0], 96.0)));
        let first = columns.computed;
        assert!(!columns.cover(&source, 96.0, grid([0.0, 48_000.0], 96.0)));
        assert_eq!(columns.computed, first);
        columns.cover(&source, 96.0, grid([960.0, 48_960.0], 96.0));
        assert_eq!(columns.computed - first, 10, "ten columns further, ten new ones");
    }
}

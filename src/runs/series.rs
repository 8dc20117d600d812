//! One number over the steps of a run, kept in full and readable at any zoom.
//!
//! Next to the points stands a pyramid: for every 8 points, every 64, every 512 and so on their least and greatest value, so
//! that a plot of any range costs what it is wide, not what it covers, and shows every spike. What is not finite is counted
//! and enters neither.

use std::ops::{Range, RangeInclusive};

use super::smooth::Smoother;

/// Points under one node, and nodes under one above.
const FAN_OUT: usize = 8;

/// A point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Training step.
    pub step: usize,
    /// Seconds of training at that step.
    pub seconds: f64,
    /// The number, which may be NaN or infinite.
    pub value: f64,
}

/// Points in ascending order of their steps. A point takes 24 bytes and its share of the pyramid at most 5; room for at
/// most a quarter more is held ready.
#[derive(Clone, Debug, Default)]
pub struct Series {
    steps: Vec<usize>,
    seconds: Vec<f64>,
    values: Vec<f64>,
    /// Node `i` of level `l` covers points `i * 8^(l+1)` to `(i+1) * 8^(l+1)`, the last of a level perhaps fewer.
    levels: Vec<Vec<Extent>>,
}

/// What there is among some points.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Extent {
    /// Infinity if nothing is finite.
    min: f64,
    /// Negative infinity if nothing is finite.
    max: f64,
    nan: u32,
    positive_infinity: u32,
    negative_infinity: u32,
}

impl Extent {
    const NOTHING: Self = Self {
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
        nan: 0,
        positive_infinity: 0,
        negative_infinity: 0,
    };

    /// With one more point.
    const fn with(mut self, value: f64) -> Self {
        if value.is_finite() {
            self.min = lesser(self.min, value);
            self.max = greater(self.max, value);
        } else if value.is_nan() {
            self.nan += 1;
        } else if value > 0.0 {
            self.positive_infinity += 1;
        } else {
            self.negative_infinity += 1;
        }
        self
    }

    const fn and(self, other: Self) -> Self {
        Self {
            min: lesser(self.min, other.min),
            max: greater(self.max, other.max),
            nan: self.nan + other.nan,
            positive_infinity: self.positive_infinity + other.positive_infinity,
            negative_infinity: self.negative_infinity + other.negative_infinity,
        }
    }
}

/// The lesser of two numbers that are not NaN; `f64::min` would ask whether they are.
const fn lesser(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// The greater of two numbers that are not NaN.
const fn greater(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The points of a range of steps, which share one column of a plot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// Step of the first point.
    pub first_step: usize,
    /// Step of the last point.
    pub last_step: usize,
    /// Seconds of training at the first point.
    pub first_seconds: f64,
    /// Seconds of training at the last point.
    pub last_seconds: f64,
    /// Least finite value; `None` if there is none.
    pub min: Option<f64>,
    /// Greatest finite value; `None` if there is none.
    pub max: Option<f64>,
    /// Value of the last point, finite or not.
    pub last: f64,
    /// Points, those that are not finite included.
    pub count: usize,
    /// Points that are NaN.
    pub nan: usize,
    /// Points that are infinity.
    pub positive_infinity: usize,
    /// Points that are negative infinity.
    pub negative_infinity: usize,
}

impl Series {
    /// Points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Adds a point, behind all others of its step and of earlier ones. That takes constant time at the end, as a run
    /// being recorded needs it, and time in proportion to the later points elsewhere.
    pub fn push(&mut self, point: Point) {
        let at = match self.steps.last() {
            Some(&last) if last > point.step => self.steps.partition_point(|&step| step <= point.step),
            _ => self.len(),
        };
        reserve(&mut self.steps);
        reserve(&mut self.seconds);
        reserve(&mut self.values);
        self.steps.insert(at, point.step);
        self.seconds.insert(at, point.seconds);
        self.values.insert(at, point.value);
        self.raise(at);
    }

    /// Makes the nodes above the points from `at` on right.
    fn raise(&mut self, at: usize) {
        let (mut first, mut below) = (at / FAN_OUT, self.len());
        for level in 0.. {
            // A level of one point or node needs none above it.
            if below <= 1 {
                break;
            }
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            let nodes = below.div_ceil(FAN_OUT);
            for node in first..nodes {
                let extent = self.sum(level, node * FAN_OUT..((node + 1) * FAN_OUT).min(below));
                if let Some(old) = self.levels[level].get_mut(node) {
                    *old = extent;
                } else {
                    reserve(&mut self.levels[level]);
                    self.levels[level].push(extent);
                }
            }
            (first, below) = (first / FAN_OUT, nodes);
        }
    }

    /// What is among `range` of the points (`level` 0) or of the nodes of level `level - 1`.
    fn sum(&self, level: usize, range: Range<usize>) -> Extent {
        if level == 0 {
            let values = self.values[range].iter();
            values.fold(Extent::NOTHING, |sum, &value| sum.with(value))
        } else {
            self.levels[level - 1][range].iter().fold(Extent::NOTHING, |sum, &node| sum.and(node))
        }
    }

    /// What is among `range` of the points, from at most 14 nodes of every level.
    fn extent(&self, range: Range<usize>) -> Extent {
        let (mut from, mut to) = (range.start, range.end);
        let mut extent = Extent::NOTHING;
        let mut level = 0;
        while from < to {
            // Whole nodes of the level above go to it; what sticks out on either side is taken here.
            let (inner_from, inner_to) = (from.div_ceil(FAN_OUT), to / FAN_OUT);
            if inner_from >= inner_to || level == self.levels.len() {
                return extent.and(self.sum(level, from..to));
            }
            extent = extent.and(self.sum(level, from..inner_from * FAN_OUT));
            extent = extent.and(self.sum(level, inner_to * FAN_OUT..to));
            (from, to, level) = (inner_from, inner_to, level + 1);
        }
        extent
    }

    /// The points whose steps are in `steps`, in at most `count` buckets that cover equally many steps each, up to one.
    /// Buckets without points are left out. Takes time in proportion to `count` and the logarithm of the points.
    #[must_use]
    pub fn buckets(&self, steps: RangeInclusive<usize>, count: usize) -> Vec<Bucket> {
        let (low, high) = steps.into_inner();
        let (Some(span), true) = (high.checked_sub(low), count > 0) else { return Vec::new() };
        // In 128 bits, so that no range of steps overflows.
        let span = span as u128 + 1;
        let count = (count as u128).min(span);
        let mut buckets = Vec::new();
        let mut from = self.steps.partition_point(|&step| step < low);
        while let Some(&step) = self.steps.get(from).filter(|&&step| step <= high) {
            // Straight to the bucket of the next point: stretches without points cost nothing.
            let place = (step - low) as u128 * count / span;
            let end = low as u128 + ((place + 1) * span).div_ceil(count);
            let to = from + leading(&self.steps[from..], |step| (step as u128) < end);
            buckets.push(self.bucket(from..to));
            from = to;
        }
        buckets
    }

    /// The bucket of some points; `range` is not empty.
    fn bucket(&self, range: Range<usize>) -> Bucket {
        let (first, last) = (range.start, range.end - 1);
        let count = range.len();
        let extent = self.extent(range);
        let some_finite = extent.min <= extent.max;
        Bucket {
            first_step: self.steps[first],
            last_step: self.steps[last],
            first_seconds: self.seconds[first],
            last_seconds: self.seconds[last],
            min: some_finite.then_some(extent.min),
            max: some_finite.then_some(extent.max),
            last: self.values[last],
            count,
            nan: extent.nan as usize,
            positive_infinity: extent.positive_infinity as usize,
            negative_infinity: extent.negative_infinity as usize,
        }
    }

    /// All points in one bucket; `None` if there is no point.
    #[must_use]
    pub fn summary(&self) -> Option<Bucket> {
        (!self.is_empty()).then(|| self.bucket(0..self.len()))
    }

    /// Point `index`, counted from 0.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Point> {
        let (step, seconds) = (*self.steps.get(index)?, *self.seconds.get(index)?);
        Some(Point { step, seconds, value: *self.values.get(index)? })
    }

    /// The last point.
    #[must_use]
    pub fn last(&self) -> Option<Point> {
        self.get(self.len().checked_sub(1)?)
    }

    /// The last point at or before `step`.
    #[must_use]
    pub fn at(&self, step: usize) -> Option<Point> {
        self.get(self.steps.partition_point(|&s| s <= step).checked_sub(1)?)
    }

    /// All points in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Point> + '_ {
        (0..self.len()).map(|i| Point {
            step: self.steps[i],
            seconds: self.seconds[i],
            value: self.values[i],
        })
    }

    /// Steps, seconds and values of all points, in order.
    #[must_use]
    pub fn columns(&self) -> (&[usize], &[f64], &[f64]) {
        (&self.steps, &self.seconds, &self.values)
    }

    /// The series smoothed with `beta`, computed on all points; see [`Smoother`]. Points that are not finite are left
    /// out; the second number says how many they are.
    #[must_use]
    pub fn smoothed(&self, beta: f64) -> (Self, usize) {
        let mut smoother = Smoother::new(beta);
        let mut smooth = Self::default();
        for point in self.iter() {
            if let Some(value) = smoother.push(point.value) {
                smooth.push(Point { value, ..point });
            }
        }
        (smooth, smoother.skipped())
    }

    /// Bytes of memory it holds.
    #[must_use]
    pub fn memory(&self) -> usize {
        let columns = self.steps.capacity() + self.seconds.capacity() + self.values.capacity();
        let nodes: usize = self.levels.iter().map(Vec::capacity).sum();
        columns * size_of::<f64>() + nodes * size_of::<Extent>()
    }
}

/// How many `steps` at the front are `inside`, all of them before those that are not. Takes time in proportion to the
/// logarithm of that number, not of all: most buckets hold a few points of many.
fn leading(steps: &[usize], inside: impl Fn(usize) -> bool) -> usize {
    let mut reach = 1;
    while steps.get(reach - 1).is_some_and(|&step| inside(step)) {
        reach *= 2;
    }
    let known = reach / 2;
    known + steps[known..reach.min(steps.len())].partition_point(|&step| inside(step))
}

/// Makes room for one more, growing by a quarter where `Vec` would double.
fn reserve<T>(column: &mut Vec<T>) {
    if column.len() == column.capacity() {
        column.reserve_exact((column.len() / 4).max(8));
    }
}

//! Series: whatever the zoom, nothing is lost.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::RangeInclusive;

use marscope::runs::series::{Bucket, Point, Series};
use proptest::prelude::*;

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => -10.0_f64..10.0,
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(f64::NEG_INFINITY),
        1 => any::<f64>(),
    ]
}

/// Steps with gaps and repetitions.
fn points() -> impl Strategy<Value = Vec<Point>> {
    prop::collection::vec((0_usize..4, value()), 0..700).prop_map(|pairs| {
        let mut step = 0;
        pairs
            .into_iter()
            .map(|(gap, value)| {
                step += gap;
                Point { step, seconds: 0.5 * step as f64, value }
            })
            .collect()
    })
}

fn series(points: &[Point]) -> Series {
    let mut series = Series::default();
    for point in points {
        series.push(*point);
    }
    series
}

/// What the bucket of `points` is, point by point.
fn brute(points: &[Point]) -> Bucket {
    let finite: Vec<f64> = points.iter().map(|p| p.value).filter(|v| v.is_finite()).collect();
    let number = |wanted: &dyn Fn(f64) -> bool| points.iter().filter(|p| wanted(p.value)).count();
    let (first, last) = (points.first().unwrap(), points.last().unwrap());
    Bucket {
        first_step: first.step,
        last_step: last.step,
        first_seconds: first.seconds,
        last_seconds: last.seconds,
        min: finite.iter().copied().reduce(f64::min),
        max: finite.iter().copied().reduce(f64::max),
        last: last.value,
        count: points.len(),
        nan: number(&f64::is_nan),
        positive_infinity: number(&|v| v == f64::INFINITY),
        negative_infinity: number(&|v| v == f64::NEG_INFINITY),
    }
}

fn within(points: &[Point], steps: &RangeInclusive<usize>) -> Vec<Point> {
    points.iter().filter(|p| steps.contains(&p.step)).copied().collect()
}

/// Equal, NaN included.
fn same<T: std::fmt::Debug>(a: &T, b: &T) -> bool {
    // The two zeros are one number: which of them is the least or greatest depends on the order of the points.
    let text = |value: &T| format!("{value:?}").replace("Some(-0.0)", "Some(0.0)");
    text(a) == text(b)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn buckets_hold_what_is_in_their_steps(
        points in points(),
        (low, width, count) in (0_usize..1200, 0_usize..1500, 1_usize..90),
    ) {
        let series = series(&points);
        let range = low..=low + width;
        let buckets = series.buckets(range.clone(), count);
        prop_assert!(buckets.len() <= count);
        let inside = within(&points, &range);
        // Together they hold every point of the range once, in order.
        let mut rest = inside.as_slice();
        let span = (width + 1) as f64;
        let columns = count.min(width + 1) as f64;
        let mut before = None;
        for bucket in &buckets {
            let (own, others) = rest.split_at(bucket.count);
            prop_assert!(same(bucket, &brute(own)), "{bucket:?} {own:?}");
            // And none is wider than its column, nor shares it.
            let column = |step: usize| ((step - low) as f64 * columns / span).floor() as usize;
            prop_assert_eq!(column(bucket.first_step), column(bucket.last_step));
            prop_assert!(before < Some(column(bucket.last_step)));
            before = Some(column(bucket.last_step));
            rest = others;
        }
        prop_assert!(rest.is_empty());
    }

    #[test]
    fn no_spike_is_lost_at_any_zoom(
        length in 1_usize..3000,
        place in 0.0..1.0,
        spike in prop_oneof![Just(1e9), Just(-1e9), Just(f64::NAN), Just(f64::INFINITY)],
        count in 1_usize..60,
    ) {
        let place = (place * length as f64) as usize;
        let at = |step: usize| if step == place { spike } else { (step as f64).sin() };
        let points: Vec<Point> =
            (0..length).map(|step| Point { step, seconds: 0.0, value: at(step) }).collect();
        let series = series(&points);
        let mut width = 1;
        while width <= length {
            let low = place.saturating_sub(width / 2);
            let buckets = series.buckets(low..=low + width, count);
            let seen = buckets.iter().any(|b| {
                b.max == Some(spike) || b.min == Some(spike) || b.nan == 1 || b.positive_infinity == 1
            });
            prop_assert!(seen, "{low} + {width}");
            width *= 3;
        }
        prop_assert_eq!(series.summary().unwrap().count, length);
    }

    #[test]
    fn order_does_not_matter(points in points(), seed in any::<u64>()) {
        let mut shuffled: Vec<(usize, Point)> = points.iter().copied().enumerate().collect();
        let mix = |i: usize| (i as u64 + 1).wrapping_mul(seed | 1).rotate_left(29);
        shuffled.sort_by_key(|(i, p)| (mix(p.step), *i));
        let shuffled: Vec<Point> = shuffled.into_iter().map(|(_, point)| point).collect();
        let (straight, other) = (series(&points), series(&shuffled));
        prop_assert!(same(&straight.columns(), &other.columns()));
        prop_assert!(same(&straight.buckets(0..=usize::MAX, 40), &other.buckets(0..=usize::MAX, 40)));
        prop_assert!(same(&straight.buckets(3..=400, 7), &other.buckets(3..=400, 7)));
    }

    #[test]
    fn the_nearest_earlier_point_is_found(points in points(), step in 0_usize..1500) {
        let expected = points.iter().rev().find(|p| p.step <= step).copied();
        prop_assert!(same(&series(&points).at(step), &expected));
    }
}

#[test]
fn the_whole_range_of_steps_does_not_overflow() {
    let mut series = Series::default();
    for step in [0, 1, usize::MAX - 1, usize::MAX] {
        series.push(Point { step, seconds: 0.0, value: step as f64 });
    }
    // There is one step more than columns.
    assert_eq!(series.buckets(0..=usize::MAX, usize::MAX).len(), 3);
    assert_eq!(series.buckets(0..=9, usize::MAX).len(), 2);
    assert_eq!(series.buckets(0..=usize::MAX, 2).len(), 2);
    assert_eq!(series.buckets(0..=usize::MAX, 1)[0].count, 4);
    assert!(series.buckets(0..=usize::MAX, 0).is_empty());
    #[expect(clippy::reversed_empty_ranges, reason = "what a plot zoomed to nothing may ask for")]
    let nothing = 9..=2;
    assert!(series.buckets(nothing, 5).is_empty());
    assert!(Series::default().buckets(0..=9, 5).is_empty());
    assert_eq!(Series::default().summary(), None);
}

#[test]
fn a_run_of_100_000_iterations_and_60_series_takes_far_less_than_500_mb() {
    let mut series = Series::default();
    for step in 0..100_000 {
        series.push(Point { step, seconds: step as f64, value: (step as f64).cos() });
    }
    let bytes = series.memory() as f64 / series.len() as f64;
    println!("{bytes:.1} bytes a point");
    assert!(bytes < 37.0, "{bytes} bytes a point");
    assert!(60 * series.memory() < 225_000_000);
}

#[test]
fn smoothing_sees_every_point_and_skips_what_is_not_finite() {
    let values = [1.0, f64::NAN, 3.0, f64::INFINITY, 5.0];
    let points: Vec<Point> = (0..5).map(|i| Point { step: i, seconds: 0.0, value: values[i] }).collect();
    let (smooth, skipped) = series(&points).smoothed(0.9);
    assert_eq!((smooth.len(), skipped), (3, 2));
    assert_eq!(smooth.columns().0, [0, 2, 4]);
    assert!((smooth.get(0).unwrap().value - 1.0).abs() < 1e-12);
    let (same_again, _) = series(&points).smoothed(0.0);
    assert_eq!(same_again.columns().2, [1.0, 3.0, 5.0]);
    // A constant stays what it is, from the first point on.
    let flat: Vec<Point> = (0..50).map(|step| Point { step, seconds: 0.0, value: 7.0 }).collect();
    assert!(series(&flat).smoothed(0.99).0.iter().all(|p| (p.value - 7.0).abs() < 1e-9));
}

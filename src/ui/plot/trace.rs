//! From columns to a broken line: where it runs, where it has gaps, and what stands at its edges.

use super::columns::Column;
use super::scale::Scale;

/// Points of one line without a gap: place on the horizontal axis, coordinate on the vertical one. A single point is a dot.
pub(super) type Path = Vec<[f64; 2]>;

/// Stretches of columns that hang together: the line has a gap where a point has no place on the axis.
pub(super) fn stretches(columns: &[Column], scale: Scale) -> Vec<&[Column]> {
    let mut found = Vec::new();
    let mut start = 0;
    for (index, column) in columns.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| columns.get(index));
        let joined = before.is_none_or(|before| scale.has(before.last) && scale.has(column.first));
        if !joined {
            found.push(columns.get(start..index).unwrap_or(&[]));
            start = index;
        }
    }
    found.push(columns.get(start..).unwrap_or(&[]));
    found.retain(|stretch| stretch.iter().any(Column::has_place));
    found
}

/// The line through the columns, which reaches the least and the greatest value of each.
pub(super) fn paths(columns: &[Column], scale: Scale) -> Vec<Path> {
    let of = |stretch: &[Column]| {
        let mut path = Path::new();
        for column in stretch {
            extend(&mut path, column, scale);
        }
        path
    };
    stretches(columns, scale).into_iter().map(of).collect()
}

fn extend(path: &mut Path, column: &Column, scale: Scale) {
    if !column.has_place() {
        return;
    }
    let mut add = |value: f64| {
        let point = [column.x, scale.bend(value)];
        if path.last() != Some(&point) {
            path.push(point);
        }
    };
    if scale.has(column.first) {
        add(column.first);
    }
    // Up or down first, whichever is nearer.
    let near_low = scale.has(column.first) && column.first - column.low <= column.high - column.first;
    let [one, other] = if near_low { [column.low, column.high] } else { [column.high, column.low] };
    add(one);
    add(other);
    if scale.has(column.last) {
        add(column.last);
    }
}

/// What kind of point has no place on the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Odd {
    /// NaN: a cross at the lower edge.
    Nan,
    /// Infinity: a triangle at the upper edge.
    Above,
    /// Negative infinity: a triangle at the lower edge.
    Below,
    /// Zero or less on a logarithmic axis: a hollow triangle at the lower edge.
    NotPositive,
}

impl Odd {
    const ALL: [Self; 4] = [Self::Nan, Self::Above, Self::Below, Self::NotPositive];

    const fn count(self, column: &Column) -> usize {
        match self {
            Self::Nan => column.nan,
            Self::Above => column.above,
            Self::Below => column.below,
            Self::NotPositive => column.unplaced,
        }
    }
}

/// Where marks of points without a place stand, no two of a kind nearer than `apart`.
pub(super) fn odd_marks(columns: &[Column], apart: f64) -> Vec<(f64, Odd)> {
    let mut last = [f64::NEG_INFINITY; Odd::ALL.len()];
    let mut marks = Vec::new();
    for column in columns.iter().filter(|column| column.is_odd()) {
        for (odd, last) in Odd::ALL.into_iter().zip(&mut last) {
            if odd.count(column) > 0 && column.x - *last >= apart {
                marks.push((column.x, odd));
                *last = column.x;
            }
        }
    }
    marks
}

/// The area between the lower edge's least and the upper edge's greatest values, one stretch after the other:
/// place, low and high coordinate.
pub(super) fn band(low: &[Column], high: &[Column], scale: Scale) -> Vec<Vec<[f64; 3]>> {
    let mut areas = vec![Vec::new()];
    let mut above = high.iter().peekable();
    for column in low {
        while above.next_if(|other| other.key < column.key).is_some() {}
        let pair =
            above.peek().filter(|other| other.key == column.key && other.has_place() && column.has_place());
        match (pair, areas.last_mut()) {
            (Some(other), Some(area)) => {
                area.push([column.x, scale.bend(column.low), scale.bend(other.high)]);
            }
            (None, Some(area)) if !area.is_empty() => areas.push(Vec::new()),
            _ => {}
        }
    }
    areas.retain(|area| !area.is_empty());
    areas
}

#[cfg(test)]
mod tests {
    use super::super::cells::grid;
    use super::super::columns::{Columns, Source};
    use super::*;
    use crate::runs::series::{Point, Series};
    use crate::ui::plot::axis::XMap;

    fn series(values: &[f64]) -> Series {
        let mut series = Series::default();
        for (step, value) in values.iter().enumerate() {
            series.push(Point { step, seconds: step as f64, value: *value });
        }
        series
    }

    fn columns(series: &Series, width: f64, scale: Scale) -> Vec<Column> {
        let source = Source { series, seconds: series.columns().1, map: XMap::Step, scale, variant: 0 };
        let wanted = grid([0.0, series.len() as f64], width);
        let mut columns = Columns::default();
        columns.cover(&source, width, wanted.clone());
        columns.within(&wanted).to_vec()
    }

    #[test]
    fn a_good_point_between_bad_ones_is_a_dot() {
        let series = series(&[f64::NAN, 2.0, f64::INFINITY, 3.0, 4.0]);
        let columns = columns(&series, 1.0, Scale::Linear);
        let paths = paths(&columns, Scale::Linear);
        assert_eq!(paths, [vec![[1.0, 2.0]], vec![[3.0, 3.0], [4.0, 4.0]]]);
        assert_eq!(odd_marks(&columns, 0.0), [(0.0, Odd::Nan), (2.0, Odd::Above)]);
    }

    #[test]
    fn zero_and_less_stand_at_the_edge_of_a_log_axis() {
        let series = series(&[10.0, 0.0, -5.0, 1000.0]);
        let one_each = columns(&series, 1.0, Scale::Log);
        assert_eq!(paths(&one_each, Scale::Log), [vec![[0.0, 1.0]], vec![[3.0, 3.0]]]);
        assert_eq!(odd_marks(&one_each, 0.0), [(1.0, Odd::NotPositive), (2.0, Odd::NotPositive)]);
        let all = columns(&series, 8.0, Scale::Log);
        assert_eq!((all[0].low, all[0].high, all[0].unplaced), (10.0, 1000.0, 2));
        assert_eq!(paths(&columns(&series, 1.0, Scale::Linear), Scale::Linear).len(), 1);
    }

    #[test]
    fn the_line_of_a_column_reaches_its_least_and_greatest() {
        let series = series(&[1.0, 9.0, -4.0, 2.0]);
        let columns = columns(&series, 4.0, Scale::Linear);
        let heights: Vec<f64> = paths(&columns, Scale::Linear)[0].iter().map(|point| point[1]).collect();
        assert_eq!(heights, [1.0, -4.0, 9.0, 2.0]);
    }

    #[test]
    fn a_band_has_a_gap_where_an_edge_has_one() {
        let (low, high) = (series(&[0.0, 1.0, f64::NAN, 2.0]), series(&[1.0, 2.0, 3.0, 4.0]));
        let of = |series: &Series| columns(series, 1.0, Scale::Linear);
        let areas = band(&of(&low), &of(&high), Scale::Linear);
        assert_eq!(areas, [vec![[0.0, 0.0, 1.0], [1.0, 1.0, 2.0]], vec![[3.0, 2.0, 4.0]]]);
    }
}

//! The first two principal components of a token's latents.

/// Directions of largest variance.
#[derive(Clone, Debug, PartialEq)]
pub struct Components {
    mean: Vec<f64>,
    axes: [Vec<f64>; 2],
    /// Share of the variance along each.
    pub shares: [f64; 2],
}

impl Components {
    /// Of rows of `channels` numbers each. Rows with a number that is not finite are passed over; `None` if fewer than two
    /// are left.
    #[must_use]
    pub fn fit<'a>(rows: impl Iterator<Item = &'a [f32]>, channels: usize) -> Option<Self> {
        let finite = |row: &&[f32]| row.len() == channels && row.iter().all(|v| v.is_finite());
        let rows: Vec<&[f32]> = rows.filter(finite).collect();
        if rows.len() < 2 || channels == 0 {
            return None;
        }
        let count = rows.len() as f64;
        let mean: Vec<f64> =
            (0..channels).map(|c| rows.iter().map(|row| f64::from(row[c])).sum::<f64>() / count).collect();
        let mut covariance = vec![vec![0.0; channels]; channels];
        for row in &rows {
            for i in 0..channels {
                for j in 0..channels {
                    covariance[i][j] += (f64::from(row[i]) - mean[i]) * (f64::from(row[j]) - mean[j]) / count;
                }
            }
        }
        let total: f64 = (0..channels).map(|c| covariance[c][c]).sum();
        let mut pairs = eigenvectors(covariance);
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut take = |place: usize| match pairs.get_mut(place) {
            Some((value, axis)) => (if total > 0.0 { value.max(0.0) / total } else { 0.0 }, oriented(axis)),
            None => (0.0, vec![0.0; channels]),
        };
        let ((first, x), (second, y)) = (take(0), take(1));
        Some(Self { mean, axes: [x, y], shares: [first, second] })
    }

    /// Where a row lies along the two; NaN if it holds one.
    #[must_use]
    pub fn project(&self, row: &[f32]) -> [f64; 2] {
        let along = |axis: &[f64]| {
            row.iter().zip(&self.mean).zip(axis).map(|((v, mean), a)| (f64::from(*v) - mean) * a).sum()
        };
        [along(&self.axes[0]), along(&self.axes[1])]
    }
}

/// An eigenvector and its opposite are one; the largest entry is made positive, so that drawings do not flip.
fn oriented(axis: &mut Vec<f64>) -> Vec<f64> {
    let largest = axis.iter().copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
    if largest < 0.0 {
        for v in axis.iter_mut() {
            *v = -*v;
        }
    }
    std::mem::take(axis)
}

/// Eigenvalues and eigenvectors of a symmetric matrix by Jacobi rotations.
fn eigenvectors(mut a: Vec<Vec<f64>>) -> Vec<(f64, Vec<f64>)> {
    let n = a.len();
    let mut v: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let size: f64 = a.iter().flatten().map(|x| x * x).sum();
    for _sweep in 0..50 {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j].powi(2)).sum();
        if off <= 1e-24 * size {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut v, (p, q));
            }
        }
    }
    (0..n).map(|k| (a[k][k], v.iter().map(|row| row[k]).collect())).collect()
}

/// Makes the entry `p, q` of `a` zero and turns `v` with it.
fn rotate(a: &mut [Vec<f64>], v: &mut [Vec<f64>], (p, q): (usize, usize)) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    let (above, below) = a.split_at_mut(q);
    if let (Some(of_p), Some(of_q)) = (above.get_mut(p), below.first_mut()) {
        for (x, y) in of_p.iter_mut().zip(of_q) {
            (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
        }
    }
    for row in v.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fit(rows: &[Vec<f32>], channels: usize) -> Option<Components> {
        Components::fit(rows.iter().map(Vec::as_slice), channels)
    }

    #[test]
    fn a_line_in_space_is_its_first_component() {
        // Along (3, 4, 0), so the first coordinate is the way along it.
        let rows: Vec<Vec<f32>> = (-2..=2).map(|i| vec![3.0 * i as f32 + 1.0, 4.0 * i as f32, 7.0]).collect();
        let found = fit(&rows, 3).unwrap();
        assert!((found.shares[0] - 1.0).abs() < 1e-12 && found.shares[1].abs() < 1e-12, "{found:?}");
        for (i, row) in (-2..=2).zip(&rows) {
            let [x, y] = found.project(row);
            assert!((x - 5.0 * f64::from(i)).abs() < 1e-9 && y.abs() < 1e-9);
        }
    }

    #[test]
    fn an_ellipse_has_its_axes() {
        let turned = |x: f32, y: f32| vec![0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y];
        let rows = [turned(5.0, 0.0), turned(-5.0, 0.0), turned(0.0, 1.0), turned(0.0, -1.0)];
        let found = fit(&rows, 2).unwrap();
        assert!((found.shares[0] - 25.0 / 26.0).abs() < 1e-7);
        assert!((found.axes[0][0] - 0.6).abs() < 1e-6 && (found.axes[0][1] - 0.8).abs() < 1e-6);
    }

    #[test]
    fn rows_that_are_not_finite_are_passed_over() {
        let rows = vec![vec![0.0, 0.0], vec![f32::NAN, 1.0], vec![2.0, 0.0]];
        let found = fit(&rows, 2).unwrap();
        assert_eq!(found.project(&rows[2]), [1.0, 0.0]);
        assert!(found.project(&rows[1])[0].is_nan());
        assert!(fit(&rows[..2], 2).is_none());
        let same = fit(&[vec![1.0], vec![1.0]], 1).unwrap();
        assert_eq!((same.shares, same.project(&[1.0])), ([0.0, 0.0], [0.0, 0.0]));
    }

    proptest! {
        #[test]
        fn the_components_are_orthonormal_and_ordered(
            numbers in prop::collection::vec(-3.0f32..3.0, 40),
        ) {
            let rows: Vec<Vec<f32>> = numbers.chunks(5).map(<[f32]>::to_vec).collect();
            let found = fit(&rows, 5).unwrap();
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
            let [x, y] = &found.axes;
            prop_assert!((dot(x, x) - 1.0).abs() < 1e-9 && (dot(y, y) - 1.0).abs() < 1e-9 && dot(x, y).abs() < 1e-9);
            prop_assert!(found.shares[0] >= found.shares[1] && found.shares[0] <= 1.0 + 1e-12);
            let variance = rows.iter().map(|row| found.project(row)[0].powi(2)).sum::<f64>();
            let whole: f64 = rows.iter().map(|row| {
                row.iter().zip(&found.mean).map(|(v, m)| (f64::from(*v) - m).powi(2)).sum::<f64>()
            }).sum();
            prop_assert!((variance / whole - found.shares[0]).abs() < 1e-9);
        }
    }
}

//! Loops of the image kernels over slices, channels last; see [`super::super::vector`] on how they are compiled.

use super::super::vector::{LayerNormGradients, vectorised};

/// Sizes of a convolution.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Pictures.
    pub batch: usize,
    /// Rows of a picture.
    pub height: usize,
    /// Columns of a picture.
    pub width: usize,
    /// Channels of a pixel.
    pub channels: usize,
    /// Side of the kernel.
    pub kernel: usize,
    /// Pixels between two applications.
    pub stride: usize,
    /// Zeros around the picture.
    pub padding: usize,
}

impl Grid {
    /// Height and width of the output.
    #[must_use]
    pub const fn output(&self) -> (usize, usize) {
        let around = 2 * self.padding;
        (
            (self.height + around - self.kernel) / self.stride + 1,
            (self.width + around - self.kernel) / self.stride + 1,
        )
    }

    /// Rows of the column matrix: output pixels.
    #[must_use]
    pub const fn rows(&self) -> usize {
        let (height, width) = self.output();
        self.batch * height * width
    }

    /// Columns of the column matrix: `kernel · kernel · channels`.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.kernel * self.kernel * self.channels
    }

    /// Whether the column matrix is the picture itself.
    #[must_use]
    pub const fn is_identity(&self) -> bool {
        self.kernel == 1 && self.stride == 1 && self.padding == 0
    }

    /// Calls `visit(place in the columns, place in the picture, length)` for every run of numbers that both share.
    #[inline(always)]
    fn runs(&self, mut visit: impl FnMut(usize, usize, usize)) {
        let (out_height, out_width) = self.output();
        let (k, c) = (self.kernel, self.channels);
        let mut row = 0;
        for picture in 0..self.batch {
            for oy in 0..out_height {
                for ox in 0..out_width {
                    let left = (ox * self.stride) as isize - self.padding as isize;
                    let skip = (-left).max(0) as usize;
                    let end = k.min((self.width as isize - left).max(0) as usize);
                    for ky in 0..k {
                        let y = (oy * self.stride + ky) as isize - self.padding as isize;
                        if y < 0 || y >= self.height as isize || skip >= end {
                            continue;
                        }
                        let x = (left + skip as isize) as usize;
                        let from = ((picture * self.height + y as usize) * self.width + x) * c;
                        visit(row + (ky * k + skip) * c, from, (end - skip) * c);
                    }
                    row += k * k * c;
                }
            }
        }
    }
}

/// The column matrix `[rows, columns]` of a picture: each row holds the pixels under one application of the kernel.
#[must_use]
pub fn unfold(x: &[f32], grid: &Grid) -> Vec<f32> {
    let mut out = vec![0.0; grid.rows() * grid.columns()];
    grid.runs(|to, from, length| out[to..to + length].copy_from_slice(&x[from..from + length]));
    out
}

/// The adjoint of [`unfold`]: adds every column back to the pixel it came from.
#[must_use]
pub fn fold(columns: &[f32], grid: &Grid) -> Vec<f32> {
    let mut out = vec![0.0; grid.batch * grid.height * grid.width * grid.channels];
    vectorised(
        #[inline(always)]
        || {
            grid.runs(
                #[inline(always)]
                |from, to, length| {
                    for (sum, value) in out[to..to + length].iter_mut().zip(&columns[from..from + length]) {
                        *sum += value;
                    }
                },
            );
        },
    );
    out
}

/// Replaces each entry by the mean over its group, given sums over `positions`.
fn group_means(sums: &mut [f32], positions: usize, groups: usize) {
    let size = sums.len() / groups;
    for group in sums.chunks_exact_mut(size) {
        let mean = group.iter().sum::<f32>() / (positions * size) as f32;
        group.fill(mean);
    }
}

/// Mean and reciprocal standard deviation of each channel's group in one picture.
#[inline(always)]
fn moments(x: &[f32], positions: usize, groups: usize, epsilon: f32) -> (Vec<f32>, Vec<f32>) {
    let channels = x.len() / positions;
    let mut mean = vec![0.0; channels];
    for x in x.chunks_exact(channels) {
        for (sum, x) in mean.iter_mut().zip(x) {
            *sum += x;
        }
    }
    group_means(&mut mean, positions, groups);
    let mut scale = vec![0.0; channels];
    for x in x.chunks_exact(channels) {
        for i in 0..channels {
            scale[i] += (x[i] - mean[i]) * (x[i] - mean[i]);
        }
    }
    group_means(&mut scale, positions, groups);
    for variance in &mut scale {
        *variance = 1.0 / (*variance + epsilon).sqrt();
    }
    (mean, scale)
}

/// Group norm of pictures of `positions` pixels.
#[must_use]
pub fn group_norm(
    x: &[f32],
    [gamma, beta]: [&[f32]; 2],
    positions: usize,
    groups: usize,
    epsilon: f32,
) -> Vec<f32> {
    let channels = gamma.len();
    let mut out = vec![0.0; x.len()];
    vectorised(
        #[inline(always)]
        || {
            let picture = positions * channels;
            for (out, x) in out.chunks_exact_mut(picture).zip(x.chunks_exact(picture)) {
                let (mean, scale) = moments(x, positions, groups, epsilon);
                for (out, x) in out.chunks_exact_mut(channels).zip(x.chunks_exact(channels)) {
                    for i in 0..channels {
                        out[i] = (x[i] - mean[i]) * scale[i] * gamma[i] + beta[i];
                    }
                }
            }
        },
    );
    out
}

/// Gradients of [`group_norm`] at `x`, for an output gradient `g`.
#[must_use]
pub fn group_norm_backward(
    [x, g]: [&[f32]; 2],
    gamma: &[f32],
    positions: usize,
    groups: usize,
    epsilon: f32,
) -> LayerNormGradients {
    let channels = gamma.len();
    let mut out =
        LayerNormGradients { x: vec![0.0; x.len()], gamma: vec![0.0; channels], beta: vec![0.0; channels] };
    vectorised(
        #[inline(always)]
        || {
            let picture = positions * channels;
            let pictures =
                out.x.chunks_exact_mut(picture).zip(x.chunks_exact(picture)).zip(g.chunks_exact(picture));
            for ((dx, x), g) in pictures {
                let (mean, scale) = moments(x, positions, groups, epsilon);
                let mut sum_g = vec![0.0; channels];
                let mut sum_gn = vec![0.0; channels];
                for (x, g) in x.chunks_exact(channels).zip(g.chunks_exact(channels)) {
                    for i in 0..channels {
                        sum_g[i] += g[i];
                        sum_gn[i] += g[i] * (x[i] - mean[i]) * scale[i];
                    }
                }
                for i in 0..channels {
                    out.beta[i] += sum_g[i];
                    out.gamma[i] += sum_gn[i];
                    sum_g[i] *= gamma[i];
                    sum_gn[i] *= gamma[i];
                }
                group_means(&mut sum_g, positions, groups);
                group_means(&mut sum_gn, positions, groups);
                let rows =
                    dx.chunks_exact_mut(channels).zip(x.chunks_exact(channels)).zip(g.chunks_exact(channels));
                for ((dx, x), g) in rows {
                    for i in 0..channels {
                        let normed = (x[i] - mean[i]) * scale[i];
                        dx[i] = (g[i] * gamma[i] - sum_g[i] - normed * sum_gn[i]) * scale[i];
                    }
                }
            }
        },
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `<unfold(x), y> = <x, fold(y)>` for every kernel the models use.
    #[test]
    fn fold_is_the_adjoint_of_unfold() {
        for (kernel, stride, padding) in [(1, 1, 0), (3, 1, 1), (5, 1, 2), (4, 2, 1)] {
            let grid = Grid { batch: 2, height: 6, width: 8, channels: 3, kernel, stride, padding };
            let numbers = |n: usize, step: usize| -> Vec<f32> {
                (0..n).map(|i| ((i * step % 97) as f32 - 48.0) / 48.0).collect()
            };
            let x = numbers(2 * 6 * 8 * 3, 31);
            let y = numbers(grid.rows() * grid.columns(), 17);
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
            let (left, right) = (dot(&unfold(&x, &grid), &y), dot(&x, &fold(&y, &grid)));
            assert!((left - right).abs() < 1e-3, "kernel {kernel}: {left} against {right}");
        }
    }
}

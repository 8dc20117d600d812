//! Loops over slices that the compiler vectorises for the processor at hand (AVX-512, AVX2 or the baseline, chosen at
//! run time by pulp).
//!
//! They use plain multiplications and additions, never fused ones, and reduce over fixed lanes: the numbers are
//! the same for every instruction set.

use pulp::{Arch, Simd, WithSimd};

/// Lanes of a reduction. Fixed, so that the order of summation does not depend on the processor.
const LANES: usize = 16;

/// Runs `f`, compiled for the best instruction set that this processor has. Everything in `f` must be inlined into it.
#[inline(always)]
pub(super) fn vectorised(mut f: impl FnMut()) {
    // pulp takes closures by value, and the compiler does not inline the function that turns a closure by reference
    // into one by value: large loops would be compiled for the baseline. Hence a struct.
    struct Run<'a, F>(&'a mut F);
    impl<F: FnMut()> WithSimd for Run<'_, F> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, _simd: S) {
            (self.0)();
        }
    }
    Arch::new().dispatch(Run(&mut f));
}

/// `e^x` to about 2 ulp (Cephes' polynomial), for x in the range of single precision; NaN stays NaN, overflow is
/// infinite, underflow 0.
#[inline(always)]
#[must_use]
pub fn exp(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0; // 1.5 · 2^23: adding it rounds to a whole number in the low mantissa bits.
    let clamped = x.clamp(-87.336_54, 88.376_26);
    let shifted = clamped * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = clamped - n * 0.693_359_4 - n * -2.121_944_4e-4;
    let p = 1.987_569_1e-4 * r + 1.398_199_9e-3;
    let p = p * r + 8.333_452e-3;
    let p = p * r + 4.166_579_6e-2;
    let p = p * r + 1.666_666_5e-1;
    let p = p * r + 5e-1;
    let y = p * (r * r) + r + 1.0;
    let exponent = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    let value = y * f32::from_bits(exponent);
    let value = if x > 88.376_26 { f32::INFINITY } else { value };
    if x < -87.336_54 { 0.0 } else { value }
}

#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// `tanh` through one exponential, exact in sign and saturation.
#[inline(always)]
fn tanh(x: f32) -> f32 {
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

const SQRT_2_OVER_PI: f32 = 0.797_884_6;
const GELU_CUBIC: f32 = 0.044_715;

#[inline(always)]
fn map(x: &[f32], f: impl Fn(f32) -> f32) -> Vec<f32> {
    let mut out = vec![0.0; x.len()];
    vectorised(
        #[inline(always)]
        || {
            for (out, x) in out.iter_mut().zip(x) {
                *out = f(*x);
            }
        },
    );
    out
}

#[inline(always)]
fn map2(x: &[f32], g: &[f32], f: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    let mut out = vec![0.0; x.len()];
    vectorised(
        #[inline(always)]
        || {
            for ((out, x), g) in out.iter_mut().zip(x).zip(g) {
                *out = f(*x, *g);
            }
        },
    );
    out
}

/// `x · sigmoid(x)`.
#[must_use]
pub fn silu(x: &[f32]) -> Vec<f32> {
    map(
        x,
        #[inline(always)]
        |x| x * sigmoid(x),
    )
}

/// Gradient of [`silu`] at `x`, times `g`.
#[must_use]
pub fn silu_backward(x: &[f32], g: &[f32]) -> Vec<f32> {
    map2(
        x,
        g,
        #[inline(always)]
        |x, g| {
            let s = sigmoid(x);
            g * (s * (1.0 + x * (1.0 - s)))
        },
    )
}

/// GELU, tanh form.
#[must_use]
pub fn gelu(x: &[f32]) -> Vec<f32> {
    map(
        x,
        #[inline(always)]
        |x| {
            let t = tanh(SQRT_2_OVER_PI * (x + GELU_CUBIC * x * x * x));
            0.5 * x * (1.0 + t)
        },
    )
}

/// Gradient of [`gelu`] at `x`, times `g`.
#[must_use]
pub fn gelu_backward(x: &[f32], g: &[f32]) -> Vec<f32> {
    map2(
        x,
        g,
        #[inline(always)]
        |x, g| {
            let t = tanh(SQRT_2_OVER_PI * (x + GELU_CUBIC * x * x * x));
            let inner = SQRT_2_OVER_PI * (1.0 + 3.0 * GELU_CUBIC * x * x);
            g * (0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * inner)
        },
    )
}

/// Sum of `f(i)` for `i` below `n`, over [`LANES`] partial sums.
#[inline(always)]
pub(super) fn sum(n: usize, f: impl Fn(usize) -> f32) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let whole = n / LANES * LANES;
    for start in (0..whole).step_by(LANES) {
        for (lane, total) in lanes.iter_mut().enumerate() {
            *total += f(start + lane);
        }
    }
    for i in whole..n {
        lanes[i - whole] += f(i);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
        width /= 2;
    }
    lanes[0]
}

/// Adds `row` to every row of `x`.
pub fn add_row(x: &mut [f32], row: &[f32]) {
    vectorised(
        #[inline(always)]
        || {
            for x in x.chunks_exact_mut(row.len()) {
                for (x, row) in x.iter_mut().zip(row) {
                    *x += row;
                }
            }
        },
    );
}

/// Sum of all rows of `width`.
#[must_use]
pub fn sum_rows(x: &[f32], width: usize) -> Vec<f32> {
    let mut out = vec![0.0; width];
    vectorised(
        #[inline(always)]
        || {
            for x in x.chunks_exact(width) {
                for (sum, x) in out.iter_mut().zip(x) {
                    *sum += x;
                }
            }
        },
    );
    out
}

/// Mean and reciprocal standard deviation of a row.
#[inline(always)]
fn moments(x: &[f32], epsilon: f32) -> (f32, f32) {
    let n = x.len() as f32;
    let mean = sum(
        x.len(),
        #[inline(always)]
        |i| x[i],
    ) / n;
    let variance = sum(
        x.len(),
        #[inline(always)]
        |i| (x[i] - mean) * (x[i] - mean),
    ) / n;
    (mean, 1.0 / (variance + epsilon).sqrt())
}

/// Layer norm of each row, as long as `gamma`.
#[must_use]
pub fn layer_norm(x: &[f32], gamma: &[f32], beta: &[f32], epsilon: f32) -> Vec<f32> {
    let width = gamma.len();
    let mut out = vec![0.0; x.len()];
    vectorised(
        #[inline(always)]
        || {
            for (out, x) in out.chunks_exact_mut(width).zip(x.chunks_exact(width)) {
                let (mean, scale) = moments(x, epsilon);
                for i in 0..width {
                    out[i] = (x[i] - mean) * scale * gamma[i] + beta[i];
                }
            }
        },
    );
    out
}

/// Gradients of [`layer_norm`].
#[derive(Debug)]
pub struct LayerNormGradients {
    /// With respect to the input.
    pub x: Vec<f32>,
    /// With respect to the scale.
    pub gamma: Vec<f32>,
    /// With respect to the shift.
    pub beta: Vec<f32>,
}

/// Gradients of [`layer_norm`] at `x`, for an output gradient `g`.
#[must_use]
pub fn layer_norm_backward(x: &[f32], gamma: &[f32], g: &[f32], epsilon: f32) -> LayerNormGradients {
    let width = gamma.len();
    let mut out =
        LayerNormGradients { x: vec![0.0; x.len()], gamma: vec![0.0; width], beta: vec![0.0; width] };
    let mut normed = vec![0.0; width];
    let mut scaled = vec![0.0; width];
    vectorised(
        #[inline(always)]
        || {
            let rows = out.x.chunks_exact_mut(width).zip(x.chunks_exact(width)).zip(g.chunks_exact(width));
            for ((dx, x), g) in rows {
                let (mean, scale) = moments(x, epsilon);
                let normed = &mut normed[..width];
                let scaled = &mut scaled[..width];
                for i in 0..width {
                    normed[i] = (x[i] - mean) * scale;
                    scaled[i] = g[i] * gamma[i];
                    out.gamma[i] += g[i] * normed[i];
                    out.beta[i] += g[i];
                }
                let first = sum(
                    width,
                    #[inline(always)]
                    |i| scaled[i],
                ) / width as f32;
                let second = sum(
                    width,
                    #[inline(always)]
                    |i| scaled[i] * normed[i],
                ) / width as f32;
                for i in 0..width {
                    dx[i] = (scaled[i] - first - normed[i] * second) * scale;
                }
            }
        },
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_accurate_and_keeps_non_finite_numbers() {
        for i in -8700..8800 {
            let x = i as f32 / 100.0;
            let exact = f64::from(x).exp();
            let relative = (f64::from(exp(x)) - exact).abs() / exact;
            assert!(relative < 3e-7, "exp({x}) is off by {relative}");
        }
        assert!(exp(f32::NAN).is_nan());
        assert_eq!(exp(f32::INFINITY), f32::INFINITY);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp(200.0), f32::INFINITY);
        assert_eq!(exp(-200.0), 0.0);
    }

    #[test]
    fn activations_saturate_without_nan() {
        for (out, want) in silu(&[-200.0, 0.0, 200.0]).iter().zip([0.0, 0.0, 200.0]) {
            assert!((out - want).abs() < 1e-6, "{out}");
        }
        for (out, want) in gelu(&[-200.0, 0.0, 200.0]).iter().zip([0.0, 0.0, 200.0]) {
            assert!((out - want).abs() < 1e-6, "{out}");
        }
        assert!(silu(&[f32::NAN])[0].is_nan() && gelu(&[f32::NAN])[0].is_nan());
    }
}

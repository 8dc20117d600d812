//! Attention of one head at a time, in the first-level cache; see [`super::super::vector`] on how it is compiled.

use super::super::vector::{exp, sum, vectorised};
use super::extension::scale;

/// Numbers that one step of a product handles together; widths are padded to a multiple of it.
const LANES: usize = 16;
/// Rows that one step of a product handles together.
const ROWS: usize = 4;

/// Sizes of an attention call.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Sequences.
    pub batch: usize,
    /// Tokens of a sequence.
    pub tokens: usize,
    /// Heads.
    pub heads: usize,
    /// Width of a head.
    pub d: usize,
}

/// A matrix whose rows are padded with zeros to whole lanes.
struct Padded {
    values: Vec<f32>,
    width: usize,
}

impl Padded {
    fn new(rows: usize, columns: usize) -> Self {
        let width = columns.div_ceil(LANES) * LANES;
        Self { values: vec![0.0; rows * width], width }
    }

    /// Rows `[tokens, d]` from `source`, whose rows are `stride` apart.
    #[inline(always)]
    fn fill(&mut self, source: &[f32], stride: usize, tokens: usize, d: usize) {
        for token in 0..tokens {
            self.values[token * self.width..token * self.width + d]
                .copy_from_slice(&source[token * stride..token * stride + d]);
        }
    }

    /// The transpose `[d, tokens]` of what [`fill`](Self::fill) reads.
    #[inline(always)]
    fn fill_transposed(&mut self, source: &[f32], stride: usize, tokens: usize, d: usize) {
        for token in 0..tokens {
            for (c, value) in source[token * stride..token * stride + d].iter().enumerate() {
                self.values[c * self.width + token] = *value;
            }
        }
    }
}

/// The left side of a product: element `(row, k)` is at `row · row_stride + k · k_stride`.
#[derive(Clone, Copy)]
struct Left<'a> {
    values: &'a [f32],
    row_stride: usize,
    k_stride: usize,
}

/// `out = left · right` for `rows` rows and an inner length of `inner`.
#[inline(always)]
fn product(left: Left<'_>, right: &Padded, out: &mut Padded, rows: usize, inner: usize) {
    let width = right.width;
    for first in (0..rows).step_by(ROWS) {
        // The last step of an odd number of rows repeats its last row.
        let row = |r: usize| (first + r).min(rows - 1);
        let starts: [usize; ROWS] = std::array::from_fn(|r| row(r) * left.row_stride);
        for lane in (0..width).step_by(LANES) {
            let mut sums = [[0.0f32; LANES]; ROWS];
            for k in 0..inner {
                let right = &right.values[k * width + lane..k * width + lane + LANES];
                for (sums, start) in sums.iter_mut().zip(starts) {
                    let factor = left.values[start + k * left.k_stride];
                    for (sum, value) in sums.iter_mut().zip(right) {
                        *sum += factor * value;
                    }
                }
            }
            for (r, sums) in sums.iter().enumerate() {
                let at = row(r) * out.width + lane;
                out.values[at..at + LANES].copy_from_slice(sums);
            }
        }
    }
}

/// Softmax of the first `tokens` numbers of each row after scaling; the padding stays zero.
#[inline(always)]
fn softmax_rows(scores: &mut Padded, tokens: usize, scale: f32) {
    for row in scores.values.chunks_exact_mut(scores.width) {
        let (row, _) = row.split_at_mut(tokens);
        let largest = row.iter().fold(f32::NEG_INFINITY, |a, b| if *b > a { *b } else { a });
        for value in row.iter_mut() {
            *value = exp((*value - largest) * scale);
        }
        let inverse = 1.0
            / sum(
                tokens,
                #[inline(always)]
                |i| row[i],
            );
        for value in row.iter_mut() {
            *value *= inverse;
        }
    }
}

/// The buffers of one head.
struct Head {
    q: Padded,
    k: Padded,
    v: Padded,
    transposed: Padded,
    weights: Padded,
    scores: Padded,
    out: Padded,
}

impl Head {
    fn new(s: Sizes) -> Self {
        let rows = || Padded::new(s.tokens, s.d);
        let square = || Padded::new(s.tokens, s.tokens);
        Self {
            q: rows(),
            k: rows(),
            v: rows(),
            transposed: Padded::new(s.d, s.tokens),
            weights: square(),
            scores: square(),
            out: rows(),
        }
    }

    /// Attention weights of the head whose queries start at `at`.
    #[inline(always)]
    fn attend(&mut self, qkv: &[f32], at: usize, s: Sizes) {
        let (stride, part) = (3 * s.heads * s.d, s.heads * s.d);
        self.transposed.fill_transposed(&qkv[at + part..], stride, s.tokens, s.d);
        let q = Left { values: &qkv[at..], row_stride: stride, k_stride: 1 };
        product(q, &self.transposed, &mut self.weights, s.tokens, s.d);
        softmax_rows(&mut self.weights, s.tokens, scale(s.d));
    }

    #[inline(always)]
    fn load_values(&mut self, qkv: &[f32], at: usize, s: Sizes) {
        self.v.fill(&qkv[at + 2 * s.heads * s.d..], 3 * s.heads * s.d, s.tokens, s.d);
    }
}

/// Copies the first `d` columns of `from` to rows `stride` apart.
#[inline(always)]
fn store(from: &Padded, to: &mut [f32], stride: usize, tokens: usize, d: usize) {
    for token in 0..tokens {
        to[token * stride..token * stride + d]
            .copy_from_slice(&from.values[token * from.width..token * from.width + d]);
    }
}

const fn by_row(matrix: &Padded) -> Left<'_> {
    Left { values: matrix.values.as_slice(), row_stride: matrix.width, k_stride: 1 }
}

const fn by_column(matrix: &Padded) -> Left<'_> {
    Left { values: matrix.values.as_slice(), row_stride: 1, k_stride: matrix.width }
}

/// `softmax(q kᵀ / sqrt(d)) v`; `qkv` is `[batch, tokens, 3, heads, d]`, the output `[batch, tokens, heads, d]`.
#[must_use]
pub fn attention(qkv: &[f32], s: Sizes) -> Vec<f32> {
    let mut out = vec![0.0; s.batch * s.tokens * s.heads * s.d];
    let mut head = Head::new(s);
    let width = s.heads * s.d;
    vectorised(
        #[inline(always)]
        || {
            for batch in 0..s.batch {
                for h in 0..s.heads {
                    let at = batch * s.tokens * 3 * width + h * s.d;
                    head.attend(qkv, at, s);
                    head.load_values(qkv, at, s);
                    product(by_row(&head.weights), &head.v, &mut head.out, s.tokens, s.tokens);
                    let to = batch * s.tokens * width + h * s.d;
                    store(&head.out, &mut out[to..], width, s.tokens, s.d);
                }
            }
        },
    );
    out
}

/// Gradient of [`attention`] with respect to `qkv`, for an output gradient `g`.
#[must_use]
pub fn attention_backward(qkv: &[f32], g: &[f32], s: Sizes) -> Vec<f32> {
    let mut out = vec![0.0; qkv.len()];
    let mut head = Head::new(s);
    let mut gradient = Padded::new(s.tokens, s.d);
    let (width, stride) = (s.heads * s.d, 3 * s.heads * s.d);
    let factor = scale(s.d);
    vectorised(
        #[inline(always)]
        || {
            for batch in 0..s.batch {
                for h in 0..s.heads {
                    let at = batch * s.tokens * stride + h * s.d;
                    head.attend(qkv, at, s);
                    gradient.fill(&g[batch * s.tokens * width + h * s.d..], width, s.tokens, s.d);
                    // dv = weightsᵀ g
                    product(by_column(&head.weights), &gradient, &mut head.out, s.tokens, s.tokens);
                    store(&head.out, &mut out[at + 2 * width..], stride, s.tokens, s.d);
                    // scores = d weights = g vᵀ, then through the softmax
                    head.transposed.fill_transposed(&qkv[at + 2 * width..], stride, s.tokens, s.d);
                    product(by_row(&gradient), &head.transposed, &mut head.scores, s.tokens, s.d);
                    softmax_gradient(&head.weights, &mut head.scores, s.tokens, factor);
                    // dq = d scores k, dk = d scoresᵀ q
                    head.q.fill(&qkv[at..], stride, s.tokens, s.d);
                    head.k.fill(&qkv[at + width..], stride, s.tokens, s.d);
                    product(by_row(&head.scores), &head.k, &mut head.out, s.tokens, s.tokens);
                    store(&head.out, &mut out[at..], stride, s.tokens, s.d);
                    product(by_column(&head.scores), &head.q, &mut head.out, s.tokens, s.tokens);
                    store(&head.out, &mut out[at + width..], stride, s.tokens, s.d);
                }
            }
        },
    );
    out
}

/// `scores ← factor · weights (scores - sum(scores weights))`, row by row.
#[inline(always)]
fn softmax_gradient(weights: &Padded, scores: &mut Padded, tokens: usize, factor: f32) {
    for (score, weight) in
        scores.values.chunks_exact_mut(weights.width).zip(weights.values.chunks_exact(weights.width))
    {
        let dot = sum(
            tokens,
            #[inline(always)]
            |i| score[i] * weight[i],
        );
        for (score, weight) in score.iter_mut().zip(weight) {
            *score = factor * weight * (*score - dot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_that_is_not_a_number_shows_in_the_output() {
        let s = Sizes { batch: 1, tokens: 2, heads: 1, d: 1 };
        // Tokens of (q, k, v): the second key is NaN, so no weight of any token is a number.
        let out = attention(&[1.0, 1.0, 1.0, 1.0, f32::NAN, 1.0], s);
        assert!(out.iter().all(|x| x.is_nan()), "{out:?}");
    }
}

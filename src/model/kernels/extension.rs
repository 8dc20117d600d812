//! The kernels as a burn backend extension: their signatures, and their composition from burn's own operations for
//! backends without loops of their own.

use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, TensorMetadata, backend_extension};

const SQRT_2_OVER_PI: f32 = 0.797_884_6;
const GELU_CUBIC: f32 = 0.044_715;

/// Forward and backward passes. `..._backward` functions take what the forward pass saw and the gradient of its output.
#[backend_extension(
    Flex,
    Autodiff,
    Cube: cfg(any(feature = "wgpu", feature = "cuda")),
    Fusion: cfg(any(feature = "wgpu", feature = "cuda"))
)]
pub trait Kernels: Backend {
    /// `x · weight + bias`; `x`: `[rows, in]`, `weight`: `[in, out]`, `bias`: `[out]`.
    #[fusion(default)]
    fn marscope_linear(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let output = weight.shape()[1];
        Self::float_add(Self::float_matmul(x, weight), Self::float_reshape(bias, [1, output].into()))
    }

    /// Sum of the rows of `[rows, width]`: the gradient of a bias.
    #[fusion(default)]
    fn marscope_sum_rows(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let width = x.shape()[1];
        Self::float_reshape(Self::float_sum_dim(x, 0), [width].into())
    }

    /// `x · sigmoid(x)`.
    #[fusion(default)]
    fn marscope_silu(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_mul(x.clone(), Self::sigmoid(x))
    }

    /// `g · (s + x s (1 - s))` with `s = sigmoid(x)`.
    #[fusion(default)]
    fn marscope_silu_backward(x: FloatTensor<Self>, gradient: FloatTensor<Self>) -> FloatTensor<Self> {
        let s = Self::sigmoid(x.clone());
        let rest = Self::float_add_scalar(Self::float_neg(s.clone()), 1.0.into());
        let slope = Self::float_add_scalar(Self::float_mul(x, rest), 1.0.into());
        Self::float_mul(gradient, Self::float_mul(s, slope))
    }

    /// `x / 2 · (1 + tanh(sqrt(2 / pi) (x + 0.044715 x³)))`.
    #[fusion(default)]
    fn marscope_gelu(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let t = Self::float_tanh(gelu_inner::<Self>(x.clone()));
        let half = Self::float_mul_scalar(x, 0.5.into());
        Self::float_mul(half, Self::float_add_scalar(t, 1.0.into()))
    }

    /// `g · ((1 + t) / 2 + x / 2 · (1 - t²) · sqrt(2 / pi) (1 + 3 · 0.044715 x²))` with `t` the tanh of the forward pass.
    #[fusion(default)]
    fn marscope_gelu_backward(x: FloatTensor<Self>, gradient: FloatTensor<Self>) -> FloatTensor<Self> {
        let t = Self::float_tanh(gelu_inner::<Self>(x.clone()));
        let square = Self::float_mul(x.clone(), x.clone());
        let inner = Self::float_add_scalar(
            Self::float_mul_scalar(square, (3.0 * GELU_CUBIC * SQRT_2_OVER_PI).into()),
            SQRT_2_OVER_PI.into(),
        );
        let sech = Self::float_add_scalar(Self::float_neg(Self::float_mul(t.clone(), t.clone())), 1.0.into());
        let curved = Self::float_mul_scalar(Self::float_mul(x, Self::float_mul(sech, inner)), 0.5.into());
        let flat = Self::float_mul_scalar(Self::float_add_scalar(t, 1.0.into()), 0.5.into());
        Self::float_mul(gradient, Self::float_add(flat, curved))
    }

    /// Layer norm over the last dimension; `gamma` and `beta` have its length.
    #[fusion(default)]
    fn marscope_layer_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f64,
    ) -> FloatTensor<Self> {
        Self::layer_norm(x, gamma, Some(beta), epsilon)
    }

    /// Gradients with respect to `x`, `gamma` and `beta`.
    #[fusion(default)]
    fn marscope_layer_norm_backward(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        epsilon: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let shape = x.shape();
        let last = shape.num_dims() - 1;
        let (width, rows) = (shape[last], shape.num_elements() / shape[last]);
        let mean = Self::float_mean_dim(x.clone(), last);
        let centred = Self::float_sub(x, mean);
        let variance = Self::float_mean_dim(Self::float_mul(centred.clone(), centred.clone()), last);
        let std = Self::float_sqrt(Self::float_add_scalar(variance, epsilon.into()));
        let normed = Self::float_div(centred, std.clone());
        let per_row = |t: FloatTensor<Self>| {
            Self::float_reshape(
                Self::float_sum_dim(Self::float_reshape(t, [rows, width].into()), 0),
                [width].into(),
            )
        };
        let d_gamma = per_row(Self::float_mul(gradient.clone(), normed.clone()));
        let d_beta = per_row(gradient.clone());
        let mut wide = vec![1; last + 1];
        wide[last] = width;
        let scaled = Self::float_mul(gradient, Self::float_reshape(gamma, wide.into()));
        let first = Self::float_mean_dim(scaled.clone(), last);
        let second = Self::float_mean_dim(Self::float_mul(scaled.clone(), normed.clone()), last);
        let inner = Self::float_sub(Self::float_sub(scaled, first), Self::float_mul(normed, second));
        (Self::float_div(inner, std), d_gamma, d_beta)
    }
}

fn gelu_inner<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let square = B::float_mul(x.clone(), x.clone());
    let factor = B::float_add_scalar(
        B::float_mul_scalar(square, (GELU_CUBIC * SQRT_2_OVER_PI).into()),
        SQRT_2_OVER_PI.into(),
    );
    B::float_mul(x, factor)
}

#[cfg(any(feature = "wgpu", feature = "cuda"))]
impl Kernels for burn::backend::Cube {}

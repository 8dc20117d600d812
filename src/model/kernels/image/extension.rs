//! The image kernels as a burn backend extension, with their composition for backends without loops of their own.

use burn::backend::ops::ConvOptions;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, TensorMetadata, backend_extension};

/// Three gradients: of the input, the weight (or scale) and the bias (or shift).
pub type Gradients3<B> = (FloatTensor<B>, FloatTensor<B>, FloatTensor<B>);

/// Forward and backward passes of convolution and group norm, channels last.
#[backend_extension(
    Flex,
    Autodiff,
    Cube: cfg(any(feature = "wgpu", feature = "cuda")),
    Fusion: cfg(any(feature = "wgpu", feature = "cuda"))
)]
pub trait ImageKernels: Backend {
    /// `x`: `[batch, height, width, in]`, `weight`: `[out, in, kernel, kernel]`, `bias`: `[out]`.
    #[fusion(default)]
    fn marscope_conv2d(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        stride: usize,
        padding: usize,
    ) -> FloatTensor<Self> {
        let out = Self::conv2d(channels_first::<Self>(x), weight, Some(bias), options(stride, padding));
        channels_last::<Self>(out)
    }

    /// Gradients of `x`, `weight` and the bias.
    #[fusion(default)]
    fn marscope_conv2d_backward(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        stride: usize,
        padding: usize,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let (x, gradient) = (channels_first::<Self>(x), channels_first::<Self>(gradient));
        let options = options(stride, padding);
        let dx = Self::conv2d_x_backward(x.clone(), weight.clone(), gradient.clone(), options.clone());
        let dw = Self::conv2d_weight_backward(x, weight, gradient.clone(), options);
        let [batch, out, height, width] = gradient.shape().dims();
        let per_channel = Self::float_reshape(
            Self::float_permute(gradient, &[0, 2, 3, 1]),
            [batch * height * width, out].into(),
        );
        let db = Self::float_reshape(Self::float_sum_dim(per_channel, 0), [out].into());
        (channels_last::<Self>(dx), dw, db)
    }

    /// `x`: `[batch, height, width, channels]`; each of `groups` groups of channels is normalised over its picture.
    #[fusion(default)]
    fn marscope_group_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        groups: usize,
        epsilon: f64,
    ) -> FloatTensor<Self> {
        let shape = x.shape();
        let (normed, _) = normalised::<Self>(x, groups, epsilon);
        let channels = shape[3];
        let wide = |t: FloatTensor<Self>| Self::float_reshape(t, [1, 1, 1, channels].into());
        let normed = Self::float_reshape(normed, shape);
        Self::float_add(Self::float_mul(normed, wide(gamma)), wide(beta))
    }

    /// Gradients of `x`, `gamma` and beta.
    #[fusion(default)]
    fn marscope_group_norm_backward(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        groups: usize,
        epsilon: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let shape = x.shape();
        let [batch, height, width, channels] = shape.dims();
        let (normed, std) = normalised::<Self>(x, groups, epsilon);
        let grouped = [batch, height * width, groups, channels / groups];
        let per_channel = |t: FloatTensor<Self>| {
            let rows = Self::float_reshape(t, [batch * height * width, channels].into());
            Self::float_reshape(Self::float_sum_dim(rows, 0), [channels].into())
        };
        let flat = Self::float_reshape(normed.clone(), shape.clone());
        let d_gamma = per_channel(Self::float_mul(gradient.clone(), flat));
        let d_beta = per_channel(gradient.clone());
        let gamma = Self::float_reshape(gamma, [1, 1, 1, channels].into());
        let scaled = Self::float_reshape(Self::float_mul(gradient, gamma), grouped.into());
        let first = group_mean::<Self>(scaled.clone());
        let second = group_mean::<Self>(Self::float_mul(scaled.clone(), normed.clone()));
        let inner = Self::float_sub(Self::float_sub(scaled, first), Self::float_mul(normed, second));
        (Self::float_reshape(Self::float_div(inner, std), shape), d_gamma, d_beta)
    }
}

const fn options(stride: usize, padding: usize) -> ConvOptions<2> {
    ConvOptions {
        stride: [stride, stride],
        padding: [(padding, padding), (padding, padding)],
        dilation: [1, 1],
        groups: 1,
    }
}

fn channels_first<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    B::float_permute(x, &[0, 3, 1, 2])
}

fn channels_last<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    B::float_permute(x, &[0, 2, 3, 1])
}

/// Mean over positions and the channels of a group, of `[batch, positions, groups, channels]`.
fn group_mean<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    B::float_mean_dim(B::float_mean_dim(x, 3), 1)
}

/// Zero-mean, unit-variance groups `[batch, positions, groups, channels]`, and their standard deviation.
fn normalised<B: Backend>(
    x: FloatTensor<B>,
    groups: usize,
    epsilon: f64,
) -> (FloatTensor<B>, FloatTensor<B>) {
    let [batch, height, width, channels] = x.shape().dims();
    let x = B::float_reshape(x, [batch, height * width, groups, channels / groups].into());
    let centred = B::float_sub(x.clone(), group_mean::<B>(x));
    let variance = group_mean::<B>(B::float_mul(centred.clone(), centred.clone()));
    let std = B::float_sqrt(B::float_add_scalar(variance, epsilon.into()));
    (B::float_div(centred, std.clone()), std)
}

#[cfg(any(feature = "wgpu", feature = "cuda"))]
impl ImageKernels for burn::backend::Cube {}

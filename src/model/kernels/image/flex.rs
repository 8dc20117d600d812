//! The image kernels on the CPU.

use burn::backend::Flex;
use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::FloatTensor;

use super::super::extension::Kernels;
use super::super::flex::{Values, row};
use super::extension::ImageKernels;
use super::vector::{self, Grid};

/// `[out, in, kernel, kernel]` as the matrix `[kernel · kernel · in, out]`.
fn matrix(weight: FloatTensor<Flex>, [output, input, kernel]: [usize; 3]) -> FloatTensor<Flex> {
    let weight = Flex::float_permute(weight, &[2, 3, 1, 0]);
    Flex::float_reshape(weight, [kernel * kernel * input, output].into())
}

fn grid(x: &Values, kernel: usize, stride: usize, padding: usize) -> Grid {
    Grid {
        batch: x.shape[0],
        height: x.shape[1],
        width: x.shape[2],
        channels: x.shape[3],
        kernel,
        stride,
        padding,
    }
}

fn columns(x: &Values, grid: &Grid) -> FloatTensor<Flex> {
    let columns = if grid.is_identity() { x.get().to_vec() } else { vector::unfold(x.get(), grid) };
    Values::shaped(columns, &[grid.rows(), grid.columns()])
}

impl ImageKernels for Flex {
    fn marscope_conv2d(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        stride: usize,
        padding: usize,
    ) -> FloatTensor<Self> {
        let (x, weight) = (Values::of(x), Values::of(weight));
        let [output, input, kernel] = [weight.shape[0], weight.shape[1], weight.shape[2]];
        let grid = grid(&x, kernel, stride, padding);
        let weight = matrix(weight.into_tensor(), [output, input, kernel]);
        let product = Self::marscope_linear(columns(&x, &grid), weight, bias);
        let (height, width) = grid.output();
        Self::float_reshape(product, [grid.batch, height, width, output].into())
    }

    fn marscope_conv2d_backward(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        stride: usize,
        padding: usize,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let (x, weight, gradient) = (Values::of(x), Values::of(weight), Values::of(gradient));
        let [output, input, kernel] = [weight.shape[0], weight.shape[1], weight.shape[2]];
        let grid = grid(&x, kernel, stride, padding);
        let rows = Self::float_reshape(gradient.into_tensor(), [grid.rows(), output].into());
        let bias = Self::marscope_sum_rows(rows.clone());
        let cols = Self::float_transpose(columns(&x, &grid));
        let dw = Self::float_matmul(cols, rows.clone());
        let dw = Self::float_permute(
            Self::float_reshape(dw, [kernel, kernel, input, output].into()),
            &[3, 2, 0, 1],
        );
        let back = Self::float_transpose(matrix(weight.into_tensor(), [output, input, kernel]));
        let d_columns = Values::of(Self::float_matmul(rows, back));
        let dx =
            if grid.is_identity() { d_columns.get().to_vec() } else { vector::fold(d_columns.get(), &grid) };
        (x.like(dx), dw, bias)
    }

    fn marscope_group_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        groups: usize,
        epsilon: f64,
    ) -> FloatTensor<Self> {
        let (x, gamma, beta) = (Values::of(x), Values::of(gamma), Values::of(beta));
        let positions = x.shape[1] * x.shape[2];
        x.like(vector::group_norm(x.get(), [gamma.get(), beta.get()], positions, groups, epsilon as f32))
    }

    fn marscope_group_norm_backward(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        groups: usize,
        epsilon: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let (x, gamma, gradient) = (Values::of(x), Values::of(gamma), Values::of(gradient));
        let positions = x.shape[1] * x.shape[2];
        let out = vector::group_norm_backward(
            [x.get(), gradient.get()],
            gamma.get(),
            positions,
            groups,
            epsilon as f32,
        );
        (x.like(out.x), row(out.gamma), row(out.beta))
    }
}

//! The kernels on the CPU: single-precision tensors go through the loops of [`vector`].

use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::FloatTensor;
use burn::tensor::TensorData;

use super::extension::Kernels;
use super::vector;

/// The numbers of a single-precision tensor in row-major order, and its shape.
pub(super) struct Values {
    tensor: FloatTensor<Flex>,
    pub(super) shape: Vec<usize>,
}

impl Values {
    #[expect(clippy::needless_pass_by_value, reason = "kernels own their inputs, and a call reads like one")]
    pub(super) fn of(tensor: FloatTensor<Flex>) -> Self {
        let shape = tensor.shape().to_vec();
        Self { tensor: tensor.to_contiguous(), shape }
    }

    pub(super) fn get(&self) -> &[f32] {
        let start = self.tensor.layout().start_offset();
        &self.tensor.storage::<f32>()[start..start + self.shape.iter().product::<usize>()]
    }

    /// Numbers in row-major order as a tensor.
    pub(super) fn shaped(values: Vec<f32>, shape: &[usize]) -> FloatTensor<Flex> {
        FloatTensor::<Flex>::from_data(TensorData::new(values, shape.to_vec()))
    }

    pub(super) fn into_tensor(self) -> FloatTensor<Flex> {
        self.tensor
    }

    fn width(&self) -> usize {
        self.shape.last().copied().unwrap_or(1).max(1)
    }

    pub(super) fn like(&self, values: Vec<f32>) -> FloatTensor<Flex> {
        Self::shaped(values, &self.shape)
    }
}

pub(super) fn row(values: Vec<f32>) -> FloatTensor<Flex> {
    let length = values.len();
    Values::shaped(values, &[length])
}

impl Kernels for Flex {
    fn marscope_linear(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let mut product = Self::float_matmul(x, weight);
        vector::add_row(product.storage_mut::<f32>(), Values::of(bias).get());
        product
    }

    fn marscope_sum_rows(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let x = Values::of(x);
        row(vector::sum_rows(x.get(), x.width()))
    }

    fn marscope_silu(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let x = Values::of(x);
        x.like(vector::silu(x.get()))
    }

    fn marscope_silu_backward(x: FloatTensor<Self>, gradient: FloatTensor<Self>) -> FloatTensor<Self> {
        let (x, gradient) = (Values::of(x), Values::of(gradient));
        x.like(vector::silu_backward(x.get(), gradient.get()))
    }

    fn marscope_gelu(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let x = Values::of(x);
        x.like(vector::gelu(x.get()))
    }

    fn marscope_gelu_backward(x: FloatTensor<Self>, gradient: FloatTensor<Self>) -> FloatTensor<Self> {
        let (x, gradient) = (Values::of(x), Values::of(gradient));
        x.like(vector::gelu_backward(x.get(), gradient.get()))
    }

    fn marscope_layer_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f64,
    ) -> FloatTensor<Self> {
        let (x, gamma, beta) = (Values::of(x), Values::of(gamma), Values::of(beta));
        x.like(vector::layer_norm(x.get(), gamma.get(), beta.get(), epsilon as f32))
    }

    fn marscope_layer_norm_backward(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        epsilon: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let (x, gamma, gradient) = (Values::of(x), Values::of(gamma), Values::of(gradient));
        let out = vector::layer_norm_backward(x.get(), gamma.get(), gradient.get(), epsilon as f32);
        (x.like(out.x), row(out.gamma), row(out.beta))
    }
}

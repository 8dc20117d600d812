//! How the kernels are differentiated: each is one node of the graph.

use burn::backend::Autodiff;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind, unary};
use burn::backend::tensor::FloatTensor;

use super::extension::Kernels;

/// A kernel of one tensor whose backward pass needs one saved tensor.
trait Unary: Send + std::fmt::Debug + Clone + Copy + 'static {
    /// Output, and what the backward pass needs.
    fn forward<B: Kernels>(x: FloatTensor<B>) -> (FloatTensor<B>, FloatTensor<B>);
    fn backward<B: Kernels>(saved: FloatTensor<B>, gradient: FloatTensor<B>) -> FloatTensor<B>;
}

#[derive(Clone, Copy, Debug)]
struct Silu;
#[derive(Clone, Copy, Debug)]
struct Gelu;

impl Unary for Silu {
    fn forward<B: Kernels>(x: FloatTensor<B>) -> (FloatTensor<B>, FloatTensor<B>) {
        (B::marscope_silu(x.clone()), x)
    }
    fn backward<B: Kernels>(saved: FloatTensor<B>, gradient: FloatTensor<B>) -> FloatTensor<B> {
        B::marscope_silu_backward(saved, gradient)
    }
}

impl Unary for Gelu {
    fn forward<B: Kernels>(x: FloatTensor<B>) -> (FloatTensor<B>, FloatTensor<B>) {
        (B::marscope_gelu(x.clone()), x)
    }
    fn backward<B: Kernels>(saved: FloatTensor<B>, gradient: FloatTensor<B>) -> FloatTensor<B> {
        B::marscope_gelu_backward(saved, gradient)
    }
}

#[derive(Debug)]
struct UnaryNode<K>(K);

impl<B: Kernels, K: Unary> Backward<B, 1> for UnaryNode<K> {
    type State = FloatTensor<B>;

    fn backward(self, ops: Ops<Self::State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let saved = ops.state;
        unary::<B, _>(ops.parents, ops.node, gradients, |gradient| K::backward::<B>(saved, gradient));
    }
}

fn differentiable<B: Kernels, C: CheckpointStrategy, K: Unary>(
    kernel: K,
    x: FloatTensor<Autodiff<B, C>>,
) -> FloatTensor<Autodiff<B, C>> {
    match UnaryNode(kernel).prepare::<C>([x.node()]).compute_bound().stateful() {
        OpsKind::Tracked(prep) => {
            let (output, saved) = K::forward::<B>(x.into_primitive());
            prep.finish(saved, output)
        }
        OpsKind::UnTracked(prep) => prep.finish(K::forward::<B>(x.into_primitive()).0),
    }
}

#[derive(Debug)]
struct LayerNormNode;

impl<B: Kernels> Backward<B, 3> for LayerNormNode {
    type State = (FloatTensor<B>, FloatTensor<B>, f64);

    fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let [x_node, gamma_node, beta_node] = ops.parents;
        let gradient = gradients.consume::<B>(&ops.node);
        let (x, gamma, epsilon) = ops.state;
        let (dx, d_gamma, d_beta) = B::marscope_layer_norm_backward(x, gamma, gradient, epsilon);
        for (node, gradient) in [(x_node, dx), (gamma_node, d_gamma), (beta_node, d_beta)] {
            if let Some(node) = node {
                gradients.register::<B>(node.id, gradient);
            }
        }
    }
}

#[derive(Debug)]
struct LinearNode;

impl<B: Kernels> Backward<B, 3> for LinearNode {
    type State = (FloatTensor<B>, FloatTensor<B>);

    fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let [x_node, weight_node, bias_node] = ops.parents;
        let gradient = gradients.consume::<B>(&ops.node);
        let (x, weight) = ops.state;
        if let Some(node) = x_node {
            let dx = B::float_matmul(gradient.clone(), B::float_transpose(weight));
            gradients.register::<B>(node.id, dx);
        }
        if let Some(node) = weight_node {
            let dw = B::float_matmul(B::float_transpose(x), gradient.clone());
            gradients.register::<B>(node.id, dw);
        }
        if let Some(node) = bias_node {
            gradients.register::<B>(node.id, B::marscope_sum_rows(gradient));
        }
    }
}

impl<B: Kernels, C: CheckpointStrategy> Kernels for Autodiff<B, C> {
    fn marscope_linear(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let node = LinearNode.prepare::<C>([x.node(), weight.node(), bias.node()]).compute_bound().stateful();
        let (x, weight, bias) = (x.into_primitive(), weight.into_primitive(), bias.into_primitive());
        match node {
            OpsKind::Tracked(prep) => {
                let output = B::marscope_linear(x.clone(), weight.clone(), bias);
                prep.finish((x, weight), output)
            }
            OpsKind::UnTracked(prep) => prep.finish(B::marscope_linear(x, weight, bias)),
        }
    }

    fn marscope_silu(x: FloatTensor<Self>) -> FloatTensor<Self> {
        differentiable::<B, C, _>(Silu, x)
    }

    fn marscope_gelu(x: FloatTensor<Self>) -> FloatTensor<Self> {
        differentiable::<B, C, _>(Gelu, x)
    }

    fn marscope_layer_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f64,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), gamma.node(), beta.node()];
        match LayerNormNode.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let output = B::marscope_layer_norm(
                    x.primitive().clone(),
                    gamma.primitive().clone(),
                    beta.into_primitive(),
                    epsilon,
                );
                prep.finish((x.into_primitive(), gamma.into_primitive(), epsilon), output)
            }
            OpsKind::UnTracked(prep) => prep.finish(B::marscope_layer_norm(
                x.into_primitive(),
                gamma.into_primitive(),
                beta.into_primitive(),
                epsilon,
            )),
        }
    }
}

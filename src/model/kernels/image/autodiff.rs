//! How the image kernels are differentiated.

use burn::backend::Autodiff;
use burn::backend::autodiff::NodeId;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;

use super::extension::{Gradients3, ImageKernels};

#[derive(Debug)]
struct ConvNode;

#[derive(Debug)]
struct GroupNormNode;

/// Hands three gradients to the nodes that want them.
fn register<B: ImageKernels>(
    nodes: [Option<NodeId>; 3],
    (first, second, third): Gradients3<B>,
    gradients: &mut Gradients,
) {
    for (node, gradient) in nodes.into_iter().zip([first, second, third]) {
        if let Some(node) = node {
            gradients.register::<B>(node, gradient);
        }
    }
}

impl<B: ImageKernels> Backward<B, 3> for ConvNode {
    type State = (FloatTensor<B>, FloatTensor<B>, usize, usize);

    fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<B>(&ops.node);
        let (x, weight, stride, padding) = ops.state;
        let all = B::marscope_conv2d_backward(x, weight, gradient, stride, padding);
        register::<B>(ops.parents.map(|node| node.map(|node| node.id)), all, gradients);
    }
}

impl<B: ImageKernels> Backward<B, 3> for GroupNormNode {
    type State = (FloatTensor<B>, FloatTensor<B>, usize, f64);

    fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<B>(&ops.node);
        let (x, gamma, groups, epsilon) = ops.state;
        let all = B::marscope_group_norm_backward(x, gamma, gradient, groups, epsilon);
        register::<B>(ops.parents.map(|node| node.map(|node| node.id)), all, gradients);
    }
}

impl<B: ImageKernels, C: CheckpointStrategy> ImageKernels for Autodiff<B, C> {
    fn marscope_conv2d(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        stride: usize,
        padding: usize,
    ) -> FloatTensor<Self> {
        let node = ConvNode.prepare::<C>([x.node(), weight.node(), bias.node()]).compute_bound().stateful();
        let (x, weight, bias) = (x.into_primitive(), weight.into_primitive(), bias.into_primitive());
        match node {
            OpsKind::Tracked(prep) => {
                let output = B::marscope_conv2d(x.clone(), weight.clone(), bias, stride, padding);
                prep.finish((x, weight, stride, padding), output)
            }
            OpsKind::UnTracked(prep) => prep.finish(B::marscope_conv2d(x, weight, bias, stride, padding)),
        }
    }

    fn marscope_group_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        groups: usize,
        epsilon: f64,
    ) -> FloatTensor<Self> {
        let node =
            GroupNormNode.prepare::<C>([x.node(), gamma.node(), beta.node()]).compute_bound().stateful();
        let (x, gamma, beta) = (x.into_primitive(), gamma.into_primitive(), beta.into_primitive());
        match node {
            OpsKind::Tracked(prep) => {
                let output = B::marscope_group_norm(x.clone(), gamma.clone(), beta, groups, epsilon);
                prep.finish((x, gamma, groups, epsilon), output)
            }
            OpsKind::UnTracked(prep) => prep.finish(B::marscope_group_norm(x, gamma, beta, groups, epsilon)),
        }
    }
}

//! How attention is differentiated: one node, which keeps its input.

use burn::backend::Autodiff;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind, unary};
use burn::backend::tensor::FloatTensor;

use super::extension::AttentionKernel;

#[derive(Debug)]
struct AttentionNode;

impl<B: AttentionKernel> Backward<B, 1> for AttentionNode {
    type State = FloatTensor<B>;

    fn backward(self, ops: Ops<Self::State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let qkv = ops.state;
        unary::<B, _>(ops.parents, ops.node, gradients, |g| B::marscope_attention_backward(qkv, g));
    }
}

impl<B: AttentionKernel, C: CheckpointStrategy> AttentionKernel for Autodiff<B, C> {
    fn marscope_attention(qkv: FloatTensor<Self>) -> FloatTensor<Self> {
        match AttentionNode.prepare::<C>([qkv.node()]).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let qkv = qkv.into_primitive();
                prep.finish(qkv.clone(), B::marscope_attention(qkv))
            }
            OpsKind::UnTracked(prep) => prep.finish(B::marscope_attention(qkv.into_primitive())),
        }
    }
}

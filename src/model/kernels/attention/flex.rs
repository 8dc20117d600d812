//! Attention on the CPU.

use burn::backend::Flex;
use burn::backend::tensor::FloatTensor;

use super::super::flex::Values;
use super::extension::AttentionKernel;
use super::vector::{self, Sizes};

fn sizes(qkv: &Values) -> Sizes {
    Sizes { batch: qkv.shape[0], tokens: qkv.shape[1], heads: qkv.shape[3], d: qkv.shape[4] }
}

impl AttentionKernel for Flex {
    fn marscope_attention(qkv: FloatTensor<Self>) -> FloatTensor<Self> {
        let qkv = Values::of(qkv);
        let s = sizes(&qkv);
        Values::shaped(vector::attention(qkv.get(), s), &[s.batch, s.tokens, s.heads, s.d])
    }

    fn marscope_attention_backward(qkv: FloatTensor<Self>, gradient: FloatTensor<Self>) -> FloatTensor<Self> {
        let (qkv, gradient) = (Values::of(qkv), Values::of(gradient));
        qkv.like(vector::attention_backward(qkv.get(), gradient.get(), sizes(&qkv)))
    }
}

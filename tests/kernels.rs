//! The kernels of the model against burn's own operations, forward and backward.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use burn::nn::conv::Conv2dConfig;
use burn::nn::{GroupNormConfig, LayerNormConfig, PaddingConfig2d};
use burn::tensor::{Device, Tensor, TensorData, activation};
use marscope::model::kernels::image::{conv2d, group_norm};
use marscope::model::kernels::{LAYER_NORM_EPSILON, gelu, layer_norm, scaled_dot_product, silu};
use marscope::model::noise::{NoiseKey, Purpose};

fn numbers<const D: usize>(shape: [usize; D], image: u32) -> Tensor<D> {
    let values = NoiseKey::new(11, Purpose::World, image).normal(shape.iter().product());
    Tensor::<D>::from_data(TensorData::new(values, shape), &Device::flex()).autodiff().require_grad()
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.try_into_vec_as().unwrap()
}

fn assert_close(what: &str, got: &[f32], want: &[f32]) {
    assert_eq!(got.len(), want.len(), "{what}");
    assert!(!got.is_empty(), "{what}: nothing compared");
    let largest = want.iter().fold(1e-6f32, |a, b| a.max(b.abs()));
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        assert!((got - want).abs() <= 1e-5 * largest.max(1.0), "{what}[{i}]: {got} against {want}");
    }
}

/// Output and gradient of `sum(f(x) g)` for both functions.
fn compare<const D: usize, const E: usize>(
    what: &str,
    shape: [usize; D],
    ours: impl Fn(Tensor<D>) -> Tensor<E>,
    theirs: impl Fn(Tensor<D>) -> Tensor<E>,
) {
    let run = |f: &dyn Fn(Tensor<D>) -> Tensor<E>| {
        let x = numbers(shape, 0).detach().require_grad();
        let y = f(x.clone());
        let g = numbers(y.dims(), 1).without_autodiff();
        let gradients = (y.clone() * g).sum().backward();
        (values(y), values(x.grad(&gradients).unwrap()))
    };
    let ((y, dx), (want_y, want_dx)) = (run(&ours), run(&theirs));
    assert_close(what, &y, &want_y);
    assert_close(&format!("gradient of {what}"), &dx, &want_dx);
}

#[test]
fn activations_equal_burns() {
    compare::<3, 3>("silu", [3, 5, 17], silu, activation::silu);
    compare::<3, 3>("gelu", [3, 5, 17], gelu, activation::gelu_approximate);
    // A view that is not contiguous.
    compare::<3, 3>(
        "silu of a transpose",
        [3, 5, 17],
        |x| silu(x.swap_dims(0, 2)),
        |x| activation::silu(x.swap_dims(0, 2)),
    );
}

#[test]
fn layer_norm_equals_burns_with_all_gradients() {
    let device = Device::flex().autodiff();
    let mut norm = LayerNormConfig::new(19).with_epsilon(LAYER_NORM_EPSILON).init(&device);
    norm.gamma = norm.gamma.map(|_| numbers([19], 5));
    norm.beta = norm.beta.map(|beta| beta.map(|_| numbers([19], 6)));
    compare::<3, 3>("layer norm", [4, 3, 19], |x| layer_norm(x, &norm), |x| norm.forward(x));
    let weights = |f: &dyn Fn(Tensor<2>) -> Tensor<2>| {
        let g = numbers([6, 19], 7).without_autodiff();
        let gradients = (f(numbers([6, 19], 8)) * g).sum().backward();
        let beta = norm.beta.as_ref().unwrap().val();
        (values(norm.gamma.val().grad(&gradients).unwrap()), values(beta.grad(&gradients).unwrap()))
    };
    let (ours, theirs) = (weights(&|x| layer_norm(x, &norm)), weights(&|x| norm.forward(x)));
    assert_close("gradient of gamma", &ours.0, &theirs.0);
    assert_close("gradient of beta", &ours.1, &theirs.1);
}

#[test]
fn attention_equals_its_definition() {
    let plain = |qkv: Tensor<5>| -> Tensor<4> {
        let [batch, tokens, _, heads, d] = qkv.dims();
        let part = |i: usize| qkv.clone().narrow(2, i, 1).reshape([batch, tokens, heads, d]).swap_dims(1, 2);
        let scores = part(0).matmul(part(1).swap_dims(2, 3)).div_scalar((d as f64).sqrt());
        activation::softmax(scores, 3).matmul(part(2)).swap_dims(1, 2)
    };
    compare("attention", [2, 7, 3, 4, 8], scaled_dot_product, plain);
}

#[test]
fn convolutions_equal_burns_with_all_gradients() {
    let device = Device::flex().autodiff();
    for (kernel, stride, pad) in [(1, 1, 0), (3, 1, 1), (5, 1, 2), (4, 2, 1)] {
        let mut conv = Conv2dConfig::new([5, 7], [kernel, kernel])
            .with_stride([stride, stride])
            .with_padding(PaddingConfig2d::Explicit(pad, pad, pad, pad))
            .init(&device);
        conv.weight = conv.weight.map(|_| numbers([7, 5, kernel, kernel], 2));
        conv.bias = conv.bias.map(|bias| bias.map(|_| numbers([7], 3)));
        let theirs = |x: Tensor<4>| conv.forward(x.permute([0, 3, 1, 2])).permute([0, 2, 3, 1]);
        let name = format!("{kernel} x {kernel} convolution");
        compare::<4, 4>(&name, [3, 8, 6, 5], |x| conv2d(x, &conv), theirs);
        let weights = |f: &dyn Fn(Tensor<4>) -> Tensor<4>| {
            let y = f(numbers([3, 8, 6, 5], 8));
            let g = numbers(y.dims(), 9).without_autodiff();
            let gradients = (y * g).sum().backward();
            let bias = conv.bias.as_ref().unwrap().val();
            (values(conv.weight.val().grad(&gradients).unwrap()), values(bias.grad(&gradients).unwrap()))
        };
        let (ours, want) = (weights(&|x| conv2d(x, &conv)), weights(&theirs));
        assert_close(&format!("gradient of the weight, {name}"), &ours.0, &want.0);
        assert_close(&format!("gradient of the bias, {name}"), &ours.1, &want.1);
    }
}

#[test]
fn group_norm_equals_burns_with_all_gradients() {
    let device = Device::flex().autodiff();
    let mut norm = GroupNormConfig::new(4, 12).with_epsilon(1e-6).init(&device);
    norm.gamma = norm.gamma.map(|gamma| gamma.map(|_| numbers([12], 5)));
    norm.beta = norm.beta.map(|beta| beta.map(|_| numbers([12], 6)));
    let theirs = |x: Tensor<4>| norm.forward(x.permute([0, 3, 1, 2])).permute([0, 2, 3, 1]);
    compare::<4, 4>("group norm", [3, 5, 4, 12], |x| group_norm(x, &norm), theirs);
    let weights = |f: &dyn Fn(Tensor<4>) -> Tensor<4>| {
        let g = numbers([3, 5, 4, 12], 7).without_autodiff();
        let gradients = (f(numbers([3, 5, 4, 12], 8)) * g).sum().backward();
        let (gamma, beta) = (norm.gamma.as_ref().unwrap().val(), norm.beta.as_ref().unwrap().val());
        (values(gamma.grad(&gradients).unwrap()), values(beta.grad(&gradients).unwrap()))
    };
    let (ours, want) = (weights(&|x| group_norm(x, &norm)), weights(&theirs));
    assert_close("gradient of gamma", &ours.0, &want.0);
    assert_close("gradient of beta", &ours.1, &want.1);
}

//! The same model on a GPU (here most likely a software one) and on the CPU: same noise, same pictures, same gradients.

#![cfg(feature = "wgpu")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use marscope::model::nn::init::WeightDraw;
use marscope::model::noise::{NoiseKey, Purpose};
use marscope::model::params::flat_gradients;
use marscope::model::sample::{Request, SampleConfig, sample};
use marscope::model::vae::LatentNorm;
use marscope::model::{Generator, ModelConfig};
use marscope::rl::pretrain::mar::{LatentSet, MarBatch, MarLossConfig, loss};
use marscope::session::device::DeviceChoice;
use marscope::world::prompt::Caption;
use marscope::world::tokenizer::encode;

fn small() -> ModelConfig {
    let mut config = ModelConfig::default();
    config.mar.width = 32;
    config.mar.depth = 2;
    config.head.width = 32;
    config.head.depth = 1;
    config.autoencoder.fine_width = 8;
    config.autoencoder.coarse_width = 16;
    config
}

/// Every device to compare: the CPU, and a wgpu adapter. CI installs a software one.
fn devices() -> Option<[Device; 2]> {
    match DeviceChoice::Wgpu(0).open() {
        Ok(gpu) => Some([Device::flex(), gpu]),
        Err(reason) => {
            assert!(std::env::var_os("CI").is_none(), "CI must have an adapter: {reason}");
            eprintln!("nothing compared: {reason}");
            None
        }
    }
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.try_into_vec_as().unwrap()
}

fn assert_close(what: &str, a: &[f32], b: &[f32], tolerance: f32) {
    assert_eq!(a.len(), b.len(), "{what}");
    let largest = a.iter().fold(0.0f32, |m, v| m.max(v.abs()));
    assert!(largest > 0.0, "{what} is all zero");
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * largest, "{what}: {a} against {b}");
    }
}

#[test]
fn samples_agree() {
    let Some(devices) = devices() else { return };
    let config = small();
    let requests: Vec<Request> = ["two red circles", "a blue square left of a green ring"]
        .iter()
        .zip(0..)
        .map(|(prompt, image)| Request { caption: encode(&Caption::parse(prompt).unwrap()), seed: 5, image })
        .collect();
    let settings =
        SampleConfig { ar_steps: 4, diffusion_steps: 3, stochastic_steps: 2, ..SampleConfig::default() };
    let [cpu, gpu] = devices.map(|device| {
        let generator = Generator::new(&config, 1, &device);
        values(sample(&generator, &config.diffusion, &requests, &settings, &mut ()).unwrap())
    });
    assert_close("latents", &cpu, &gpu, 1e-4);
}

#[test]
fn gradients_agree() {
    let Some(devices) = devices() else { return };
    let config = small();
    let captions = vec![encode(&Caption::parse("three green stars").unwrap()); 4];
    let latents = NoiseKey::new(3, Purpose::World, 0).normal(4 * 64 * 16);
    let set = LatentSet { latents, captions, tokens: 64, channels: 16 };
    let [cpu, gpu] = devices.map(|device| {
        let mut rng = NoiseKey::new(4, Purpose::Pretraining, 0).rng();
        let settings = (&MarLossConfig::default(), &config.diffusion);
        let batch = MarBatch::draw(&set, &mut rng, 3, settings, &device).unwrap();
        let generator = Generator::new(&config, 1, &device).train();
        let gradients = flat_gradients(&generator, loss(&generator, &batch).backward());
        gradients.into_iter().map(|g| g.map(values)).collect::<Vec<_>>()
    });
    assert_eq!(cpu.len(), gpu.len());
    let mut compared = 0;
    let all = |list: &[Option<Vec<f32>>]| list.iter().flatten().flatten().copied().collect::<Vec<f32>>();
    for (a, b) in cpu.iter().zip(&gpu) {
        assert_eq!(a.is_some(), b.is_some());
        compared += usize::from(a.is_some());
    }
    assert!(compared > 40, "only {compared} gradients");
    assert_close("gradients", &all(&cpu), &all(&gpu), 1e-4);
}

#[test]
fn autoencoders_agree() {
    let Some(devices) = devices() else { return };
    let config = small().autoencoder;
    let picture = NoiseKey::new(9, Purpose::World, 0).uniform(2 * 16 * 16 * 3);
    let [cpu, gpu] = devices.map(|device| {
        let model = config.init(&mut WeightDraw::new(0, &device)).train();
        let images = Tensor::<4>::from_data(TensorData::new(picture.clone(), [2, 16, 16, 3]), &device);
        let back = model.decode_grid(LatentNorm::by_batch(model.encode_raw(images)));
        let gradients = flat_gradients(&model, back.clone().square().mean().backward());
        let gradients = gradients.into_iter().flatten().flat_map(values).collect::<Vec<f32>>();
        (values(back), gradients)
    });
    assert_close("reconstruction", &cpu.0, &gpu.0, 1e-4);
    assert_close("gradients", &cpu.1, &gpu.1, 1e-3);
}

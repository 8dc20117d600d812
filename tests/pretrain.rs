//! Pretraining: it learns, it resumes exactly, its record is whole, and a run that cannot go on says so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use burn::tensor::Tensor;
use marscope::error::Error;
use marscope::model::nn::init::WeightDraw;
use marscope::model::vae::Autoencoder;
use marscope::model::weights::WeightFolder;
use marscope::runs::event::Event;
use marscope::runs::folder::{read_events, read_header};
use marscope::session::config::{LoopConfig, PretrainAutoencoder, PretrainMar};
use marscope::session::control::{Progress, StopSignal};
use marscope::session::device::DeviceChoice;
use marscope::session::pretrain::{Place, State, autoencoder, mar};

fn training(steps: usize) -> LoopConfig {
    LoopConfig {
        steps,
        batch: 2,
        log_every: 1,
        checkpoint_every: 2,
        evaluate_every: 1000,
        evaluate_captions: 1,
        final_captions: 1,
        ..LoopConfig::default()
    }
}

fn small_autoencoder(steps: usize) -> PretrainAutoencoder {
    let mut config = PretrainAutoencoder::default();
    config.model.autoencoder.fine_width = 8;
    config.model.autoencoder.coarse_width = 16;
    config.model.autoencoder.latent_channels = 4;
    config.training = LoopConfig { optim: config.training.optim.clone(), ..training(steps) };
    config
}

fn small_mar(steps: usize) -> PretrainMar {
    let mut config = PretrainMar { scenes: 40, training: training(steps), ..PretrainMar::default() };
    config.model.mar.width = 32;
    config.model.mar.depth = 2;
    config.model.head.width = 32;
    config.model.head.depth = 1;
    config
}

fn place(out: &Path, resume: bool) -> Place {
    Place { out: out.to_path_buf(), resume, device: DeviceChoice::Cpu }
}

fn losses(run: &Path) -> Vec<f64> {
    read_events(run)
        .unwrap()
        .into_iter()
        .filter_map(|event| match event {
            Event::Scalars { values, .. } => values.get("loss").map(|v| v.0),
            _ => None,
        })
        .collect()
}

/// Stops the job when it reports step `at`.
fn stop_at(at: usize, signal: &StopSignal) -> impl FnMut(Progress) {
    let signal = signal.clone();
    move |progress| {
        if let Progress::At { part: "train", done, .. } = progress
            && done == at
        {
            signal.stop();
        }
    }
}

#[test]
fn a_resumed_run_equals_a_straight_one_bit_for_bit() {
    let root = tempfile::tempdir().unwrap();
    let config = small_autoencoder(6);
    let (straight, broken) = (root.path().join("straight"), root.path().join("broken"));
    autoencoder::run(&config, &place(&straight, false), &StopSignal::default(), &mut |_| {}).unwrap();

    let signal = StopSignal::default();
    let stopped = autoencoder::run(&config, &place(&broken, false), &signal, &mut stop_at(3, &signal));
    assert!(matches!(stopped, Err(Error::Cancelled)));
    autoencoder::run(&config, &place(&broken, true), &StopSignal::default(), &mut |_| {}).unwrap();

    assert_eq!(losses(&straight), losses(&broken));
    let weights = |run: &Path| fs::read(run.join("model/autoencoder.bpk")).unwrap();
    // The files hold the parameters' random ids too; the values are what must agree.
    let value = |run: &Path| {
        let folder = WeightFolder::read(&run.join("model")).unwrap();
        let model = folder.autoencoder(&DeviceChoice::Cpu.open().unwrap()).unwrap();
        marscope::model::params::flatten(&model)
            .into_iter()
            .flat_map(|p| p.value.try_into_vec_as::<f32>().unwrap())
            .collect::<Vec<f32>>()
    };
    assert_eq!(value(&straight), value(&broken));
    assert_eq!(weights(&straight).len(), weights(&broken).len());
}

#[test]
fn both_stages_learn_and_leave_a_model_that_loads() {
    let root = tempfile::tempdir().unwrap();
    let (first, second) = (root.path().join("autoencoder"), root.path().join("mar"));
    let stop = StopSignal::default();
    autoencoder::run(&small_autoencoder(40), &place(&first, false), &stop, &mut |_| {}).unwrap();
    let mut config = small_mar(150);
    config.training.batch = 8;
    config.training.schedule.warmup = 5;
    mar::run(&config, &first.join("model"), &place(&second, false), &stop, &mut |_| {}).unwrap();
    for run in [&first, &second] {
        let losses = losses(run);
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let (start, end) = (mean(&losses[..5]), mean(&losses[losses.len() - 20..]));
        assert!(end < 0.9 * start, "{start} to {end}");
    }
    assert_eq!(read_header(&second).unwrap().kind, "pretrain_mar");
    let folder = WeightFolder::read(&second.join("model")).unwrap();
    folder.model(&DeviceChoice::Cpu.open().unwrap()).unwrap();
    assert!(
        folder.manifest().made.contains_key("autoencoder")
            && folder.manifest().made.contains_key("generator")
    );
}

#[test]
fn a_head_for_ddpm_trains_and_samples_too() {
    let root = tempfile::tempdir().unwrap();
    let (first, second) = (root.path().join("autoencoder"), root.path().join("mar"));
    let stop = StopSignal::default();
    autoencoder::run(&small_autoencoder(2), &place(&first, false), &stop, &mut |_| {}).unwrap();
    let mut config = small_mar(4);
    config.model.diffusion = toml::from_str("kind = \"ddpm\"\nbetas = \"respaced_cosine\"").unwrap();
    mar::run(&config, &first.join("model"), &place(&second, false), &stop, &mut |_| {}).unwrap();
    assert!(losses(&second).iter().all(|loss| loss.is_finite()));
}

/// A loss over the weights of an autoencoder: their sum times `factor`, through `shape`.
fn poisoned_step(factor: f64, shape: fn(Tensor<1>) -> Tensor<1>) -> (Error, Error) {
    let config = small_autoencoder(10);
    let device = DeviceChoice::Cpu.open().unwrap();
    let fresh = config.model.autoencoder.init(&mut WeightDraw::new(0, &device));
    let picture = Tensor::<4>::zeros([1, 16, 16, 3], &device);
    let mut state = State::new(fresh, &config.training);
    let loss = |module: &Autoencoder, _: usize| {
        Ok(shape(module.encode_raw(picture.clone()).square().mean().mul_scalar(0.0)).mul_scalar(factor))
    };
    let first = state.advance(&config.training, &loss).unwrap_err();
    // The state is as it was: the same step fails in the same way.
    (first, state.advance(&config.training, &loss).unwrap_err())
}

#[test]
fn a_loss_or_gradient_that_is_not_finite_stops_the_run_at_its_step() {
    let (loss, again) = poisoned_step(f64::NAN, |x| x);
    for error in [&loss, &again] {
        assert!(matches!(error, Error::Diverged { what: "loss", step: 0, .. }), "{error}");
    }
    assert!(loss.to_string().contains("loss became NaN at step 0"), "{loss}");
    // The square root of zero is zero, its slope infinite.
    let (gradient, again) = poisoned_step(1.0, Tensor::sqrt);
    for error in [&gradient, &again] {
        assert!(matches!(error, Error::Diverged { what: "gradient norm", step: 0, .. }), "{error}");
    }
}

#[test]
fn resuming_with_other_settings_or_a_broken_checkpoint_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("run");
    let stop = StopSignal::default();
    autoencoder::run(&small_autoencoder(2), &place(&run, false), &stop, &mut |_| {}).unwrap();
    let resume = |config: &PretrainAutoencoder| {
        autoencoder::run(config, &place(&run, true), &stop, &mut |_| {}).unwrap_err().to_string()
    };
    assert!(resume(&small_autoencoder(3)).contains("settings"));
    let again = autoencoder::run(&small_autoencoder(2), &place(&run, false), &stop, &mut |_| {});
    assert!(again.unwrap_err().to_string().contains("--resume"));

    for name in ["weights.bpk", "average.bpk", "optimiser.safetensors"] {
        let file = run.join("checkpoint").join(name);
        let whole = fs::read(&file).unwrap();
        for spoiled in [whole[..whole.len() / 2].to_vec(), b"not a checkpoint".to_vec(), Vec::new()] {
            fs::write(&file, spoiled).unwrap();
            let said = resume(&small_autoencoder(2));
            assert!(said.contains(name), "{said}");
        }
        fs::write(&file, whole).unwrap();
    }
}

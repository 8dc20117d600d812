//! Pretraining: it learns, it resumes exactly, its record is whole, and a run that cannot go on says so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use marscope::error::Error;
use marscope::model::weights::WeightFolder;
use marscope::runs::event::Event;
use marscope::runs::folder::{read_events, read_header};
use marscope::session::config::{LoopConfig, PretrainAutoencoder, PretrainMar};
use marscope::session::control::{Progress, StopSignal};
use marscope::session::device::DeviceChoice;
use marscope::session::pretrain::{Place, autoencoder, mar};

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
            Event::Note { .. } => None,
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
    let config = small_mar(40);
    mar::run(&config, &first.join("model"), &place(&second, false), &stop, &mut |_| {}).unwrap();
    for run in [&first, &second] {
        let losses = losses(run);
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        assert_eq!(losses.len(), 40);
        assert!(mean(&losses[30..]) < 0.9 * mean(&losses[..5]), "{losses:?}");
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

#[test]
fn a_run_that_diverges_stops_with_its_checkpoint_and_record() {
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("run");
    let mut config = small_autoencoder(200);
    config.training.optim.learning_rate = 1.0;
    config.training.optim.clip_norm = 0.0;
    config.training.schedule.warmup = 0;
    config.loss.gradient_weight = 10.0;
    match autoencoder::run(&config, &place(&run, false), &StopSignal::default(), &mut |_| {}) {
        Err(error @ Error::Diverged { .. }) => assert!(error.to_string().contains("became"), "{error}"),
        // It may also survive: Adam bounds each step. Then its record must be whole.
        Ok(_) => assert_eq!(losses(&run).len(), 200),
        Err(other) => panic!("{other}"),
    }
    assert!(!losses(&run).is_empty());
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

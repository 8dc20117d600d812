//! A small recorded run with every map, some numbers of it not finite.

use std::path::Path;

use marscope::model::noise::{NoiseKey, Purpose};
use marscope::rl::config::RlConfig;
use marscope::rl::consistency::is_kept;
use marscope::rl::select::select;
use marscope::runs::event::{Element, Event, GroupRecord, MapRecord, PictureRecord, Scalar};
use marscope::runs::folder::{RunFolder, RunHeader};
use marscope::session::train::config::TrainConfig;
use marscope::world::image::Rgb8;

pub const SIDE: usize = 4;
pub const TOKENS: usize = SIDE * SIDE;
pub const PICTURES: usize = 2;
pub const AR_STEPS: usize = 4;
/// The second picture's token without a finite uncertainty.
pub const NAN_TOKEN: usize = 5;
/// A token whose gain at AR step 2 is NaN.
pub const NAN_GAIN: usize = 15;

/// AR step that predicts a token: four tokens a step.
pub fn order(token: usize) -> usize {
    (token * 7 % TOKENS) / 4
}

pub fn uncertainty(picture: usize, token: usize) -> f32 {
    if (picture, token) == (1, NAN_TOKEN) {
        f32::NAN
    } else {
        0.05 + ((token * 5 + picture) % TOKENS) as f32 * 0.02
    }
}

pub fn gain(picture: usize, ar_step: usize, token: usize) -> f32 {
    match (ar_step, token) {
        (0, _) | (2, NAN_GAIN) => f32::NAN,
        _ => ((token * 3 + ar_step * 5 + picture) % 11) as f32 * 0.1 - 0.5,
    }
}

/// A run of three iterations, the first with trajectories.
pub fn record(path: &Path) {
    record_with(path, |_| {});
}

/// The same, with what `more` records after them.
pub fn record_with(path: &Path, more: impl FnOnce(&mut RunFolder)) {
    let config =
        TrainConfig { rl: RlConfig { group: PICTURES, ..RlConfig::default() }, ..TrainConfig::default() };
    let header = RunHeader::new("train", serde_json::to_value(&config).unwrap(), "cpu");
    let mut run = RunFolder::create(path, &header).unwrap();
    for step in 0..3 {
        let mut maps = maps(&mut run, &config.rl);
        if step == 0 {
            maps.extend(large_maps(&mut run));
        }
        let pictures = (0..PICTURES).map(|picture| {
            let pixels =
                (0..24 * 24).flat_map(|p| [(p % 24 * 10) as u8, 90, (p / 24 * 10) as u8 ^ picture as u8]);
            let png = Rgb8 { width: 24, height: 24, pixels: pixels.collect() }.to_png().unwrap();
            let reward = if picture == 0 { 0.75 } else { f64::NAN };
            PictureRecord {
                reward: Scalar(reward),
                parts: [("verifier".to_owned(), Scalar(reward))].into(),
                advantage: Scalar(if picture == 0 { 1.25 } else { f64::NAN }),
                png: run.media(&png).unwrap(),
            }
        });
        let pictures = pictures.collect();
        let group = GroupRecord {
            prompt: "a red circle".into(),
            side: SIDE,
            ar_steps: AR_STEPS,
            trained_ar_steps: (0..AR_STEPS).collect(),
            trained_diffusion_steps: vec![0, 1, 2],
            zero_std: false,
            pictures,
            maps,
        };
        run.record(&Event::Group { step, group }).unwrap();
        let x = step as f64;
        let values = [
            ("reward/mean", 0.2 + 0.1 * x),
            ("reward/min", 0.1 * x),
            ("reward/max", 0.6 + 0.1 * x),
            ("kl", 0.01 * x),
            ("gradient_norm/whole", 0.5 - 0.1 * x),
            ("mte/share", 0.3),
            ("consistency/kept", 0.8 - 0.05 * x),
            ("group/std", 0.2),
            ("time/iteration", 1.5),
        ];
        run.scalars(step, 1.5 * x, &values.map(|(name, value)| (name.to_owned(), value)).into()).unwrap();
    }
    more(&mut run);
}

fn maps(run: &mut RunFolder, rl: &RlConfig) -> Vec<MapRecord> {
    let each = || (0..PICTURES).flat_map(|p| (0..TOKENS).map(move |t| (p, t)));
    let planes =
        || (0..PICTURES).flat_map(|p| (0..AR_STEPS).flat_map(move |k| (0..TOKENS).map(move |t| (p, k, t))));
    let flat = [PICTURES, TOKENS];
    let deep = [PICTURES, AR_STEPS, TOKENS];
    let mut map = |name: &str, shape: &[usize], element, values: Vec<f32>| {
        run.map(name, shape, element, &values).unwrap()
    };
    let u = |picture: usize| (0..TOKENS).map(|t| uncertainty(picture, t)).collect::<Vec<f32>>();
    let multi = (0..PICTURES).flat_map(|p| select(&u(p), &rl.mte, NoiseKey::new(0, Purpose::Training, 0)));
    let kept = |k: usize, g: f32, t: usize| is_kept(g, rl.consistency.tau, k, order(t) == k);
    let in_loss = |k: usize, t: usize, v: f32| if order(t) >= k { v } else { 0.0 };
    vec![
        map("order", &flat, Element::F16, each().map(|(_, t)| order(t) as f32).collect()),
        map("uncertainty", &flat, Element::F32, each().map(|(p, t)| uncertainty(p, t)).collect()),
        map("mte_mask", &flat, Element::U8, multi.map(|m| f32::from(u8::from(m))).collect()),
        map("cosine_gain", &deep, Element::F32, planes().map(|(p, k, t)| gain(p, k, t)).collect()),
        map(
            "consistency_mask",
            &deep,
            Element::U8,
            planes().map(|(p, k, t)| f32::from(u8::from(k == 0 || kept(k, gain(p, k, t), t)))).collect(),
        ),
        map(
            "loss_share",
            &deep,
            Element::F32,
            planes().map(|(p, k, t)| in_loss(k, t, (t + p) as f32 * 0.001)).collect(),
        ),
        map("kl", &deep, Element::F32, planes().map(|(_, k, t)| in_loss(k, t, 0.002 * t as f32)).collect()),
    ]
}

fn large_maps(run: &mut RunFolder) -> Vec<MapRecord> {
    let number = |i: usize| ((i * 37 % 101) as f32 - 50.0) * 0.02;
    let mut map = |name: &str, shape: &[usize]| {
        let mut values: Vec<f32> = (0..shape.iter().product()).map(number).collect();
        values[0] = f32::NAN;
        run.map(name, shape, Element::F32, &values).unwrap()
    };
    vec![
        map("trajectories", &[PICTURES, 3, 4, TOKENS, 2]),
        map("sampled_trajectory", &[PICTURES, 4, TOKENS, 2]),
        map("kl_by_diffusion_step", &[PICTURES, AR_STEPS, TOKENS, 3]),
        map("log_prob_by_diffusion_step", &[PICTURES, AR_STEPS, TOKENS, 3]),
    ]
}

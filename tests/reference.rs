//! The model against PyTorch. `tests/reference/make.py` wrote the numbers and says how.

#[path = "reference/file.rs"]
mod file;
#[path = "reference/grpo.rs"]
mod grpo;

use burn::module::Module;
use burn::tensor::{Device, Gradients, Tensor};
use file::{Reference, largest, values};
use marscope::model::diffusion::{
    BetaSchedule, DdpmSchedule, DiffusionConfig, FlowGrid, FlowSchedule, Spread, Transition, Variance,
};
use marscope::model::head::{Head, HeadConfig};
use marscope::model::mar::order::{CountRounding, tokens_per_step};
use marscope::model::mar::{Mar, MarConfig};
use marscope::model::nn::attention::SelfAttention;
use marscope::model::nn::init::WeightDraw;
use marscope::model::nn::pos_embed::sin_cos_2d;
use marscope::model::vae::{AutoencoderConfig, LatentNorm};
use marscope::world::tokenizer::SLOTS;

/// Of outputs; PyTorch sums in another order.
const OUTPUT: f64 = 1e-5;
/// Of schedules.
const SCHEDULE: f64 = 1e-6;
/// NOVA's floor of the deviation; only the last step of DDPM comes under it.
const MIN_STD: f64 = 1e-6;

/// With and without autodiff, since a backend may run different kernels for the two.
#[test]
fn attention_equals_pytorch() {
    let file = Reference::read("attention");
    let plain = file.load(SelfAttention::new(32, 4, 1.0, &mut WeightDraw::new(0, &Device::flex())));
    file.compare("output", plain.forward(file.tensor("x")), OUTPUT);

    let trained = plain.train();
    let x = file.leaf::<3>("x");
    let output = trained.forward(x.clone());
    file.compare("output", output.clone(), OUTPUT);
    let gradients = (output * file.tensor("g")).sum().backward();
    file.compare_gradient("x", x.grad(&gradients));
    file.compare_gradients(&trained, gradients);
    assert_eq!(file.compared(), 2 + 1 + 4);
}

/// Caption, known tokens, stem, positions and a transformer block, together.
#[test]
fn transformer_equals_pytorch() {
    let file = Reference::read("transformer");
    let config = MarConfig { side: 3, width: 16, depth: 1, heads: 4 };
    let plain = file.load(Mar::new(&config, 4, &mut WeightDraw::new(0, &Device::flex())));
    let captions = captions(&file);
    let output = plain.forward(&captions, file.tensor("latents"), file.tensor("known"));
    file.compare("output", output, OUTPUT);

    let trained = plain.train();
    let latents = file.leaf::<3>("latents");
    let output = trained.forward(&captions, latents.clone(), file.tensor("known"));
    file.compare("output", output.clone(), OUTPUT);
    let gradients = (output * file.tensor("g")).sum().backward();
    file.compare_gradient("latents", latents.grad(&gradients));
    file.compare_gradients(&trained, gradients);

    let table: Vec<f64> = sin_cos_2d(3, 16).into_iter().map(f64::from).collect();
    file.compare_values("sin_cos_2d", &table, &file.get("sin_cos_2d").values, &[SCHEDULE; 9 * 16]);
    assert_eq!(file.compared(), 2 + 1 + 29 + 1);
}

fn captions(file: &Reference) -> Vec<[u8; SLOTS]> {
    let ids = file.whole("captions");
    ids.chunks_exact(SLOTS).map(|row| std::array::from_fn(|slot| row[slot] as u8)).collect()
}

#[test]
fn adaln_head_equals_pytorch() {
    let file = Reference::read("adaln_head");
    let config = HeadConfig { width: 32, depth: 2, time_features: 16 };
    let flow = DiffusionConfig::default();
    let plain = file.load(Head::new(&config, &flow, 6, 24, &mut WeightDraw::new(0, &Device::flex())));
    let times: Vec<f32> = file.get("times").values.iter().map(|t| *t as f32).collect();
    let output = plain.forward(file.tensor("x"), plain.project_condition(file.tensor("z")), &times);
    file.compare("output", output, OUTPUT);

    let trained = plain.train();
    let (x, z) = (file.leaf::<2>("x"), file.leaf::<2>("z"));
    let output = trained.forward(x.clone(), trained.project_condition(z.clone()), &times);
    file.compare("output", output.clone(), OUTPUT);
    let gradients = (output * file.tensor("g")).sum().backward();
    file.compare_gradient("x", x.grad(&gradients));
    file.compare_gradient("z", z.grad(&gradients));
    file.compare_gradients(&trained, gradients);
    assert_eq!(file.compared(), 2 + 2 + 30);
}

#[test]
fn autoencoder_equals_pytorch() {
    let file = Reference::read("conv_blocks");
    let config = AutoencoderConfig { latent_channels: 4, fine_width: 8, coarse_width: 16 };
    let plain = file.load(config.init(&mut WeightDraw::new(0, &Device::flex())));
    file.compare("raw", plain.encode_raw(file.tensor("images")), OUTPUT);
    file.compare("tokens", plain.encode(file.tensor("images")), OUTPUT);
    file.compare("decoded", plain.decode_grid(file.tensor("latents")), OUTPUT);
    file.compare("by_batch", LatentNorm::by_batch(file.tensor("uneven")), OUTPUT);

    let trained = plain.train();
    let gradients = differentiate(&file, ("raw", "images"), |images| trained.encode_raw(images));
    file.compare_held_gradients(&trained, "encoder.", gradients);
    let gradients = differentiate(&file, ("decoded", "latents"), |latents| trained.decode_grid(latents));
    file.compare_held_gradients(&trained, "decoder.", gradients);
    differentiate(&file, ("by_batch", "uneven"), LatentNorm::by_batch);
    assert_eq!(file.compared(), 4 + 2 * 3 + 7 + 6);
}

/// Compares `output = function(input)` under autodiff, and its gradient with respect to `input`.
fn differentiate(
    file: &Reference,
    (output, input): (&str, &str),
    function: impl Fn(Tensor<4>) -> Tensor<4>,
) -> Gradients {
    let x = file.leaf::<4>(input);
    let y = function(x.clone());
    file.compare(output, y.clone(), OUTPUT);
    let gradients = (y * file.tensor(&format!("g.{output}"))).sum().backward();
    file.compare_gradient(input, x.grad(&gradients));
    gradients
}

#[test]
fn flow_grids_equal_diffusers() {
    let file = Reference::read("schedules");
    for shift in [1, 3] {
        for steps in [10, 25] {
            let name = format!("flow.shift{shift}.steps{steps}");
            let schedule = FlowSchedule::new(FlowGrid::Diffusers { shift: f64::from(shift) }, steps);
            let mut sigmas: Vec<f64> = (0..steps).map(|step| schedule.sigma(step)).collect();
            sigmas.push(schedule.sigma(steps - 1) + schedule.dt(steps - 1));
            file.compare_values(&name, &sigmas, &file.get(&name).values, &vec![SCHEDULE; steps + 1]);
        }
    }
    assert_eq!(file.compared(), 4);
}

#[test]
fn sde_steps_equal_the_released_code() {
    // The numbers are float32 throughout, where `1 - sigma` near 1 costs the deviation five bits.
    const TOLERANCE: f64 = 5e-6;
    let file = Reference::read("flow_sde_step");
    for shift in [1, 3] {
        let name = |part: &str| format!("flow.shift{shift}.{part}");
        let row = |part: &str, step: usize| file.tensor::<4>(&name(part)).narrow(0, step, 1).reshape([16, 4]);
        let schedule = FlowSchedule::new(FlowGrid::Diffusers { shift: f64::from(shift) }, 25);
        for step in 0..25 {
            let sde = schedule.sde(step, 0.7);
            let transition = sde.transition(row("x", step), row("v", step));
            let place = format!("shift {shift} step {step}");
            let std = file.get(&name("std")).values[step];
            assert!((sde.std - std).abs() <= TOLERANCE * std, "{place}: std {} for {std}", sde.std);
            compare_gaussian(
                (&file, &place, TOLERANCE),
                (&transition, row("next", step)),
                row("mean", step),
                row("logp", step),
            );
        }
    }
    assert_eq!(file.compared(), 2 * 25 * 2);
}

/// Compares mean and log-probability of a transition that is right up to rounding, `tolerance` relative to the largest
/// mean and to the deviation.
///
/// An error of `d` in the mean moves the log-probability by `z d / std`, one of `d` in `ln std` by `(z² + 1) d`.
fn compare_gaussian(
    (file, place, tolerance): (&Reference, &str, f64),
    (transition, next): (&Transition, Tensor<2>),
    mean: Tensor<2>,
    logp: Tensor<2>,
) {
    let got = values(transition.log_prob(next.clone(), MIN_STD));
    let (mean, next) = (values(mean), values(next));
    let std = match &transition.std {
        Spread::Uniform(std) => vec![std.max(MIN_STD); mean.len()],
        Spread::Elementwise(std) => values(std.clone()),
    };
    let mean_bound = tolerance * largest(&mean).max(1.0);
    let got_mean = values(transition.mean.clone());
    file.compare_values(&format!("{place}: mean"), &got_mean, &mean, &vec![mean_bound; mean.len()]);
    let bounds: Vec<f64> = (0..mean.len())
        .map(|i| {
            let z = (next[i] - mean[i]) / std[i];
            z.abs() * mean_bound / std[i] + (z * z + 1.0) * tolerance
        })
        .collect();
    file.compare_values(&format!("{place}: logp"), &got, &values(logp), &bounds);
}

#[test]
fn ddpm_steps_equal_the_originals() {
    let file = Reference::read("schedules");
    let schedules = [
        ("respaced_cosine", BetaSchedule::RespacedCosine),
        ("squaredcos_cap_v2", BetaSchedule::SquaredcosCapV2),
        ("linear", BetaSchedule::Linear),
        ("scaled_linear", BetaSchedule::ScaledLinear),
    ];
    for (name, betas) in schedules {
        let schedule = DdpmSchedule::new(betas, 25);
        let timesteps: Vec<usize> = (0..25).map(|step| schedule.timestep(step)).collect();
        assert_eq!(timesteps, file.whole(&format!("ddpm.{name}.timesteps")), "{name}");
        let alpha_bars = file.get(&format!("ddpm.{name}.alpha_bars")).values.iter();
        for (step, want) in alpha_bars.enumerate() {
            let got = schedule.alpha_bar(step);
            assert!((got - want).abs() <= SCHEDULE * want, "{name} alpha_bar {step}: {got} for {want}");
        }
        for (row, step) in file.whole(&format!("ddpm.{name}.steps")).into_iter().enumerate() {
            compare_ddpm_step(&file, name, &schedule, (row, step));
        }
    }
    assert_eq!(file.compared(), 4 * 5 * 5);
}

fn compare_ddpm_step(file: &Reference, name: &str, schedule: &DdpmSchedule, (row, step): (usize, usize)) {
    // The logarithm of a small variance, about -10, is rounded to float32.
    const TOLERANCE: f64 = 3e-6;
    let stored = |part: &str| -> Tensor<2> {
        file.tensor::<3>(&format!("ddpm.{name}.{part}")).narrow(0, row, 1).squeeze_dim(0)
    };
    let place = format!("{name} step {step}");
    let fixed = schedule.posterior(step, Variance::FixedSmall, stored("x"), stored("noise"));
    let std = file.get(&format!("ddpm.{name}.std_fixed")).values[row];
    let got = uniform(&fixed);
    assert!((got - std).abs() <= SCHEDULE * std, "{place}: std {got} for {std}");
    compare_gaussian(
        (file, &place, TOLERANCE),
        (&fixed, stored("next_fixed")),
        stored("mean"),
        stored("logp_fixed"),
    );
    let output = Tensor::cat(vec![stored("noise"), stored("share")], 1);
    let learned = schedule.posterior(step, Variance::LearnedRange, stored("x"), output);
    let std = values(stored("std_learned"));
    let bounds: Vec<f64> = std.iter().map(|std| TOLERANCE * std).collect();
    file.compare_values(&format!("{place}: std_learned"), &values(elementwise(&learned)), &std, &bounds);
    compare_gaussian(
        (file, &place, TOLERANCE),
        (&learned, stored("next_learned")),
        stored("mean"),
        stored("logp_learned"),
    );
}

fn uniform(transition: &Transition) -> f64 {
    match &transition.std {
        Spread::Uniform(std) => *std,
        Spread::Elementwise(_) => panic!("one deviation for all was expected"),
    }
}

fn elementwise(transition: &Transition) -> Tensor<2> {
    match &transition.std {
        Spread::Uniform(_) => panic!("a deviation for each element was expected"),
        Spread::Elementwise(std) => std.clone(),
    }
}

#[test]
fn token_counts_equal_the_originals() {
    let file = Reference::read("schedules");
    let mut compared = 0;
    for (tokens, steps) in [(1024, 64), (64, 8), (64, 16)] {
        for (name, rounding) in [("round", CountRounding::Round), ("floor", CountRounding::Floor)] {
            let name = format!("counts.{name}.{tokens}.{steps}");
            assert_eq!(tokens_per_step(tokens, steps, rounding), file.whole(&name), "{name}");
            compared += 1;
        }
    }
    assert_eq!(compared, 6);
}

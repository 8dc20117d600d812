//! Derivatives against central differences, and what freezing the head does to them.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use burn::module::Module;
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use marscope::model::diffusion::{BetaSchedule, Diffusion, DiffusionConfig, Variance};
use marscope::model::groups::Part;
use marscope::model::head::{Head, HeadConfig};
use marscope::model::mar::MarConfig;
use marscope::model::nn::init::WeightDraw;
use marscope::model::noise::{NoiseKey, Purpose};
use marscope::model::params::{FlatParam, flat_gradients, flatten, with_values};
use marscope::model::vae::AutoencoderConfig;
use marscope::model::{Generator, ModelConfig};

/// Length of a difference, as a share of the size of what is moved.
const STEP: f64 = 1e-2;
/// Of a directional derivative, as a share of its size in a random direction.
const TOLERANCE: f64 = 0.02;
/// Directions tried for each tensor.
const DIRECTIONS: u32 = 3;
const ROWS: usize = 4;
const CHANNELS: usize = 6;
const CONDITION: usize = 10;

/// Standard normal numbers; another `stream`, other numbers.
fn noise(stream: u32, len: usize) -> Vec<f32> {
    NoiseKey::new(11, Purpose::World, stream).normal(len)
}

fn matrix(values: &[f32], columns: usize) -> Tensor<2> {
    Tensor::from_data(TensorData::new(values.to_vec(), [values.len() / columns, columns]), &Device::flex())
}

fn leaf(values: &[f32], columns: usize) -> Tensor<2> {
    matrix(values, columns).autodiff().require_grad()
}

/// `sum(tensor * weights)`, summed on the host in f64: a difference of two float32 sums would be mostly rounding.
fn weighted_sum(tensor: Tensor<2>, weights: &[f32]) -> f64 {
    tensor.into_data().iter::<f64>().zip(weights).map(|(x, w)| x * f64::from(*w)).sum()
}

fn norm(values: &[f32]) -> f64 {
    values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt()
}

fn read<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().iter::<f32>().collect()
}

/// Fails unless `gradient` is the derivative of `function` at `point`, along several random directions.
fn assert_derivative(name: &str, point: &[f32], gradient: &[f32], function: impl Fn(&[f32]) -> f64) {
    assert_eq!(point.len(), gradient.len(), "{name}");
    assert!(norm(gradient) > 0.0, "{name}: a zero gradient shows nothing");
    let size = (norm(point) / (point.len() as f64).sqrt()).max(0.1);
    for direction in 0..DIRECTIONS {
        let along = noise(1000 + direction, point.len());
        let moved = |by: f64| -> f64 {
            let by = (by * size) as f32;
            function(&point.iter().zip(&along).map(|(x, u)| x + by * u).collect::<Vec<f32>>())
        };
        // The step as float32 has it: the rounding of a small one is not small beside it.
        let step = f64::from((STEP * size) as f32);
        let difference = (moved(STEP) - moved(-STEP)) / (2.0 * step);
        let derivative: f64 = gradient.iter().zip(&along).map(|(g, u)| f64::from(*g) * f64::from(*u)).sum();
        // Along a random direction of unit entries a derivative is as large as the gradient's norm.
        assert!(
            (difference - derivative).abs() <= TOLERANCE * norm(gradient),
            "{name}, direction {direction}: difference {difference}, derivative {derivative}, norm {}",
            norm(gradient)
        );
    }
}

/// `module` with random weights: fresh ones are zero where a residual branch ends, and hide what is behind.
fn randomised<M: Module>(module: M) -> M {
    let draw = |(i, param): (usize, FlatParam)| {
        let len: usize = param.shape.iter().product();
        let gain = if param.shape.len() > 1 { 1.0 / (param.shape[0] as f32).sqrt() } else { 0.3 };
        let shift = if param.path.ends_with("gamma") { 1.0 } else { 0.0 };
        let values: Vec<f32> = noise(i as u32, len).into_iter().map(|x| shift + gain * x).collect();
        Tensor::from_data(TensorData::new(values, [len]), &Device::flex())
    };
    let values = flatten(&module).into_iter().enumerate().map(draw).collect();
    with_values(module, values)
}

fn head() -> Head {
    let config = HeadConfig { width: 16, depth: 2, time_features: 8 };
    let device = Device::flex();
    let mut draw = WeightDraw::new(0, &device);
    randomised(Head::new(&config, &DiffusionConfig::default(), CHANNELS, CONDITION, &mut draw))
}

fn head_output(head: &Head, x: Tensor<2>, z: Tensor<2>) -> Tensor<2> {
    head.forward(x, head.project_condition(z), &[0.9, 0.6, 0.3, 0.1])
}

/// The inputs of a head and the weights of the sum over its output.
struct HeadCase {
    x: Vec<f32>,
    z: Vec<f32>,
    g: Vec<f32>,
}

impl HeadCase {
    fn new() -> Self {
        Self {
            x: noise(100, ROWS * CHANNELS),
            z: noise(101, ROWS * CONDITION),
            g: noise(102, ROWS * CHANNELS),
        }
    }

    fn value(&self, head: &Head, x: &[f32], z: &[f32]) -> f64 {
        weighted_sum(head_output(head, matrix(x, CHANNELS), matrix(z, CONDITION)), &self.g)
    }
}

#[test]
fn head_derivatives_by_input_and_condition() {
    let (plain, case) = (head(), HeadCase::new());
    let trained = plain.clone().train();
    let (x, z) = (leaf(&case.x, CHANNELS), leaf(&case.z, CONDITION));
    let output = head_output(&trained, x.clone(), z.clone());
    let gradients = (output * matrix(&case.g, CHANNELS)).sum().backward();
    let by_x = read(x.grad(&gradients).expect("gradient of x"));
    let by_z = read(z.grad(&gradients).expect("gradient of z"));
    assert_derivative("x", &case.x, &by_x, |x| case.value(&plain, x, &case.z));
    assert_derivative("z", &case.z, &by_z, |z| case.value(&plain, &case.x, z));
}

#[test]
fn head_derivatives_by_every_weight() {
    let (plain, case) = (head(), HeadCase::new());
    let trained = plain.clone().train();
    let output = head_output(&trained, matrix(&case.x, CHANNELS), matrix(&case.z, CONDITION));
    let gradients = flat_gradients(&trained, (output * matrix(&case.g, CHANNELS)).sum().backward());
    let params = flatten(&plain);
    assert_eq!(params.len(), 4 + 2 + 2 + 2 * 8 + 2 + 2 + 2);
    for (place, (param, gradient)) in params.iter().zip(gradients).enumerate() {
        let gradient = read(gradient.unwrap_or_else(|| panic!("{} has no gradient", param.path)));
        assert_derivative(&param.path, &read(param.value.clone()), &gradient, |values| {
            case.value(&replaced(&plain, &params, place, values), &case.x, &case.z)
        });
    }
}

/// `module` with parameter number `place` set to `values`.
fn replaced(module: &Head, params: &[FlatParam], place: usize, values: &[f32]) -> Head {
    let mut all: Vec<Tensor<1>> = params.iter().map(|p| p.value.clone()).collect();
    all[place] = Tensor::from_data(TensorData::new(values.to_vec(), [values.len()]), &Device::flex());
    with_values(module.clone(), all)
}

/// One stochastic step, the latent it led to, and the weights of the sum over its log-probabilities.
struct StepCase {
    diffusion: Diffusion,
    outputs: usize,
    x: Vec<f32>,
    output: Vec<f32>,
    next: Tensor<2>,
    g: Vec<f32>,
}

impl StepCase {
    /// In the middle of a run, where neither the noise nor the signal is negligible.
    const STEP: usize = 12;

    fn new(config: &DiffusionConfig) -> Self {
        let diffusion = config.schedule(25).expect("25 steps");
        let outputs = config.head_outputs(CHANNELS);
        let x = noise(200, ROWS * CHANNELS);
        let output: Vec<f32> = noise(201, ROWS * outputs).into_iter().map(|v| 0.7 * v).collect();
        let transition = diffusion.transition(Self::STEP, matrix(&x, CHANNELS), matrix(&output, outputs));
        let next = transition.sample(matrix(&noise(202, ROWS * CHANNELS), CHANNELS));
        Self { diffusion, outputs, x, output, next, g: noise(203, ROWS * CHANNELS) }
    }

    fn log_prob(&self, x: Tensor<2>, output: Tensor<2>) -> Tensor<2> {
        self.diffusion.transition(Self::STEP, x, output).log_prob(self.next.clone(), 1e-6)
    }

    fn value(&self, x: &[f32], output: &[f32]) -> f64 {
        weighted_sum(self.log_prob(matrix(x, CHANNELS), matrix(output, self.outputs)), &self.g)
    }

    /// Gradients with respect to `x` and `output`.
    fn gradients(&self) -> (Vec<f32>, Vec<f32>) {
        let (x, output) = (leaf(&self.x, CHANNELS), leaf(&self.output, self.outputs));
        let logp = self.log_prob(x.clone(), output.clone());
        let gradients: Gradients = (logp * matrix(&self.g, CHANNELS)).sum().backward();
        (
            read(x.grad(&gradients).expect("gradient of x")),
            read(output.grad(&gradients).expect("gradient of the head's output")),
        )
    }

    /// Checks the derivative by `columns` of the output alone: with all at once the larger part hides the other.
    fn assert_output_derivative(&self, name: &str, gradient: &[f32], columns: std::ops::Range<usize>) {
        let places: Vec<usize> =
            (0..self.output.len()).filter(|i| columns.contains(&(i % self.outputs))).collect();
        let pick = |all: &[f32]| places.iter().map(|i| all[*i]).collect::<Vec<f32>>();
        assert_derivative(name, &pick(&self.output), &pick(gradient), |part| {
            let mut output = self.output.clone();
            for (place, value) in places.iter().zip(part) {
                output[*place] = *value;
            }
            self.value(&self.x, &output)
        });
    }
}

#[test]
fn flow_log_probability_derivatives() {
    let case = StepCase::new(&DiffusionConfig::default());
    let (by_x, by_velocity) = case.gradients();
    assert_derivative("x", &case.x, &by_x, |x| case.value(x, &case.output));
    case.assert_output_derivative("velocity", &by_velocity, 0..CHANNELS);
}

#[test]
fn ddpm_log_probability_derivatives() {
    let config =
        DiffusionConfig::Ddpm { betas: BetaSchedule::RespacedCosine, variance: Variance::LearnedRange };
    let case = StepCase::new(&config);
    assert_eq!(case.outputs, 2 * CHANNELS);
    let (by_x, by_output) = case.gradients();
    assert_derivative("x", &case.x, &by_x, |x| case.value(x, &case.output));
    case.assert_output_derivative("noise", &by_output, 0..CHANNELS);
    case.assert_output_derivative("variance", &by_output, CHANNELS..2 * CHANNELS);
}

fn generator() -> Generator {
    let config = ModelConfig {
        autoencoder: AutoencoderConfig { latent_channels: CHANNELS, ..AutoencoderConfig::default() },
        mar: MarConfig { side: 2, width: 16, depth: 1, heads: 2 },
        head: HeadConfig { width: 16, depth: 1, time_features: 8 },
        ..ModelConfig::default()
    };
    randomised(Generator::new(&config, 0, &Device::flex()))
}

/// Gradients of a loss through transformer and head, in the order of [`flatten`].
fn policy_gradients(generator: &Generator) -> Vec<Option<Tensor<1>>> {
    let (tokens, width) = (4, 16);
    let latents = matrix(&noise(300, tokens * CHANNELS), CHANNELS).reshape([1, tokens, CHANNELS]);
    let known = matrix(&[1.0, 0.0, 0.0, 1.0], tokens);
    let z = generator.mar.forward(&[[1, 5, 14, 20, 8, 16]], latents, known).reshape([tokens, width]);
    let x = matrix(&noise(301, tokens * CHANNELS), CHANNELS);
    let output = generator.head.forward(x, generator.head.project_condition(z), &[0.5]);
    flat_gradients(generator, (output * matrix(&noise(302, tokens * CHANNELS), CHANNELS)).sum().backward())
}

#[test]
fn a_frozen_head_passes_the_gradient_on() {
    let free = generator().train();
    let params = flatten(&free);
    let expected = policy_gradients(&free);
    let orders = [Part::Head.freeze(generator().train()), Part::Head.freeze(generator()).train()];
    for frozen in orders {
        let (mut passed, mut stopped) = (0, 0);
        for ((param, free), frozen) in params.iter().zip(&expected).zip(policy_gradients(&frozen)) {
            let free = read(free.clone().unwrap_or_else(|| panic!("{} has no gradient", param.path)));
            assert!(norm(&free) > 0.0, "{}: a zero gradient shows nothing", param.path);
            if param.path.starts_with("head.") {
                assert!(frozen.is_none(), "{} is frozen but has a gradient", param.path);
                stopped += 1;
                continue;
            }
            let frozen = read(frozen.unwrap_or_else(|| panic!("{} lost its gradient", param.path)));
            let difference: Vec<f32> = free.iter().zip(&frozen).map(|(a, b)| a - b).collect();
            assert!(norm(&difference) <= 1e-5 * norm(&free), "{}: {}", param.path, norm(&difference));
            passed += 1;
        }
        assert_eq!((passed, stopped), (29, 22));
    }
}

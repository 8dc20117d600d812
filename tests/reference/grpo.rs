//! One whole objective against PyTorch numbers computed with the released code's formulas: G = 4, 16 tokens, 8 channels,
//! 5 diffusion steps, S = 3. Advantages, masks, log-probabilities, KL, loss, and gradients with respect to every mean.

use crate::file::{Reference, values};
use burn::tensor::{Device, Tensor, TensorData};
use marscope::model::diffusion::{Spread, Transition};
use marscope::model::noise::{NoiseKey, Purpose};
use marscope::rl::advantage::group_relative;
use marscope::rl::config::{KlElement, RlConfig, Selection, TokenScope};
use marscope::rl::consistency::cosine_gain;
use marscope::rl::decisions::{LatentsOf, Normalisers, StepWeights, TokenDecisions, TokenWeight};
use marscope::rl::objective::StepTerms;
use marscope::rl::plan::StepPlan;
use marscope::rl::select::uncertainty;

const TOLERANCE: f64 = 1e-5;
const G: usize = 4;
const TOKENS: usize = 16;
const CHANNELS: usize = 8;
const STEPS: usize = 5;
const S: usize = 3;
const BETA: f64 = 0.01;
/// The AR step of the file: late enough that consistency masks it.
const AR_STEP: usize = 2;

fn f32s(file: &Reference, name: &str) -> Vec<f32> {
    file.get(name).values.iter().map(|v| *v as f32).collect()
}

fn close(file: &Reference, name: &str, got: &[f64]) {
    let want = &file.get(name).values;
    file.compare_values(name, got, want, &vec![TOLERANCE; want.len()]);
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|v| f64::from(*v)).collect()
}

fn mask(values: impl IntoIterator<Item = bool>) -> Vec<f64> {
    values.into_iter().map(|b| f64::from(u8::from(b))).collect()
}

#[test]
fn advantages_equal_the_released_code() {
    let file = Reference::read("grpo_step");
    close(&file, "advantages", &group_relative(&file.get("rewards").values));
    assert!(file.get("advantages_equal_rewards").values.iter().all(|a| *a == 0.0));
    assert!(group_relative(&[0.7; G]).iter().all(|a| *a == 0.0));
    assert_eq!(file.compared(), 1);
}

/// Decisions about all pictures, made from the latents of the file.
fn decisions(file: &Reference, config: &RlConfig) -> Vec<TokenDecisions> {
    let (known, predicted) = (file.whole("known_mask"), file.whole("predicted_mask"));
    let (previous, current) = (f32s(file, "latent_prev"), f32s(file, "latent_cur"));
    let (last, seeds) = (f32s(file, "latent_final"), f32s(file, "seed_latents"));
    let plan = StepPlan {
        ar_steps: 4,
        trained_ar_steps: vec![AR_STEP],
        diffusion_steps: (0..STEPS).collect(),
        weights: vec![1.0; STEPS],
        skipped: Vec::new(),
    };
    let size = TOKENS * CHANNELS;
    (0..G)
        .map(|picture| {
            let at =
                |token: usize| match (known[picture * TOKENS + token], predicted[picture * TOKENS + token]) {
                    (1, _) => AR_STEP - 1,
                    (_, 1) => AR_STEP,
                    _ => AR_STEP + 1,
                };
            let part = picture * size..(picture + 1) * size;
            let latents = LatentsOf {
                channels: CHANNELS,
                last: &last[part.clone()],
                trajectories: (0..S).map(|s| &seeds[s * G * size..][part.clone()]).collect(),
                denoised: &|step| match step {
                    1 => Some(&previous[part.clone()]),
                    2 => Some(&current[part.clone()]),
                    _ => None,
                },
            };
            let key = NoiseKey::new(0, Purpose::Training, picture as u32);
            TokenDecisions::new((0..TOKENS).map(at).collect(), &latents, config, &plan, key)
        })
        .collect()
}

#[test]
fn uncertainty_selection_and_consistency_equal_the_released_code() {
    let file = Reference::read("grpo_step");
    let config = RlConfig::default();
    let decided = decisions(&file, &config);
    let all = |get: &dyn Fn(&TokenDecisions) -> Vec<f64>| decided.iter().flat_map(get).collect::<Vec<f64>>();
    close(&file, "uncertainty", &all(&|d| wide(&d.uncertainty)));
    close(&file, "critical_mask", &all(&|d| mask(d.multi.clone())));
    close(&file, "cosine_gain", &all(&|d| wide(&d.gains[0])));
    let in_scope = |d: &TokenDecisions| {
        mask((0..TOKENS).map(|t| d.kept[0][t] && d.in_scope(TokenScope::Unknown, AR_STEP, t)))
    };
    close(&file, "consistency_mask_tau0", &all(&in_scope));
    let unknown = |d: &TokenDecisions| mask((0..TOKENS).map(|t| d.in_scope(TokenScope::Unknown, AR_STEP, t)));
    close(&file, "unknown_mask", &all(&unknown));

    let mut stricter = config;
    stricter.consistency.tau = 0.1;
    let decided = decisions(&file, &stricter);
    close(&file, "consistency_mask_tau0.1", &decided.iter().flat_map(in_scope).collect::<Vec<_>>());
    assert_eq!(file.compared(), 6);
    // The functions on their own, so that a fault in the record above is not mistaken for one in them.
    let seeds = f32s(&file, "seed_latents");
    let size = TOKENS * CHANNELS;
    let first: Vec<&[f32]> = (0..S).map(|s| &seeds[s * G * size..][..size]).collect();
    assert_eq!(uncertainty(&first, CHANNELS), decided[0].uncertainty);
    let part = |name: &str| f32s(&file, name)[..size].to_vec();
    let gain = cosine_gain(&part("latent_prev"), &part("latent_cur"), &part("latent_final"), CHANNELS);
    assert_eq!(gain, decided[0].gains[0]);
}

/// Rows `[pictures * tokens, channels]` number `index` of a tensor whose leading dimensions are flattened.
fn rows(tensor: &Tensor<3>, index: usize) -> Tensor<2> {
    tensor.clone().narrow(0, index, 1).squeeze_dim(0)
}

fn stacked(file: &Reference, name: &str) -> Tensor<3> {
    let values = f32s(file, name);
    let leading = values.len() / (G * TOKENS * CHANNELS);
    Tensor::from_data(TensorData::new(values, [leading, G * TOKENS, CHANNELS]), &Device::flex())
}

fn leaf(file: &Reference, name: &str) -> Tensor<3> {
    stacked(file, name).autodiff().require_grad()
}

/// The transitions of one trajectory, `offset` steps into the flattened tensors.
fn terms(
    file: &Reference,
    means: &Tensor<3>,
    (reference, next): (&str, &str),
    offset: usize,
    step: usize,
) -> StepTerms {
    let std = file.get("std").values[step];
    let transition = Transition { mean: rows(means, offset + step), std: Spread::Uniform(std) };
    StepTerms::new(
        transition,
        rows(&stacked(file, reference), offset + step),
        rows(&stacked(file, next), offset + step),
    )
}

#[test]
fn log_probabilities_and_kl_elements_equal_the_released_code() {
    let file = Reference::read("grpo_step");
    let (mean, seed_mean) = (leaf(&file, "mean"), leaf(&file, "seed_mean"));
    let all = |function: &dyn Fn(StepTerms) -> Tensor<2>| -> Vec<f64> {
        let one = |step| values(function(terms(&file, &mean, ("ref_mean", "next"), 0, step)));
        (0..STEPS).flat_map(one).collect()
    };
    close(&file, "logp", &all(&|terms| terms.log_prob()));
    close(&file, "kl_element", &all(&|terms| terms.kl_elements(KlElement::MeanK3)));
    let seeds = |function: &dyn Fn(StepTerms) -> Tensor<2>| -> Vec<Vec<f64>> {
        (0..S)
            .map(|s| {
                (0..STEPS)
                    .flat_map(|step| {
                        let names = ("seed_ref_mean", "seed_next");
                        values(function(terms(&file, &seed_mean, names, s * STEPS, step)))
                    })
                    .collect()
            })
            .collect()
    };
    close(&file, "seed_logp", &seeds(&|terms| terms.log_prob()).concat());
    let kl = seeds(&|terms| terms.kl_elements(KlElement::MeanK3));
    let mean_kl: Vec<f64> =
        (0..kl[0].len()).map(|i| kl.iter().map(|one| one[i]).sum::<f64>() / S as f64).collect();
    close(&file, "seed_kl_element_mean", &mean_kl);
    assert_eq!(file.compared(), 4);
}

/// `[pictures * tokens, 1]` with the weights of some tokens, zero elsewhere.
fn column(weights: &[TokenWeight], get: impl Fn(&TokenWeight) -> f32) -> Tensor<2> {
    let mut column = vec![0.0f32; G * TOKENS];
    for weight in weights {
        column[weight.picture * TOKENS + weight.token] = get(weight);
    }
    Tensor::from_data(TensorData::new(column, [G * TOKENS, 1]), &Device::flex())
}

fn check_objective(name: &str) {
    let (with_mte, with_consistency) = (name != "vanilla", name == "mte_consistency");
    let file = Reference::read("grpo_step");
    let mut config = RlConfig::default();
    config.mte.selection = if with_mte { Selection::Uncertain } else { Selection::None };
    config.consistency.enabled = with_consistency;
    let decided = decisions(&file, &config);
    let normalisers = Normalisers::count(decided.iter(), TokenScope::Unknown, (0, AR_STEP));
    let advantages = group_relative(&file.get("rewards").values);
    let weights = StepWeights::new(
        &decided,
        &advantages,
        TokenScope::Unknown,
        (0, AR_STEP),
        (normalisers, CHANNELS * STEPS),
    );
    let (mean, seed_mean) = (leaf(&file, "mean"), leaf(&file, "seed_mean"));
    let mut policy = Tensor::<1>::zeros([1], &Device::flex());
    let mut kl = policy.clone();
    let share = 1.0 / S as f32;
    for step in 0..STEPS {
        let single = terms(&file, &mean, ("ref_mean", "next"), 0, step);
        policy = policy + single.policy(column(&weights.single, |w| w.policy), 0.0);
        kl = kl + (single.kl_elements(KlElement::MeanK3) * column(&weights.single, |w| w.kl)).sum();
        for s in 0..S {
            let seed = terms(&file, &seed_mean, ("seed_ref_mean", "seed_next"), s * STEPS, step);
            policy = policy + seed.policy(column(&weights.multi, |w| w.policy * share), 0.0);
            let elements = seed.kl_elements(KlElement::MeanK3);
            kl = kl + (elements * column(&weights.multi, |w| w.kl * share)).sum();
        }
    }
    let loss = (policy.clone() - kl.clone().mul_scalar(BETA)).neg();
    let got: Vec<f64> = [policy, kl, loss.clone()].into_iter().flat_map(values).collect();
    close(&file, &format!("{name}.policy_kl_loss"), &got);
    let gradients = loss.backward();
    let compare = |what: &str, leaf: &Tensor<3>| {
        let want = &file.get(&format!("{name}.{what}")).values;
        let largest = want.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        let got = values(leaf.grad(&gradients).unwrap_or_else(|| panic!("no gradient of {what}")));
        // Gradients are of the size of 1e-3: relative to the largest, which is stricter than 1e-5 absolute.
        file.compare_values(what, &got, want, &vec![TOLERANCE * largest; want.len()]);
    };
    compare("grad_mean", &mean);
    if with_mte {
        compare("grad_seed_mean", &seed_mean);
    }
    assert_eq!(file.compared(), 2 + usize::from(with_mte));
}

#[test]
fn the_plain_objective_equals_pytorch() {
    check_objective("vanilla");
}

#[test]
fn the_objective_with_mte_equals_pytorch() {
    check_objective("mte");
}

#[test]
fn the_objective_with_mte_and_consistency_equals_pytorch() {
    check_objective("mte_consistency");
}

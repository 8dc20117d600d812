//! Ranks and masks of Inspect against the functions that training uses.

#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use marscope::model::noise::{NoiseKey, Purpose};
use marscope::rl::config::{RlConfig, Selection};
use marscope::rl::decisions::{LatentsOf, TokenDecisions};
use marscope::rl::plan::StepPlan;
use marscope::rl::select::{select, selected_count};
use marscope::runs::event::GroupRecord;
use marscope::ui::data::group::{LoadedGroup, Planes};
use marscope::ui::data::run::RunId;
use marscope::ui::inspect::facts::{Decision, PictureFacts, ranks};
use marscope::ui::inspect::what_if::{Outcome, Settings, multi};
use marscope::ui::overlay::{TokenMap, ValueSummary};
use proptest::prelude::*;

const SIDE: usize = 4;
const TOKENS: usize = SIDE * SIDE;
const CHANNELS: usize = 3;
const AR_STEPS: usize = 5;

fn key() -> NoiseKey {
    NoiseKey::new(3, Purpose::Training, 1)
}

/// Decisions of training about a picture with these latents.
fn decide(numbers: &[f32], trained: &[usize], config: &RlConfig) -> TokenDecisions {
    let size = TOKENS * CHANNELS;
    let latents = |number: usize| &numbers[number * size..(number + 1) * size];
    let predicted_at = (0..TOKENS).map(|token| token * 7 % AR_STEPS).collect();
    let of = LatentsOf {
        channels: CHANNELS,
        last: latents(0),
        trajectories: vec![latents(1), latents(2), latents(3)],
        denoised: &|step| Some(latents(4 + step)),
    };
    let plan = StepPlan {
        ar_steps: AR_STEPS,
        trained_ar_steps: trained.to_vec(),
        diffusion_steps: vec![0],
        weights: vec![1.0],
        skipped: Vec::new(),
    };
    TokenDecisions::new(predicted_at, &of, config, &plan, key())
}

/// The group as the recorder and the loader make it of the decisions.
fn group(decisions: &TokenDecisions, trained: &[usize]) -> LoadedGroup {
    let planes = |planes: Vec<Vec<f32>>| Planes {
        count: planes.len(),
        planes: planes.into_iter().map(|values| Arc::new(TokenMap::new(SIDE, values).unwrap())).collect(),
        summary: ValueSummary::EMPTY,
    };
    let bytes = |mask: &Vec<bool>| mask.iter().map(|m| f32::from(u8::from(*m))).collect::<Vec<f32>>();
    let gain = |plane: &Vec<f32>| if plane.is_empty() { vec![f32::NAN; TOKENS] } else { plane.clone() };
    let maps = BTreeMap::from([
        ("order", planes(vec![decisions.predicted_at.iter().map(|k| *k as f32).collect()])),
        ("uncertainty", planes(vec![decisions.uncertainty.clone()])),
        ("mte_mask", planes(vec![bytes(&decisions.multi)])),
        ("cosine_gain", planes(decisions.gains.iter().map(gain).collect())),
        ("consistency_mask", planes(decisions.kept.iter().map(bytes).collect())),
    ]);
    let record = GroupRecord {
        prompt: String::new(),
        side: SIDE,
        ar_steps: AR_STEPS,
        trained_ar_steps: trained.to_vec(),
        trained_diffusion_steps: vec![0],
        zero_std: false,
        pictures: Vec::new(),
        maps: Vec::new(),
    };
    LoadedGroup {
        run: RunId(0),
        folder: PathBuf::new(),
        step: 0,
        index: 0,
        count: 1,
        record,
        pictures: Vec::new(),
        maps: maps.into_iter().map(|(name, planes)| (name.to_owned(), planes)).collect(),
        problems: Vec::new(),
    }
}

fn settings(selection: Selection, share: f64, tau: f64) -> RlConfig {
    let mut config = RlConfig::default();
    (config.mte.selection, config.mte.share, config.consistency.tau) = (selection, share, tau);
    config
}

fn selection() -> impl Strategy<Value = Selection> {
    prop::sample::select(vec![Selection::Uncertain, Selection::Stable, Selection::All, Selection::None])
}

fn latents() -> impl Strategy<Value = Vec<f32>> {
    // One in some hundred numbers is NaN: what is not finite must take the same way.
    let number = prop_oneof![300 => -2.0f32..2.0, 1 => Just(f32::NAN)];
    prop::collection::vec(number, (4 + AR_STEPS) * TOKENS * CHANNELS)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_recorded_settings_give_the_recorded_masks(
        numbers in latents(),
        selection in prop_oneof![selection(), Just(Selection::Random)],
        share in 0.01f64..1.0,
        tau in -0.5f64..0.5,
        trained in prop::sample::subsequence((0..AR_STEPS).collect::<Vec<_>>(), 1..=AR_STEPS),
    ) {
        let config = settings(selection, share, tau);
        let group = group(&decide(&numbers, &trained, &config), &trained);
        let outcome = Outcome::new(&group, 0, Settings::of(&config));
        let multi = outcome.multi.unwrap().tally;
        prop_assert_eq!((multi.gained, multi.lost, multi.of), (0, 0, TOKENS));
        for step in &outcome.steps {
            prop_assert_eq!((step.tally.gained, step.tally.lost), (0, 0));
        }
    }

    #[test]
    fn other_settings_give_the_masks_that_training_would_have_made(
        numbers in latents(),
        recorded in (selection(), 0.01f64..1.0, -0.5f64..0.5),
        tried in (selection(), 0.01f64..1.0, -0.5f64..0.5),
    ) {
        let trained: Vec<usize> = (0..AR_STEPS).collect();
        let with = |(selection, share, tau)| settings(selection, share, tau);
        let before = decide(&numbers, &trained, &with(recorded));
        let after = decide(&numbers, &trained, &with(tried));
        let outcome = Outcome::new(&group(&before, &trained), 0, Settings::of(&with(tried)));
        let count = |mask: &[bool]| mask.iter().filter(|m| **m).count();
        let multi = outcome.multi.unwrap();
        prop_assert_eq!(multi.tally.tried, count(&after.multi));
        let gained = (0..TOKENS).filter(|t| after.multi[*t] && !before.multi[*t]).count();
        prop_assert_eq!(multi.tally.gained, gained);
        for (plane, step) in outcome.steps.iter().enumerate() {
            let in_loss = |t: &usize| before.predicted_at[*t] >= plane;
            let kept = (0..TOKENS).filter(in_loss).filter(|t| after.kept[plane][*t]).count();
            prop_assert_eq!((step.tally.tried, step.tally.of), (kept, (0..TOKENS).filter(in_loss).count()));
        }
    }

    #[test]
    fn a_rank_within_k_is_a_token_selected(
        values in prop::collection::vec(prop_oneof![20 => 0.0f32..1.0, 1 => Just(f32::NAN), 3 => Just(0.5)], 1..90),
        share in 0.01f64..1.0,
    ) {
        let ranks = ranks(&values);
        let mut sorted = ranks.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (1..=values.len()).collect::<Vec<_>>());
        let mut config = RlConfig::default().mte;
        config.share = share;
        let count = selected_count(share, values.len());
        let top = select(&values, &config, key());
        prop_assert!(top.iter().zip(&ranks).all(|(top, rank)| *top == (*rank <= count)));
        let bottom = multi(&values, Selection::Stable, share).unwrap();
        prop_assert!(bottom.iter().zip(&ranks).all(|(bottom, rank)| *bottom == (rank + count > values.len())));
    }

    #[test]
    fn facts_say_what_training_decided(numbers in latents(), tau in -0.5f64..0.5) {
        let trained = [0, 2, 3];
        let config = settings(Selection::Uncertain, 0.3, tau);
        let decisions = decide(&numbers, &trained, &config);
        let facts = PictureFacts::new(&group(&decisions, &trained), 0, Some(&config));
        for token in &facts.tokens {
            prop_assert_eq!(token.within_share, Some(decisions.multi[token.token]));
            prop_assert_eq!(token.multi, token.within_share);
            for (plane, step) in token.steps.iter().enumerate() {
                let known = decisions.predicted_at[token.token] < step.ar_step;
                prop_assert_eq!(step.decision == Decision::Known, known);
                let dropped = !known && !decisions.kept[plane][token.token];
                prop_assert_eq!(step.decision == Decision::Dropped, dropped);
                prop_assert_eq!(step.gain.is_none(), step.ar_step == 0);
            }
        }
    }
}

#[test]
fn the_random_selection_cannot_be_computed() {
    assert!(multi(&[0.1, 0.2], Selection::Random, 0.5).is_none());
}

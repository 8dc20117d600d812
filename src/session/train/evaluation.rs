//! Scores on the way: the same prompts and the same noise every time, so that two scores differ by the policy only.

use std::collections::BTreeMap;

use super::config::TrainConfig;
use super::iteration::Fixed;
use crate::error::Result;
use crate::model::sample::{Request, SampleConfig};
use crate::model::{Generator, Model};
use crate::rl::advantage::{deviation, mean};
use crate::session::evaluate::held_out_captions;
use crate::session::generate::{Poll, generate_polled};
use crate::world::families::Family;
use crate::world::image::Rgb8;
use crate::world::prompt::Caption;
use crate::world::reward::{RewardSet, Verdict, Verifier};
use crate::world::tokenizer::encode;

/// Seed of evaluation noise and held-out captions; no run's pictures have it unless a user asks for this very number.
const SEED: u64 = 1_000_003;
/// Seed of the film strips' noise.
const PROBE_SEED: u64 = 1_000_033;
/// Pictures of each held-out caption.
const HELD_OUT_PICTURES: usize = 2;

/// Scores one policy.
pub struct Evaluator<'a> {
    /// Constants of the run.
    pub fixed: &'a Fixed,
    /// Settings.
    pub config: &'a TrainConfig,
    /// Asked between AR steps.
    pub poll: Poll<'a>,
}

impl Evaluator<'_> {
    /// Rewards of the training prompts and verifier scores of held-out ones, sampled as in training. Names to values:
    /// `evaluation/reward`, `evaluation/verifier`, `evaluation/exact`, `held_out/verifier`, `held_out/exact`, and standard
    /// errors as `.../standard_error`.
    ///
    /// # Errors
    /// Those of [`generate_polled`].
    pub fn scores(&self, generator: &Generator) -> Result<BTreeMap<String, f64>> {
        let mut scores = BTreeMap::new();
        let prompts = self.fixed.captions.iter().cycle().take(self.config.evaluate.pictures).copied();
        self.score("evaluation", generator, &prompts.collect::<Vec<_>>(), &mut scores)?;
        let held_out: Vec<Caption> = Family::ALL
            .into_iter()
            .flat_map(|family| held_out_captions(family, self.config.evaluate.held_out, SEED))
            .flat_map(|caption| std::iter::repeat_n(caption, HELD_OUT_PICTURES))
            .collect();
        self.score("held_out", generator, &held_out, &mut scores)?;
        Ok(scores)
    }

    fn score(
        &self,
        name: &str,
        generator: &Generator,
        captions: &[Caption],
        scores: &mut BTreeMap<String, f64>,
    ) -> Result<()> {
        if captions.is_empty() {
            return Ok(());
        }
        let images = self.draw(generator, captions, &self.config.rl.rollout.sampler(), SEED)?;
        let rewards: RewardSet = self.config.rl.reward.parse()?;
        let judged: Vec<(f64, Verdict)> = images
            .iter()
            .zip(captions)
            .map(|(image, caption)| {
                (f64::from(rewards.score(image, caption).total), Verifier.verify(image, caption))
            })
            .collect();
        let count = (judged.len() as f64).sqrt();
        let mut put = |what: &str, values: Vec<f64>| {
            scores.insert(format!("{name}/{what}"), mean(&values));
            scores.insert(format!("{name}/{what}/standard_error"), deviation(&values) / count);
        };
        put("reward", judged.iter().map(|(reward, _)| *reward).collect());
        put("verifier", judged.iter().map(|(_, verdict)| f64::from(verdict.mean)).collect());
        let exact = judged.iter().filter(|(_, verdict)| verdict.exact).count();
        scores.insert(format!("{name}/exact"), exact as f64 / judged.len() as f64);
        Ok(())
    }

    /// One deterministic picture of each probe prompt.
    ///
    /// # Errors
    /// Those of [`generate_polled`].
    pub fn probes(&self, generator: &Generator) -> Result<Vec<(Caption, Rgb8)>> {
        let captions = self.config.probe_captions()?;
        let sampler = SampleConfig { stochastic_steps: 0, ..self.config.rl.rollout.sampler() };
        let images = self.draw(generator, &captions, &sampler, PROBE_SEED)?;
        Ok(captions.into_iter().zip(images).collect())
    }

    fn draw(
        &self,
        generator: &Generator,
        captions: &[Caption],
        sampler: &SampleConfig,
        seed: u64,
    ) -> Result<Vec<Rgb8>> {
        let model = Model { generator: generator.clone(), ..self.fixed.reference.clone() };
        let requests: Vec<Request> = captions
            .iter()
            .enumerate()
            .map(|(i, caption)| Request { caption: encode(caption), seed, image: i as u32 })
            .collect();
        generate_polled(&model, &requests, sampler, self.poll, &mut |_| {})
    }
}

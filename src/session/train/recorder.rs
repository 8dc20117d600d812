//! From an iteration to the run's folder and to the front end.

use std::collections::BTreeMap;

use super::config::TrainConfig;
use super::group::{Group, PictureTokens};
use super::iteration::Iteration;
use super::message::{Message, Outbox};
use super::shard::host;
use crate::error::Result;
use crate::rl::mte::Trajectories;
use crate::runs::event::{Element, Event, GroupRecord, MapRecord, Mark, PictureRecord, ProbeFrame, Scalar};
use crate::runs::folder::RunFolder;
use crate::world::image::Rgb8;
use crate::world::prompt::Caption;
use crate::world::reward::{Verdict, Verifier};

/// Writes to the folder first and tells the front end after.
pub struct Recorder {
    folder: RunFolder,
    /// To the front end.
    pub outbox: Outbox,
}

impl Recorder {
    /// Records to `folder`.
    #[must_use]
    pub const fn new(folder: RunFolder, outbox: Outbox) -> Self {
        Self { folder, outbox }
    }

    /// The run's folder.
    #[must_use]
    pub fn path(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Records one event.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] if it cannot be written; it was then not told either.
    pub fn event(&mut self, event: Event) -> Result<()> {
        self.folder.record(&event)?;
        self.outbox.send(Message::Event(Box::new(event)));
        Ok(())
    }

    /// Records a mark.
    ///
    /// # Errors
    /// As [`event`](Self::event).
    pub fn mark(&mut self, step: usize, mark: Mark, text: impl Into<String>) -> Result<()> {
        self.event(Event::Mark { step, mark, text: text.into() })
    }

    /// Writes the pictures and maps of an iteration and returns the events that refer to them, not yet recorded.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] if they cannot be written.
    pub fn groups(&mut self, iteration: &Iteration, config: &TrainConfig) -> Result<Vec<Event>> {
        let every = config.record.trajectories_every;
        let with_trajectories = every > 0 && iteration.number.is_multiple_of(every);
        let mut first = 0;
        let mut events = Vec::with_capacity(iteration.groups.len());
        for group in &iteration.groups {
            let count = group.images.len();
            let trained = iteration.plan.ascending();
            let mut maps = Vec::new();
            if let Some(tokens) = iteration.tokens.get(first..first + count) {
                maps = self.maps(tokens, trained.len())?;
            }
            if with_trajectories && iteration.tokens.len() >= first + count {
                maps.extend(self.trajectories(iteration, first..first + count)?);
                maps.extend(self.by_diffusion_step(iteration, first..first + count)?);
            }
            let record = GroupRecord {
                prompt: group.caption.to_string(),
                side: iteration.shards.first().map_or(1, |s| s.rollout.tokens().isqrt()),
                ar_steps: iteration.plan.ar_steps,
                trained_ar_steps: trained,
                trained_diffusion_steps: iteration.plan.diffusion_steps.clone(),
                zero_std: group.std == 0.0,
                pictures: self.pictures(group)?,
                maps,
            };
            events.push(Event::Group { step: iteration.number, group: record });
            first += count;
        }
        Ok(events)
    }

    fn pictures(&mut self, group: &Group) -> Result<Vec<PictureRecord>> {
        let mut pictures = Vec::with_capacity(group.images.len());
        for (i, image) in group.images.iter().enumerate() {
            let mut parts: BTreeMap<String, Scalar> = group.breakdowns[i]
                .parts
                .iter()
                .map(|part| (part.name.clone(), Scalar(f64::from(part.score))))
                .collect();
            parts.extend(verdict_parts(&group.verdicts[i]));
            pictures.push(PictureRecord {
                reward: Scalar(f64::from(group.breakdowns[i].total)),
                parts,
                advantage: Scalar(group.advantages[i]),
                png: self.folder.media(&image.to_png()?)?,
            });
        }
        Ok(pictures)
    }

    fn maps(&mut self, tokens: &[PictureTokens], steps: usize) -> Result<Vec<MapRecord>> {
        let (pictures, count) = (tokens.len(), tokens.first().map_or(0, |t| t.decisions.predicted_at.len()));
        let flat = [pictures, count];
        let planes = [pictures, steps, count];
        let byte = |b: bool| f32::from(u8::from(b));
        let mut maps = Vec::new();
        let order: Vec<f32> =
            tokens.iter().flat_map(|t| &t.decisions.predicted_at).map(|k| *k as f32).collect();
        // Half precision holds whole numbers to 2,048; there are at most 1,024 AR steps.
        maps.push(self.folder.map("order", &flat, Element::F16, &order)?);
        let uncertainty: Vec<f32> = tokens.iter().flat_map(|t| t.decisions.uncertainty.clone()).collect();
        if !uncertainty.is_empty() {
            maps.push(self.folder.map("uncertainty", &flat, Element::F32, &uncertainty)?);
            let mask: Vec<f32> = tokens.iter().flat_map(|t| &t.decisions.multi).map(|m| byte(*m)).collect();
            maps.push(self.folder.map("mte_mask", &flat, Element::U8, &mask)?);
        }
        if tokens.iter().any(|t| t.decisions.gains.iter().any(|g| !g.is_empty())) {
            let gains: Vec<f32> = tokens
                .iter()
                .flat_map(|t| &t.decisions.gains)
                .flat_map(|plane| if plane.is_empty() { vec![f32::NAN; count] } else { plane.clone() })
                .collect();
            maps.push(self.folder.map("cosine_gain", &planes, Element::F32, &gains)?);
            let kept: Vec<f32> =
                tokens.iter().flat_map(|t| &t.decisions.kept).flatten().map(|k| byte(*k)).collect();
            maps.push(self.folder.map("consistency_mask", &planes, Element::U8, &kept)?);
        }
        if tokens.iter().all(|t| t.seen.kl.iter().all(|plane| plane.len() == count)) {
            let share: Vec<f32> = tokens.iter().flat_map(|t| &t.seen.loss_share).flatten().copied().collect();
            maps.push(self.folder.map("loss_share", &planes, Element::F32, &share)?);
            let kl: Vec<f32> = tokens.iter().flat_map(|t| &t.seen.kl).flatten().copied().collect();
            maps.push(self.folder.map("kl", &planes, Element::F32, &kl)?);
        }
        Ok(maps)
    }

    /// The extra trajectories of pictures `range`, if there are any: `[pictures, S, T + 1, tokens, channels]`.
    fn trajectories(
        &mut self,
        iteration: &Iteration,
        range: std::ops::Range<usize>,
    ) -> Result<Option<MapRecord>> {
        let mut values: Vec<f32> = Vec::new();
        let (mut first, mut shape) = (0, None);
        for shard in &iteration.shards {
            let count = shard.rollout.requests.len();
            if let Some(drawn) = &shard.trajectories {
                let size = shard.rollout.tokens() * shard.rollout.channels();
                let own = range.start.max(first)..range.end.min(first + count);
                shape = Some([drawn.states.len(), drawn.states[0].len(), size]);
                values.extend(picture_major(drawn, own.start - first..own.end.max(own.start) - first, size)?);
            }
            first += count;
        }
        let Some([s, t, size]) = shape else { return Ok(None) };
        let channels = iteration.shards[0].rollout.channels();
        let shape = [range.len(), s, t, size / channels, channels];
        self.folder.map("trajectories", &shape, Element::F16, &values).map(Some)
    }

    /// For each token the trajectory that was sampled, and log-probability and KL over the diffusion steps.
    fn by_diffusion_step(
        &mut self,
        iteration: &Iteration,
        range: std::ops::Range<usize>,
    ) -> Result<Vec<MapRecord>> {
        let tokens = &iteration.tokens[range.clone()];
        let steps = iteration.plan.diffusion_steps.len();
        let count = tokens.first().map_or(0, |t| t.decisions.predicted_at.len());
        let shape = [tokens.len(), iteration.plan.trained_ar_steps.len(), count, steps];
        let mut maps = Vec::new();
        if tokens.iter().flat_map(|t| &t.seen.kl_by_step).all(|plane| plane.len() == count * steps) {
            let kl: Vec<f32> = tokens.iter().flat_map(|t| &t.seen.kl_by_step).flatten().copied().collect();
            maps.push(self.folder.map("kl_by_diffusion_step", &shape, Element::F32, &kl)?);
            let log_prob: Vec<f32> =
                tokens.iter().flat_map(|t| &t.seen.log_prob_by_step).flatten().copied().collect();
            maps.push(self.folder.map("log_prob_by_diffusion_step", &shape, Element::F32, &log_prob)?);
        }
        let (mut first, mut values, mut states) = (0, Vec::new(), 0);
        for shard in &iteration.shards {
            let pictures = shard.rollout.requests.len();
            let own = range.start.clamp(first, first + pictures)..range.end.clamp(first, first + pictures);
            for picture in own {
                let sampled = shard.rollout.sampled_trajectory(picture - first)?;
                states = sampled.len() / (shard.rollout.tokens() * shard.rollout.channels()).max(1);
                values.extend(sampled);
            }
            first += pictures;
        }
        let channels = iteration.shards.first().map_or(1, |shard| shard.rollout.channels());
        let shape = [tokens.len(), states, count, channels];
        maps.push(self.folder.map("sampled_trajectory", &shape, Element::F16, &values)?);
        Ok(maps)
    }

    /// Writes the pictures of a frame of the film strips and returns the event, not yet recorded.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] if they cannot be written.
    pub fn probes(&mut self, step: usize, drawn: &[(Caption, Rgb8)]) -> Result<Event> {
        let mut frames = Vec::with_capacity(drawn.len());
        for (caption, image) in drawn {
            frames.push(ProbeFrame {
                prompt: caption.to_string(),
                score: Scalar(f64::from(Verifier.verify(image, caption).mean)),
                png: self.folder.media(&image.to_png()?)?,
            });
        }
        Ok(Event::Probes { step, frames })
    }
}

/// Trajectories of some pictures with the picture outermost.
fn picture_major(drawn: &Trajectories, pictures: std::ops::Range<usize>, size: usize) -> Result<Vec<f32>> {
    let mut states = Vec::new();
    for state in drawn.states.iter().flatten() {
        states.push(host(state.clone())?);
    }
    Ok(pictures
        .flat_map(|picture| {
            states.iter().flat_map(move |state| state[picture * size..(picture + 1) * size].iter().copied())
        })
        .collect())
}

/// The verifier's parts, by the names of the rewards.
fn verdict_parts(verdict: &Verdict) -> Vec<(String, Scalar)> {
    let exact = f32::from(u8::from(verdict.exact));
    [
        ("verifier", Some(verdict.mean)),
        ("verifier.colour", verdict.colour),
        ("verifier.shape", verdict.shape),
        ("verifier.count", verdict.count),
        ("verifier.relation", verdict.relation),
        ("verifier.legibility", Some(verdict.legibility)),
        ("verifier.exact", Some(exact)),
    ]
    .into_iter()
    .filter_map(|(name, score)| Some((name.to_owned(), Scalar(f64::from(score?)))))
    .collect()
}

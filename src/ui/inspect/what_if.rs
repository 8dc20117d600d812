//! The masks that another k or tau would have given, from the recorded numbers, by the functions that training uses.

use std::sync::Arc;

use super::facts::{gains, plane_of, values};
use crate::model::noise::{NoiseKey, Purpose};
use crate::rl::config::{MteConfig, RlConfig, Selection, TokenScope};
use crate::rl::consistency::is_kept;
use crate::rl::select::select;
use crate::ui::data::group::LoadedGroup;
use crate::ui::overlay::TokenMap;

/// The settings that are tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Which tokens get multi-trajectory expectation.
    pub selection: Selection,
    /// Share of them (k).
    pub share: f64,
    /// Cosine gain above which a token is kept (tau).
    pub tau: f64,
    /// Tokens that are in the loss of an AR step.
    pub scope: TokenScope,
}

impl Settings {
    /// Those with which `rl` recorded.
    #[must_use]
    pub fn of(rl: &RlConfig) -> Self {
        Self {
            selection: rl.mte.selection,
            share: rl.mte.share,
            tau: rl.consistency.tau,
            scope: rl.objective.token_scope,
        }
    }

    /// Those with which a group was recorded; those of the paper where nothing is known.
    #[must_use]
    pub fn recorded(rl: Option<&RlConfig>) -> Self {
        rl.map_or_else(|| Self::of(&RlConfig::default()), Self::of)
    }
}

/// What becomes of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// In neither mask, or not in the loss.
    Neither,
    /// In both masks.
    Both,
    /// Only in the new one.
    Gained,
    /// Only in the recorded one.
    Lost,
}

impl Fate {
    const fn of((recorded, tried): (bool, bool)) -> Self {
        match (recorded, tried) {
            (false, false) => Self::Neither,
            (true, true) => Self::Both,
            (false, true) => Self::Gained,
            (true, false) => Self::Lost,
        }
    }

    /// Its number in a token map.
    #[must_use]
    pub const fn value(self) -> f32 {
        match self {
            Self::Neither => 0.0,
            Self::Both => 1.0,
            Self::Gained => 2.0,
            Self::Lost => 3.0,
        }
    }
}

/// Counts of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tokens that the mask is about.
    pub of: usize,
    /// In the recorded mask.
    pub recorded: usize,
    /// In the new one.
    pub tried: usize,
    /// Only in the new one.
    pub gained: usize,
    /// Only in the recorded one.
    pub lost: usize,
}

impl Tally {
    fn add(&mut self, (recorded, tried): (bool, bool)) {
        self.of += 1;
        self.recorded += usize::from(recorded);
        self.tried += usize::from(tried);
        self.gained += usize::from(tried && !recorded);
        self.lost += usize::from(recorded && !tried);
    }

    /// Of several together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            of: self.of + other.of,
            recorded: self.recorded + other.recorded,
            tried: self.tried + other.tried,
            gained: self.gained + other.gained,
            lost: self.lost + other.lost,
        }
    }
}

/// A mask that was tried, against the recorded one.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Of each token.
    pub fates: Vec<Fate>,
    /// Their counts.
    pub tally: Tally,
}

impl Comparison {
    /// Of two masks, over the tokens for which `counts` holds.
    #[must_use]
    pub fn new(recorded: &[bool], tried: &[bool], counts: impl Fn(usize) -> bool) -> Self {
        let mut tally = Tally::default();
        let pairs = recorded.iter().zip(tried).enumerate();
        let fates = pairs
            .map(|(token, (recorded, tried))| {
                if !counts(token) {
                    return Fate::Neither;
                }
                tally.add((*recorded, *tried));
                Fate::of((*recorded, *tried))
            })
            .collect();
        Self { fates, tally }
    }

    /// As a map to be laid over the picture.
    #[must_use]
    pub fn map(&self, side: usize) -> Option<Arc<TokenMap>> {
        // Its length is that of the recorded mask, which fitted the picture.
        TokenMap::new(side, self.fates.iter().map(|fate| fate.value()).collect()).ok().map(Arc::new)
    }
}

/// The MTE mask of one picture. `None` for the random selection, which draws from the run's noise and not from numbers that
/// are recorded.
#[must_use]
pub fn multi(uncertainty: &[f32], selection: Selection, share: f64) -> Option<Vec<bool>> {
    let config = MteConfig { selection, share, ..MteConfig::default() };
    // Only the random selection asks the key.
    (selection != Selection::Random)
        .then(|| select(uncertainty, &config, NoiseKey::new(0, Purpose::Training, 0)))
}

/// The consistency mask of one picture at AR step `ar_step`; `gains` is `None` where none was measured.
#[must_use]
pub fn kept(gains: Option<&[f32]>, order: &[f32], tau: f64, ar_step: usize) -> Vec<bool> {
    let gain_of = |token: usize| gains.and_then(|gains| gains.get(token));
    let keeps = |(token, order): (usize, &f32)| {
        gain_of(token).is_none_or(|gain| is_kept(*gain, tau, ar_step, *order == ar_step as f32))
    };
    order.iter().enumerate().map(keeps).collect()
}

/// The MTE mask of `picture` under `settings`. `None` if nothing was recorded to compute it from.
#[must_use]
pub fn try_multi(group: &LoadedGroup, picture: usize, settings: Settings) -> Option<Comparison> {
    let recorded = mask(values(group, "mte_mask", picture)?);
    let uncertainty = values(group, "uncertainty", picture)?;
    let tried = multi(uncertainty, settings.selection, settings.share).unwrap_or_else(|| recorded.clone());
    Some(Comparison::new(&recorded, &tried, |_| true))
}

/// The consistency mask of `picture` at the trained AR step with number `plane`, over the tokens in the loss there. `None`
/// if nothing was recorded to compute it from.
#[must_use]
pub fn try_kept(
    group: &LoadedGroup,
    (picture, plane): (usize, usize),
    settings: Settings,
) -> Option<Comparison> {
    let recorded = mask(plane_of(group, "consistency_mask", (picture, plane))?);
    let order = values(group, "order", picture)?;
    let ar_step = *group.record.trained_ar_steps.get(plane)?;
    let tried = kept(gains(group, (picture, plane)), order, settings.tau, ar_step);
    let in_loss = |token: usize| {
        order.get(token).is_some_and(|order| match settings.scope {
            TokenScope::Unknown => *order >= ar_step as f32,
            TokenScope::Predicted => *order == ar_step as f32,
        })
    };
    Some(Comparison::new(&recorded, &tried, in_loss))
}

fn mask(values: &[f32]) -> Vec<bool> {
    values.iter().map(|value| *value > 0.5).collect()
}

/// Everything that changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// MTE mask of the picture.
    pub multi: Option<Comparison>,
    /// MTE mask of all pictures of the group.
    pub group_multi: Option<Tally>,
    /// Consistency mask of the picture, for each trained AR step; empty if none was recorded.
    pub steps: Vec<Comparison>,
    /// The same of all pictures of the group.
    pub group_steps: Vec<Tally>,
}

impl Outcome {
    /// Under `settings`.
    #[must_use]
    pub fn new(group: &LoadedGroup, picture: usize, settings: Settings) -> Self {
        let pictures = 0..group.record.pictures.len();
        let planes = 0..group.record.trained_ar_steps.len();
        let of_group = |plane| {
            let each = pictures.clone().filter_map(|picture| try_kept(group, (picture, plane), settings));
            each.fold(Tally::default(), |sum, comparison| sum.plus(comparison.tally))
        };
        let steps: Vec<Comparison> =
            planes.clone().filter_map(|plane| try_kept(group, (picture, plane), settings)).collect();
        let multi = try_multi(group, picture, settings);
        let all = || pictures.clone().filter_map(|picture| try_multi(group, picture, settings));
        Self {
            group_multi: multi.is_some().then(|| all().fold(Tally::default(), |sum, c| sum.plus(c.tally))),
            multi,
            group_steps: if steps.is_empty() { Vec::new() } else { planes.map(of_group).collect() },
            steps,
        }
    }
}

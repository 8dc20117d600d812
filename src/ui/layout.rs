//! The panels of each tab: a tree that the user can rearrange, kept between two starts, checked when it is read, reset and
//! undone.

use std::collections::BTreeSet;

use egui_tiles::{Container, Linear, LinearDir, Tile, TileId, Tiles, Tree};
use serde::{Deserialize, Serialize};

use super::view::Tab;

/// A panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pane {
    /// A plot.
    Plot(PlotId),
    /// Pictures of the group.
    Group,
    /// Film strips of the fixed prompts.
    Probes,
    /// What looks wrong.
    Health,
    /// Gradient noise.
    Noise,
    /// The open runs in a table.
    Table,
    /// Pictures of several runs.
    Pictures,
    /// Two pictures against each other.
    Ab,
    /// An ablation.
    Ablation,
    /// One picture.
    Picture,
    /// The pinned token.
    Token,
    /// All tokens.
    Tokens,
    /// Histogram of uncertainty.
    Histogram,
    /// Other k and tau.
    WhatIf,
}

/// What a plot shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlotId {
    /// Reward of the group.
    Reward,
    /// Parts of the reward.
    RewardParts,
    /// Scores of training and held-out prompts.
    Scores,
    /// KL.
    Kl,
    /// Gradient norms.
    GradientNorm,
    /// Tokens with multi-trajectory expectation, kept tokens.
    Shares,
    /// Kept tokens of each trained AR step.
    KeptByStep,
    /// Uncertainty.
    Uncertainty,
    /// Diversity of the group.
    Diversity,
    /// Group deviation and zero-std share.
    GroupStd,
    /// Loss.
    Loss,
    /// Seconds of each part of an iteration.
    Time,
    /// Learning rates.
    LearningRate,
    /// Whatever series a pattern finds.
    Any,
}

impl Pane {
    /// Its title.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Plot(plot) => plot.title(),
            Self::Group => "Group",
            Self::Probes => "Probes",
            Self::Health => "Health",
            Self::Noise => "Gradient noise",
            Self::Table => "Runs",
            Self::Pictures => "Pictures",
            Self::Ab => "A/B",
            Self::Ablation => "Ablation",
            Self::Picture => "Picture",
            Self::Token => "Token",
            Self::Tokens => "All tokens",
            Self::Histogram => "Uncertainty histogram",
            Self::WhatIf => "What would change",
        }
    }
}

impl PlotId {
    /// Its title.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Reward => "Reward",
            Self::RewardParts => "Reward parts",
            Self::Scores => "Evaluation",
            Self::Kl => "KL",
            Self::GradientNorm => "Gradient norm",
            Self::Shares => "Token shares",
            Self::KeptByStep => "Kept by AR step",
            Self::Uncertainty => "Uncertainty",
            Self::Diversity => "Diversity",
            Self::GroupStd => "Group std",
            Self::Loss => "Loss",
            Self::Time => "Time",
            Self::LearningRate => "Learning rate",
            Self::Any => "Any series",
        }
    }
}

/// The panels of one tab.
pub type Panels = Tree<Pane>;

/// Panels of a tab.
fn panes_of(tab: Tab) -> BTreeSet<Pane> {
    let panels = default_panels(tab);
    panels
        .tiles
        .tiles()
        .filter_map(|tile| if let Tile::Pane(pane) = tile { Some(*pane) } else { None })
        .collect()
}

/// The panels of a tab as they are at first.
#[must_use]
pub fn default_panels(tab: Tab) -> Panels {
    let mut tiles = Tiles::default();
    let root = match tab {
        Tab::Live => live(&mut tiles),
        Tab::Compare => compare(&mut tiles),
        Tab::Inspect => inspect(&mut tiles),
    };
    Tree::new(eframe::egui::Id::unique(("panels", tab)), root, tiles)
}

fn plot_tabs(tiles: &mut Tiles<Pane>, plots: &[PlotId]) -> TileId {
    let children: Vec<TileId> = plots.iter().map(|plot| tiles.insert_pane(Pane::Plot(*plot))).collect();
    tiles.insert_tab_tile(children)
}

fn pane_tabs(tiles: &mut Tiles<Pane>, panes: &[Pane]) -> TileId {
    let children: Vec<TileId> = panes.iter().map(|pane| tiles.insert_pane(*pane)).collect();
    tiles.insert_tab_tile(children)
}

/// Children side by side or above each other, with these shares of the room.
fn linear(tiles: &mut Tiles<Pane>, direction: LinearDir, children: &[(TileId, f32)]) -> TileId {
    let mut linear =
        Linear { children: children.iter().map(|c| c.0).collect(), dir: direction, ..Default::default() };
    for (child, share) in children {
        linear.shares.set_share(*child, *share);
    }
    tiles.insert_container(Container::Linear(linear))
}

fn live(tiles: &mut Tiles<Pane>) -> TileId {
    use PlotId::{
        Any, Diversity, GradientNorm, GroupStd, KeptByStep, Kl, LearningRate, Loss, Reward, RewardParts,
        Scores, Shares, Time, Uncertainty,
    };
    let reward = plot_tabs(tiles, &[Reward, RewardParts, Scores]);
    let kl = plot_tabs(tiles, &[Kl, Loss]);
    let norm = plot_tabs(tiles, &[GradientNorm, LearningRate]);
    let tokens = plot_tabs(tiles, &[Shares, KeptByStep, Uncertainty, Diversity, GroupStd, Time, Any]);
    let left = linear(tiles, LinearDir::Vertical, &[(reward, 1.25), (kl, 1.0), (norm, 1.0)]);
    let group = pane_tabs(tiles, &[Pane::Group]);
    let below = pane_tabs(tiles, &[Pane::Health, Pane::Probes, Pane::Noise]);
    let lower = linear(tiles, LinearDir::Horizontal, &[(tokens, 0.8), (below, 1.2)]);
    let pictures = linear(tiles, LinearDir::Vertical, &[(group, 1.7), (lower, 1.0)]);
    linear(tiles, LinearDir::Horizontal, &[(left, 0.75), (pictures, 1.25)])
}

fn compare(tiles: &mut Tiles<Pane>) -> TileId {
    use PlotId::{Any, Diversity, GradientNorm, Kl, Reward, Scores, Shares, Time, Uncertainty};
    let table = pane_tabs(tiles, &[Pane::Table]);
    let reward = plot_tabs(tiles, &[Reward, Scores]);
    let kl = plot_tabs(tiles, &[Kl, Shares, Uncertainty]);
    let norm = plot_tabs(tiles, &[GradientNorm, Diversity, Time, Any]);
    let pictures = pane_tabs(tiles, &[Pane::Pictures, Pane::Ab, Pane::Ablation]);
    let curves = linear(tiles, LinearDir::Horizontal, &[(reward, 1.0), (kl, 1.0), (norm, 1.0)]);
    let lower = linear(tiles, LinearDir::Vertical, &[(curves, 0.75), (pictures, 1.25)]);
    linear(tiles, LinearDir::Vertical, &[(table, 0.42), (lower, 1.58)])
}

fn inspect(tiles: &mut Tiles<Pane>) -> TileId {
    let picture = pane_tabs(tiles, &[Pane::Picture]);
    let token = pane_tabs(tiles, &[Pane::Token]);
    let histogram = pane_tabs(tiles, &[Pane::Histogram]);
    let what_if = pane_tabs(tiles, &[Pane::WhatIf]);
    let tokens = pane_tabs(tiles, &[Pane::Tokens]);
    let lower = linear(tiles, LinearDir::Horizontal, &[(histogram, 1.0), (what_if, 1.0)]);
    let left = linear(tiles, LinearDir::Vertical, &[(picture, 1.6), (lower, 0.8)]);
    let right = linear(tiles, LinearDir::Vertical, &[(token, 1.5), (tokens, 0.8)]);
    linear(tiles, LinearDir::Horizontal, &[(left, 1.0), (right, 1.0)])
}

/// Whether a tree that a file holds can be used: its root is there, every child exists and is held once, and the panes
/// are those of the tab, each once.
#[must_use]
pub fn is_sound(panels: &Panels, tab: Tab) -> bool {
    let Some(root) = panels.root() else { return false };
    let allowed = panes_of(tab);
    let (mut seen, mut panes) = (BTreeSet::new(), BTreeSet::new());
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if !seen.insert(id.0) {
            return false;
        }
        match panels.tiles.get(id) {
            None => return false,
            Some(Tile::Pane(pane)) => {
                if !allowed.contains(pane) || !panes.insert(*pane) {
                    return false;
                }
            }
            Some(Tile::Container(container)) => stack.extend(container.children().copied()),
        }
    }
    // One that is missing could not be reached.
    panes == allowed
}

/// Past layouts, so that a change can be taken back.
#[derive(Debug, Default)]
pub struct History {
    past: Vec<(Tab, Panels)>,
    future: Vec<(Tab, Panels)>,
}

/// Layouts remembered.
const REMEMBERED: usize = 50;

impl History {
    /// Remembers `before`, how the panels of `tab` were before a change.
    pub fn changed(&mut self, tab: Tab, before: Panels) {
        self.past.push((tab, before));
        self.future.clear();
        if self.past.len() > REMEMBERED {
            self.past.remove(0);
        }
    }

    /// Takes back the last change. `now` gives the panels of a tab as they are.
    pub fn undo(&mut self, now: impl FnOnce(Tab) -> Panels) -> Option<(Tab, Panels)> {
        let (tab, panels) = self.past.pop()?;
        self.future.push((tab, now(tab)));
        Some((tab, panels))
    }

    /// Makes the change again that was taken back.
    pub fn redo(&mut self, now: impl FnOnce(Tab) -> Panels) -> Option<(Tab, Panels)> {
        let (tab, panels) = self.future.pop()?;
        self.past.push((tab, now(tab)));
        Some((tab, panels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_sound_and_survive_a_file() {
        for tab in Tab::ALL {
            let panels = default_panels(tab);
            assert!(is_sound(&panels, tab), "{tab:?}");
            let text = serde_json::to_string(&panels).unwrap();
            let back: Panels = serde_json::from_str(&text).unwrap();
            assert!(is_sound(&back, tab));
            assert!(back == panels);
        }
    }

    #[test]
    fn a_broken_layout_is_noticed() {
        let live = default_panels(Tab::Live);
        assert!(!is_sound(&live, Tab::Inspect), "panes of another tab");
        let mut cut = live.clone();
        let some = cut.tiles.tile_ids().find(|id| cut.tiles.get_pane(id).is_some()).unwrap();
        cut.tiles.remove(some);
        assert!(!is_sound(&cut, Tab::Live), "a child that is not there");
        let mut twice = live;
        let again = twice.tiles.insert_pane(Pane::Group);
        let root = twice.root().unwrap();
        if let Some(Tile::Container(container)) = twice.tiles.get_mut(root) {
            container.add_child(again);
        }
        assert!(!is_sound(&twice, Tab::Live), "a pane that is there twice");
        assert!(!is_sound(&Tree::empty(eframe::egui::Id::unique("nothing")), Tab::Live));
    }

    #[test]
    fn changes_are_taken_back_and_made_again() {
        let (first, second) = (default_panels(Tab::Live), default_panels(Tab::Compare));
        let mut history = History::default();
        history.changed(Tab::Live, first.clone());
        let (tab, back) = history.undo(|_| second.clone()).unwrap();
        assert!(tab == Tab::Live && back == first);
        assert!(history.undo(|_| first.clone()).is_none());
        let (_, again) = history.redo(|_| first.clone()).unwrap();
        assert!(again == second);
    }
}

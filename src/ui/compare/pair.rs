//! The two pictures of A/B with everything that is said of them, apart from the window.

use std::sync::Arc;

use super::ab::{AbMode, AbView};
use super::ab_pictures::{Shown, layers, summary};
use super::side::{Side, caption};
use super::source::{Held, PictureSource};
use crate::ui::overlay::{Comparison, Overlay, Picture, ValueSummary};
use crate::ui::scene::Scene;
use crate::ui::view::OverlayView;

/// The two pictures as they are compared.
#[derive(Clone, Debug)]
pub struct Pair {
    /// A and B.
    pub sides: [PairSide; 2],
    /// Which pictures they are.
    pub source: PictureSource,
    /// How they are compared.
    pub mode: AbMode,
    /// By how much a difference is amplified.
    pub factor: u32,
    /// What the two are in one, if the mode shows one: A left of the divider and B right of it, or the difference, with
    /// A's layer over it.
    pub both: Option<Overlay>,
    /// Count and extent of the numbers of the layer in both.
    pub numbers: Option<ValueSummary>,
}

/// A or B.
#[derive(Clone, Debug)]
pub struct PairSide {
    /// Name of the run, told apart from other runs.
    pub run: String,
    /// Letter, run, iteration, picture, and reward or score.
    pub name: String,
    /// What is known of it.
    pub held: Held,
    /// The picture.
    pub picture: Arc<Picture>,
    /// What lies over it.
    pub overlay: Overlay,
}

impl AbView {
    /// What is shown now.
    ///
    /// # Errors
    /// A sentence if one of the two is not chosen, still being read, or cannot be read.
    pub fn pair(&self, scene: Scene<'_>, overlay: &OverlayView) -> Result<Pair, String> {
        let nothing = || super::nothing_drawn::why_nothing_is_drawn(scene.runs).to_owned();
        let (a, b) = self.a.zip(self.b).ok_or_else(nothing)?;
        let [held_a, held_b] = self.held.clone();
        let a = self.side(scene, ("A", a), held_a)?;
        let b = self.side(scene, ("B", b), held_b)?;
        let groups = [&a.1, &b.1];
        let numbers = summary(scene, overlay, groups);
        let layers = layers(scene, overlay, groups).map_err(|error| error.to_string())?;
        let pictures = [&a, &b].map(|(_, held)| held.picture.clone());
        let [Ok(picture_a), Ok(picture_b)] = pictures else { return Err(nothing()) };
        let sides = [(a, picture_a), (b, picture_b)].into_iter().zip(layers).zip(["A", "B"]);
        let sides: Vec<PairSide> = sides
            .map(|((((run, held), picture), overlay), letter)| {
                let name = format!("{letter}: {}", caption(&run, &held.found, self.source));
                PairSide { run, name, held, picture, overlay }
            })
            .collect();
        let sides: [PairSide; 2] = sides.try_into().map_err(|_other: Vec<_>| nothing())?;
        let both = self.both(&sides);
        Ok(Pair { sides, source: self.source, mode: self.mode, factor: self.factor, both, numbers })
    }

    /// Name of the run, and what is shown of it.
    fn side(
        &self,
        scene: Scene<'_>,
        (letter, side): (&str, Side),
        mut held: Option<(crate::ui::data::run::RunId, Held)>,
    ) -> Result<(String, Held), String> {
        let shown =
            side.show(scene, self.source, &mut held).map_err(|reason| format!("{letter}: {reason}"))?;
        let held = shown.ok_or_else(|| format!("{letter} is being read; try again in a moment."))?;
        if let Err(reason) = &held.picture {
            return Err(format!("{letter}: {reason}"));
        }
        let run = scene.runs.get(side.run).map(|run| run.name.clone()).unwrap_or_default();
        Ok((run, held))
    }

    fn both(&self, [a, b]: &[PairSide; 2]) -> Option<Overlay> {
        let shown = |side: &PairSide| {
            let (name, picture) = (side.name.clone(), Arc::clone(&side.picture));
            Shown { name, picture, overlay: side.overlay.clone() }
        };
        let (a, b) = (shown(a), shown(b));
        let gain = self.factor as f32;
        Some(a.with(match self.mode {
            AbMode::SideBySide | AbMode::Flip => return None,
            AbMode::Swipe => Comparison::Swipe { second: b.second(), split: self.divider },
            AbMode::Difference => Comparison::Difference { second: b.bare(), gain },
            AbMode::SignedDifference => Comparison::SignedDifference { second: b.bare(), gain },
        }))
    }
}

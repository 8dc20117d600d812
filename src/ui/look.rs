//! How things are drawn, chosen by command: the same choices as in the bars over pictures, plots and lists.

use super::curves::RewardBand;
use super::inspect::steps::Fact;
use super::overlay::colormap::ColourMap;
use super::plot::XAxis;
use super::saved::Saved;
use super::view::ScaleScope;

/// A choice of how things are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Look {
    /// The map over pictures hides so much more of them, from -1 to 1.
    Opacity(f32),
    /// Colours of the map.
    Colours(ColourMap),
    /// Over what the range of the colours is taken.
    Scale(ScaleScope),
    /// The token grid, or none.
    Grid,
    /// Colours run from token to token, or not.
    Smooth,
    /// The horizontal axis of all plots.
    Axis(XAxis),
    /// Smoothing of all curves.
    Smoothing(Smoothing),
    /// All plots show everything.
    Fit,
    /// The band around the mean reward.
    Band(RewardBand),
    /// The list of tokens goes by this fact; by it already, it turns round.
    Sort(Fact),
}

/// Smoothing, by how many points are averaged over, 1 / (1 - beta).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Smoothing {
    /// Twice as many.
    More,
    /// Half as many.
    Less,
    /// One.
    None,
}

impl Smoothing {
    /// The beta after this, 0 to 0.999.
    #[must_use]
    pub fn of(self, beta: f64) -> f64 {
        let points = 1.0 / (1.0 - beta);
        let points = match self {
            Self::More => points * 2.0,
            Self::Less => points / 2.0,
            Self::None => 1.0,
        };
        1.0 - 1.0 / points.clamp(1.0, 1000.0)
    }
}

impl Saved {
    /// Follows a choice.
    pub(super) fn look(&mut self, look: Look) {
        let (overlay, curves) = (&mut self.overlay, &mut self.curves);
        match look {
            // In whole percent, so that ten steps up and ten down end where they began.
            Look::Opacity(more) => {
                overlay.opacity = ((overlay.opacity + more) * 100.0).round().clamp(0.0, 100.0) / 100.0;
            }
            Look::Colours(colours) => overlay.colours = colours,
            Look::Scale(scale) => overlay.scale = scale,
            Look::Grid => overlay.grid = !overlay.grid,
            Look::Smooth => overlay.smooth = !overlay.smooth,
            Look::Axis(axis) => curves.linked.set_axis(axis),
            Look::Smoothing(smoothing) => curves.smoothing = smoothing.of(curves.smoothing),
            Look::Fit => curves.linked.follow(),
            Look::Band(band) => curves.band = band,
            Look::Sort(fact) => self.inspect.sorting = self.inspect.sorting.clicked(fact),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smoothing_doubles_and_halves_and_stays_in_its_range() {
        let twice = Smoothing::More.of(Smoothing::More.of(0.0));
        assert!((twice - 0.75).abs() < 1e-12, "{twice}");
        let back = Smoothing::Less.of(Smoothing::Less.of(Smoothing::Less.of(twice)));
        assert!(back.abs() < 1e-12, "{back}");
        let most = (0..20).fold(0.0, |beta, _| Smoothing::More.of(beta));
        assert!((most - 0.999).abs() < 1e-12, "{most}");
        assert!(Smoothing::None.of(0.9).abs() < 1e-12);
    }

    #[test]
    fn opacity_stays_between_nothing_and_all() {
        let mut saved = Saved::default();
        for _ in 0..20 {
            saved.look(Look::Opacity(0.1));
        }
        assert!((saved.overlay.opacity - 1.0).abs() < 1e-6);
        for _ in 0..20 {
            saved.look(Look::Opacity(-0.1));
        }
        assert!(saved.overlay.opacity.abs() < 1e-6);
    }

    #[test]
    fn a_second_sort_by_the_same_fact_turns_the_list_round() {
        let mut saved = Saved::default();
        saved.look(Look::Sort(Fact::Kl));
        let once = saved.inspect.sorting;
        saved.look(Look::Sort(Fact::Kl));
        assert_eq!((once.by, once.descending), (Fact::Kl, true));
        assert!(!saved.inspect.sorting.descending);
    }
}

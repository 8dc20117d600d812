//! The trajectories of the pinned token, and their spread.

use eframe::egui::{self, Ui};
use egui_plot::{LineStyle, MarkerShape, PlotUi};

use super::components::Components;
use super::curve::{Curve, add, legend_ui, marks, missing_ui, plot_ui};
use super::inspected::Inspected;
use super::recorded::{Large, large, nearest_with};
use super::state::{InspectView, Projection};
use super::token::PLOT_HEIGHT;
use super::trajectories::{States, extra, sampled, spread};
use crate::ui::action::Action;

/// What there is of a large map.
#[derive(Clone, Debug, PartialEq)]
pub enum Part<T> {
    /// It was not recorded.
    Absent,
    /// It is being read.
    Waiting,
    /// It cannot be had, and why.
    Failed(String),
    /// Here it is.
    Ready(T),
}

impl<T> Part<T> {
    fn of(map: Large<'_>, take: impl FnOnce(&[usize], &[f32]) -> Result<T, String>) -> Self {
        match map {
            Large::Absent => Self::Absent,
            Large::Waiting => Self::Waiting,
            Large::Failed(text) => Self::Failed(text.to_string()),
            Large::Ready(map, values) => take(&map.shape, &values).map_or_else(Self::Failed, Self::Ready),
        }
    }

    const fn ready(&self) -> Option<&T> {
        if let Self::Ready(part) = self { Some(part) } else { None }
    }
}

/// The states of one token.
#[derive(Clone, Debug)]
pub struct TokenStates {
    /// The S extra trajectories.
    pub extra: Part<Vec<States>>,
    /// The one that was sampled.
    pub sampled: Part<States>,
    /// Standard deviation over the S trajectories at each state.
    pub spread: Vec<f32>,
    /// Principal components of all its states.
    pub components: Option<Components>,
    /// Channels of a latent.
    pub channels: usize,
}

impl TokenStates {
    /// Of a token of the picture that is shown.
    #[must_use]
    pub fn read(input: &Inspected<'_>, token: usize) -> Self {
        let at = (input.picture(), token);
        let extra = Part::of(large(input, "trajectories"), |shape, values| extra(shape, values, at));
        let sampled =
            Part::of(large(input, "sampled_trajectory"), |shape, values| sampled(shape, values, at));
        let all = || {
            let extra = extra.ready().into_iter().flatten();
            extra.chain(sampled.ready()).flatten().map(Vec::as_slice)
        };
        let channels = all().next().map_or(0, <[f32]>::len);
        let components = Components::fit(all(), channels);
        let spread = extra.ready().map(|extra| spread(extra)).unwrap_or_default();
        Self { extra, sampled, spread, components, channels }
    }

    /// The extra trajectories with their numbers, then the one that was sampled, which has none.
    pub fn all(&self) -> impl Iterator<Item = (Option<usize>, &States)> {
        let extra = self.extra.ready().into_iter().flatten().enumerate();
        extra
            .map(|(number, states)| (Some(number), states))
            .chain(self.sampled.ready().map(|states| (None, states)))
    }

    const fn waits(&self) -> bool {
        matches!(self.extra, Part::Waiting) || matches!(self.sampled, Part::Waiting)
    }
}

/// Says that a map was not recorded at this iteration.
pub fn absent_ui(ui: &mut Ui, title: &str, name: &str) {
    ui.strong(title);
    ui.label(format!("The map {name} was not recorded at this iteration."));
}

/// Draws the trajectories and their spread, or says where there are some.
pub fn trajectories_ui(
    ui: &mut Ui,
    input: Inspected<'_>,
    view: &mut InspectView,
    token: usize,
    actions: &mut Vec<Action>,
) {
    let states = view.states((input.key(), token), || {
        let states = TokenStates::read(&input, token);
        let complete = !states.waits();
        (states, complete)
    });
    if states.waits() {
        ui.strong("Trajectories over diffusion steps");
        ui.horizontal(|ui| {
            ui.spinner();
            ui.label("Reading the trajectories from disk…");
        });
        return;
    }
    if states.extra == Part::Absent && states.sampled == Part::Absent {
        elsewhere_ui(ui, input, actions);
        return;
    }
    for text in [failure(&states.extra), failure(&states.sampled)].into_iter().flatten() {
        ui.colored_label(input.scene.theme.bad, text);
    }
    ui.strong("Trajectories over diffusion steps");
    projection_ui(ui, view, states.channels);
    let name = format!("S = {} trajectories", states.extra.ready().map_or(0, Vec::len));
    let [extra, single] = [0, 1].map(input.colour);
    legend_ui(ui, &[(&name, extra), ("sampled", single), ("• final latents", input.scene.theme.text)]);
    let missing = match view.projection {
        Projection::Components => components_ui(ui, input, &states),
        Projection::Channel => channel_ui(ui, input, (&states, view.channel)),
    };
    let untrained = states.sampled.ready().is_some_and(|states| states.iter().flatten().all(|v| v.is_nan()));
    if untrained {
        ui.label(
            "The sampled trajectory was not kept: the AR step that predicted the token was not trained.",
        );
    } else {
        missing_ui(ui, missing, "state", "");
    }
    if states.extra == Part::Absent {
        ui.label("MTE was off at this iteration, so there are no extra trajectories and no spread.");
    }
    spread_ui(ui, input, &states);
}

fn failure<T>(part: &Part<T>) -> Option<&str> {
    if let Part::Failed(text) = part { Some(text) } else { None }
}

/// There are no trajectories here: where are there some?
fn elsewhere_ui(ui: &mut Ui, input: Inspected<'_>, actions: &mut Vec<Action>) {
    ui.strong("Trajectories over diffusion steps");
    let step = input.group.step;
    let every =
        input.run().and_then(|run| run.config_at(step)).map(|config| config.record.trajectories_every);
    let why = match every {
        Some(0) => " The run records none (record.trajectories_every = 0).".into(),
        Some(every) => format!(" The run records them every {every} iterations (record.trajectories_every)."),
        None => String::new(),
    };
    ui.label(format!("No trajectories, log-probabilities and KL over diffusion steps were recorded at iteration {step}.{why}"));
    let nearest = input.run().and_then(|run| nearest_with(&run.store, step, "sampled_trajectory"));
    let Some(nearest) = nearest else {
        ui.label("No iteration of this run has them so far.");
        return;
    };
    let side = if nearest < step { "before" } else { "after" };
    let button = ui.button(format!("Show iteration {nearest}"));
    let explanation =
        format!("The nearest iteration {side} this one with trajectories. Moves the cursor there.");
    if button.on_hover_text(explanation).clicked() {
        actions.push(Action::Cursor(Some(nearest)));
    }
}

fn projection_ui(ui: &mut Ui, view: &mut InspectView, channels: usize) {
    ui.horizontal_wrapped(|ui| {
        ui.radio_value(&mut view.projection, Projection::Components, "Principal components").on_hover_text(
            "The latents along the two directions in which all states of this token vary most.",
        );
        ui.radio_value(&mut view.projection, Projection::Channel, "One channel")
            .on_hover_text("One channel of the latent over the diffusion steps.");
    });
    if view.projection == Projection::Channel {
        let last = channels.saturating_sub(1);
        let mut channel = view.channel.min(last);
        let slider = ui.add(egui::Slider::new(&mut channel, 0..=last).text("Channel"));
        if slider.on_hover_text("Channel of the latent, from 0.").changed() {
            view.channel = channel;
        }
    }
}

/// Draws all trajectories by `place`; gives back how many states are not finite.
fn draw(
    plot: &mut PlotUi<'_>,
    input: Inspected<'_>,
    states: &TokenStates,
    place: &dyn Fn(usize, &[f32]) -> [f64; 2],
) -> usize {
    let points = |states: &States| -> Vec<[f64; 2]> {
        states.iter().enumerate().map(|(step, latent)| place(step, latent)).collect()
    };
    let (mut missing, mut ends) = (0, Vec::new());
    for (number, trajectory) in states.extra.ready().into_iter().flatten().enumerate() {
        let points = points(trajectory);
        let colour = (input.colour)(0).gamma_multiply(0.75);
        let curve =
            Curve { name: "one of the S", points: &points, colour, width: 1.2, style: LineStyle::Solid };
        missing += add(plot, number, &curve);
        ends.extend(points.last().copied());
    }
    if let Some(trajectory) = states.sampled.ready() {
        let points = points(trajectory);
        let colour = (input.colour)(1);
        let curve = Curve { name: "sampled", points: &points, colour, width: 3.0, style: LineStyle::Solid };
        missing += add(plot, 0, &curve);
        ends.extend(points.last().copied());
    }
    marks(plot, "final latents", ends, MarkerShape::Circle, input.scene.theme.text);
    missing
}

fn components_ui(ui: &mut Ui, input: Inspected<'_>, states: &TokenStates) -> usize {
    let Some(components) = &states.components else {
        ui.label("Fewer than two states of this token are finite, so there are no principal components.");
        return 0;
    };
    let axis = |name: &str, share: f64| format!("{name} component ({:.0} % of variance)", 100.0 * share);
    let (x, y) = (axis("1st", components.shares[0]), axis("2nd", components.shares[1]));
    plot_ui(ui, "Trajectories along principal components", (&x, &y), PLOT_HEIGHT * 1.35, |plot| {
        draw(plot, input, states, &|_, latent| components.project(latent))
    })
}

fn channel_ui(ui: &mut Ui, input: Inspected<'_>, (states, channel): (&TokenStates, usize)) -> usize {
    let channel = channel.min(states.channels.saturating_sub(1));
    let labels = ("diffusion steps done", format!("channel {channel} (latent units)"));
    plot_ui(ui, "Trajectories over diffusion steps", (labels.0, &labels.1), PLOT_HEIGHT * 1.35, |plot| {
        draw(plot, input, states, &|step, latent| {
            [step as f64, latent.get(channel).map_or(f64::NAN, |v| f64::from(*v))]
        })
    })
}

fn spread_ui(ui: &mut Ui, input: Inspected<'_>, states: &TokenStates) {
    if states.spread.is_empty() {
        return;
    }
    let points: Vec<[f64; 2]> =
        states.spread.iter().enumerate().map(|(step, v)| [step as f64, f64::from(*v)]).collect();
    let colour = (input.colour)(2);
    let labels = ("diffusion steps done", "std over S (latent units)");
    ui.strong("Spread of the trajectories, mean over channels; it ends at the uncertainty");
    let missing = plot_ui(ui, "Spread of the trajectories", labels, PLOT_HEIGHT, |plot| {
        let name = "std over S";
        add(plot, 0, &Curve { name, points: &points, colour, width: 2.0, style: LineStyle::Solid })
    });
    missing_ui(ui, missing, "spread", "");
}

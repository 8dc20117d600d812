//! The pinned token: every number of it in one table, and its curves.

use super::job::Job;
use super::picture::about;
use super::table::{Cell, Table};
use super::tokens::recorded;
use super::{Format, Shown, not_as, stacked};
use crate::runs::report::figure::{Axis, Figure, Line};
use crate::ui::action::Content;
use crate::ui::inspect::Inspected;
use crate::ui::inspect::cosine::cosines;
use crate::ui::inspect::facts::{Decision, PictureFacts, TokenFacts};
use crate::ui::inspect::facts_table::{lines, title};
use crate::ui::inspect::recorded::{Large, large};
use crate::ui::inspect::trajectories::{States, over_diffusion};
use crate::ui::inspect::trajectories_panel::TokenStates;

/// Maps with a number for each trained diffusion step, and what they are.
const CURVES: [(&str, &str, &str); 2] = [
    ("log_prob_by_diffusion_step", "Log-probability over diffusion steps", "log-probability (nats)"),
    ("kl_by_diffusion_step", "KL over diffusion steps", "KL"),
];

pub(super) fn job(what: &Shown<'_>, input: Inspected<'_>, format: Format) -> Result<Job, String> {
    let pin = "No token is pinned: click one in the picture or in the list of all tokens.";
    let token = input.token().ok_or_else(|| pin.to_owned())?;
    let rl = recorded(what, input.group);
    let facts = PictureFacts::new(input.group, input.picture(), rl.as_ref());
    let of_token = facts.tokens.get(token).ok_or_else(|| pin.to_owned())?;
    let states = TokenStates::read(&input, token);
    match format {
        Format::Csv => Ok(Job::of_table(numbers(input, of_token, &states), format)),
        Format::Png => Err(not_as(format)),
        Format::Svg => {
            let mut notes = about(what, input);
            let told = lines(of_token, facts.tokens.len(), rl.as_ref());
            notes.extend(told.into_iter().map(|(name, text)| format!("{name}: {text}")));
            let mut figures = vec![cosine(of_token)];
            figures.extend(trajectories(&states, what.inspect.channel));
            let plane = what.inspect.curve_plane.or(input.plane());
            let own = of_token.steps.iter().position(|step| Some(step.ar_step) == of_token.order);
            let plane = plane.or(own).unwrap_or(0);
            figures.extend(CURVES.iter().filter_map(|curve| diffusion(input, of_token, *curve, plane)));
            figures.retain(|figure| !figure.series.is_empty());
            let (title, steps) = (title(token, facts.side), steps(of_token));
            Ok(Job::new(move || {
                let mut parts = vec![steps.to_svg()];
                parts.extend(figures.iter().map(Figure::inline_svg));
                Ok(Content::Svg(stacked(&title, &notes, &parts)))
            }))
        }
    }
}

/// The table of trained AR steps.
fn steps(token: &TokenFacts) -> Table {
    let columns = ["AR step", "Consistency", "Cosine gain", "Loss share", "KL"];
    let mut table = Table::new("Trained AR steps", Vec::new(), &columns);
    for step in &token.steps {
        let mut row = vec![Cell::Whole(step.ar_step), Cell::text(step.decision.words())];
        row.extend([step.gain, step.loss_share, step.kl].map(Cell::single));
        table.rows.push(row);
    }
    table
}

/// A row a number: what it is, where along AR steps, trajectories, diffusion steps and channels it lies, and the number.
fn numbers(input: Inspected<'_>, token: &TokenFacts, states: &TokenStates) -> Table {
    let columns = ["quantity", "ar_step", "trajectory", "diffusion_step", "channel", "value"];
    let mut table = Table::new(title(token.token, input.group.record.side), Vec::new(), &columns);
    let mut push = |name: &str, at: [Option<usize>; 4], value: Cell| {
        if value != Cell::Nothing {
            let mut row = vec![Cell::text(name)];
            row.extend(at.map(Cell::whole));
            row.push(value);
            table.rows.push(row);
        }
    };
    let nowhere = [None; 4];
    push("token", nowhere, Cell::Whole(token.token));
    push("order", nowhere, Cell::whole(token.order));
    push("uncertainty", nowhere, Cell::single(token.uncertainty));
    push("rank", nowhere, Cell::whole(token.rank));
    push("mte_mask", nowhere, Cell::truth(token.multi));
    for (step, cosine) in token.steps.iter().zip(cosines(token)) {
        let at = [Some(step.ar_step), None, None, None];
        let kept = step.decision.in_loss().then_some(matches!(step.decision, Decision::Kept(_)));
        push("kept", at, Cell::truth(kept));
        push("cosine_gain", at, Cell::single(step.gain));
        push("cosine", at, Cell::number(cosine));
        push("loss_share", at, Cell::single(step.loss_share));
        push("kl", at, Cell::single(step.kl));
    }
    for (plane, step) in token.steps.iter().enumerate().filter(|(_, step)| step.decision.in_loss()) {
        for (name, ..) in CURVES {
            for (diffusion, value) in along(input, name, (plane, token.token)).unwrap_or_default() {
                push(name, [Some(step.ar_step), None, Some(diffusion), None], Cell::Single(value));
            }
        }
    }
    for (diffusion, value) in states.spread.iter().enumerate() {
        push("spread", [None, None, Some(diffusion), None], Cell::Single(*value));
    }
    let all = states.all().map(|(number, states)| (number.map(|n| n + 1), states));
    for (number, trajectory) in all {
        let name = if number.is_some() { "trajectory" } else { "sampled_trajectory" };
        for (diffusion, latent) in trajectory.iter().enumerate() {
            for (channel, value) in latent.iter().enumerate() {
                push(name, [None, number, Some(diffusion), Some(channel)], Cell::Single(*value));
            }
        }
    }
    table
}

/// Diffusion step and number; `None` if the map was not recorded, is not read yet, or is damaged.
fn along(input: Inspected<'_>, name: &str, (plane, token): (usize, usize)) -> Option<Vec<(usize, f32)>> {
    let Large::Ready(map, values) = large(&input, name) else { return None };
    let numbers = over_diffusion((name, &map.shape), &values, (input.picture(), plane, token)).ok()?;
    let steps = &input.group.record.trained_diffusion_steps;
    let step = |number: usize| steps.get(number).copied().unwrap_or(number);
    Some(numbers.into_iter().enumerate().map(|(number, value)| (step(number), value)).collect())
}

fn line(name: impl Into<String>, points: Vec<[f64; 2]>, style: usize) -> Line {
    Line { name: name.into(), points, style, ..Line::default() }
}

fn cosine(token: &TokenFacts) -> Figure {
    let steps = || token.steps.iter();
    let gains = steps().filter_map(|step| Some([step.ar_step as f64, f64::from(step.gain?)])).collect();
    let cosines = steps().zip(cosines(token)).filter_map(|(step, value)| Some([step.ar_step as f64, value?]));
    let cosines: Vec<[f64; 2]> = cosines.collect();
    let lines = [line("cosine", cosines, 1), line("gain", gains, 2)];
    Figure {
        title: "Cosine to the final latent over AR steps".to_owned(),
        x: Axis::new("AR step"),
        y: Axis::new("cosine similarity"),
        series: lines.into_iter().filter(|line| !line.points.is_empty()).collect(),
    }
}

/// One channel of the trajectories, and their spread.
fn trajectories(states: &TokenStates, channel: usize) -> [Figure; 2] {
    let channel = channel.min(states.channels.saturating_sub(1));
    let points = |states: &States| -> Vec<[f64; 2]> {
        let of = |latent: &Vec<f32>| latent.get(channel).map_or(f64::NAN, |value| f64::from(*value));
        states.iter().enumerate().map(|(step, latent)| [step as f64, of(latent)]).collect()
    };
    let count = states.all().filter(|(number, _)| number.is_some()).count();
    let each = states.all().map(|(number, states)| match number {
        // The first stands for all in the legend.
        Some(0) => line(format!("S = {count} trajectories, the first in bold"), points(states), 1),
        Some(_) => Line { faint: true, ..line("", points(states), 1) },
        None => line("sampled", points(states), 2),
    });
    let spread = states.spread.iter().enumerate().map(|(step, value)| [step as f64, f64::from(*value)]);
    let spread: Vec<[f64; 2]> = spread.collect();
    let x = Axis::new("diffusion steps done");
    [
        Figure {
            title: "Trajectories over diffusion steps".to_owned(),
            x: x.clone(),
            y: Axis { unit: "latent units".to_owned(), ..Axis::new(&format!("channel {channel}")) },
            series: each.collect(),
        },
        Figure {
            title: "Spread of the trajectories, mean over channels".to_owned(),
            x,
            y: Axis { unit: "latent units".to_owned(), ..Axis::new("std over S") },
            series: if spread.is_empty() { Vec::new() } else { vec![line("std over S", spread, 3)] },
        },
    ]
}

fn diffusion(
    input: Inspected<'_>,
    token: &TokenFacts,
    (name, title, y): (&str, &str, &str),
    plane: usize,
) -> Option<Figure> {
    let step = token.steps.get(plane).filter(|step| step.decision.in_loss())?;
    let points = along(input, name, (plane, token.token))?;
    let points = points.into_iter().map(|(step, value)| [step as f64, f64::from(value)]).collect();
    Some(Figure {
        title: format!("{title}, mean over channels"),
        x: Axis::new("trained diffusion step"),
        y: Axis::new(y),
        series: vec![line(format!("AR step {}", step.ar_step), points, 1)],
    })
}

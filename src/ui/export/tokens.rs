//! Tokens as tables.

use std::ops::Range;
use std::sync::Arc;

use super::job::Job;
use super::table::{Cell, Table};
use super::{Format, Shown};
use crate::rl::config::RlConfig;
use crate::ui::data::group::LoadedGroup;
use crate::ui::inspect::facts::{Decision, PictureFacts, StepFacts, TokenFacts};
use crate::ui::inspect::inspected::{Inspected, place};
use crate::ui::inspect::steps::Fact;

/// Settings with which the group was recorded.
pub(super) fn recorded(what: &Shown<'_>, group: &LoadedGroup) -> Option<RlConfig> {
    Some(what.scene.runs.get(group.run)?.config_at(group.step)?.rl)
}

/// A row a token of each of the `pictures`: what the picture earned, and everything recorded of the token, with four columns
/// for each trained AR step. What is not in the loss of an AR step has no kept, loss share and KL there.
pub(super) fn of_tokens(what: &Shown<'_>, group: &Arc<LoadedGroup>, pictures: Range<usize>) -> Job {
    let (rl, group) = (recorded(what, group), Arc::clone(group));
    Job::new(move || table(rl.as_ref(), &group, pictures).content(Format::Csv))
}

fn table(rl: Option<&RlConfig>, group: &LoadedGroup, pictures: Range<usize>) -> Table {
    let parts: Vec<String> = {
        let mut names: Vec<&String> = group.record.pictures.iter().flat_map(|p| p.parts.keys()).collect();
        names.sort();
        names.dedup();
        names.into_iter().cloned().collect()
    };
    let mut columns: Vec<String> =
        ["iteration", "group", "picture", "reward", "advantage"].map(str::to_owned).into();
    columns.extend(parts.iter().map(|name| format!("part/{name}")));
    let of_token = ["token", "row", "column", "order", "uncertainty", "rank", "mte_mask"];
    columns.extend(of_token.map(str::to_owned));
    for step in &group.record.trained_ar_steps {
        let names = ["cosine_gain", "kept", "loss_share", "kl"];
        columns.extend(names.map(|name| format!("{name}/ar_step_{step}")));
    }
    let mut rows = Vec::new();
    for picture in pictures {
        let record = group.record.pictures.get(picture);
        let mut earned =
            vec![Cell::Whole(group.step), Cell::Whole(group.index + 1), Cell::Whole(picture + 1)];
        earned.push(Cell::number(record.map(|record| record.reward.0)));
        earned.push(Cell::number(record.map(|record| record.advantage.0)));
        let part = |name: &String| Cell::number(record.and_then(|r| r.parts.get(name)).map(|part| part.0));
        earned.extend(parts.iter().map(part));
        let facts = PictureFacts::new(group, picture, rl);
        for token in &facts.tokens {
            let mut row = earned.clone();
            row.extend(token_cells(token, facts.side));
            row.extend(token.steps.iter().flat_map(step_cells));
            rows.push(row);
        }
    }
    Table { title: "Tokens".to_owned(), notes: Vec::new(), columns, rows }
}

fn token_cells(token: &TokenFacts, side: usize) -> [Cell; 7] {
    let (row, column) = place(token.token, side);
    [
        Cell::Whole(token.token),
        Cell::Whole(row),
        Cell::Whole(column),
        Cell::whole(token.order),
        Cell::single(token.uncertainty),
        Cell::whole(token.rank),
        Cell::truth(token.multi),
    ]
}

fn step_cells(step: &StepFacts) -> [Cell; 4] {
    let kept = step.decision.in_loss().then_some(matches!(step.decision, Decision::Kept(_)));
    [Cell::single(step.gain), Cell::truth(kept), Cell::single(step.loss_share), Cell::single(step.kl)]
}

/// The tokens of one picture as the list shows them: in its order, at the chosen AR step.
pub(super) fn listed(what: &Shown<'_>, input: Inspected<'_>) -> Table {
    let view = what.inspect;
    let rl = recorded(what, input.group);
    let facts = PictureFacts::new(input.group, input.picture(), rl.as_ref());
    let brushed = view.brushed(&input);
    let is_brushed = |token: usize| brushed.get(token).copied().unwrap_or(false);
    let plane = input.plane();
    let step = plane.and_then(|plane| input.group.record.trained_ar_steps.get(plane));
    let which =
        step.map_or_else(|| "means over trained AR steps".to_owned(), |step| format!("at AR step {step}"));
    let notes = vec![
        format!(
            "{}, picture {}: {}",
            super::source(what, input.group),
            input.picture() + 1,
            input.group.record.prompt
        ),
        format!("Gain, kept, loss share and KL: {which}"),
    ];
    let mut table = Table::new("All tokens", notes, &Fact::ALL.map(Fact::name));
    table.columns.push("Brushed".to_owned());
    for token in view.sorting.order(&facts.tokens, plane) {
        if view.brushed_only && !brushed.is_empty() && !is_brushed(token) {
            continue;
        }
        let Some(of_token) = facts.tokens.get(token) else { continue };
        let whole = |fact: Fact| matches!(fact, Fact::Token | Fact::Order | Fact::Rank | Fact::Multi);
        let cell = |fact: Fact| match fact.of(of_token, plane) {
            Some(value) if whole(fact) => Cell::Whole(value as usize),
            value => Cell::number(value),
        };
        let mut row: Vec<Cell> = Fact::ALL.into_iter().map(cell).collect();
        row.push(Cell::truth((!brushed.is_empty()).then(|| is_brushed(token))));
        table.rows.push(row);
    }
    table
}

//! Whether pictures that stand side by side have the same prompt and noise, in words.

use std::collections::BTreeSet;

use super::number::setting;
use super::source::PictureSource;
use crate::ui::data::run::{OpenRun, RunId};
use crate::ui::scene::Scene;

/// Settings that decide how the noise is used.
const SAMPLING: [&str; 5] = ["ar_steps", "diffusion_steps", "stochastic_steps", "guidance", "rounding"];

/// The setting at `path` in force at `step`, in words; empty if it is not known. The configuration is not read as a whole,
/// since this is asked for every run in every frame.
fn setting_at(run: &OpenRun, path: &str, step: usize) -> String {
    let changes = run.store.changes().iter().rev();
    let changed = changes.skip_while(|change| change.step > step).find(|change| change.setting == path);
    let first = || path.split('.').try_fold(&run.store.header().config, |table, name| table.get(name));
    changed.map(|change| &change.to).or_else(first).map(setting).unwrap_or_default()
}

/// What decides the prompt and the noise of a run's pictures, one text a part.
fn parts(run: &OpenRun, source: PictureSource, step: usize) -> Vec<(&'static str, String)> {
    let store = &run.store;
    let sampling = SAMPLING.map(|name| setting_at(run, &format!("rl.rollout.{name}"), step)).join(" ");
    let mut parts = vec![("AR steps, diffusion steps or guidance", sampling)];
    if source == PictureSource::Training {
        let group = store.group_at(step);
        parts.push(("iteration", group.map(|(step, _)| step.to_string()).unwrap_or_default()));
        parts.push(("prompt", group.map(|(_, group)| group.prompt.clone()).unwrap_or_default()));
        parts.push(("seed", store.header().seed.map(|seed| seed.to_string()).unwrap_or_default()));
        let pictures = ["rl.groups", "rl.group"].map(|path| setting_at(run, path, step)).join(" x ");
        parts.push(("number of pictures", pictures));
    } else {
        let frames = store.probes_at(step);
        parts.push(("iteration", frames.map(|(step, _)| step.to_string()).unwrap_or_default()));
    }
    parts
}

/// Whether the rows of `drawn` have the same prompt and noise, and if not, why.
#[must_use]
pub fn sameness(scene: Scene<'_>, source: PictureSource, drawn: &[RunId]) -> String {
    let runs: Vec<&OpenRun> = drawn.iter().filter_map(|id| scene.runs.get(*id)).collect();
    let all: Vec<_> = runs.iter().map(|run| parts(run, source, scene.step_of(run))).collect();
    let Some(first) = all.first().filter(|_| all.len() > 1) else { return String::new() };
    let differing: Vec<&str> = first
        .iter()
        .enumerate()
        .filter(|(place, _)| {
            let texts: BTreeSet<&str> =
                all.iter().filter_map(|parts| parts.get(*place)).map(|(_, text)| text.as_str()).collect();
            texts.len() > 1
        })
        .map(|(_, (name, _))| *name)
        .collect();
    let list = differing.join(", ");
    match (source, differing.is_empty()) {
        (PictureSource::Training, true) => {
            "All rows have the same seed, prompt and iteration, and so the same noise: what differs is the policy.".into()
        }
        (PictureSource::Training, false) => {
            format!("The rows differ in {list}: their pictures do not share prompt and noise. The fixed prompts do.")
        }
        (PictureSource::Fixed, true) => {
            "The pictures of a column have the same noise in every run; where the prompt is the same, only the policy \
             differs."
                .into()
        }
        (PictureSource::Fixed, false) if differing == ["iteration"] => {
            "The pictures of a column have the same noise in every run, but not all are of the same iteration.".into()
        }
        (PictureSource::Fixed, false) => format!("The rows differ in {list}: the noise of a column is not used alike."),
    }
}

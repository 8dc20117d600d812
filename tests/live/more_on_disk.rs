//! What only the panels of Live are tested on.

use std::path::Path;

use marscope::runs::event::{Event, Mark, ProbeFrame, Scalar};
use marscope::runs::folder::{RunFolder, RunHeader};
use marscope::session::train::config::TrainConfig;
use marscope::session::train::origin::KIND;

use crate::runs_on_disk::picture;

/// An empty run.
pub fn create_with(path: &Path, config: &TrainConfig) -> RunFolder {
    let header = RunHeader::new(KIND, serde_json::to_value(config).unwrap(), "cpu");
    RunFolder::create(path, &header).unwrap()
}

/// Records an alert at `step`.
pub fn alert(run: &mut RunFolder, step: usize, text: &str) {
    run.record(&Event::Mark { step, mark: Mark::Alert, text: text.to_owned() }).unwrap();
}

/// Records a frame of the film strips.
pub fn probe(run: &mut RunFolder, step: usize, prompts: &[(&str, f64)]) {
    let frames = prompts
        .iter()
        .map(|(prompt, score)| ProbeFrame {
            prompt: (*prompt).to_owned(),
            score: Scalar(*score),
            png: picture(run, (step % 256) as u8),
        })
        .collect();
    run.record(&Event::Probes { step, frames }).unwrap();
}

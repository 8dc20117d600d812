//! Whether what is recorded is what was written.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::checkpoints::check_checkpoints;
use super::event::{Event, GroupRecord, Mark, Scalar};
use super::folder::{EVENTS_FILE, read_header};
use super::line::{Checksum, checksum};
use super::media::{MEDIA_FILE, Medium, media_end, read_map, read_picture, references};
use super::reader::LONGEST_LINE;
use crate::error::{Error, Result};

/// Findings of one kind that are listed one by one; the rest are counted.
const LISTED: usize = 10;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Nothing is lost.
    Note,
    /// Worth a look: numbers that are not finite, the line that a killed run did not finish.
    Warning,
    /// Something recorded is lost or not as it was.
    Broken,
}

/// One thing found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What and where, in a sentence.
    pub text: String,
}

/// What [`check`] saw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The run's folder.
    pub path: PathBuf,
    /// Events that can be read.
    pub events: usize,
    /// Pictures and maps that can be read.
    pub media: usize,
    /// What was found; empty if all is well.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether something recorded is lost or not as it was.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Broken)
    }

    pub(super) fn add(&mut self, severity: Severity, text: String) {
        self.findings.push(Finding { severity, text });
    }
}

/// Reads everything in the run's folder: its header, every event, every picture and map, and whether the checkpoints have
/// files. What cannot be read is a finding, so there is always a report.
#[must_use]
pub fn check(folder: &Path) -> Report {
    let mut report = Report { path: folder.to_path_buf(), ..Report::default() };
    if let Err(error) = read_header(folder) {
        report.add(Severity::Broken, error.to_string());
    }
    let mut checker = Checker::new(folder, report);
    if let Err(error) = checker.lines() {
        checker.report.add(Severity::Broken, error.to_string());
    }
    let mut report = checker.finish();
    check_checkpoints(folder, &mut report);
    report
}

/// Goes through the events in order.
struct Checker<'a> {
    folder: &'a Path,
    events: PathBuf,
    report: Report,
    /// Findings by kind.
    kinds: BTreeMap<&'static str, usize>,
    /// Whole lines with and without a checksum, and the first without.
    with_checksum: usize,
    without_checksum: (usize, usize),
    /// The step that the next event must not fall behind.
    reached: usize,
    /// Numbers that are not finite: how many, and the first step.
    not_finite: BTreeMap<String, (usize, usize)>,
    /// End of the last entry of `media.bin` that an event refers to.
    media_end: u64,
}

impl<'a> Checker<'a> {
    fn new(folder: &'a Path, report: Report) -> Self {
        Self {
            folder,
            events: folder.join(EVENTS_FILE),
            report,
            kinds: BTreeMap::new(),
            with_checksum: 0,
            without_checksum: (0, 0),
            reached: 0,
            not_finite: BTreeMap::new(),
            media_end: 0,
        }
    }

    /// A finding of a kind there may be thousands of.
    fn broken(&mut self, kind: &'static str, text: String) {
        let found = self.kinds.entry(kind).or_default();
        *found += 1;
        if *found <= LISTED {
            self.report.add(Severity::Broken, text);
        }
    }

    fn lines(&mut self) -> Result<()> {
        let path = self.events.clone();
        let mut reader = BufReader::new(File::open(&path).map_err(Error::io("read", &path))?);
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let mut limited = (&mut reader).take(LONGEST_LINE as u64);
            if limited.read_until(b'\n', &mut line).map_err(Error::io("read", &path))? == 0 {
                break;
            }
            if line.ends_with(b"\n") || line.len() == LONGEST_LINE {
                self.line(number, &line);
            } else {
                self.report.add(
                    Severity::Warning,
                    format!(
                        "{}: line {number} has no end: the run was killed while it wrote, or is writing",
                        path.display()
                    ),
                );
            }
        }
        Ok(())
    }

    fn line(&mut self, number: usize, line: &[u8]) {
        let path = self.events.display().to_string();
        let event: Event = match serde_json::from_slice(line) {
            Ok(event) => event,
            Err(error) => {
                return self.broken("bad lines", format!("{path}: line {number} is not an event: {error}"));
            }
        };
        self.report.events += 1;
        match checksum(line) {
            Checksum::Right => self.with_checksum += 1,
            Checksum::Missing => {
                let (count, first) = self.without_checksum;
                self.without_checksum = (count + 1, if count == 0 { number } else { first });
            }
            Checksum::Wrong => self.broken(
                "changed lines",
                format!("{path}: line {number} is not what was recorded (its checksum differs)"),
            ),
        }
        self.order(number, &event);
        self.count_not_finite(&event);
        if let Event::Group { step, group } = &event {
            self.group(*step, group);
        }
        self.media(number, &event);
    }

    /// Measurements come in order. Remarks and marks may be about an earlier step: when a rise began.
    fn order(&mut self, number: usize, event: &Event) {
        let step = event.step();
        match event {
            Event::Mark { mark: Mark::Resume, .. } => self.reached = self.reached.min(step),
            Event::Mark { .. } | Event::Note { .. } | Event::Change { .. } => {}
            Event::Scalars { .. } | Event::Group { .. } | Event::Probes { .. } => {
                if step < self.reached {
                    let (path, reached) = (self.events.display().to_string(), self.reached);
                    self.broken(
                        "steps that go back",
                        format!("{path}: line {number} is of step {step}, after step {reached} and without a resume"),
                    );
                }
                self.reached = step;
            }
        }
    }

    fn count_not_finite(&mut self, event: &Event) {
        let mut count = |step: usize, name: &str, Scalar(value): Scalar| {
            if !value.is_finite() {
                self.not_finite.entry(name.to_owned()).or_insert((0, step)).0 += 1;
            }
        };
        match event {
            Event::Scalars { step, values, .. } => {
                for (name, value) in values {
                    count(*step, name, *value);
                }
            }
            Event::Group { step, group } => {
                for picture in &group.pictures {
                    count(*step, "a picture's reward", picture.reward);
                    count(*step, "a picture's advantage", picture.advantage);
                }
            }
            _ => {}
        }
    }

    fn group(&mut self, step: usize, group: &GroupRecord) {
        let pictures = group.pictures.len();
        for map in group.maps.iter().filter(|map| map.shape.first() != Some(&pictures)) {
            let (path, name, shape) = (self.events.display().to_string(), &map.name, &map.shape);
            self.broken(
                "maps of other shapes",
                format!(
                    "{path}: the map {name} of step {step} has the shape {shape:?} for {pictures} pictures"
                ),
            );
        }
    }

    fn media(&mut self, number: usize, event: &Event) {
        self.media_end = self.media_end.max(media_end(event));
        for (medium, at) in references(event) {
            let read = match medium {
                Medium::Png => read_picture(self.folder, at).map(drop),
                Medium::Map(map) => read_map(self.folder, map).map(drop),
            };
            match read {
                Ok(()) => self.report.media += 1,
                Err(error) => {
                    let line = format!("line {number} of {EVENTS_FILE}, step {}", event.step());
                    self.broken("lost pictures and maps", format!("{error} ({line})"));
                }
            }
        }
    }

    /// What can only be said at the end.
    fn finish(mut self) -> Report {
        let more = std::mem::take(&mut self.kinds);
        for (kind, count) in more.into_iter().filter(|(_, count)| *count > LISTED) {
            self.report.add(Severity::Broken, format!("and {} more {kind}", count - LISTED));
        }
        // Earlier versions wrote none, and a resume adds them to every line.
        let (without, first) = self.without_checksum;
        if self.with_checksum > 0 && without > 0 {
            let text = format!(
                "{}: {without} lines have no checksum though others have, first line {first}; they were changed",
                self.events.display()
            );
            self.report.add(Severity::Broken, text);
        }
        for (name, (count, step)) in std::mem::take(&mut self.not_finite) {
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            let text = format!("{name} is NaN or infinite {times}, first at step {step}");
            self.report.add(Severity::Warning, text);
        }
        let media = self.folder.join(MEDIA_FILE);
        let length = fs::metadata(&media).map_or(0, |found| found.len());
        if length > self.media_end {
            let text = format!(
                "{}: no event refers to the last {} bytes; the run was killed while it wrote, or is writing",
                media.display(),
                length - self.media_end
            );
            self.report.add(Severity::Note, text);
        }
        self.report
    }
}

//! Runs as files that other programs read.

use std::io::{self, Write};

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::event::{GroupRecord, ProbeFrame, Scalar};
use super::series::{Point, Series};
use super::store::RunStore;

/// Writes all series as CSV (RFC 4180): a row a step, a column a series, after `step` and `seconds`. What was not recorded
/// at a step is an empty cell; what is not finite is `NaN`, `inf` or `-inf`. A series with two values at one step gets a
/// second row for that step, so that nothing is lost.
///
/// # Errors
/// Those of `out`.
pub fn write_csv(store: &RunStore, out: &mut impl Write) -> io::Result<()> {
    let columns: Vec<(&str, &Series)> = store.all_series().collect();
    write!(out, "step,seconds")?;
    for (name, _) in &columns {
        write!(out, ",{}", quoted(name))?;
    }
    write!(out, "\r\n")?;
    // The place in every series, all moved on together: no table of the whole run is made.
    let mut next = vec![0; columns.len()];
    let mut row: Vec<Option<Point>> = Vec::with_capacity(columns.len());
    loop {
        let points = || columns.iter().zip(&next).map(|((_, series), &at)| series.get(at));
        let Some(step) = points().flatten().map(|point| point.step).min() else { return Ok(()) };
        row.clear();
        row.extend(points().map(|point| point.filter(|p| p.step == step)));
        let seconds = row.iter().flatten().map(|p| p.seconds).fold(f64::NAN, f64::max);
        write!(out, "{step},{}", cell(seconds))?;
        for (at, point) in next.iter_mut().zip(&row) {
            match point {
                Some(point) => {
                    *at += 1;
                    write!(out, ",{}", cell(point.value))?;
                }
                None => write!(out, ",")?,
            }
        }
        write!(out, "\r\n")?;
    }
}

/// Every digit that is needed to read the same number again, and no more.
fn cell(value: f64) -> String {
    // `{:?}` writes 1e300 where `{}` writes 301 digits; NaN and the infinities are as wanted.
    format!("{value:?}")
}

/// A cell as RFC 4180 has it: in quotes if it would be misread without.
fn quoted(text: &str) -> String {
    let plain = !text.contains([',', '"', '\r', '\n']) && text.trim() == text;
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// Writes a run as one JSON object: `header`, `scalars` (name to `steps`, `seconds` and `values`), `changes`, `marks`,
/// `notes`, `groups` and `probes`, without pixels and maps. What is not finite is the string `"NaN"`, `"Infinity"` or
/// `"-Infinity"`.
///
/// # Errors
/// Those of `out`.
pub fn write_json(store: &RunStore, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Run(store))?;
    out.write_all(b"\n")
}

struct Run<'a>(&'a RunStore);

impl Serialize for Run<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let store = self.0;
        let mut run = serializer.serialize_map(Some(7))?;
        run.serialize_entry("header", store.header())?;
        run.serialize_entry("scalars", &AllSeries(store))?;
        run.serialize_entry("changes", store.changes())?;
        run.serialize_entry("marks", store.marks())?;
        run.serialize_entry("notes", store.notes())?;
        let groups = || store.groups().iter().map(|(step, group)| group_of(*step, group));
        run.serialize_entry("groups", &Each(groups))?;
        let probes = || store.probes().iter().map(|(step, frames)| probes_of(*step, frames));
        run.serialize_entry("probes", &Each(probes))?;
        run.end()
    }
}

/// What an iterator yields, one by one.
struct Each<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut items = serializer.serialize_seq(None)?;
        for item in (self.0)() {
            items.serialize_element(&item)?;
        }
        items.end()
    }
}

struct AllSeries<'a>(&'a RunStore);

impl Serialize for AllSeries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.all_series().map(|(name, series)| (name, Columns(series))))
    }
}

struct Columns<'a>(&'a Series);

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (steps, seconds, values) = self.0.columns();
        let mut columns = serializer.serialize_map(Some(3))?;
        columns.serialize_entry("steps", steps)?;
        columns.serialize_entry("seconds", &Each(|| seconds.iter().map(|&v| Scalar(v))))?;
        columns.serialize_entry("values", &Each(|| values.iter().map(|&v| Scalar(v))))?;
        columns.end()
    }
}

#[derive(Serialize)]
struct Group<'a> {
    step: usize,
    prompt: &'a str,
    side: usize,
    ar_steps: usize,
    trained_ar_steps: &'a [usize],
    zero_std: bool,
    pictures: Vec<Picture<'a>>,
}

#[derive(Serialize)]
struct Picture<'a> {
    reward: Scalar,
    parts: &'a std::collections::BTreeMap<String, Scalar>,
    advantage: Scalar,
}

#[derive(Serialize)]
struct Probes<'a> {
    step: usize,
    frames: Vec<Frame<'a>>,
}

#[derive(Serialize)]
struct Frame<'a> {
    prompt: &'a str,
    score: Scalar,
}

fn group_of(step: usize, group: &GroupRecord) -> Group<'_> {
    Group {
        step,
        prompt: &group.prompt,
        side: group.side,
        ar_steps: group.ar_steps,
        trained_ar_steps: &group.trained_ar_steps,
        zero_std: group.zero_std,
        pictures: group
            .pictures
            .iter()
            .map(|p| Picture { reward: p.reward, parts: &p.parts, advantage: p.advantage })
            .collect(),
    }
}

fn probes_of(step: usize, frames: &[ProbeFrame]) -> Probes<'_> {
    Probes { step, frames: frames.iter().map(|f| Frame { prompt: &f.prompt, score: f.score }).collect() }
}

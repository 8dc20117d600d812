//! A recorded number of one or more runs as a chart.

use super::report::figure::{Axis, Figure, Line, Scale};
use super::series::Series;
use super::store::RunStore;
use crate::error::{Error, Result};
use crate::world::near;

/// Columns of a chart: more points than this are drawn as the last of each column, with a band from the least to the
/// greatest, so that no spike is lost.
const COLUMNS: usize = 1000;

/// How a number is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlotStyle {
    /// A logarithmic axis.
    pub log: bool,
    /// Weight of the past in a debiased moving average, 0 (none) to below 1; the raw line stays behind it.
    pub smooth: f64,
}

/// `name` over the iterations of `runs`, a line a run.
///
/// # Errors
/// [`Error::Config`] if a run has no such number (naming those that are near), or if the smoothing is out of range.
pub fn figure(runs: &[RunStore], name: &str, style: PlotStyle) -> Result<Figure> {
    if !(0.0..1.0).contains(&style.smooth) {
        return Err(Error::Config(format!("smoothing {}: choose from 0 to below 1", style.smooth)));
    }
    let mut lines = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        let series =
            run.series(name).filter(|series| !series.is_empty()).ok_or_else(|| missing(run, name))?;
        let smoothed = style.smooth > 0.0;
        let raw = line(series, run.name(), number, smoothed);
        lines.push(raw);
        if smoothed {
            let (averaged, _) = series.smoothed(style.smooth);
            lines.push(line(&averaged, run.name(), number, false));
        }
    }
    let scale = if style.log { Scale::Log } else { Scale::default() };
    Ok(Figure {
        title: name.to_owned(),
        x: Axis::new("iterations"),
        y: Axis { scale, ..Axis::new(name) },
        series: lines,
    })
}

fn missing(run: &RunStore, name: &str) -> Error {
    let near = near::suggestion(name, run.names());
    let near = if near.is_empty() { "." } else { &near };
    Error::Config(format!(
        "{} has no number {name:?}{near} `marscope runs show` lists them",
        run.path().display()
    ))
}

fn line(series: &Series, name: String, style: usize, faint: bool) -> Line {
    if series.len() <= COLUMNS {
        let points = series.iter().map(|point| [point.step as f64, point.value]).collect();
        return Line { name, points, band: Vec::new(), style, faint };
    }
    let (mut points, mut band) = (Vec::new(), Vec::new());
    for bucket in series.buckets(0..=usize::MAX, COLUMNS) {
        let x = bucket.last_step as f64;
        points.push([x, bucket.last]);
        if let (Some(min), Some(max)) = (bucket.min, bucket.max) {
            band.push([x, min, max]);
        }
        if bucket.nan + bucket.positive_infinity + bucket.negative_infinity > 0 && bucket.last.is_finite() {
            points.push([x, f64::NAN]);
        }
    }
    Line { name, points, band, style, faint }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use crate::runs::event::{Event, Scalar};
    use crate::runs::folder::RunHeader;

    fn run(values: impl Iterator<Item = f64>) -> RunStore {
        let header = RunHeader::new("train", serde_json::Value::Null, "cpu");
        let mut store = RunStore::new(Path::new("runs/a"), header);
        for (step, value) in values.enumerate() {
            let values = BTreeMap::from([("kl".to_owned(), Scalar(value))]);
            store.add(Event::Scalars { step, seconds: step as f64, values });
        }
        store
    }

    #[test]
    fn a_spike_among_many_points_is_in_the_band() {
        let spiked = run((0..50_000).map(|i| if i == 31_234 { 9.0 } else { 1.0 }));
        let figure = figure(&[spiked], "kl", PlotStyle::default()).unwrap();
        assert!(figure.series[0].points.len() <= COLUMNS + 1);
        assert!(figure.series[0].band.iter().any(|b| b[2] == 9.0));
        assert!(figure.svg().contains("iterations"));
    }

    #[test]
    fn a_nan_among_many_points_is_marked() {
        let holed = run((0..50_000).map(|i| if i == 31_234 { f64::NAN } else { 1.0 }));
        let figure = figure(&[holed], "kl", PlotStyle::default()).unwrap();
        assert!(figure.series[0].points.iter().any(|p| p[1].is_nan()));
    }

    #[test]
    fn what_is_not_there_is_named_with_what_is_near() {
        let message = figure(&[run([1.0].into_iter())], "kll", PlotStyle::default()).unwrap_err().to_string();
        assert!(message.contains("kll") && message.contains("\"kl\""), "{message}");
        let smooth = PlotStyle { smooth: 1.0, ..PlotStyle::default() };
        assert!(figure(&[run([1.0].into_iter())], "kl", smooth).is_err());
    }
}

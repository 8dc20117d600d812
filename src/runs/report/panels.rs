//! The figures of an ablation.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::ablation::{Ablation, MeasureRow};
use super::cell::Cell;
use super::figure::{Axis, Figure, Line, Scale, Whisker, Whiskers};
use super::measure::Measure;
use super::stats::{interval, mean, median};

/// A figure with what must be said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The figure.
    pub chart: Chart,
    /// What line, band and dots are, and what is left out.
    pub caption: String,
}

/// Either kind of figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// Lines.
    Lines(Figure),
    /// Means with intervals.
    Whiskers(Whiskers),
}

impl Chart {
    /// Its heading.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Lines(figure) => &figure.title,
            Self::Whiskers(whiskers) => &whiskers.title,
        }
    }

    /// As a part of a page, see [`Figure::inline_svg`].
    #[must_use]
    pub fn inline_svg(&self) -> String {
        match self {
            Self::Lines(figure) => figure.inline_svg(),
            Self::Whiskers(whiskers) => whiskers.inline_svg(),
        }
    }

    /// As a file of its own.
    #[must_use]
    pub fn svg(&self) -> String {
        match self {
            Self::Lines(figure) => figure.svg(),
            Self::Whiskers(whiskers) => whiskers.svg(),
        }
    }
}

/// How several runs become a line with a band.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pool {
    /// Mean, band of its 95 % interval.
    Mean,
    /// The same of the difference to step 0.
    Gain,
    /// Median, band from the least to the greatest, so that no run's spike is averaged away.
    Range,
}

/// What a panel of lines shows.
struct Content<'a> {
    title: String,
    curve: &'a str,
    y: Axis,
    pool: Pool,
    prompt: Option<&'a str>,
}

/// All figures, in the order of the report.
#[must_use]
pub fn panels(ablation: &Ablation) -> Vec<Panel> {
    let axis = Axis::new;
    let content =
        |title: &str, curve, y, pool| Content { title: title.to_owned(), curve, y, pool, prompt: None };
    let mut contents = vec![content(
        "Gain of the evaluation reward, all prompts",
        "evaluation/reward",
        axis("reward \u{2212} reward of the base model"),
        Pool::Gain,
    )];
    for prompt in ablation.prompts() {
        let title = format!("Evaluation reward, \u{201c}{prompt}\u{201d}");
        let panel = content(&title, "evaluation/reward", axis("evaluation reward"), Pool::Mean);
        contents.push(Content { prompt: Some(prompt), ..panel });
    }
    let log = |label| Axis { scale: Scale::Log, ..axis(label) };
    contents.extend([
        content("Held-out prompts", "held_out/verifier", axis("verifier score"), Pool::Mean),
        content("Diversity of a group", "diversity/images", axis("distance of pictures"), Pool::Range),
        content("KL to the base model", "kl", axis("KL"), Pool::Range),
        content("Gradient norm before clipping", "gradient_norm/whole", log("gradient norm"), Pool::Range),
    ]);
    let mut panels: Vec<Panel> = contents.iter().map(|content| lines(ablation, content)).collect();
    panels.push(whiskers(ablation, Measure::Gain));
    if let Some(panel) = differences(ablation, Measure::Gain) {
        panels.push(panel);
    }
    panels
}

fn lines(ablation: &Ablation, content: &Content) -> Panel {
    let (mut faint, mut bold) = (Vec::new(), Vec::new());
    let (mut left_out, mut without) = (0, 0);
    for (style, variant) in ablation.variants().into_iter().enumerate() {
        let cells = ablation.counted(variant, content.prompt);
        let pooled = pool(&cells, content);
        left_out += pooled.left_out;
        without += pooled.without;
        bold.push(Line {
            name: format!("{variant}, n = {}", cells.len() - pooled.without),
            points: pooled.points,
            band: pooled.band,
            style,
            faint: false,
        });
        for cell in ablation.runs_of(variant, content.prompt).filter(|cell| !cell.finished()) {
            let points = curve(cell, content).unwrap_or_default();
            let points = points.into_iter().map(|(step, value)| [step as f64, value]).collect();
            faint.push(Line { name: cell.label(), points, band: Vec::new(), style, faint: true });
        }
    }
    let broken = faint.iter().filter(|line| !line.points.is_empty()).count();
    faint.extend(bold);
    let x = Axis::new("iterations");
    let title = content.title.clone();
    Panel {
        chart: Chart::Lines(Figure { title, x, y: content.y.clone(), series: faint }),
        caption: caption(content, broken, left_out, without),
    }
}

fn caption(content: &Content, broken: usize, left_out: usize, without: usize) -> String {
    let mut caption = match content.pool {
        Pool::Range => "Line: median over the finished runs; band: least to greatest.".to_owned(),
        Pool::Mean if content.prompt.is_some() => {
            "Line: mean over the finished runs (seeds); band: 95 % interval of the mean.".to_owned()
        }
        Pool::Mean | Pool::Gain => {
            "Line: mean over the finished runs (prompts and seeds); band: 95 % interval of the mean."
                .to_owned()
        }
    };
    for (what, count) in [
        ("Runs that failed or did not finish, drawn thin as far as they went", broken),
        ("Points left out, at steps that not every run of the variant has", left_out),
        ("Finished runs without such numbers", without),
    ] {
        if count > 0 {
            let _ = write!(caption, " {what}: {count}.");
        }
    }
    caption
}

/// Several runs as one line.
#[derive(Default)]
struct Pooled {
    points: Vec<[f64; 2]>,
    band: Vec<[f64; 3]>,
    /// Steps that some runs have and others do not: a mean over changing runs would jump.
    left_out: usize,
    /// Runs without the curve.
    without: usize,
}

fn pool(cells: &[&Cell], content: &Content) -> Pooled {
    let curves: Vec<_> = cells.iter().filter_map(|cell| curve(cell, content)).collect();
    let mut pooled = Pooled { without: cells.len() - curves.len(), ..Pooled::default() };
    let mut steps: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (step, value) in curves.iter().flatten() {
        steps.entry(*step).or_default().push(*value);
    }
    for (step, values) in steps {
        if values.len() < curves.len() {
            pooled.left_out += 1;
            continue;
        }
        let x = step as f64;
        // What is not finite in one run is not finite in the line: a gap with a mark. A median would pass over it.
        let broken = values.iter().copied().find(|value| !value.is_finite());
        if let Some(broken) = broken {
            pooled.points.push([x, broken]);
            // An end that is not finite cuts the band, too.
            pooled.band.push([x, f64::NAN, f64::NAN]);
            continue;
        }
        let (middle, ends) = match content.pool {
            Pool::Range => (median(&values), range(&values)),
            Pool::Mean | Pool::Gain => (mean(&values), interval(&values).map(|i| [i.low, i.high])),
        };
        pooled.points.extend(middle.map(|y| [x, y]));
        pooled.band.extend(ends.map(|[low, high]| [x, low, high]));
    }
    pooled
}

fn range(values: &[f64]) -> Option<[f64; 2]> {
    let least = values.iter().copied().min_by(f64::total_cmp)?;
    let greatest = values.iter().copied().max_by(f64::total_cmp)?;
    (values.len() > 1).then_some([least, greatest])
}

/// The curve of a run as the panel shows it; `None` if it was not recorded.
fn curve(cell: &Cell, content: &Content) -> Option<Vec<(usize, f64)>> {
    let curves = &cell.recorded.curves;
    let start = if content.pool == Pool::Gain { curves.at(content.curve, 0)? } else { 0.0 };
    let points: Vec<_> =
        curves.get(content.curve).iter().map(|(step, value)| (*step, value - start)).collect();
    (!points.is_empty()).then_some(points)
}

fn whiskers(ablation: &Ablation, measure: Measure) -> Panel {
    let rows = ablation.rows();
    let mut chart = Whiskers {
        title: format!("Final {} by variant", measure.name()),
        x: Axis { unit: measure.unit().to_owned(), ..Axis::new(measure.name()) },
        ..Whiskers::default()
    };
    for (style, row) in rows.iter().enumerate() {
        let Some(of) = find(&row.measures, measure) else { continue };
        if row.is_baseline {
            chart.reference = of.estimate.mean.map(|mean| (mean, format!("mean of {}", row.variant)));
        }
        let cells = ablation.counted(&row.variant, None);
        let mut note = format!("n = {}", of.estimate.n);
        let lost = row.runs.all - of.estimate.n;
        if lost > 0 {
            let _ = write!(note, " of {}", row.runs.all);
        }
        chart.rows.push(Whisker {
            name: row.variant.clone(),
            mean: of.estimate.mean,
            interval: of.estimate.interval,
            values: cells.iter().filter_map(|cell| cell.recorded.measures.get(measure)).collect(),
            note,
            style,
        });
    }
    let caption =
        "Large dot: mean over the finished runs; whiskers: 95 % interval of the mean; small dots: the runs.";
    Panel { chart: Chart::Whiskers(chart), caption: caption.into() }
}

fn differences(ablation: &Ablation, measure: Measure) -> Option<Panel> {
    let mut chart = Whiskers {
        title: format!("{} less that of {}, in pairs", capitalised(measure.name()), ablation.baseline),
        x: Axis {
            unit: measure.unit().to_owned(),
            ..Axis::new(&format!("difference of {}", measure.name()))
        },
        reference: Some((0.0, "no difference".into())),
        ..Whiskers::default()
    };
    for (style, row) in ablation.rows().into_iter().enumerate() {
        let Some(of) = find(&row.measures, measure).and_then(|of| of.difference.clone()) else { continue };
        chart.rows.push(Whisker {
            mean: of.mean,
            interval: of.interval,
            values: ablation.paired(&row.variant, None, measure).into_values().collect(),
            note: format!("{} pairs", of.pairs),
            name: row.variant,
            style,
        });
    }
    let caption = "Pairs share prompt and seed, so what prompts and seeds do to all variants alike cancels. Large dot: mean; \
                   whiskers: its 95 % interval; small dots: the pairs.";
    let some = chart.rows.iter().any(|row| row.mean.is_some());
    some.then(|| Panel { chart: Chart::Whiskers(chart), caption: caption.into() })
}

fn find(rows: &[MeasureRow], measure: Measure) -> Option<&MeasureRow> {
    rows.iter().find(|row| row.measure == measure)
}

/// With a capital letter.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

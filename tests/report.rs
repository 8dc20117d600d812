//! The report of an ablation: known effects are found, nothing odd is hidden, and its files are sound.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use marscope::runs::event::{Event, Scalar};
use marscope::runs::folder::{RunFolder, RunHeader};
use marscope::runs::report::figure::{Axis, Figure, Line, Scale};
use marscope::runs::report::{
    Ablation, About, Cell, CellId, Measure, Outcome, PictureStrip, VariantRow, csv, differing, page, panels,
    remarks, summary, write,
};

const PROMPTS: [&str; 2] = ["two red circles", "a <blue> ring & a \"square\""];

fn id(variant: &str, prompt: &str, seed: u64) -> CellId {
    CellId { variant: variant.into(), prompt: prompt.into(), seed }
}

fn scalars(step: usize, values: &[(&str, f64)]) -> Event {
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), Scalar(*value))).collect();
    Event::Scalars { step, seconds: step as f64, values }
}

/// A run that starts at `start`, gains `gain`, and whose gradient norm is 1 but for one spike.
fn run(iterations: usize, start: f64, gain: f64, spike: f64) -> Vec<Event> {
    let mut events = Vec::new();
    for step in 0..=iterations {
        let share = step as f64 / iterations as f64;
        if step.is_multiple_of(5) {
            events.push(scalars(
                step,
                &[
                    ("evaluation/reward", start + gain * share),
                    ("evaluation/reward/standard_error", 0.02),
                    ("held_out/verifier", 0.5 - 0.1 * share),
                ],
            ));
        }
        if step < iterations {
            events.push(scalars(
                step,
                &[
                    ("reward/mean", start),
                    ("kl", 0.01 * step as f64),
                    ("gradient_norm/whole", if step == 7 { spike } else { 1.0 }),
                    ("diversity/images", if step < 5 { 0.4 } else { 0.1 }),
                    ("time/iteration", 2.0),
                ],
            ));
        }
    }
    events
}

/// Three seeds and two prompts; `mar_grpo` gains 0.2 more than `grpo`, give or take 0.01.
fn ablation() -> Ablation {
    let mut cells = Vec::new();
    for variant in ["mar_grpo", "grpo"] {
        for (p, prompt) in PROMPTS.into_iter().enumerate() {
            for seed in 0..3u32 {
                let base = 0.1 + 0.05 * f64::from(seed);
                let effect = if variant == "grpo" { 0.0 } else { 0.19 + 0.01 * f64::from(seed) };
                let events = run(20, 0.3 + 0.2 * p as f64, base + effect, 4.0);
                let folder = Path::new("runs").join(variant);
                let id = id(variant, prompt, seed.into());
                cells.push(Cell::from_events(id, &folder, Outcome::Finished, events));
            }
        }
    }
    Ablation::new(cells)
}

fn get(cell: &Cell, measure: Measure) -> f64 {
    cell.recorded.measures.get(measure).unwrap()
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

fn row<'a>(rows: &'a [VariantRow], variant: &str) -> &'a VariantRow {
    rows.iter().find(|row| row.variant == variant).unwrap()
}

#[test]
fn measures_of_a_run_by_hand() {
    let cell =
        Cell::from_events(id("grpo", "p", 1), Path::new("r"), Outcome::Finished, run(20, 0.3, 0.4, 4.0));
    assert_eq!(cell.recorded.iterations, 20);
    near(get(&cell, Measure::StartReward), 0.3);
    near(get(&cell, Measure::FinalReward), 0.7);
    near(get(&cell, Measure::Gain), 0.4);
    // A straight line: its mean height is half way.
    near(get(&cell, Measure::RewardArea), 0.5);
    near(get(&cell, Measure::HeldOutGain), -0.1);
    // The last fifth is iterations 16 to 19, the first 0 to 3.
    near(get(&cell, Measure::FinalKl), 0.175);
    near(get(&cell, Measure::ImageDiversity), 0.1);
    near(get(&cell, Measure::ImageDiversityKept), 0.25);
    // 19 times 1 and once 4: mean 1.15, sum of squares 19 * 0.0225 + 8.1225 = 8.55.
    near(get(&cell, Measure::GradientNorm), 1.15);
    near(get(&cell, Measure::GradientVariation), (8.55f64 / 19.0).sqrt() / 1.15);
    near(get(&cell, Measure::GradientSpike), 4.0);
    near(get(&cell, Measure::SecondsPerIteration), 2.0);
    assert_eq!(cell.recorded.measures.get(Measure::FinalExact), None);
}

#[test]
fn known_effects_are_found() {
    let ablation = ablation();
    assert_eq!(ablation.variants(), ["grpo", "mar_grpo"]);
    let rows = ablation.rows();
    let of = |variant: &str, measure: Measure| {
        row(&rows, variant).measures.iter().find(|of| of.measure == measure).unwrap().clone()
    };
    let gain = of("mar_grpo", Measure::Gain);
    assert_eq!(gain.estimate.n, 6);
    near(gain.estimate.mean.unwrap(), 0.35);
    let difference = gain.difference.unwrap();
    assert_eq!(difference.pairs, 6);
    near(difference.mean.unwrap(), 0.2);
    // Twice 0.19, 0.20, 0.21: deviation sqrt(4 * 0.0001 / 5), t(5) = 2.5705818.
    let half = 2.570_581_835_636_314 * (0.0004f64 / 5.0).sqrt() / 6f64.sqrt();
    near(difference.interval.unwrap().low, 0.2 - half);
    near(difference.interval.unwrap().high, 0.2 + half);
    assert_eq!(difference.p, Some(2.0 / 64.0));
    assert_eq!(of("grpo", Measure::Gain).difference, None);
    let by_prompt = ablation.rows_of(Some(PROMPTS[0]));
    let start = &row(&by_prompt, "grpo").measures[0].estimate;
    assert_eq!((start.n, start.deviation), (3, Some(0.0)));
}

#[test]
fn failed_and_unfinished_runs_are_told_and_not_averaged() {
    let mut ablation = ablation();
    let failed = Outcome::Failed("gradient norm became NaN at step 2".into());
    let events = run(2, 0.3, 9.0, 4.0);
    ablation.cells.push(Cell::from_events(id("mar_grpo", PROMPTS[0], 3), Path::new("lost"), failed, events));
    let never = Outcome::Unfinished { iterations: 0 };
    ablation.cells.push(Cell::empty(id("grpo", PROMPTS[0], 3), Path::new("never"), never));
    let rows = ablation.rows();
    assert_eq!(row(&rows, "mar_grpo").runs.words(), "6 of 7 (1 failed)");
    near(row(&rows, "mar_grpo").measures[2].estimate.mean.unwrap(), 0.35);
    for text in [page(&ablation, &About::default(), &[]), summary(&ablation), csv::cells(&ablation)] {
        assert!(text.contains("gradient norm became NaN at step 2"));
        assert!(text.contains("not one iteration was done"));
    }
    assert!(remarks(&ablation).iter().any(|remark| remark.contains("flatter")));
    // The figures have the failed run as far as it went.
    let names = panels(&ablation).into_iter().map(|panel| panel.chart.inline_svg()).collect::<String>();
    assert!(names.contains("stroke-opacity=\"0.55\""));
}

#[test]
fn nothing_odd_panics_or_is_hidden() {
    let mut ablation = ablation();
    let add = |ablation: &mut Ablation, id, events| {
        let cell = Cell::from_events(id, Path::new("odd"), Outcome::Finished, events);
        ablation.cells.push(cell);
    };
    let name = "reward/mean";
    add(&mut ablation, id("one_seed", PROMPTS[0], 0), run(20, 0.3, 0.1, f64::INFINITY));
    add(&mut ablation, id("nothing", PROMPTS[0], 0), Vec::new());
    add(&mut ablation, id("far", PROMPTS[0], 0), vec![scalars(usize::MAX, &[(name, 1e308), ("kl", -1e308)])]);
    add(
        &mut ablation,
        id("nan", PROMPTS[0], 0),
        vec![scalars(0, &[("evaluation/reward", f64::NAN), (name, 1.0)])],
    );
    add(&mut ablation, id("short", PROMPTS[1], 0), run(1, f64::NAN, 0.1, 1.0));
    add(&mut ablation, id("grpo", PROMPTS[0], 0), run(20, 7.0, 7.0, 7.0));
    let rows = ablation.rows();
    let spike = row(&rows, "one_seed").measures.iter().find(|m| m.measure == Measure::GradientSpike).unwrap();
    assert_eq!((spike.estimate.n, spike.estimate.not_finite), (0, 1));
    assert_eq!(row(&rows, "one_seed").not_finite, 1);
    let gain = row(&rows, "one_seed").measures.iter().find(|m| m.measure == Measure::Gain).unwrap();
    assert_eq!((gain.estimate.n, gain.estimate.interval), (1, None));
    // The same prompt and seed twice is no more than once.
    assert_eq!(row(&rows, "grpo").measures[0].estimate.n, 6);
    let told = remarks(&ablation).join("\n");
    for word in ["more than one run", "1 of gradient_norm/whole", "differ in length", "have no run"] {
        assert!(told.contains(word), "{word} is not in {told}");
    }
    check_xml(&page(&ablation, &About::default(), &[]));
    for chart in panels(&ablation) {
        check_xml(&chart.chart.svg());
    }
    for odd in [Ablation::new(Vec::new()), Ablation { baseline: "none".into(), ..ablation }] {
        check_xml(&page(&odd, &About::of("odd", &odd), &[]));
        assert!(!summary(&odd).is_empty() && !remarks(&odd).is_empty());
        serde_json::from_str::<serde_json::Value>(&serde_json::to_string(&odd.rows()).unwrap()).unwrap();
    }
}

#[test]
fn settings_that_differ_or_changed_are_told() {
    let root = tempfile::tempdir().unwrap();
    let mut cells = Vec::new();
    for (i, (variant, share)) in [("grpo", 0.0), ("mte", 0.3), ("mte", 0.5)].into_iter().enumerate() {
        let folder = root.path().join(i.to_string());
        let config = serde_json::json!({
            "seed": i, "prompts": [PROMPTS[0]], "iterations": 20, "rl": { "mte": { "share": share }, "group": 8 }
        });
        let header = RunHeader {
            seed: Some(i as u64),
            variant: Some(variant.into()),
            ..RunHeader::new("train", config, "cpu")
        };
        let mut run_folder = RunFolder::create(&folder, &header).unwrap();
        for event in run(if i == 2 { 10 } else { 20 }, 0.3, 0.1, 2.0) {
            run_folder.record(&event).unwrap();
        }
        let (from, to) = (serde_json::json!(0.01), serde_json::json!(0.1));
        run_folder.record(&Event::Change { step: 3, setting: "rl.objective.beta".into(), from, to }).unwrap();
        cells.push(Cell::found(&folder).unwrap());
    }
    assert_eq!(cells[1].prompt, PROMPTS[0]);
    assert_eq!(cells[2].outcome, Outcome::Unfinished { iterations: 10 });
    let ablation = Ablation::new(cells);
    let settings = differing(&ablation);
    assert_eq!(settings.len(), 1);
    assert_eq!(settings[0].setting, "rl.mte.share");
    assert!(settings[0].is_mixed());
    let told = remarks(&ablation).join("\n");
    assert!(told.contains("Runs of mte differ in rl.mte.share: 0.3, 0.5"), "{told}");
    assert!(told.contains("rl.objective.beta: 0.01 to 0.1 at step 3"), "{told}");
    let lost = Cell::open(id("grpo", "p", 9), Outcome::Finished, &root.path().join("none"));
    assert!(matches!(lost.outcome, Outcome::Failed(reason) if reason.contains("cannot be read")));
}

#[test]
fn cards_of_a_kind_are_no_different_devices() {
    let on = |devices: [&str; 2]| {
        let mut ablation = ablation();
        for (cell, device) in ablation.cells.iter_mut().zip(devices.into_iter().cycle()) {
            cell.recorded.device = device.to_owned();
        }
        remarks(&ablation).iter().any(|remark| remark.contains("different devices"))
    };
    assert!(!on(["cuda:0 (NVIDIA H200)", "cuda:1 (NVIDIA H200)"]));
    assert!(!on(["cpu", "cpu"]));
    for other in ["cuda:0 (NVIDIA A100)", "wgpu:0 (NVIDIA H200)", "cpu"] {
        assert!(on(["cuda:0 (NVIDIA H200)", other]), "{other}");
    }
}

#[test]
fn the_files_are_sound() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("a/report");
    let ablation = ablation();
    let about = About::of("Ablation <1>", &ablation);
    let png = b"\x89PNG\r\n\x1a\nrest".to_vec();
    let pictures = [PictureStrip { title: "before & after".into(), png_bytes: vec![png, b"junk".to_vec()] }];
    let paths = write(&folder, &ablation, &about, &pictures).unwrap();
    let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names[..4], ["report.html", "cells.csv", "variants.csv", "report.json"]);
    assert_eq!(names.len(), 4 + marscope::runs::report::panels(&ablation).len());
    for figure in &paths[4..] {
        assert!(figure.extension().is_some_and(|extension| extension == "svg"));
        check_xml(&std::fs::read_to_string(figure).unwrap());
    }
    let read = |i: usize| std::fs::read_to_string(&paths[i]).unwrap();
    let html = read(0);
    check_xml(&html);
    assert!(
        html.contains("data:image/png;base64,iVBORw0KGgpyZXN0\"") && html.contains("picture 2 is no PNG")
    );
    assert!(!html.contains("<script") && !html.contains("src=\"http") && !html.contains("<link"));
    assert_eq!(read(1).lines().count(), 1 + 12);
    assert!(read(1).contains("\"a <blue> ring & a \"\"square\"\"\""));
    // Two variants, pooled and two prompts, 20 measures.
    assert_eq!(read(2).lines().count(), 1 + 2 * 3 * 20);
    let columns = |line: &str| line.matches(',').count();
    assert!(read(2).lines().all(|line| columns(line) == 15));
    let json: serde_json::Value = serde_json::from_str(&read(3)).unwrap();
    near(json["variants"][1]["measures"][2]["difference"]["mean"].as_f64().unwrap(), 0.2);
    assert_eq!(json["cells"].as_array().unwrap().len(), 12);
}

#[test]
fn a_line_is_where_it_should_be_and_its_gaps_are_marked() {
    let points =
        vec![[0.0, 1.0], [1.0, 10.0], [2.0, f64::NAN], [3.0, 0.0], [4.0, f64::INFINITY], [5.0, 100.0]];
    let line = Line { name: "a < b".into(), points, ..Line::default() };
    let y = Axis { unit: "m".into(), scale: Scale::Log, ..Axis::new("size") };
    let svg = Figure { title: "T".into(), x: Axis::new("x"), y, series: vec![line] }.svg();
    check_xml(&svg);
    assert!(svg.contains("a &lt; b (2 not finite) (1 not above 0)"), "{svg}");
    assert!(svg.contains("size (m), log scale"));
    assert_eq!(svg.matches("<title>").count(), 3);
    // Two points make a line, the one behind the gap a dot. The range 1 to 100 is padded by 4 % on both sides.
    let lines: Vec<_> = svg.lines().filter(|l| l.contains("<polyline") && l.contains("class")).collect();
    assert_eq!(lines.len(), 1);
    let numbers: Vec<f64> =
        lines[0].split('"').nth(1).unwrap().split([' ', ',']).map(|number| number.parse().unwrap()).collect();
    let [top, bottom] = [34.0, 304.0];
    let at = |share: f64| bottom - (share + 0.04) / 1.08 * (bottom - top);
    assert!((numbers[1] - at(0.0)).abs() < 0.1 && (numbers[3] - at(0.5)).abs() < 0.1, "{numbers:?}");
}

#[test]
fn one_infinite_run_is_seen_in_the_median() {
    let mut ablation = ablation();
    ablation.cells[0] = Cell::from_events(
        id("mar_grpo", PROMPTS[0], 0),
        Path::new("r"),
        Outcome::Finished,
        run(20, 0.3, 0.1, f64::INFINITY),
    );
    let charts: Vec<String> = panels(&ablation).into_iter().map(|panel| panel.chart.svg()).collect();
    let norm = charts.iter().find(|svg| svg.contains("Gradient norm before clipping")).unwrap();
    assert!(norm.contains("mar_grpo, n = 6 (1 not finite)") && norm.contains("<title>infinity at 7</title>"));
    // A gap cuts the band of one variant in two; the other's is whole.
    assert_eq!(norm.matches("<polygon").count(), 3);
}

#[test]
fn thinning_keeps_every_spike() {
    let points = (0..100_000).map(|i| [f64::from(i), if i == 54_321 { 50.0 } else { 1.0 }]).collect();
    let line = Line { name: "norm".into(), points, ..Line::default() };
    let figure = Figure { x: Axis::new("x"), y: Axis::new("y"), series: vec![line], ..Figure::default() };
    let svg = figure.svg();
    assert!(svg.len() < 100_000, "{}", svg.len());
    // 50 of 1 to 50, padded by 4 % on both sides: 1.04 / 1.08 of the 270 px above 304.
    assert!(svg.contains(",44 "), "the spike is gone");
}

/// Every tag is closed in order, attributes are quoted, `&` begins an entity.
fn check_xml(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        check_entities(&rest[..at]);
        assert!(!rest[..at].contains('>') || open.last() == Some(&"style"), "a bare > in {:?}", &rest[..at]);
        let end = at + rest[at..].find('>').unwrap();
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if tag.starts_with('!') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closed out of order");
            continue;
        }
        check_entities(tag);
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let names: Vec<&str> =
            tag.split('"').step_by(2).filter_map(|part| part.trim().strip_suffix('=')).collect();
        let distinct: BTreeSet<&str> = names.iter().map(|name| name.rsplit(' ').next().unwrap()).collect();
        assert_eq!(distinct.len(), names.len(), "an attribute twice in {tag}");
        if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap());
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
}

fn check_entities(text: &str) {
    for (at, _) in text.match_indices('&') {
        let entity = text[at + 1..].split(';').next().unwrap();
        assert!(["amp", "lt", "gt", "quot", "#39"].contains(&entity), "&{entity}");
    }
}

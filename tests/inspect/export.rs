//! What panels show, as files, of a small recorded run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::files::{column, is_well_formed, parsed};
use crate::inspect_stage::recorded::{NAN_GAIN, NAN_TOKEN, SIDE, TOKENS, gain, record_with, uncertainty};
use crate::inspect_stage::{Panel, Stage};
use marscope::runs::event::{Event, ProbeFrame, Scalar};
use marscope::runs::folder::RunFolder;
use marscope::ui::Pane;
use marscope::ui::action::Content;
use marscope::ui::compare::ab::AbView;
use marscope::ui::compare::pictures::PicturesView;
use marscope::ui::compare::table::TableView;
use marscope::ui::export::{CompareShown, Format, Job, Shown, export, formats};
use marscope::ui::inspect::brush::Brush;
use marscope::world::image::Rgb8;

const PANES: [Pane; 10] = [
    Pane::Group,
    Pane::Probes,
    Pane::Health,
    Pane::Noise,
    Pane::Table,
    Pane::Picture,
    Pane::Token,
    Pane::Tokens,
    Pane::Histogram,
    Pane::WhatIf,
];

fn more(run: &mut RunFolder) {
    for (step, score) in [(0, 0.25), (2, f64::NAN)] {
        let png = run.media(&Rgb8::filled(16, 16, [step as u8, 7, 9]).to_png().unwrap()).unwrap();
        let prompt = "a \"blue\", <square>".to_owned();
        let frames = vec![ProbeFrame { prompt, score: Scalar(score), png }];
        run.record(&Event::Probes { step, frames }).unwrap();
        let noise = [("noise/single/trace", 9.0), ("noise/mte_all/trace", 2.25), ("noise/single", f64::NAN)];
        run.scalars(step, 1.0, &noise.map(|(name, value)| (name.to_owned(), value)).into()).unwrap();
    }
}

/// The run of the stage with film strips, gradient noise and an alert.
fn stage(step: usize) -> (tempfile::TempDir, Stage) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    record_with(&path, more);
    let mut stage = Stage::open(&path, step, Panel::Picture);
    (stage.selection.token, stage.selection.picture) = (Some(6), 1);
    (root, stage)
}

/// What is gathered while the window waits.
fn gathered(stage: &mut Stage, pane: Pane, format: Format) -> Result<Job, String> {
    let mut runs = TableView::default();
    runs.update(&stage.runs);
    let group = Arc::clone(&stage.group);
    let (pictures, ab) = (PicturesView::default(), AbView::default());
    let compare = CompareShown { drawn: &[], pictures: &pictures, ab: &ab, progress: None, result: None };
    stage.with(|input, view| {
        let what = Shown {
            scene: input.scene,
            overlay: input.overlay,
            group: Some(&group),
            inspect: view,
            runs: &runs,
            compare,
        };
        export(pane, format, &what)
    })
}

fn saved(stage: &mut Stage, pane: Pane, format: Format) -> Result<Content, String> {
    gathered(stage, pane, format)?.run()
}

fn csv(stage: &mut Stage, pane: Pane) -> Vec<Vec<String>> {
    match saved(stage, pane, Format::Csv).unwrap() {
        Content::Csv(text) => parsed(&text),
        other => panic!("{other:?}"),
    }
}

fn svg(stage: &mut Stage, pane: Pane) -> String {
    match saved(stage, pane, Format::Svg).unwrap() {
        Content::Svg(text) => text,
        other => panic!("{other:?}"),
    }
}

fn png(stage: &mut Stage, pane: Pane) -> image::RgbImage {
    match saved(stage, pane, Format::Png).unwrap() {
        Content::Png(bytes) => image::load_from_memory(&bytes).unwrap().into_rgb8(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_panel_gives_every_file_that_it_offers_and_no_other() {
    let (_root, mut stage) = stage(0);
    stage.view.brush = Some(Brush::between(0.1, 0.2));
    for pane in PANES {
        for format in [Format::Png, Format::Svg, Format::Csv] {
            let content = saved(&mut stage, pane, format);
            assert_eq!(content.is_ok(), formats(pane).contains(&format), "{pane:?} {format:?}");
            match content {
                Ok(Content::Svg(text)) => is_well_formed(&text),
                Ok(Content::Csv(text)) => {
                    let rows = parsed(&text);
                    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{pane:?}");
                    assert!(pane == Pane::Table || rows.len() > 1, "{pane:?}");
                }
                Ok(other) => assert_eq!(other.ending(), "png"),
                Err(why) => assert!(why.ends_with('.'), "{why}"),
            }
        }
    }
}

#[test]
fn a_group_has_a_row_a_token_with_every_digit_and_nan() {
    let (_root, mut stage) = stage(0);
    let rows = csv(&mut stage, Pane::Group);
    assert_eq!(rows.len(), 1 + 2 * TOKENS);
    let (u, g) = (column(&rows, "uncertainty"), column(&rows, "cosine_gain/ar_step_2"));
    for picture in 0..2 {
        for token in 0..TOKENS {
            let row = &rows[1 + picture * TOKENS + token];
            let read: f32 = row[u].parse().unwrap();
            let wanted = uncertainty(picture, token);
            assert!(read == wanted || (read.is_nan() && wanted.is_nan()));
            let read: f32 = row[g].parse().unwrap();
            let wanted = gain(picture, 2, token);
            assert!(read == wanted || (read.is_nan() && wanted.is_nan()));
        }
    }
    assert_eq!(rows[1 + TOKENS + NAN_TOKEN][u], "NaN");
    assert_eq!(rows[1 + NAN_GAIN][g], "NaN");
    assert_eq!(rows[1][column(&rows, "cosine_gain/ar_step_0")], "", "not measured is not NaN");
    assert_eq!(rows[1 + TOKENS][column(&rows, "reward")], "NaN");
    assert_eq!(rows[1][column(&rows, "part/verifier")], "0.75");
    // Token 0 is predicted at AR step 0 and known at AR step 1: a zero would read as a measurement.
    assert_eq!(rows[1][column(&rows, "kl/ar_step_1")], "");
}

#[test]
fn pictures_are_magnified_by_whole_numbers() {
    let (_root, mut stage) = stage(0);
    // 24 pixels, 11 times, two pictures with a gap of 4.
    assert_eq!(png(&mut stage, Pane::Group).dimensions(), (2 * 264 + 4, 264));
    assert_eq!(png(&mut stage, Pane::Picture).dimensions(), (768, 768));
    assert_eq!(png(&mut stage, Pane::WhatIf).dimensions(), (768, 768));
    let strip = png(&mut stage, Pane::Probes);
    assert_eq!(strip.dimensions(), (2 * 128 + 4, 128));
    assert_eq!((strip.get_pixel(5, 5).0, strip.get_pixel(200, 5).0), ([0, 7, 9], [2, 7, 9]));
}

#[test]
fn the_picture_has_its_overlay_and_the_grid() {
    let (_root, mut stage) = stage(0);
    let with = png(&mut stage, Pane::Picture);
    stage.view.hide_grid = true;
    assert_ne!(png(&mut stage, Pane::Picture), with);
    stage.overlay.layer = marscope::ui::view::Layer::None;
    stage.selection.token = None;
    let bare = png(&mut stage, Pane::Picture);
    // Pixel (2, 1) of the recorded picture.
    assert_eq!(bare.get_pixel(32 * 2 + 16, 32 + 16).0, [20, 90, 11]);
}

#[test]
fn captions_are_text() {
    let (_root, mut stage) = stage(0);
    let group = svg(&mut stage, Pane::Group);
    assert!(group.contains("reward 0.7500") && group.contains("advantage +1.25"));
    assert!(group.contains("reward NaN") && group.contains("advantage NaN"));
    assert_eq!(group.matches("data:image/png;base64,").count(), 2);
    let probes = svg(&mut stage, Pane::Probes);
    assert!(probes.contains("a &quot;blue&quot;, &lt;square&gt;") && probes.contains("2: NaN"));
}

#[test]
fn a_token_is_one_table_with_its_trajectories() {
    let (_root, mut stage) = stage(0);
    // What is read in the background is there when the panel has shown it.
    let rows = loop {
        let rows = csv(&mut stage, Pane::Token);
        if rows.iter().any(|row| row[0] == "kl_by_diffusion_step")
            && rows.iter().any(|row| row[0] == "sampled_trajectory")
            && rows.iter().any(|row| row[0] == "trajectory")
            && rows.iter().any(|row| row[0] == "log_prob_by_diffusion_step")
        {
            break rows;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    let of = |name: &str| rows.iter().filter(|row| row[0] == name).count();
    assert_eq!(rows[0], ["quantity", "ar_step", "trajectory", "diffusion_step", "channel", "value"]);
    // S x states x channels, and states.
    assert_eq!((of("trajectory"), of("sampled_trajectory"), of("spread")), (3 * 4 * 2, 4 * 2, 4));
    assert_eq!((of("uncertainty"), of("order"), of("cosine_gain")), (1, 1, 3));
    let drawn = svg(&mut stage, Pane::Token);
    is_well_formed(&drawn);
    assert!(drawn.contains("S = 3 trajectories") && drawn.contains("KL over diffusion steps"));
    stage.selection.token = None;
    assert!(saved(&mut stage, Pane::Token, Format::Csv).unwrap_err().starts_with("No token is pinned"));
}

#[test]
fn the_histogram_counts_all_tokens_and_those_without_a_bin() {
    let (_root, mut stage) = stage(0);
    let rows = csv(&mut stage, Pane::Histogram);
    let tokens: usize = rows[1..].iter().map(|row| row[2].parse::<usize>().unwrap()).sum();
    assert_eq!(tokens, TOKENS);
    assert_eq!(rows.last().unwrap()[..], ["NaN", "NaN", "1"]);
}

#[test]
fn what_would_change_names_both_masks() {
    let (_root, mut stage) = stage(0);
    stage.view.tried.share = Some(0.5);
    let rows = csv(&mut stage, Pane::WhatIf);
    let (recorded, tried) = (column(&rows, "mte_mask"), column(&rows, "mte_mask_would_be"));
    let count = |at: usize| rows[1..].iter().filter(|row| row[at] == "1").count();
    assert_eq!((count(recorded), count(tried)), (4, 8));
    assert_eq!(svg(&mut stage, Pane::WhatIf).matches(": +\">").count(), 4);
}

#[test]
fn the_list_is_saved_as_it_is_sorted_and_filtered() {
    let (_root, mut stage) = stage(0);
    let rows = csv(&mut stage, Pane::Tokens);
    assert_eq!(rows[1][0], NAN_TOKEN.to_string(), "NaN is the largest");
    assert_eq!(rows.len(), 1 + SIDE * SIDE);
    stage.view.brush = Some(Brush::between(0.1, 0.2));
    stage.view.brushed_only = true;
    let brushed = csv(&mut stage, Pane::Tokens);
    let held = (0..TOKENS).filter(|token| (0.1..=0.2).contains(&f64::from(uncertainty(1, *token)))).count();
    assert_eq!(brushed.len(), 1 + held);
}

#[test]
fn noise_has_a_row_a_measurement() {
    let (_root, mut stage) = stage(0);
    let rows = csv(&mut stage, Pane::Noise);
    assert_eq!(rows[1], ["0", "Single trajectory", "9.0", "1.0", "", "NaN"]);
    assert_eq!(rows[2], ["0", "MTE, all tokens", "2.25", "0.25", "", ""]);
    assert_eq!(rows.len(), 5);
}

#[test]
fn the_window_waits_for_a_small_part_of_the_work_alone() {
    let (_root, mut stage) = stage(0);
    for pane in [Pane::Group, Pane::Picture] {
        for format in [Format::Png, Format::Svg] {
            let (mut waited, mut worked) = (Duration::MAX, Duration::MAX);
            for _ in 0..3 {
                let start = Instant::now();
                let job = gathered(&mut stage, pane, format).unwrap();
                waited = waited.min(start.elapsed());
                let start = Instant::now();
                job.run().unwrap();
                worked = worked.min(start.elapsed());
            }
            println!(
                "{pane:?} {format:?}: the window waits {waited:?}, the thread of files works {worked:?}"
            );
            assert!(waited < worked, "{pane:?} {format:?}: {waited:?} of {worked:?}");
        }
    }
}

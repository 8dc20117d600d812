//! What is said about runs: the list, the check, the exports, and the store they are made from.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use marscope::runs::check::{Severity, check};
use marscope::runs::event::{Event, GroupRecord, Mark, MediaRef, PictureRecord, ProbeFrame, Scalar};
use marscope::runs::export::{write_csv, write_json};
use marscope::runs::folder::{EVENTS_FILE, HEADER_FILE, RunFolder, RunHeader};
use marscope::runs::list::{ListRow, list_runs};
use marscope::runs::store::RunStore;

fn header() -> RunHeader {
    RunHeader::new("train", serde_json::Value::Null, "cpu")
}

fn scalars(step: usize, values: &[(&str, f64)]) -> Event {
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), Scalar(*value))).collect();
    Event::Scalars { step, seconds: 0.5 * step as f64, values }
}

fn store(events: Vec<Event>) -> RunStore {
    let mut store = RunStore::new(Path::new("runs/a"), header());
    for event in events {
        store.add(event);
    }
    store
}

fn record(path: &Path, header: &RunHeader, events: &[Event]) {
    let mut run = RunFolder::create(path, header).unwrap();
    for event in events {
        run.record(event).unwrap();
    }
}

#[test]
fn nothing_that_is_not_finite_is_lost_on_the_way_to_a_plot() {
    let values = [1.0, f64::NAN, f64::INFINITY, -3.0, f64::NEG_INFINITY, f64::NAN];
    let root = tempfile::tempdir().unwrap();
    let events: Vec<Event> = (0..6).map(|step| scalars(step, &[("loss", values[step])])).collect();
    record(&root.path().join("run"), &header(), &events);
    let store = marscope::runs::open(&root.path().join("run")).unwrap();
    let series = store.series("loss").unwrap();
    let all = series.buckets(0..=5, 1)[0];
    assert_eq!((all.min, all.max, all.count), (Some(-3.0), Some(1.0), 6));
    assert_eq!((all.nan, all.positive_infinity, all.negative_infinity), (2, 1, 1));
    assert!(all.last.is_nan());
    assert_eq!(series.buckets(1..=2, 1)[0].min, None);
    assert_eq!(series.smoothed(0.9).1, 4);
    let report = check(&root.path().join("run"));
    assert_eq!(report.findings.len(), 1);
    assert_eq!(report.findings[0].severity, Severity::Warning);
    assert_eq!(report.findings[0].text, "loss is NaN or infinite 4 times, first at step 1");
}

fn group(prompt: &str) -> GroupRecord {
    let png = MediaRef { offset: 0, length: 0, crc: 0 };
    let parts = BTreeMap::from([("colour".to_owned(), Scalar(0.5))]);
    GroupRecord {
        prompt: prompt.into(),
        side: 8,
        ar_steps: 16,
        trained_ar_steps: vec![3, 9],
        trained_diffusion_steps: Vec::new(),
        zero_std: false,
        pictures: vec![PictureRecord { reward: Scalar(f64::NAN), parts, advantage: Scalar(-1.0), png }],
        maps: Vec::new(),
    }
}

fn mixed() -> Vec<Event> {
    let png = MediaRef { offset: 0, length: 0, crc: 0 };
    let (from, to) = (serde_json::json!(1), serde_json::json!({ "k": 4 }));
    vec![
        scalars(0, &[("loss", 2.0), ("kl, \"mean\"", 0.1)]),
        Event::Group { step: 0, group: group("a red circle") },
        scalars(1, &[("loss", f64::NAN)]),
        Event::Mark { step: 1, mark: Mark::Checkpoint, text: "saved".into() },
        scalars(2, &[("loss", f64::NEG_INFINITY), ("kl, \"mean\"", 1e300)]),
        Event::Group { step: 2, group: group("a blue ring") },
        Event::Probes {
            step: 2,
            frames: vec![ProbeFrame { prompt: "a ring".into(), score: Scalar(0.25), png }],
        },
        Event::Change { step: 3, setting: "mte".into(), from, to },
        Event::Note { step: 3, text: "a remark".into() },
        scalars(3, &[("loss", 1.0)]),
        scalars(3, &[("loss", 0.5), ("held_out_mean/all", f64::INFINITY)]),
    ]
}

#[test]
fn events_find_their_place_in_any_order() {
    let straight = store(mixed());
    // Each step backwards, but what happened in one step stays in its order.
    let mut backwards = mixed();
    backwards.sort_by_key(|event| std::cmp::Reverse(event.step()));
    let mut at_once = RunStore::new(Path::new("runs/a"), straight.header().clone());
    at_once.extend(backwards.clone());
    for other in [store(backwards), at_once] {
        assert_eq!(other.all_series().len(), 3);
        for (name, series) in straight.all_series() {
            let columns = other.series(name).unwrap().columns();
            assert_eq!(format!("{columns:?}"), format!("{:?}", series.columns()), "{name}");
        }
        assert_eq!((other.changes(), other.marks()), (straight.changes(), straight.marks()));
        assert_eq!((other.notes(), other.last_step()), (straight.notes(), Some(3)));
        assert_eq!(other.group_at(1).unwrap().1.prompt, "a red circle");
        assert_eq!(other.group_at(2).unwrap().1.prompt, "a blue ring");
        assert_eq!(other.probes_at(9).unwrap().0, 2);
    }
    let mut cleared = straight.clone();
    cleared.clear();
    assert_eq!((cleared.last_step(), cleared.all_series().len(), cleared.groups().len()), (None, 0, 0));
    assert_eq!(cleared.header(), straight.header());
}

#[test]
fn csv_has_a_row_a_step_and_loses_nothing() {
    let mut out = Vec::new();
    write_csv(&store(mixed()), &mut out).unwrap();
    let expected = [
        "step,seconds,held_out_mean/all,\"kl, \"\"mean\"\"\",loss",
        "0,0.0,,0.1,2.0",
        "1,0.5,,,NaN",
        "2,1.0,,1e300,-inf",
        "3,1.5,inf,,1.0",
        "3,1.5,,,0.5",
        "",
    ];
    assert_eq!(String::from_utf8(out).unwrap(), expected.join("\r\n"));
    let mut out = Vec::new();
    write_csv(&store(Vec::new()), &mut out).unwrap();
    assert_eq!(out, b"step,seconds\r\n");
}

#[test]
fn json_has_the_numbers_without_the_pixels() {
    let mut out = Vec::new();
    write_json(&store(mixed()), &mut out).unwrap();
    let run: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(run["header"]["kind"], "train");
    assert_eq!(run["scalars"]["loss"]["steps"], serde_json::json!([0, 1, 2, 3, 3]));
    assert_eq!(run["scalars"]["loss"]["values"], serde_json::json!([2.0, "NaN", "-Infinity", 1.0, 0.5]));
    assert_eq!(run["changes"][0]["to"]["k"], 4);
    assert_eq!(run["marks"][0]["mark"], "checkpoint");
    assert_eq!(run["notes"][0]["text"], "a remark");
    assert_eq!(run["groups"][1]["prompt"], "a blue ring");
    let picture = serde_json::json!({ "reward": "NaN", "parts": { "colour": 0.5 }, "advantage": -1.0 });
    assert_eq!(run["groups"][0]["pictures"], serde_json::json!([picture]));
    assert_eq!(run["probes"][0]["frames"][0], serde_json::json!({ "prompt": "a ring", "score": 0.25 }));
}

#[test]
fn all_runs_are_listed_and_broken_ones_say_why() {
    let root = tempfile::tempdir().unwrap();
    let place = |name: &str| root.path().join(name);
    let events: Vec<Event> = [0.25, 0.75, f64::INFINITY, f64::NAN, 0.5]
        .into_iter()
        .enumerate()
        .map(|(step, reward)| {
            scalars(step, &[("reward/mean", reward), ("held_out_mean/all", 0.1 * step as f64)])
        })
        .collect();
    let named =
        RunHeader { name: Some("best yet".into()), variant: Some("mte".into()), seed: Some(3), ..header() };
    record(&place("deep/er/good"), &named, &events);
    record(&place("cut"), &header(), &events[..1]);
    fs::write(place("cut").join(EVENTS_FILE), "{\"kind\":\"sca").unwrap();
    record(&place("bad line"), &header(), &events[..2]);
    let good = fs::read_to_string(place("bad line").join(EVENTS_FILE)).unwrap();
    fs::write(place("bad line").join(EVENTS_FILE), format!("{good}rubbish\n{good}")).unwrap();
    record(&place("headless"), &header(), &[]);
    fs::write(place("headless").join(HEADER_FILE), "{}").unwrap();
    record(&place("no header"), &header(), &[]);
    fs::remove_file(place("no header").join(HEADER_FILE)).unwrap();
    record(&place("no events"), &header(), &[]);
    fs::remove_file(place("no events").join(EVENTS_FILE)).unwrap();
    fs::create_dir_all(place("not a run/at all")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(root.path(), place("circle")).unwrap();

    let rows = list_runs(root.path()).unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["bad line", "cut", "best yet", "headless", "no events", "no header"]);
    let [bad_line, cut, good, rest @ ..] = rows.as_slice() else { panic!("{rows:?}") };
    assert!(bad_line.problem.as_ref().unwrap().contains("line 3"));
    assert_eq!(bad_line.reward_last, Some(Scalar(0.75)), "what could be read");
    assert_eq!((cut.tail_cut, cut.last_step, cut.problem.clone()), (true, None, None));
    let expected = ListRow {
        path: place("deep/er/good"),
        name: "best yet".into(),
        kind: "train".into(),
        variant: Some("mte".into()),
        seed: Some(3),
        started: named.started,
        last_step: Some(4),
        seconds: Some(2.0),
        reward_last: Some(Scalar(0.5)),
        reward_best: Some(Scalar(0.75)),
        held_out_last: Some(Scalar(0.4)),
        ..ListRow::default()
    };
    assert_eq!(good, &expected);
    assert!(rest.iter().all(|row| row.problem.is_some()), "{rest:?}");
    assert!(list_runs(&place("nowhere")).unwrap_err().to_string().contains("nowhere"));
}

#[test]
fn checks_explain_what_is_wrong() {
    let root = tempfile::tempdir().unwrap();
    let texts = |path: &Path| -> Vec<(Severity, String)> {
        check(path).findings.into_iter().map(|finding| (finding.severity, finding.text)).collect()
    };
    let back = root.path().join("back");
    let resume = Event::Mark { step: 1, mark: Mark::Resume, text: "continued".into() };
    record(&back, &header(), &[scalars(4, &[]), scalars(2, &[]), scalars(3, &[]), resume, scalars(1, &[])]);
    let found = texts(&back);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].1.contains("line 2 is of step 2, after step 4"), "{found:?}");

    let lost = root.path().join("lost");
    let wrong = Event::Group { step: 0, group: GroupRecord { maps: Vec::new(), ..group("a ring") } };
    record(&lost, &header(), &vec![wrong; 14]);
    let found = texts(&lost);
    assert_eq!(found.iter().filter(|(_, text)| text.contains("media.bin")).count(), 10);
    assert!(found.iter().any(|(_, text)| text == "and 4 more lost pictures and maps"), "{found:?}");

    let saved = root.path().join("saved");
    record(&saved, &header(), &[scalars(0, &[])]);
    fs::create_dir_all(saved.join("checkpoint/model")).unwrap();
    fs::create_dir_all(saved.join("checkpoints")).unwrap();
    fs::create_dir_all(saved.join("checkpoint.new")).unwrap();
    fs::write(saved.join("checkpoint/weights.bpk"), "").unwrap();
    let found = texts(&saved);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(
        found[0].1.contains("model is empty") && found[1].1.contains("weights.bpk has no bytes"),
        "{found:?}"
    );
    assert!(found[2].0 == Severity::Note && found[2].1.contains("checkpoint.new"), "{found:?}");
    assert!(check(&root.path().join("nowhere")).is_broken());
}

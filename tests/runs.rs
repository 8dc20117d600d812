//! Records of runs survive what happens to files: a kill at any byte, a flipped bit, a full disk, a resume, a slow reader.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use marscope::runs::check::{Report, Severity, check};
use marscope::runs::event::{Element, Event, GroupRecord, Mark, PictureRecord, ProbeFrame, Scalar};
use marscope::runs::folder::{EVENTS_FILE, HEADER_FILE, RunFolder, RunHeader, read_events, read_header};
use marscope::runs::list::row;
use marscope::runs::media::{MEDIA_FILE, read_map, read_picture, references};
use marscope::runs::reader::RunReader;
use marscope::runs::{open, open_reader};
use marscope::world::image::Rgb8;
use proptest::prelude::*;

fn header() -> RunHeader {
    RunHeader {
        seed: Some(7),
        ..RunHeader::new("train", serde_json::json!({ "rl": { "beta": 0.1 } }), "cpu")
    }
}

fn picture(shade: u8) -> Vec<u8> {
    Rgb8::filled(4, 4, [shade, 255 - shade, 7]).to_png().unwrap()
}

fn group(run: &mut RunFolder, step: usize) -> GroupRecord {
    let pictures = (0..2)
        .map(|i| PictureRecord {
            reward: Scalar(0.5 * f64::from(i)),
            parts: BTreeMap::from([("colour".to_owned(), Scalar(1.0))]),
            advantage: Scalar(f64::from(i) - 0.5),
            png: run.media(&picture(10 * step as u8 + i as u8)).unwrap(),
        })
        .collect();
    let map = |run: &mut RunFolder, name: &str, element, shape: &[usize]| {
        let values: Vec<f32> = (0..shape.iter().product()).map(|i| (i % 2) as f32).collect();
        run.map(name, shape, element, &values).unwrap()
    };
    GroupRecord {
        prompt: "two red circles".into(),
        side: 2,
        ar_steps: 4,
        trained_ar_steps: vec![1, 3],
        trained_diffusion_steps: Vec::new(),
        zero_std: false,
        pictures,
        maps: vec![
            map(run, "mte_mask", Element::U8, &[2, 4]),
            map(run, "uncertainty", Element::F16, &[2, 2, 4]),
            map(run, "kl", Element::F32, &[2, 2, 4]),
        ],
    }
}

/// Records steps `steps` as training does.
fn train(run: &mut RunFolder, steps: std::ops::Range<usize>) {
    for step in steps {
        let values = BTreeMap::from([("reward/mean".to_owned(), 0.1 * step as f64), ("kl".to_owned(), 0.25)]);
        run.scalars(step, 1.5 * step as f64, &values).unwrap();
        if step % 2 == 0 {
            let group = group(run, step);
            run.record(&Event::Group { step, group }).unwrap();
        }
        if step == 3 {
            let png = run.media(&picture(200)).unwrap();
            let frames = vec![ProbeFrame { prompt: "a blue ring".into(), score: Scalar(0.75), png }];
            run.record(&Event::Probes { step, frames }).unwrap();
            let (from, to) = (serde_json::json!(0.1), serde_json::json!(0.2));
            run.record(&Event::Change { step: 4, setting: "rl.beta".into(), from, to }).unwrap();
            run.record(&Event::Note { step, text: "a remark, \"quoted\"".into() }).unwrap();
            run.record(&Event::Mark { step: 1, mark: Mark::Alert, text: "it began earlier".into() }).unwrap();
        }
    }
}

struct Fixture {
    _root: tempfile::TempDir,
    path: PathBuf,
}

fn recorded(steps: usize) -> Fixture {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    train(&mut RunFolder::create(&path, &header()).unwrap(), 0..steps);
    Fixture { _root: root, path }
}

fn broken(report: &Report) -> usize {
    report.findings.iter().filter(|finding| finding.severity == Severity::Broken).count()
}

#[test]
fn a_run_is_read_as_it_was_recorded() {
    let run = recorded(5);
    let report = check(&run.path);
    assert_eq!((report.events, report.media), (12, 16));
    assert!(report.findings.is_empty(), "{report:?}");
    let store = open(&run.path).unwrap();
    assert_eq!(store.header(), &read_header(&run.path).unwrap());
    assert_eq!((store.last_step(), store.name().as_str()), (Some(4), "run"));
    assert_eq!(store.names().collect::<Vec<_>>(), ["kl", "reward/mean"]);
    let (step, group) = store.group_at(3).unwrap();
    assert_eq!((*step, group.pictures.len()), (2, 2));
    assert_eq!(read_picture(&run.path, group.pictures[1].png).unwrap().pixel(0, 0), [21, 234, 7]);
    assert_eq!(read_map(&run.path, &group.maps[1]).unwrap()[..4], [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(store.probes_at(2), None);
    // By its files too, as a dialog hands them over.
    assert_eq!(open(&run.path.join(EVENTS_FILE)).unwrap().last_step(), Some(4));
    for wrong in
        [run.path.join("nothing"), run.path.parent().unwrap().to_path_buf(), run.path.join(MEDIA_FILE)]
    {
        assert!(open(&wrong).unwrap_err().to_string().contains(&wrong.display().to_string()));
    }
}

#[test]
fn a_record_cut_at_any_byte_loses_at_most_the_cut_event() {
    let run = recorded(5);
    let events = run.path.join(EVENTS_FILE);
    let bytes = fs::read(&events).unwrap();
    for cut in 0..=bytes.len() {
        fs::write(&events, &bytes[..cut]).unwrap();
        let whole = bytes[..cut].split(|b| *b == b'\n').count() - 1;
        let half = cut > 0 && bytes[cut - 1] != b'\n';
        let mut reader = open_reader(&run.path).unwrap();
        assert_eq!(reader.follow().unwrap().events.len(), whole, "cut at {cut}");
        assert_eq!((row(&run.path).tail_cut, row(&run.path).problem), (half, None));
        let report = check(&run.path);
        assert_eq!((report.events, broken(&report)), (whole, 0), "cut at {cut}: {report:?}");
        assert_eq!(report.findings.iter().any(|f| f.text.contains("has no end")), half);
    }
}

#[test]
fn media_cut_at_any_byte_loses_at_most_what_was_cut() {
    let run = recorded(3);
    let media = run.path.join(MEDIA_FILE);
    let bytes = fs::read(&media).unwrap();
    let events = read_events(&run.path).unwrap();
    let ends: Vec<u64> =
        events.iter().flat_map(references).map(|(_, at)| at.offset + u64::from(at.length)).collect();
    assert_eq!(ends.len(), 10);
    for cut in 0..bytes.len() {
        fs::write(&media, &bytes[..cut]).unwrap();
        let whole = ends.iter().filter(|end| **end <= cut as u64).count();
        let report = check(&run.path);
        assert_eq!((report.media, broken(&report)), (whole, ends.len() - whole), "cut at {cut}");
        assert!(report.is_broken());
        assert_eq!(report.events, events.len());
    }
    fs::remove_file(&media).unwrap();
    assert_eq!(broken(&check(&run.path)), ends.len());
}

#[test]
fn every_flipped_bit_is_found() {
    let run = recorded(3);
    for name in [EVENTS_FILE, MEDIA_FILE] {
        let file = run.path.join(name);
        let bytes = fs::read(&file).unwrap();
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            fs::write(&file, &flipped).unwrap();
            let report = check(&run.path);
            // The last line end is all that a cut line lacks.
            let only_cut = name == EVENTS_FILE && at == bytes.len() - 1;
            assert!(report.is_broken() || only_cut, "{name}, byte {at}");
            assert!(!report.findings.is_empty(), "{name}, byte {at}");
        }
        fs::write(&file, &bytes).unwrap();
    }
    assert!(check(&run.path).findings.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn rubbish_anywhere_never_panics(
        which in 0_usize..3,
        at in 0.0..1.0,
        rubbish in prop::collection::vec(any::<u8>(), 0..60),
        removed in 0_usize..200,
    ) {
        let run = recorded(3);
        let file = run.path.join([EVENTS_FILE, MEDIA_FILE, HEADER_FILE][which]);
        let mut bytes = fs::read(&file).unwrap();
        let at = (at * bytes.len() as f64) as usize;
        let end = (at + removed).min(bytes.len());
        bytes.splice(at..end, rubbish);
        fs::write(&file, bytes).unwrap();
        let _ = (open(&run.path).is_ok(), row(&run.path), read_events(&run.path).is_ok());
        let _ = check(&run.path);
        let _ = RunFolder::resume(&run.path, 2).is_ok();
    }

    #[test]
    fn a_growing_record_is_followed(pieces in prop::collection::vec(1_usize..400, 1..30)) {
        let run = recorded(5);
        let events = run.path.join(EVENTS_FILE);
        let bytes = fs::read(&events).unwrap();
        let expected = read_events(&run.path).unwrap();
        fs::write(&events, "").unwrap();
        let mut reader = RunReader::open(&run.path).unwrap();
        let mut file = fs::File::options().append(true).open(&events).unwrap();
        let mut seen = Vec::new();
        let mut rest = bytes.as_slice();
        for piece in pieces.into_iter().chain([usize::MAX]) {
            let (now, later) = rest.split_at(piece.min(rest.len()));
            file.write_all(now).unwrap();
            rest = later;
            let followed = reader.follow().unwrap();
            prop_assert!(!followed.restarted);
            seen.extend(followed.events);
        }
        prop_assert_eq!(seen, expected);
    }
}

#[test]
fn a_run_killed_at_any_byte_is_resumed_and_whole_again() {
    let run = recorded(5);
    let (events, media) = (run.path.join(EVENTS_FILE), run.path.join(MEDIA_FILE));
    let (record, pictures) = (fs::read(&events).unwrap(), fs::read(&media).unwrap());
    for cut in (0..record.len()).step_by(7) {
        fs::write(&events, &record[..cut]).unwrap();
        // Written before the events: there may be more of it.
        fs::write(&media, &pictures).unwrap();
        let mut resumed = RunFolder::resume(&run.path, 2).unwrap();
        assert!(read_events(&run.path).unwrap().iter().all(|event| event.step() < 2));
        resumed.record(&Event::Mark { step: 2, mark: Mark::Resume, text: "continued".into() }).unwrap();
        train(&mut resumed, 2..5);
        let report = check(&run.path);
        assert!(report.findings.is_empty(), "cut at {cut}: {report:?}");
        assert_eq!(open(&run.path).unwrap().last_step(), Some(4));
    }
}

#[test]
fn a_window_that_follows_sees_the_resumed_run_and_nothing_of_the_dropped_part() {
    let run = recorded(5);
    let mut reader = open_reader(&run.path).unwrap();
    let mut store = open(&run.path).unwrap();
    while store.update(&mut reader).unwrap() {}
    let mut resumed = RunFolder::resume(&run.path, 3).unwrap();
    train(&mut resumed, 3..4);
    while store.update(&mut reader).unwrap() {}
    assert_eq!(store.series("kl").unwrap().columns().0, [0, 1, 2, 3]);
    assert_eq!(store.groups().iter().map(|e| e.0).collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn runs_of_earlier_versions_are_read_and_resumed() {
    let run = recorded(3);
    let events = run.path.join(EVENTS_FILE);
    let expected = read_events(&run.path).unwrap();
    // As they were before lines had checksums.
    let plain: String = expected.iter().map(|e| serde_json::to_string(e).unwrap() + "\n").collect();
    fs::write(&events, plain).unwrap();
    assert_eq!(read_events(&run.path).unwrap(), expected);
    assert!(check(&run.path).findings.is_empty());
    train(&mut RunFolder::resume(&run.path, 3).unwrap(), 3..5);
    assert!(check(&run.path).findings.is_empty());
    assert!(read_events(&run.path).unwrap().starts_with(&expected));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_sentence() {
    let root = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", root.path().join(EVENTS_FILE)).unwrap();
    let mut run = RunFolder::create(root.path(), &header()).unwrap();
    for _ in 0..2 {
        let message = run.scalars(0, 0.0, &BTreeMap::new()).unwrap_err().to_string();
        assert!(message.starts_with("cannot ") && message.contains(EVENTS_FILE), "{message}");
    }
}

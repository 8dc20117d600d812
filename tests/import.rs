//! Logs of other programs, written by the real libraries (`tests/data/import/make.py`), whole and damaged.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use chacha20::ChaCha8Rng;
use marscope::runs::event::Event;
use marscope::runs::import::{Format, Imported, import};
use rand::{RngExt, SeedableRng};

const CLASSIC: &str = "torch/events.out.tfevents.1700000000.sample.1.0";
const NEW_STYLE: &str = "new_style/events.out.tfevents.1700000000.sample.2.0";
const TF2: &str = "tf2/events.out.tfevents.1700000000.sample.3.v2";
const STATE: &str = "trainer/checkpoint-6/trainer_state.json";

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/import").join(name)
}

fn read(path: &Path) -> Imported {
    import(path).unwrap_or_else(|error| panic!("{error}"))
}

/// Step, seconds and value of everything named `name`.
fn series(imported: &Imported, name: &str) -> Vec<(usize, f64, f64)> {
    let point = |event: &Event| match event {
        Event::Scalars { step, seconds, values } => values.get(name).map(|value| (*step, *seconds, value.0)),
        _ => panic!("only numbers are imported"),
    };
    imported.events.iter().filter_map(point).collect()
}

/// Like `assert_eq`, but NaN equals itself.
fn assert_series(imported: &Imported, name: &str, expected: &[(usize, f64, f64)]) {
    assert_eq!(format!("{:?}", series(imported, name)), format!("{expected:?}"), "{name}");
}

/// As [`assert_series`], for all there is.
fn assert_same(a: &Imported, b: &Imported) {
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

fn warns(imported: &Imported, words: &str) -> bool {
    imported.warnings.iter().any(|warning| warning.contains(words))
}

#[test]
fn torch_scalars_and_images() {
    let log = read(&data("torch"));
    assert_eq!((log.format, log.name.as_str()), (Format::TensorBoard, "torch"));
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let tenth = f64::from(0.1_f32);
    // The writer was opened half a second before the first number.
    let loss = [(0, 0.5, 2.5), (1, 2.5, nan), (2, 4.5, inf), (3, 6.5, -inf), (4, 8.5, tenth)];
    assert_series(&log, "train/loss", &loss);
    let reward = [(0, 0.5, 0.0), (1, 2.5, 0.25), (2, 4.5, 0.5), (3, 6.5, 0.75), (4, 8.5, 1.0)];
    assert_series(&log, "train/reward", &reward);
    assert_eq!(log.images.iter().map(|image| image.step).collect::<Vec<_>>(), [0, 2, 4]);
    for image in &log.images {
        assert_eq!((image.tag.as_str(), image.width, image.height), ("samples", 16, 16));
        let pixels = image::load_from_memory(&image.bytes).unwrap().to_rgb8();
        assert_eq!(pixels.get_pixel(3, 7).0, [48, 112, 40 * image.step as u8]);
    }
    assert_eq!(log.warnings.len(), 1, "{:?}", log.warnings);
    assert!(log.warnings[0].starts_with("1 value is neither a number nor a picture"), "{:?}", log.warnings);
    assert!(log.warnings[0].contains("\"weights\" at byte "), "{:?}", log.warnings);
    assert_same(&read(&data(CLASSIC)), &log);
}

#[test]
fn tensors_of_plugins() {
    let log = read(&data(NEW_STYLE));
    for (name, tenth) in [("single", f64::from(0.1_f32)), ("double", 0.1)] {
        let expected = [(0, 0.0, 2.5), (1, 1.0, f64::NAN), (2, 2.0, f64::INFINITY), (3, 3.0, tenth)];
        assert_series(&log, name, &expected);
    }
    assert!(log.warnings.is_empty(), "{:?}", log.warnings);
    // The plugin is named only at the first step.
    let log = read(&data(TF2));
    assert_series(&log, "accuracy", &[(0, 1.0, 0.5), (1, 2.0, 0.625), (2, 3.0, 0.75)]);
    let images: Vec<_> = log.images.iter().map(|i| (i.step, i.tag.as_str(), i.width, i.height)).collect();
    let expected = [0, 1, 2].map(|step| [(step, "drawn/0", 16, 16), (step, "drawn/1", 16, 16)]).concat();
    assert_eq!(images, expected);
    assert_eq!(log.images[1].bytes, log.images[2].bytes);
    assert!(log.warnings.is_empty(), "{:?}", log.warnings);
}

#[test]
fn a_restarted_run_keeps_both_stretches() {
    let log = read(&data("restarted"));
    let first = (0..5_u8).map(|s| (s, 0, 1.0 / f32::from(1 + s)));
    let second = (3..7_u8).map(|s| (s, 100, 1.0 / f32::from(1 + s) + 1.0));
    let close = series(&log, "loss");
    assert_eq!(close.len(), 9);
    for ((step, seconds, value), (s, offset, v)) in close.into_iter().zip(first.chain(second)) {
        assert_eq!((step, seconds), (usize::from(s), f64::from(offset + i32::from(s))));
        assert!((value - f64::from(v)).abs() < 1e-6, "{value} {v}");
    }
    assert_eq!(log.warnings.len(), 1, "{:?}", log.warnings);
    assert!(
        warns(&log, "1 time the step goes back") && warns(&log, "from step 4 to 3"),
        "{:?}",
        log.warnings
    );
}

#[test]
fn trainer_states() {
    let log = read(&data("trainer"));
    assert_eq!((log.format, log.name.as_str()), (Format::TrainerState, "trainer"));
    let steps = |value: fn(usize) -> f64| (1..=6).map(|step| (step, 0.0, value(step))).collect::<Vec<_>>();
    assert_series(&log, "reward", &steps(|step| 0.125 * step as f64));
    assert_series(&log, "grad_norm", &steps(|step| if step == 3 { f64::NAN } else { 0.5 * step as f64 }));
    assert_series(&log, "kl", &steps(|step| if step == 4 { f64::INFINITY } else { 0.001 * step as f64 }));
    assert_series(&log, "loss", &steps(|step| if step == 5 { f64::NEG_INFINITY } else { 0.1 }));
    assert_series(&log, "learning_rate", &steps(|step| 1e-6 * (7 - step) as f64));
    assert_series(&log, "completion_length", &steps(|step| 120.5 + step as f64));
    assert_series(&log, "rewards/format_reward", &steps(|_| 1.0));
    assert_series(&log, "eval_reward", &[(3, 0.0, 0.5), (6, 0.0, 0.5)]);
    assert_eq!(series(&log, "epoch").len(), 8);
    assert_eq!(log.warnings, ["the file holds no times: every entry is given 0 seconds"]);
    // The newest checkpoint was read; the older one alone has half of it.
    let newest = read(&data(STATE));
    assert_eq!(newest.name, "trainer/checkpoint-6");
    assert_same(&Imported { name: "trainer".into(), ..newest }, &log);
    let older = read(&data("trainer/checkpoint-3"));
    assert_eq!((older.events.len(), older.name.as_str()), (4, "trainer/checkpoint-3"));
    assert_eq!(older.events[..3].len(), series(&older, "loss").len());
}

#[test]
fn json_lines() {
    let log = read(&data("wandb.jsonl"));
    assert_eq!((log.format, log.name.as_str()), (Format::JsonLines, "wandb"));
    let loss = [(0, 0.0, 1.5), (10, 3.0, 1.25), (20, 6.0, f64::NAN), (30, 9.0, 0.75), (40, 12.0, 0.5)];
    assert_series(&log, "loss", &loss);
    let by_step =
        |value: fn(usize) -> f64| (0..5).map(|i| (10 * i, 3.0 * i as f64, value(i))).collect::<Vec<_>>();
    assert_series(&log, "reward/by/count", &by_step(|i| i as f64));
    assert_series(&log, "done", &by_step(|i| f64::from(u8::from(i == 4))));
    assert_series(&log, "_runtime", &by_step(|i| 3.0 * i as f64));
    assert_series(&log, "summary", &[(6, 12.0, f64::NEG_INFINITY)]);
    for name in ["_step", "_timestamp", "note", "id", "lengths"] {
        assert!(series(&log, name).is_empty(), "{name}");
    }
    let expected = [
        "1 entry has no step and was given its number in the file instead (line 6)",
        "1 entry has no time and was given that of the one before (line 6)",
        "10 values are text and were left out (first: \"note\" in line 1)",
        "5 values are lists and were left out (first: \"lengths\" in line 1)",
    ];
    assert_eq!(log.warnings, expected);
    let log = read(&data("epochs.jsonl"));
    let expected = [0, 1, 2].map(|epoch| (epoch, 0.0, (-(epoch as f64)).exp()));
    assert_series(&log, "train_loss", &expected);
    assert!(warns(&log, "holds no times") && warns(&log, "3 values are null"), "{:?}", log.warnings);
}

/// Writes `bytes` under `name` into a new folder and imports them.
fn import_bytes(name: &str, bytes: &[u8]) -> (marscope::error::Result<Imported>, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    (import(&path), path)
}

#[test]
fn keys_of_steps_and_times() {
    let log = |text: &str| import_bytes("a.jsonl", text.as_bytes()).0.unwrap();
    // A fraction of an epoch is no step; `time` that falls is how long a step took; milliseconds.
    let fractions = log("{\"epoch\":0.5,\"iter\":1,\"a\":1}\n{\"epoch\":0.75,\"iter\":2,\"a\":2}\n");
    assert_series(&fractions, "epoch", &[(1, 0.0, 0.5), (2, 0.0, 0.75)]);
    let durations = log("{\"step\":1,\"time\":9,\"_runtime\":5}\n{\"step\":2,\"time\":1,\"_runtime\":7.5}\n");
    assert_series(&durations, "time", &[(1, 5.0, 9.0), (2, 7.5, 1.0)]);
    let milliseconds = log(
        "{\"step\":1,\"timestamp\":1700000000000,\"a\":0}\n{\"step\":0,\"timestamp\":1700000001500,\"a\":0}",
    );
    assert_series(&milliseconds, "a", &[(1, 0.0, 0.0), (0, 1.5, 0.0)]);
    assert!(warns(&milliseconds, "from step 1 to 0"), "{:?}", milliseconds.warnings);
    // `step` wins over `epoch` for the whole file: a line with only an epoch does not jump to that step.
    let mixed = log("{\"step\":100,\"epoch\":1,\"a\":1}\n{\"epoch\":2,\"a\":2}\n");
    assert_series(&mixed, "a", &[(100, 0.0, 1.0), (2, 0.0, 2.0)]);
    assert!(warns(&mixed, "1 entry has no step"), "{:?}", mixed.warnings);
    let torn = log("{\"step\":1,\"a\":1}\n[1]\noops\n{\"step\":2,\"a\":2}\r\n\n{\"step\":3,\"a\":");
    assert_series(&torn, "a", &[(1, 0.0, 1.0), (2, 0.0, 2.0)]);
    assert!(warns(&torn, "the last line (line 6) is cut off after 14 bytes"), "{:?}", torn.warnings);
    assert!(
        warns(&torn, "1 line is not JSON and was left out (line 3, byte 0: a value"),
        "{:?}",
        torn.warnings
    );
    assert!(warns(&torn, "1 entry is not an object"), "{:?}", torn.warnings);
}

#[test]
fn content_decides_and_names_help() {
    for name in [CLASSIC, NEW_STYLE, TF2, STATE, "wandb.jsonl", "epochs.jsonl"] {
        let bytes = fs::read(data(name)).unwrap();
        let expected = read(&data(name));
        let (renamed, path) = import_bytes("download", &bytes);
        let renamed = renamed.unwrap();
        assert_eq!(renamed.format, expected.format, "{name}");
        assert_eq!(format!("{:?}", renamed.events), format!("{:?}", expected.events), "{name}");
        assert!(path.ends_with("download"));
    }
    let unknown: [(&str, &[u8]); 5] = [
        ("notes.txt", b"loss 1 2 3"),
        ("config.json", b"{\"lr\": 0.1}\n"),
        ("config.json", b"{\n \"step\": 0.1\n}"),
        ("empty", b""),
        ("picture.png", b"\x89PNG\r\n\x1a\n"),
    ];
    for (name, bytes) in unknown {
        let message = import_bytes(name, bytes).0.unwrap_err().to_string();
        assert!(message.contains(name) && message.contains(".jsonl file"), "{message}");
    }
    let (state, _) = import_bytes("trainer_state.json", b"{\"epoch\": 1.0, \"log_hist");
    let message = state.unwrap_err().to_string();
    assert!(message.contains("cut off in line 1 (byte 24)"), "{message}");
    let (state, _) = import_bytes("trainer_state.json", b"{\"epoch\": 1.0}");
    assert!(state.unwrap_err().to_string().contains("no list `log_history`"));
    let (lines, _) = import_bytes("a.jsonl", b"one\ntwo\n");
    assert!(lines.unwrap_err().to_string().contains("no line is a JSON object"));
    assert!(import(Path::new("no/such/file")).unwrap_err().to_string().contains("no/such/file"));
}

#[test]
fn folders() {
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("run");
    let events = run.join("runs/Nov14_host");
    fs::create_dir_all(&events).unwrap();
    fs::copy(data(CLASSIC), events.join("events.out.tfevents.1.host")).unwrap();
    let message = import(&run).unwrap_err().to_string();
    assert!(message.contains("Nov14_host"), "{message}");
    // A damaged newest checkpoint is passed over, with a warning; and numbers are compared as numbers.
    for (step, from) in [(9, "trainer/checkpoint-3"), (10, "trainer/checkpoint-6")] {
        let folder = run.join(format!("checkpoint-{step}"));
        fs::create_dir(&folder).unwrap();
        fs::copy(data(from).join("trainer_state.json"), folder.join("trainer_state.json")).unwrap();
    }
    assert_eq!(read(&run).events.len(), 8);
    fs::write(run.join("checkpoint-10/trainer_state.json"), "{").unwrap();
    let log = read(&run);
    assert_eq!((log.events.len(), log.name.as_str()), (4, "run"));
    assert!(warns(&log, "passed over: ") && warns(&log, "checkpoint-10"), "{:?}", log.warnings);
    // The state beside the checkpoints is the last one where the run ended.
    fs::copy(data(STATE), run.join("trainer_state.json")).unwrap();
    fs::copy(data(CLASSIC), run.join("events.out.tfevents.1.host")).unwrap();
    let log = read(&run);
    assert_eq!(log.events.len(), 8);
    assert!(warns(&log, "event files of TensorBoard too"), "{:?}", log.warnings);
    // One bad file of several.
    fs::write(events.join("events.out.tfevents.2.host"), "something else").unwrap();
    fs::write(events.join("events.out.tfevents.3.host"), "").unwrap();
    let log = read(&events);
    assert_eq!(series(&log, "train/loss").len(), 5);
    assert!(warns(&log, "passed over: ") && warns(&log, "holds no whole event yet"), "{:?}", log.warnings);
    fs::write(root.path().join("run.json"), "{}").unwrap();
    fs::write(root.path().join("events.jsonl"), "{}").unwrap();
    for path in [root.path().to_path_buf(), root.path().join("events.jsonl")] {
        assert!(import(&path).unwrap_err().to_string().contains("run of marscope"));
    }
}

/// What must hold for any file: an error names it, what is read can be written as our own events.
fn check(result: &marscope::error::Result<Imported>, path: &Path) {
    match result {
        Ok(log) => {
            for event in &log.events {
                let line = serde_json::to_string(event).unwrap();
                serde_json::from_str::<Event>(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
            }
        }
        Err(error) => assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}"),
    }
}

#[test]
fn every_cut_keeps_what_precedes_it() {
    for name in [CLASSIC, NEW_STYLE, TF2, STATE, "wandb.jsonl", "epochs.jsonl"] {
        let bytes = fs::read(data(name)).unwrap();
        let whole = read(&data(name));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(Path::new(name).file_name().unwrap());
        let mut most = 0;
        for cut in 0..bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            let result = import(&path);
            check(&result, &path);
            let Ok(log) = result else { continue };
            assert!(
                log.events.len() >= most && log.events.len() <= whole.events.len(),
                "{name} cut at {cut}"
            );
            most = log.events.len();
            // `wandb.jsonl`: a missing last line changes nothing before it.
            let same =
                log.events.iter().zip(&whole.events).all(|(a, b)| format!("{a:?}") == format!("{b:?}"));
            assert!(same, "{name} cut at {cut}");
        }
        assert!(most + 1 >= whole.events.len(), "{name}: {most}");
    }
}

#[test]
fn flipped_bits_never_panic_and_checksums_notice_them() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for name in [CLASSIC, NEW_STYLE, TF2, STATE, "wandb.jsonl", "epochs.jsonl"] {
        let bytes = fs::read(data(name)).unwrap();
        let expected = read(&data(name));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(Path::new(name).file_name().unwrap());
        for case in 0..600 {
            let mut damaged = bytes.clone();
            for _ in 0..=case % 4 {
                damaged[rng.random_range(0..bytes.len())] ^= 1 << rng.random_range(0..8);
            }
            fs::write(&path, &damaged).unwrap();
            let result = import(&path);
            check(&result, &path);
            if expected.format == Format::TensorBoard
                && damaged != bytes
                && let Ok(log) = result
            {
                assert!(warns(&log, "wrong checksum"), "{name}: {:?}", log.warnings);
            }
        }
    }
}

/// The checksum of `TFRecord`, bit by bit.
fn masked_crc(bytes: &[u8]) -> [u8; 4] {
    let mut crc = !0_u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0x82F6_3B78 & (crc & 1).wrapping_neg());
        }
    }
    (!crc).rotate_right(15).wrapping_add(0xA282_EAD8).to_le_bytes()
}

/// The bodies of the records of an event file.
fn bodies(mut file: &[u8]) -> Vec<Vec<u8>> {
    let mut bodies = Vec::new();
    while let Some(length) = file.first_chunk::<8>() {
        let end = 12 + u64::from_le_bytes(*length) as usize;
        bodies.push(file[12..end].to_vec());
        file = &file[end + 4..];
    }
    bodies
}

#[test]
fn damage_behind_right_checksums_never_panics() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for name in [CLASSIC, NEW_STYLE, TF2] {
        let bodies = bodies(&fs::read(data(name)).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.out.tfevents.1.host");
        for _ in 0..600 {
            let mut file = Vec::new();
            for body in &bodies {
                let mut body = body.clone();
                let (at, bit) = (rng.random_range(0..body.len()), rng.random_range(0..8));
                match rng.random_range(0..4) {
                    0 => body[at] ^= 1 << bit,
                    1 => body.truncate(at),
                    2 => body.insert(at, 1 << bit),
                    _ => {}
                }
                let length = (body.len() as u64).to_le_bytes();
                file.extend(length);
                file.extend(masked_crc(&length));
                file.extend(&body);
                file.extend(masked_crc(&body));
            }
            fs::write(&path, &file).unwrap();
            let result = import(&path);
            check(&result, &path);
            match result {
                Ok(log) => assert!(!warns(&log, "checksum"), "{:?}", log.warnings),
                Err(error) => assert!(error.to_string().contains("none of them is an event"), "{error}"),
            }
        }
    }
}

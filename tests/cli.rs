//! The program as a user meets it: what works, and one clear sentence for everything that cannot.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_marscope");
const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/model");

fn marscope(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).args(["--device", "cpu"]).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs, expects failure without a panic, and returns what was said.
fn refused(arguments: &[&str]) -> String {
    let output = marscope(arguments);
    let said = text(&output.stderr);
    assert!(!output.status.success(), "{arguments:?} succeeded");
    assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    assert!(said.starts_with("error: "), "{arguments:?}: {said}");
    assert!(said.lines().count() <= 4, "{arguments:?}: one sentence, not {said}");
    said
}

/// A copy of the shipped model to spoil.
fn copied_model(root: &Path) -> std::path::PathBuf {
    let copy = root.join("model");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(SHIPPED).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
    }
    copy
}

#[test]
fn sample_writes_pictures_and_the_same_seed_writes_the_same_bytes() {
    let root = tempfile::tempdir().unwrap();
    let draw = |name: &str, seed: &str| {
        let out = root.path().join(name);
        let output = marscope(&[
            "sample",
            "two red circles",
            "A photo of a blue square to the left of a green ring.",
            "--count",
            "2",
            "--seed",
            seed,
            "--ar-steps",
            "4",
            "--diffusion-steps",
            "4",
            "--json",
            "--out",
            out.to_str().unwrap(),
        ]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let written: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(written.as_array().unwrap().len(), 4);
        assert_eq!(written[2]["prompt"], "a blue square left of a green ring");
        fs::read(out.join("sheet.png")).unwrap()
    };
    // Two processes, one seed.
    assert_eq!(draw("a", "3"), draw("b", "3"));
    assert_ne!(draw("c", "4"), draw("d", "5"));
}

#[test]
fn a_picture_does_not_depend_on_its_batch() {
    let root = tempfile::tempdir().unwrap();
    let draw = |count: &str, picture: &str| {
        let out = root.path().join(count);
        let output = marscope(&[
            "sample",
            "a red circle",
            "--count",
            count,
            "--ar-steps",
            "4",
            "--diffusion-steps",
            "2",
            "--out",
            out.to_str().unwrap(),
        ]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        fs::read(out.join(format!("000_a-red-circle_{picture}.png"))).unwrap()
    };
    // Alone, in a batch of four, at the start of a second batch.
    let first = draw("8", "0");
    assert_eq!(draw("1", "0"), first);
    assert_eq!(draw("4", "0"), first);
    assert_eq!(draw("5", "4"), draw("8", "4"));
}

#[test]
fn prompts_outside_the_grammar_are_explained() {
    let said = refused(&["sample", "two rad circles"]);
    assert!(said.contains("\"rad\"") && said.contains("red"), "{said}");
    assert!(refused(&["sample", ""]).contains("asks for nothing"));
    refused(&["sample", "circle red"]);
    refused(&["sample", "five red circles"]);
    refused(&["sample", &"very ".repeat(5000)]);
}

#[test]
fn settings_out_of_range_are_named() {
    let with = |flag: &str, value: &str| refused(&["sample", "a red circle", flag, value]);
    assert!(with("--ar-steps", "0").contains("AR steps"));
    assert!(with("--diffusion-steps", "0").contains("diffusion steps"));
    assert!(with("--diffusion-steps", "100000").contains("1000"));
    assert!(with("--guidance", "NaN").contains("guidance"));
    assert!(with("--count", "0").contains("pictures"));
    assert!(with("--count", "18446744073709551615").contains("pictures"));
    assert!(with("--stochastic-steps", "13").contains("stochastic"));
    assert!(refused(&["eval", "--captions", "0"]).contains("captions"));
    assert!(refused(&["bench", "--steps", "0"]).contains("steps"));
}

#[test]
fn broken_models_are_refused_by_name() {
    let root = tempfile::tempdir().unwrap();
    let with = |model: &Path| refused(&["sample", "a red circle", "--model", model.to_str().unwrap()]);
    assert!(with(&root.path().join("nowhere")).contains("manifest.json"));

    let model = copied_model(root.path());
    let weights = model.join("generator.bpk");
    let whole = fs::read(&weights).unwrap();
    fs::write(&weights, &whole[..whole.len() / 2]).unwrap();
    let said = with(&model);
    assert!(said.contains("generator.bpk") && said.contains("truncated"), "{said}");
    fs::remove_file(&weights).unwrap();
    assert!(with(&model).contains("generator.bpk"));
    assert!(with(&weights).contains("manifest.json"));

    fs::write(model.join("manifest.json"), "{").unwrap();
    assert!(with(&model).contains("manifest"));
    fs::write(model.join("manifest.json"), [0u8, 159, 146, 150]).unwrap();
    assert!(with(&model).contains("manifest"));
    let foreign = root.path().join("foreign.pth");
    fs::write(&foreign, b"PK\x03\x04 not ours").unwrap();
    assert!(with(&foreign).contains("folder"));
}

#[test]
fn a_manifest_with_other_sizes_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let model = copied_model(root.path());
    let path = model.join("manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    for (field, value, word) in
        [("width", 64, "generator.bpk"), ("width", 0, "mar.width"), ("depth", 100_000, "mar.depth")]
    {
        let before = manifest["config"]["mar"][field].clone();
        manifest["config"]["mar"][field] = value.into();
        fs::write(&path, manifest.to_string()).unwrap();
        let said = refused(&["sample", "a red circle", "--model", model.to_str().unwrap()]);
        assert!(said.contains(word), "{field} = {value}: {said}");
        manifest["config"]["mar"][field] = before;
    }
}

#[test]
fn an_output_folder_that_cannot_be_written_is_named() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    let out = file.join("out");
    assert!(refused(&["sample", "a red circle", "--out", out.to_str().unwrap()]).contains("out"));
    assert!(refused(&["pretrain", "autoencoder", "--out", out.to_str().unwrap()]).contains("out"));
}

#[test]
fn unknown_devices_are_refused() {
    let run = |device: &str| {
        let output =
            Command::new(PROGRAM).args(["sample", "a red circle", "--device", device]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{device}");
        text(&output.stderr)
    };
    assert!(run("gpu").contains("marscope devices"));
    assert!(run("cuda:99").contains("cuda") || run("cuda:99").contains("CUDA"));
    assert!(run("wgpu:99").contains("wgpu"));
}

#[test]
fn devices_lists_the_cpu_and_says_what_is_missing() {
    let output = Command::new(PROGRAM).args(["devices", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(lines[0]["choice"], "cpu");
    for line in lines.as_array().unwrap() {
        assert!(line["usable"].as_bool().unwrap() || !line["remark"].as_str().unwrap().is_empty(), "{line}");
    }
}

#[test]
fn bad_settings_files_are_explained() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("settings.toml");
    let with = |content: &str| {
        fs::write(&file, content).unwrap();
        let out = root.path().join("run");
        refused(&[
            "pretrain",
            "autoencoder",
            "--config",
            file.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ])
    };
    assert!(with("[training]\nsteps = 0").contains("training.steps"));
    assert!(with("[training]\nstep = 3").contains("step"));
    assert!(with("nonsense").contains("settings.toml"));
    assert!(with("[model.mar]\nwidth = -1").contains("settings.toml"));
}

#[test]
fn wrong_usage_exits_with_2() {
    let output = Command::new(PROGRAM).args(["sample"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_pretraining_with_a_checkpoint() {
    let root = tempfile::tempdir().unwrap();
    let (settings, out) = (root.path().join("settings.toml"), root.path().join("run"));
    fs::write(
        &settings,
        "[model.autoencoder]\nfine_width = 8\ncoarse_width = 8\n[training]\nsteps = 100000\nbatch = 1\nlog_every = 1\n",
    )
    .unwrap();
    let mut child = Command::new(PROGRAM)
        .args(["pretrain", "autoencoder", "--device", "cpu", "--config"])
        .arg(&settings)
        .arg("--out")
        .arg(&out)
        .spawn()
        .unwrap();
    let logged = || fs::metadata(out.join("events.jsonl")).is_ok_and(|file| file.len() > 0);
    for _ in 0..600 {
        if logged() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(logged(), "the run did not start");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(out.join("checkpoint/weights.bpk").is_file());
}

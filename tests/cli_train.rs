//! `marscope train`, `ablate` and `runs` as a user meets them: killed, on a full disk, resumed, and learning.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use marscope::runs::event::Event;
use marscope::runs::folder::read_events;

const PROGRAM: &str = env!("CARGO_BIN_EXE_marscope");

/// As little of everything as still does everything.
const TINY: [&str; 18] = [
    "--rl.group",
    "4",
    "--rl.rollout.ar_steps",
    "3",
    "--rl.rollout.diffusion_steps",
    "2",
    "--evaluate.every",
    "3",
    "--evaluate.pictures",
    "4",
    "--evaluate.held_out",
    "0",
    "--probe.every",
    "3",
    "--record.checkpoint_every",
    "2",
    "--device",
    "cpu",
];

fn train(run: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("train").args(["--run", run.to_str().unwrap()]).args(TINY).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn resume(run: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["train", "--resume", "--device", "cpu", "--run", run.to_str().unwrap()]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn succeed(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", said(&output));
    said(&output)
}

fn runs(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).arg("runs").args(arguments).output().unwrap()
}

/// Rewards, norms and scores by step: what two equal runs must share.
fn numbers(run: &Path) -> BTreeMap<(usize, String), String> {
    let mut found = BTreeMap::new();
    for event in read_events(run).unwrap() {
        if let Event::Scalars { step, values, .. } = event {
            for (name, value) in values {
                if !name.starts_with("time/") && name != "pictures_per_second" && name != "memory/peak_mib" {
                    found.insert((step, name), format!("{:?}", value.0));
                }
            }
        }
    }
    found
}

#[test]
fn a_run_killed_at_random_points_opens_and_resumes_to_the_same_numbers() {
    let root = tempfile::tempdir().unwrap();
    let straight = root.path().join("straight");
    let iterations = ["--iterations", "40"];
    succeed(train(&straight, &iterations));
    let run = root.path().join("killed");
    // Not random from run to run, but at no particular place in the program either.
    let mut state = 12_345u64;
    let mut killed = 0;
    while killed < 20 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let begun = run.join("checkpoints/000000/optimiser.safetensors").exists();
        let mut child = if begun { resume(&run) } else { train(&run, &iterations) }.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(150 + (state >> 33) % 500));
        let over = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
        if run.join("run.json").exists() {
            let output = runs(&["check", run.to_str().unwrap()]);
            assert!(output.status.success(), "kill {killed}: {}", said(&output));
            read_events(&run).unwrap();
        }
        if !begun && run.exists() && !run.join("checkpoints/000000/optimiser.safetensors").exists() {
            // Killed before there was anything to resume: a user starts anew.
            std::fs::remove_dir_all(&run).unwrap();
        }
        if over && begun {
            break;
        }
    }
    assert!(killed >= 5, "the run was over after {killed} kills, before there was anything to see");
    succeed(resume(&run));
    assert_eq!(numbers(&straight), numbers(&run));
    let check = runs(&["check", run.to_str().unwrap(), straight.to_str().unwrap()]);
    assert!(check.status.success(), "{}", said(&check));
}

/// A limit on the size of a file fails a write just as a full disk does, and needs no rights.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_run_with_a_sentence_and_loses_nothing() {
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("run");
    let more = [
        "--iterations",
        "30",
        "--rl.mte.enabled",
        "true",
        "--rl.mte.trajectories",
        "64",
        "--record.trajectories_every",
        "1",
    ];
    let command = train(&run, &more);
    let words: Vec<String> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| format!("'{}'", word.to_str().unwrap()))
        .collect();
    // Enough for a checkpoint, not for all the trajectories.
    let script = format!("trap '' XFSZ; ulimit -f 16000; exec {}", words.join(" "));
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("cannot write") && text.contains("media.bin"), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    let recorded = numbers(&run).keys().map(|(step, _)| *step).max().unwrap();
    assert!(recorded >= 2, "{recorded} iterations before the disk was full");
    let check = runs(&["check", run.to_str().unwrap()]);
    assert!(check.status.success(), "{}", said(&check));
    succeed(resume(&run));
    assert!(numbers(&run).keys().any(|(step, _)| *step == 29));
}

#[test]
fn what_train_prints_can_be_read_by_programs_and_runs_by_people() {
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("run");
    let mut command = train(&run, &["--iterations", "2", "--json", "--variant", "mar_grpo"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let printed = String::from_utf8(output.stdout).unwrap();
    let events: Vec<Event> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let rewards = events.iter().filter(|event| match event {
        Event::Scalars { values, .. } => values.contains_key("reward/mean"),
        _ => false,
    });
    assert_eq!(rewards.count(), 2);
    let path = run.to_str().unwrap();
    let shown = said(&runs(&["show", path]));
    assert!(shown.contains("mar_grpo") && shown.contains("reward/mean"), "{shown}");
    let listed = said(&runs(&["list", root.path().to_str().unwrap()]));
    assert!(listed.contains("mar_grpo"), "{listed}");
    for format in ["csv", "json"] {
        let exported = runs(&["export", path, "--format", format]);
        assert!(exported.status.success() && said(&exported).contains("gradient_norm/whole"));
    }
    let picture = root.path().join("first_and_last.png");
    let sheet = runs(&["export", path, "--format", "png", "--out", picture.to_str().unwrap()]);
    assert!(sheet.status.success() && picture.exists(), "{}", said(&sheet));
    let chart = root.path().join("kl.svg");
    let plot = runs(&["plot", path, "--series", "kl", "--smooth", "0.5", "--out", chart.to_str().unwrap()]);
    assert!(
        plot.status.success() && std::fs::read_to_string(&chart).unwrap().contains("<svg"),
        "{}",
        said(&plot)
    );
    let branch = root.path().join("branch");
    let checkpoint = run.join("checkpoints/000002");
    let mut fork = Command::new(PROGRAM);
    fork.args(["train", "--device", "cpu", "--run", branch.to_str().unwrap()]).args([
        "--fork",
        checkpoint.to_str().unwrap(),
        "--iterations",
        "3",
        "--rl.mte.share",
        "0.5",
    ]);
    let text = succeed(fork);
    assert!(text.contains("rl.mte.share 0.3 -> 0.5"), "{text}");
    let mut probe = Command::new(PROGRAM);
    probe.args(["probe", checkpoint.to_str().unwrap(), "--redraws", "2", "--device", "cpu", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&succeed(probe)).unwrap();
    for name in ["noise/single", "noise/mte_all", "noise/mte_top_k"] {
        assert!(report["values"][name].as_f64().unwrap() > 0.0, "{report}");
    }
}

#[test]
fn what_cannot_be_trained_is_refused_in_a_sentence() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("settings.toml");
    std::fs::write(&file, "[rl.mte]\nshare = 0.2\nshares = 1\n").unwrap();
    let file = file.to_str().unwrap();
    let cases: [(&[&str], &str); 9] = [
        (&["--rl.mte.share", "2"], "rl.mte.share = 2: choose between"),
        (&["--rl.objective.kl", "gausian"], "gausian"),
        (&["--reward", "verifyer"], "verifier"),
        (&["--prompts", "a purple elephant"], "elephant"),
        (&["--preset", "defualt"], "default"),
        (&["--config", file], "shares"),
        (&["--resume"], "cannot read"),
        (&["--fork", "nowhere/checkpoints/000001"], "nowhere"),
        (&["--iterations", "0"], "iterations = 0"),
    ];
    for (arguments, words) in cases {
        let run = root.path().join("none");
        let mut command = Command::new(PROGRAM);
        command.args(["train", "--device", "cpu", "--run", run.to_str().unwrap()]).args(arguments);
        let output = command.output().unwrap();
        let text = said(&output);
        assert!(!output.status.success() && text.contains(words), "{arguments:?}: {text}");
        assert!(!text.contains("panicked") && text.lines().count() <= 4, "{arguments:?}: {text}");
        assert!(!run.exists(), "{arguments:?} left a folder");
    }
}

#[test]
fn an_ablation_is_resumable_and_reported() {
    let root = tempfile::tempdir().unwrap();
    let out = root.path().join("ablation");
    let ablate = |variants: &str| {
        let mut command = Command::new(PROGRAM);
        command.arg("ablate").args(["--out", out.to_str().unwrap(), "--variants", variants]);
        command.args(["--prompts", "two rings", "--seeds", "2", "--iterations", "2"]).args(TINY);
        succeed(command)
    };
    ablate("grpo");
    let first = std::fs::read(out.join("two_rings/grpo/seed-0/events.jsonl")).unwrap();
    let text = ablate("grpo,mar_grpo+shuffled");
    assert_eq!(
        first,
        std::fs::read(out.join("two_rings/grpo/seed-0/events.jsonl")).unwrap(),
        "not run again"
    );
    assert!(text.contains("mar_grpo+shuffled"), "{text}");
    let cells = std::fs::read_to_string(out.join("cells.csv")).unwrap();
    assert_eq!(cells.lines().count(), 5, "{cells}");
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("mar_grpo+shuffled") && page.contains("data:image/png"));
}

/// The smoke test: the easiest reward must rise beyond all doubt within a few iterations.
#[test]
fn an_easy_reward_rises() {
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("run");
    let mut command = Command::new(PROGRAM);
    command.args(["train", "--preset", "smoke", "--iterations", "6", "--device", "cpu"]);
    command.args(["--evaluate.every", "6", "--run", run.to_str().unwrap()]);
    succeed(command);
    let all = numbers(&run);
    let at = |step: usize, name: &str| all[&(step, name.to_owned())].parse::<f64>().unwrap();
    let score = |step| (at(step, "evaluation/reward"), at(step, "evaluation/reward/standard_error"));
    let ((before, e0), (after, e1)) = (score(0), score(6));
    let errors = (after - before) / e0.hypot(e1);
    assert!(errors > 5.0, "{before} ± {e0} to {after} ± {e1}: {errors} standard errors");
}

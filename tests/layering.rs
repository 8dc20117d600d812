//! Layers point one way, and files stay short.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

/// Module, and what it may use besides itself, `error` and `world`.
const LAYERS: [(&str, &[&str]); 7] = [
    ("world", &[]),
    ("runs", &[]),
    ("model", &[]),
    ("rl", &["model"]),
    ("session", &["model", "rl", "runs"]),
    ("ui", &["model", "rl", "runs", "session"]),
    ("cli", &["model", "rl", "runs", "session", "ui"]),
];

const LONGEST_FILE: usize = 400;

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Modules named after `crate::` anywhere in `text`.
fn used_modules(text: &str) -> Vec<String> {
    let names =
        |rest: &str| rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect::<String>();
    text.match_indices("crate::")
        .flat_map(|(at, word)| {
            let rest = &text[at + word.len()..];
            match rest.strip_prefix('{') {
                Some(list) => {
                    list.split('}').next().unwrap_or("").split(',').map(|n| names(n.trim())).collect()
                }
                None => vec![names(rest)],
            }
        })
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn layers_point_one_way() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (module, allowed) in LAYERS {
        let mut files = Vec::new();
        rust_files(&src.join(module), &mut files);
        for file in files {
            seen += 1;
            let text = fs::read_to_string(&file).unwrap();
            for used in used_modules(&text) {
                let fine =
                    used == module || used == "error" || used == "world" || allowed.contains(&used.as_str());
                if !fine || (module == "world" && used != "world" && used != "error") {
                    wrong.push(format!("{} uses {used}", file.display()));
                }
            }
        }
    }
    assert!(seen > 30, "only {seen} files found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn layers_without_tensors_have_none() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for module in ["world", "runs"] {
        let mut files = Vec::new();
        rust_files(&src.join(module), &mut files);
        assert!(!files.is_empty());
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            assert!(!text.contains("burn::"), "{} uses burn", file.display());
        }
    }
}

#[test]
fn files_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "tests", "benches"] {
        if root.join(folder).exists() {
            rust_files(&root.join(folder), &mut files);
        }
    }
    let long: Vec<String> = files
        .iter()
        .map(|file| (file, fs::read_to_string(file).unwrap().lines().count()))
        .filter(|(_, lines)| *lines > LONGEST_FILE)
        .map(|(file, lines)| format!("{}: {lines} lines", file.display()))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

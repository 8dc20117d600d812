//! Where prompts come from: a file, a task family, or the words themselves.

use std::path::Path;

use crate::error::{Error, Result};
use crate::model::noise::{NoiseKey, Purpose};
use crate::world::families::Family;
use crate::world::prompt::Caption;
use crate::world::sampler::{Split, sample_caption};

/// Prompts drawn of a family.
const OF_A_FAMILY: usize = 32;

/// The prompts of `source`: a file with one a line (empty lines and those that begin with `#` are passed over), the name of
/// a task family (32 different prompts of its training split, drawn from `seed`), or one prompt.
///
/// # Errors
/// [`Error::Io`] if the file cannot be read, [`Error::Format`] naming the line, [`Error::Config`] for words that are not
/// understood.
pub fn resolve(source: &str, seed: u64) -> Result<Vec<String>> {
    let path = Path::new(source);
    if path.is_file() {
        return of_file(path);
    }
    if let Ok(family) = source.parse::<Family>() {
        return Ok(of_family(family, seed));
    }
    match Caption::parse(source) {
        Ok(caption) => Ok(vec![caption.to_string()]),
        Err(error) => {
            Err(Error::Config(format!("{source:?} is no file and no task family, and as a prompt: {error}")))
        }
    }
}

fn of_file(path: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path).map_err(Error::io("read", path))?;
    let mut prompts = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let caption = Caption::parse(line)
            .map_err(|error| Error::format(path, format!("line {}: {error}", number + 1)))?;
        prompts.push(caption.to_string());
    }
    if prompts.is_empty() {
        return Err(Error::format(path, "holds no prompt; write one a line"));
    }
    Ok(prompts)
}

fn of_family(family: Family, seed: u64) -> Vec<String> {
    let key = NoiseKey { trajectory: 1, ..NoiseKey::new(seed, Purpose::World, family as u32) };
    let mut rng = key.rng();
    let mut prompts: Vec<String> = Vec::new();
    // A small family may have fewer different prompts than asked for.
    for _ in 0..OF_A_FAMILY * 20 {
        let prompt = sample_caption(&mut rng, family, Split::Train).to_string();
        if prompts.len() < OF_A_FAMILY && !prompts.contains(&prompt) {
            prompts.push(prompt);
        }
    }
    prompts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_gives_different_prompts_of_its_own() {
        let prompts = resolve("counting", 0).unwrap();
        assert_eq!(prompts, resolve("counting", 0).unwrap());
        assert!(prompts.len() > 20);
        for prompt in &prompts {
            assert_eq!(Family::of(&Caption::parse(prompt).unwrap()), Family::Counting, "{prompt}");
        }
    }

    #[test]
    fn a_file_is_read_line_by_line_and_faults_name_the_line() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("prompts.txt");
        std::fs::write(&path, "# mine\n\ntwo red circles\n").unwrap();
        assert_eq!(resolve(path.to_str().unwrap(), 0).unwrap(), ["two red circles"]);
        std::fs::write(&path, "two red circles\na purple elephant\n").unwrap();
        assert!(resolve(path.to_str().unwrap(), 0).unwrap_err().to_string().contains("line 2"));
        assert!(resolve("a purple elephant", 0).unwrap_err().to_string().contains("elephant"));
    }
}

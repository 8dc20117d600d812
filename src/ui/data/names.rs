//! Names of runs that tell them apart: the runs of an ablation are all called `seed-0`, and lie in different folders.

use std::path::Path;

use super::run::OpenRun;

/// The names of `runs`, in their order; with as many of the folders around a run as it takes if another has the same.
#[must_use]
pub fn names(runs: &[OpenRun]) -> Vec<String> {
    let own: Vec<String> = runs.iter().map(|run| run.store.name()).collect();
    let named = |(place, run): (usize, &OpenRun)| {
        let others: Vec<&Path> = runs
            .iter()
            .zip(&own)
            .filter(|(other, name)| other.id != run.id && **name == own[place])
            .map(|(other, _)| other.store.path())
            .collect();
        told_apart(&own[place], run.store.path(), &others)
    };
    runs.iter().enumerate().map(named).collect()
}

/// `own`, after the parents of `path` up to the first that no path of `others` has in the same place.
fn told_apart(own: &str, path: &Path, others: &[&Path]) -> String {
    let parents = |path: &Path| -> Vec<String> {
        path.parent().into_iter().flat_map(Path::iter).rev().map(|part| part.display().to_string()).collect()
    };
    let ours = parents(path);
    let theirs: Vec<Vec<String>> = others.iter().map(|other| parents(other)).collect();
    let differs = |depth: &usize| theirs.iter().all(|other| other.get(..*depth) != ours.get(..*depth));
    let depth = (0..=ours.len()).find(differs).unwrap_or(ours.len());
    let mut parts: Vec<&str> = ours.iter().take(depth).map(String::as_str).rev().collect();
    parts.push(own);
    parts.join("/")
}

/// The folder that all of these lie in.
#[must_use]
pub fn common<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Option<&'a Path> {
    let mut parents = paths.into_iter().map(Path::parent);
    let first = parents.next()??;
    parents.try_fold(first, |common, parent| {
        let parent = parent?;
        common.ancestors().find(|ancestor| parent.starts_with(ancestor))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_folders_as_it_takes() {
        let path = Path::new("runs/two_rings/grpo/seed-0");
        assert_eq!(told_apart("seed-0", path, &[]), "seed-0");
        assert_eq!(told_apart("seed-0", path, &[Path::new("runs/two_rings/mte_all/seed-0")]), "grpo/seed-0");
        let others = [Path::new("runs/two_rings/mte_all/seed-0"), Path::new("runs/a_cross/grpo/seed-0")];
        assert_eq!(told_apart("seed-0", path, &others), "two_rings/grpo/seed-0");
    }

    #[test]
    fn the_common_folder_of_runs() {
        let paths = ["runs/a", "runs/b/c", "runs/b/d"].map(Path::new);
        assert_eq!(common(paths), Some(Path::new("runs")));
        assert_eq!(common([Path::new("runs/b/c")]), Some(Path::new("runs/b")));
        assert_eq!(common([]), None);
    }
}

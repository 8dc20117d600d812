//! Files that are either whole or not there.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::error::{Error, Result};

/// Writes `bytes` aside in the same folder, syncs, and renames: a reader sees the old file or the new one.
///
/// # Errors
/// [`Error::Io`] naming the file.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    write_whole_with(path, |file| file.write_all(bytes))
}

/// Like [`write_whole`], for what is too long to be in memory at once.
///
/// # Errors
/// [`Error::Io`] naming the file.
pub fn write_whole_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<fs::File>) -> std::io::Result<()>,
) -> Result<()> {
    let aside = path.with_extension("partial");
    let written = fs::File::create(&aside)
        .map(BufWriter::new)
        .and_then(|mut file| {
            write(&mut file)?;
            file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()
        })
        .and_then(|()| fs::rename(&aside, path));
    if written.is_err() {
        // On a full disk what is left takes the room that is missing; the first error is the one to report.
        let _ = fs::remove_file(&aside);
    }
    written.map_err(Error::io("write", path))
}

/// Creates `path` and the folders above it.
///
/// # Errors
/// [`Error::Io`] naming the folder.
pub fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(Error::io("create the folder", path))
}

/// Puts the finished folder `aside` in the place of `path`; [`settled`] finds the old one if the program dies between.
///
/// # Errors
/// [`Error::Io`] naming the folder.
pub fn replace_folder(aside: &Path, path: &Path) -> Result<()> {
    let old = path.with_extension("old");
    if path.exists() {
        if old.exists() {
            fs::remove_dir_all(&old).map_err(Error::io("remove", &old))?;
        }
        fs::rename(path, &old).map_err(Error::io("move aside", path))?;
    }
    if let Err(error) = fs::rename(aside, path) {
        // Put back what was there; if that fails too, `settled` finds it.
        drop(fs::rename(&old, path));
        return Err(Error::io("write", path)(error));
    }
    if old.exists() {
        fs::remove_dir_all(&old).map_err(Error::io("remove", &old))?;
    }
    Ok(())
}

/// `path`, or the copy that [`replace_folder`] moved aside if it was interrupted, or `None`.
#[must_use]
pub fn settled(path: &Path) -> Option<std::path::PathBuf> {
    let old = path.with_extension("old");
    [path.to_path_buf(), old].into_iter().find(|p| p.is_dir())
}

/// Reads a JSON file.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::Format`] if it does not hold a `T`.
pub fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = fs::read(path).map_err(Error::io("read", path))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Error::format(path, format!("not what was expected: {error}")))
}

/// Writes a JSON file, whole or not at all.
///
/// # Errors
/// [`Error::Io`] naming the file, [`Error::Format`] if `value` has no JSON form.
pub fn write_json<T: serde::Serialize>(path: &Path, value: &T) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::format(path, format!("cannot be written as JSON: {error}")))?;
    text.push('\n');
    write_whole(path, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_interrupted_half_way_leaves_the_old_folder_to_be_found() {
        let root = tempfile::tempdir().unwrap();
        let (place, aside) = (root.path().join("checkpoint"), root.path().join("checkpoint.new"));
        fs::create_dir(&place).unwrap();
        fs::write(place.join("a"), "old").unwrap();
        // What is on disk between the two renames of `replace_folder`.
        fs::rename(&place, place.with_extension("old")).unwrap();
        let found = settled(&place).unwrap();
        assert_eq!(fs::read_to_string(found.join("a")).unwrap(), "old");
        fs::create_dir(&aside).unwrap();
        fs::write(aside.join("a"), "new").unwrap();
        replace_folder(&aside, &place).unwrap();
        assert_eq!(fs::read_to_string(settled(&place).unwrap().join("a")).unwrap(), "new");
        assert!(!place.with_extension("old").exists());
    }
}

//! A file that grows by whole pieces: a piece that could not be written in full leaves no trace.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// What a file must be able to do. [`File`] is the one there is; the tests have one that is full.
pub(super) trait Growing: Write {
    /// Shortens it to `length` bytes, where the next write goes.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Growing for File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.seek(SeekFrom::Start(length)).map(drop)
    }
}

/// The end of a file that only this program writes.
#[derive(Debug)]
pub(super) struct Appender<F = File> {
    path: PathBuf,
    file: F,
    /// Bytes of whole pieces.
    length: u64,
    /// Whether part of a failed piece may lie behind `length`.
    torn: bool,
}

impl Appender<File> {
    /// Opens `path` at its end; creates it if need be.
    pub fn open(path: &Path) -> Result<Self> {
        // Not `append(true)`: on Windows such a file cannot be cut.
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(Error::io("write", path))?;
        let length = file.seek(SeekFrom::End(0)).map_err(Error::io("write", path))?;
        Ok(Self { path: path.to_path_buf(), file, length, torn: false })
    }
}

impl<F: Growing> Appender<F> {
    /// Appends `bytes` and returns where they begin. If that fails (the disk is full) the file is cut back, at the latest
    /// before the next piece, so that half a piece never stands between two whole ones.
    pub fn append(&mut self, bytes: &[u8]) -> Result<u64> {
        if self.torn {
            self.file.cut(self.length).map_err(Error::io("cut a half-written piece off", &self.path))?;
            self.torn = false;
        }
        if let Err(source) = self.file.write_all(bytes) {
            self.torn = self.file.cut(self.length).is_err();
            return Err(Error::Io { action: "write", path: self.path.clone(), source });
        }
        let offset = self.length;
        self.length += bytes.len() as u64;
        Ok(offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with room for `room` bytes that may refuse to be cut.
    #[derive(Default)]
    struct Disk {
        bytes: Vec<u8>,
        room: usize,
        stuck: bool,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let fits = bytes.len().min(self.room - self.bytes.len());
            if fits == 0 && !bytes.is_empty() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.bytes.extend(&bytes[..fits]);
            Ok(fits)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Growing for Disk {
        fn cut(&mut self, length: u64) -> io::Result<()> {
            if self.stuck {
                return Err(io::ErrorKind::Other.into());
            }
            self.bytes.truncate(length as usize);
            Ok(())
        }
    }

    fn appender(room: usize) -> Appender<Disk> {
        let file = Disk { room, ..Disk::default() };
        Appender { path: PathBuf::from("events.jsonl"), file, length: 0, torn: false }
    }

    #[test]
    fn a_full_disk_says_so_and_leaves_whole_pieces_only() {
        for room in 0..20 {
            let mut appender = appender(room);
            let mut whole = Vec::<u8>::new();
            for piece in [b"first\n".as_slice(), b"the second\n", b"3\n"] {
                match appender.append(piece) {
                    Ok(at) => {
                        assert_eq!(at, whole.len() as u64);
                        whole.extend(piece);
                    }
                    Err(error) => assert!(error.to_string().contains("events.jsonl"), "{error}"),
                }
                assert_eq!(appender.file.bytes, whole, "room for {room}");
            }
        }
    }

    #[test]
    fn a_tail_that_could_not_be_cut_at_once_is_cut_before_the_next_piece() {
        let mut appender = appender(8);
        appender.append(b"one\n").unwrap();
        appender.file.stuck = true;
        assert!(appender.append(b"two two\n").is_err());
        assert_eq!(appender.file.bytes, b"one\ntwo ");
        appender.file.room = 100;
        assert!(appender.append(b"three\n").is_err(), "not behind half a piece");
        appender.file.stuck = false;
        assert_eq!(appender.append(b"three\n").unwrap(), 4);
        assert_eq!(appender.file.bytes, b"one\nthree\n");
    }

    #[test]
    fn an_opened_file_is_continued_and_can_be_cut() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a");
        std::fs::write(&path, "one\n").unwrap();
        let mut appender = Appender::open(&path).unwrap();
        assert_eq!((appender.append(b"two\n").unwrap(), appender.length), (4, 8));
        appender.file.cut(4).unwrap();
        appender.length = 4;
        appender.append(b"three\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\nthree\n");
    }
}

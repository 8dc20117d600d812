//! `TFRecord`, the framing of `TensorBoard`'s event files.
//!
//! Format (`tensorflow/core/lib/io/record_writer.h`), one record after another, little-endian:
//! `u64 length`, `u32 masked CRC-32C of the length`, `length` bytes, `u32 masked CRC-32C of the bytes`. The mask turns
//! a checksum right by 15 bits and adds `0xA282EAD8`.

use std::io::{self, Read};

/// A length and its checksum.
const HEADER: usize = 12;

/// CRC-32C (Castagnoli), a byte at a time.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0x82F6_3B78 } else { crc >> 1 };
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
};

fn masked_crc(bytes: &[u8]) -> u32 {
    let crc = !bytes.iter().fold(!0, |crc: u32, byte| crc >> 8 ^ TABLE[usize::from(crc as u8 ^ byte)]);
    crc.rotate_right(15).wrapping_add(0xA282_EAD8)
}

/// The length of the first record, if `bytes` begin with a header whose checksum is right.
fn header(bytes: &[u8]) -> Option<u64> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let crc = rest.first_chunk::<4>()?;
    (masked_crc(length) == u32::from_le_bytes(*crc)).then(|| u64::from_le_bytes(*length))
}

/// Whether a file that begins so is a `TFRecord` file. By chance it is in one of 2^32 cases.
pub(super) fn is_tfrecord(head: &[u8]) -> bool {
    header(head).is_some()
}

/// What was found where a record should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Record {
    /// A record.
    Whole(Vec<u8>),
    /// A record with a wrong checksum. The next can still be found.
    Damaged,
    /// The file ends within a record. Nothing follows.
    Torn,
    /// The length is wrong, so that the next record cannot be found. Nothing follows.
    Lost,
}

/// Records with the bytes before each.
pub(super) struct Records<R> {
    reader: R,
    at: u64,
    done: bool,
}

impl<R: Read> Records<R> {
    /// The records of a file, read from its beginning through a buffer.
    pub const fn new(reader: R) -> Self {
        Self { reader, at: 0, done: false }
    }

    /// Up to `length` bytes. Memory grows with what is there, not with what a length claims.
    fn bytes(&mut self, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader.by_ref().take(length).read_to_end(&mut bytes)?;
        self.at += bytes.len() as u64;
        Ok(bytes)
    }

    fn record(&mut self) -> io::Result<Option<Record>> {
        let head = self.bytes(HEADER as u64)?;
        if head.is_empty() {
            return Ok(None);
        }
        if head.len() < HEADER {
            return Ok(Some(Record::Torn));
        }
        let Some(length) = header(&head) else { return Ok(Some(Record::Lost)) };
        let body = self.bytes(length)?;
        let crc = self.bytes(4)?;
        Ok(Some(match crc.first_chunk::<4>() {
            None => Record::Torn,
            Some(crc) if masked_crc(&body) == u32::from_le_bytes(*crc) => Record::Whole(body),
            Some(_) => Record::Damaged,
        }))
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = io::Result<(u64, Record)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let at = self.at;
        let record = self.record();
        self.done = !matches!(record, Ok(Some(Record::Whole(_) | Record::Damaged)));
        record.map(|record| record.map(|record| (at, record))).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u64).to_le_bytes();
        [&length[..], &masked_crc(&length).to_le_bytes(), body, &masked_crc(body).to_le_bytes()].concat()
    }

    fn read(bytes: &[u8]) -> Vec<(u64, Record)> {
        Records::new(bytes).collect::<io::Result<_>>().unwrap()
    }

    #[test]
    fn the_checksum_is_castagnolis() {
        // The check value of CRC-32C, masked.
        assert_eq!(masked_crc(b"123456789"), 0xE306_9283_u32.rotate_right(15).wrapping_add(0xA282_EAD8));
    }

    #[test]
    fn damage_costs_only_what_it_hits() {
        let file = [frame(b"one"), frame(b""), frame(b"three")].concat();
        let whole = |text: &[u8]| Record::Whole(text.to_vec());
        let all = [(0, whole(b"one")), (19, whole(b"")), (35, whole(b"three"))];
        assert_eq!(read(&file), all);
        let mut damaged = file.clone();
        damaged[13] ^= 1;
        assert_eq!(read(&damaged), [(0, Record::Damaged), all[1].clone(), all[2].clone()]);
        damaged[19] ^= 1;
        assert_eq!(read(&damaged), [(0, Record::Damaged), (19, Record::Lost)]);
        for cut in 36..file.len() {
            assert_eq!(read(&file[..cut]), [all[0].clone(), all[1].clone(), (35, Record::Torn)]);
        }
    }

    #[test]
    fn a_length_beyond_the_file_takes_no_memory() {
        let length = u64::MAX.to_le_bytes();
        let file = [&length[..], &masked_crc(&length).to_le_bytes(), b"little"].concat();
        assert_eq!(read(&file), [(0, Record::Torn)]);
    }
}

//! Buffered reads of a journal at any offset. An entry within the buffer is borrowed, not copied. Several threads may read one file at
//! once, because reads are positional and each thread has its own buffer.

use std::fs::File;
use std::io;
use std::ops::Range;

use memchr::memmem;

use super::frame::{EntryHead, HEAD, MARKER, Seal};

/// A buffered reader of journal entries at any offset.
pub(super) struct ChunkReader<'f> {
    file: &'f File,
    seal: Seal,
    /// Number of bytes read at a time; more for a longer entry.
    usual: usize,
    /// File offset behind which nothing is read ahead.
    until: u64,
    /// File offset of the buffer's first byte.
    at: u64,
    /// The buffer.
    piece: Vec<u8>,
    /// Number of valid bytes in the buffer; those behind are from an earlier read.
    filled: usize,
}

impl<'f> ChunkReader<'f> {
    /// Makes a reader that reads `usual` bytes at a time. It is fastest in the order of the file. `seal` is
    /// needed to verify checksums.
    pub(super) fn new(file: &'f File, seal: Seal, usual: usize) -> Self {
        Self { file, seal, usual, until: u64::MAX, at: 0, piece: Vec::new(), filled: 0 }
    }

    /// Stops reading ahead at offset `until`.
    pub(super) fn until(self, until: u64) -> Self {
        Self { until, ..self }
    }

    /// Reads and verifies the entry at an offset. Returns its head and payload, or `None` if it is broken or
    /// longer than `available` bytes.
    pub(super) fn entry(&mut self, at: u64, available: u64) -> io::Result<Option<(EntryHead, &[u8])>> {
        let fits = |head: &EntryHead| head.size() <= available;
        let Some(head) = self.head(at)?.filter(fits) else { return Ok(None) };
        let Ok(size) = usize::try_from(head.size()) else { return Ok(None) };
        let seal = self.seal;
        let payload = self.bytes(at, size)?.map(|entry| &entry[HEAD..]);
        Ok(payload.filter(|payload| head.checksum_matches(payload, seal, at)).map(|payload| (head, payload)))
    }

    /// Returns offset and head of the first complete entry that begins at `from` or later, in a file of `len`
    /// bytes. `None` if there is none.
    pub(super) fn next(&mut self, mut from: u64, len: u64) -> io::Result<Option<(u64, EntryHead)>> {
        while let Some((at, head)) = self.next_candidate(from, len)? {
            if self.entry(at, len - at)?.is_some() {
                return Ok(Some((at, head)));
            }
            from = at + 1;
        }
        Ok(None)
    }

    /// Returns the offset of the first possible entry at `from` or later, and the seal with which its
    /// checksum would be valid. It serves to find the seal of a file whose header is damaged.
    pub(super) fn next_seal(&mut self, from: u64, len: u64) -> io::Result<Option<(u64, Seal)>> {
        let Some((at, head)) = self.next_candidate(from, len)? else { return Ok(None) };
        let size = usize::try_from(head.size()).unwrap_or(usize::MAX);
        Ok(self.bytes(at, size)?.map(|entry| (at, head.implied_seal(&entry[HEAD..], at))))
    }

    /// Finds the first head at `from` or later whose payload fits into the file and contains no marker. Its
    /// checksum is not verified.
    fn next_candidate(&mut self, mut from: u64, len: u64) -> io::Result<Option<(u64, EntryHead)>> {
        while let Some(at) = self.marker(from..len, len)? {
            let fits = |head: &EntryHead| head.size() <= len - at;
            if let Some(head) = self.head(at)?.filter(fits)
                && self.marker(at + HEAD as u64..at + head.size(), len)?.is_none()
            {
                return Ok(Some((at, head)));
            }
            from = at + 1;
        }
        Ok(None)
    }

    /// Reads the head at an offset; its checksum is not verified. `None` if the bytes are no head.
    pub(super) fn head(&mut self, at: u64) -> io::Result<Option<EntryHead>> {
        Ok(self.bytes(at, HEAD)?.and_then(|bytes| EntryHead::read(bytes.first_chunk()?)))
    }

    /// Returns the offset of the first marker that begins in `part`, in a file of `len` bytes.
    pub(super) fn marker(&mut self, part: Range<u64>, len: u64) -> io::Result<Option<u64>> {
        // Chunks overlap by a marker's length less one, because a marker may cross the border of two chunks.
        let over = MARKER.len() - 1;
        let (mut at, end) = (part.start, len.min(part.end + over as u64));
        while at + (over as u64) < end {
            let held = self.held(at).filter(|held| *held > over).unwrap_or(self.usual);
            let piece = usize::try_from(end - at).map_or(held, |rest| rest.min(held));
            let Some(bytes) = self.bytes(at, piece)? else { break };
            if let Some(found) = memmem::find(bytes, &MARKER) {
                return Ok(Some(at + found as u64));
            }
            at += (piece - over) as u64;
        }
        Ok(None)
    }

    /// Returns the number of buffered bytes from this offset on; `None` if the offset is outside of the
    /// buffer.
    fn held(&self, at: u64) -> Option<usize> {
        self.filled.checked_sub(usize::try_from(at.checked_sub(self.at)?).ok()?)
    }

    /// Returns `len` bytes at an offset, from the buffer if it has them. `None` if the file ends before.
    fn bytes(&mut self, at: u64, len: usize) -> io::Result<Option<&[u8]>> {
        let begins = match self.held(at).filter(|held| *held >= len) {
            Some(held) => self.filled - held,
            None => self.read(at, len).map(|()| 0)?,
        };
        Ok((begins + len <= self.filled).then(|| &self.piece[begins..begins + len]))
    }

    /// Fills the buffer from this offset on, with at least `len` bytes if the file has them.
    fn read(&mut self, at: u64, len: usize) -> io::Result<()> {
        let part = usize::try_from(self.until.saturating_sub(at)).unwrap_or(usize::MAX);
        let wanted = self.usual.min(part).max(len);
        if self.piece.len() < wanted {
            self.piece.resize(wanted, 0);
        }
        (self.at, self.filled) = (at, 0);
        while self.filled < wanted {
            let place = at + self.filled as u64;
            match read_at(self.file, &mut self.piece[self.filled..wanted], place) {
                Ok(0) => break,
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Reads at an offset, without moving the position of the file on Unix.
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, buffer, at);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, buffer, at);
}

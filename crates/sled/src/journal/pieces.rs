//! A journal read in large pieces, from any place on: an entry within a piece is lent, not copied. Several threads read one file
//! at once; each has pieces of its own, and none moves the place of another.

use std::fs::File;
use std::io;
use std::ops::Range;

use memchr::memmem;

use super::frame::{HEAD, Head, MARKER, Seal};

/// The piece of a file that was read last.
pub(super) struct Pieces<'f> {
    file: &'f File,
    seal: Seal,
    /// How much is read at a time, in bytes; more where an entry is longer.
    usual: usize,
    /// Up to where entries are asked for: nothing is read ahead behind it.
    until: u64,
    /// Where the piece begins.
    at: u64,
    piece: Vec<u8>,
    /// How much of it was filled; what is behind is left of an earlier one.
    filled: usize,
}

impl<'f> Pieces<'f> {
    /// Reads so many bytes at a time; fastest when asked in the order of the file.
    pub(super) fn new(file: &'f File, seal: Seal, usual: usize) -> Self {
        Self { file, seal, usual, until: u64::MAX, at: 0, piece: Vec::new(), filled: 0 }
    }

    /// The same, of a part of the file: what stands behind it is not read ahead.
    pub(super) fn until(self, until: u64) -> Self {
        Self { until, ..self }
    }

    /// The entry at a place, with its payload; none when it is not whole, or longer than what is `available`.
    pub(super) fn entry(&mut self, at: u64, available: u64) -> io::Result<Option<(Head, &[u8])>> {
        let fits = |head: &Head| head.size() <= available;
        let Some(head) = self.head(at)?.filter(fits) else { return Ok(None) };
        let Ok(size) = usize::try_from(head.size()) else { return Ok(None) };
        let seal = self.seal;
        let payload = self.bytes(at, size)?.map(|entry| &entry[HEAD..]);
        Ok(payload.filter(|payload| head.fits(payload, seal, at)).map(|payload| (head, payload)))
    }

    /// The first whole entry that begins at `from` or behind it, in a file of `len` bytes.
    ///
    /// No payload holds a marker: a head with one in what should be its payload is false, and is given up before its checksum is
    /// made. So each byte is looked at a few times only, however many false heads there are.
    pub(super) fn next(&mut self, mut from: u64, len: u64) -> io::Result<Option<(u64, Head)>> {
        while let Some((at, head)) = self.likely(from, len)? {
            if self.entry(at, len - at)?.is_some() {
                return Ok(Some((at, head)));
            }
            from = at + 1;
        }
        Ok(None)
    }

    /// The first place where an entry may stand, and what seal it would have.
    pub(super) fn next_seal(&mut self, from: u64, len: u64) -> io::Result<Option<(u64, Seal)>> {
        let Some((at, head)) = self.likely(from, len)? else { return Ok(None) };
        let size = usize::try_from(head.size()).unwrap_or(usize::MAX);
        Ok(self.bytes(at, size)?.map(|entry| (at, head.seal_of(&entry[HEAD..], at))))
    }

    /// The first head at `from` or behind it that has room for its payload, and no marker in it.
    fn likely(&mut self, mut from: u64, len: u64) -> io::Result<Option<(u64, Head)>> {
        while let Some(at) = self.marker(from..len, len)? {
            let fits = |head: &Head| head.size() <= len - at;
            if let Some(head) = self.head(at)?.filter(fits)
                && self.marker(at + HEAD as u64..at + head.size(), len)?.is_none()
            {
                return Ok(Some((at, head)));
            }
            from = at + 1;
        }
        Ok(None)
    }

    /// The head at a place; none when no head stands there.
    pub(super) fn head(&mut self, at: u64) -> io::Result<Option<Head>> {
        Ok(self.bytes(at, HEAD)?.and_then(|bytes| Head::read(bytes.first_chunk()?)))
    }

    /// The first place of this part where an entry may begin, in a file of `len` bytes.
    pub(super) fn marker(&mut self, part: Range<u64>, len: u64) -> io::Result<Option<u64>> {
        // What is left over at the end of a piece may be the beginning of a marker: the next piece begins with it.
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

    /// How many bytes of the piece are there from this place on.
    fn held(&self, at: u64) -> Option<usize> {
        self.filled.checked_sub(usize::try_from(at.checked_sub(self.at)?).ok()?)
    }

    /// So many bytes; none when the file ends before.
    fn bytes(&mut self, at: u64, len: usize) -> io::Result<Option<&[u8]>> {
        let begins = match self.held(at).filter(|held| *held >= len) {
            Some(held) => self.filled - held,
            None => self.read(at, len).map(|()| 0)?,
        };
        Ok((begins + len <= self.filled).then(|| &self.piece[begins..begins + len]))
    }

    /// Reads the piece that begins here, of so many bytes at least if the file has them.
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

fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, buffer, at);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, buffer, at);
}

//! A place in a file that several threads read at once: each has a place of its own, and none moves that of another.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Reads a file from its own place on.
pub(super) struct Positioned<'f> {
    file: &'f File,
    at: u64,
}

impl<'f> Positioned<'f> {
    /// Stands before the first byte.
    pub(super) fn new(file: &'f File) -> Self {
        Self { file, at: 0 }
    }
}

impl Read for Positioned<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(self.file, buffer, self.at)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Positioned<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let moved = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.file.metadata()?.len().checked_add_signed(by),
        };
        self.at = moved.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

//! Reads one text file with a bound. Whatever is there instead of text is a message, never a crash (ENG-19).

use std::fs;
use std::io::{self, Read};

use thiserror::Error;

use super::guard::RepoPath;
use super::limit::READ_BYTES;
use stategraph_base::regular::{Links, open};

/// Returns the whole text of the file at `path`, without a byte order mark. Fails for files above
/// [`READ_BYTES`], binary files and other encodings than UTF-8. [`cut`](super::cut()) shortens it.
pub fn read_text(path: &RepoPath) -> Result<String, ReadError> {
    bytes(path).and_then(text).map_err(|problem| ReadError { path: path.to_string(), problem })
}

fn bytes(path: &RepoPath) -> Result<Vec<u8>, ReadProblem> {
    // Asked before opening: opening a pipe would wait for its writer.
    let found = fs::metadata(path.absolute())?;
    if found.is_dir() {
        return Err(ReadProblem::Directory);
    }
    if !found.is_file() {
        return Err(ReadProblem::Special);
    }
    if found.len() > READ_BYTES as u64 {
        return Err(ReadProblem::Huge { bytes: found.len() });
    }
    // A file may grow while it is read, and some (in /proc) say that they are empty.
    let mut bytes = Vec::new();
    open(path.absolute(), Links::Followed)?.take(READ_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > READ_BYTES {
        return Err(ReadProblem::Huge { bytes: bytes.len() as u64 });
    }
    Ok(bytes)
}

/// Decodes bytes as UTF-8 text without a byte order mark. Fails for UTF-16, binary content and other
/// encodings.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, ReadProblem> {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Err(ReadProblem::NotUtf8 { at: 0 });
    }
    if bytes.contains(&0) {
        return Err(ReadProblem::Binary { bytes: bytes.len() });
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| ReadProblem::NotUtf8 { at: error.utf8_error().valid_up_to() })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// The error of reading a file or listing a directory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{path}` {problem}")]
pub struct ReadError {
    /// Path relative to the root.
    pub path: String,
    /// The reason.
    pub problem: ReadProblem,
}

/// The reason why a file or directory cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadProblem {
    /// The path does not exist.
    #[error("does not exist")]
    Missing,
    /// It is a directory, and a file is needed.
    #[error("is a directory")]
    Directory,
    /// It is a file, and a directory is needed.
    #[error("is not a directory")]
    NotADirectory,
    /// It is a pipe, socket or device.
    #[error("is a pipe, socket or device")]
    Special,
    /// The file exceeds the read limit.
    #[error("has {bytes} bytes, more than the {READ_BYTES} that are read")]
    Huge {
        /// Its size.
        bytes: u64,
    },
    /// The file contains NUL bytes.
    #[error("is binary ({bytes} bytes)")]
    Binary {
        /// Its size.
        bytes: usize,
    },
    /// The file is not UTF-8.
    #[error("is not UTF-8 (at byte {at})")]
    NotUtf8 {
        /// Offset of the first invalid byte.
        at: usize,
    },
    /// The operating system reports an error.
    #[error("cannot be read: {reason}")]
    Unreadable {
        /// As it says it.
        reason: String,
    },
}

impl ReadError {
    /// Returns a hint for the user: the next step after this error; `None` if there is none.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self.problem {
            ReadProblem::Missing => "list the directory above it to see what is there",
            ReadProblem::Directory => "list the directory instead",
            ReadProblem::NotADirectory => "read the file instead",
            ReadProblem::Huge { .. } => "search the file instead of reading it",
            ReadProblem::Unreadable { .. } => "check its permissions",
            ReadProblem::Special | ReadProblem::Binary { .. } | ReadProblem::NotUtf8 { .. } => return None,
        })
    }
}

impl From<io::Error> for ReadProblem {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::NotADirectory => Self::NotADirectory,
            _ => Self::Unreadable { reason: error.to_string() },
        }
    }
}

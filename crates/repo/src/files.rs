//! The trait behind every reader of a code base, implemented by a folder on disk and by a table in memory. Both give the same answers for
//! the same tree (CTX-46, 47), so they can be exchanged (CTX-120).

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::guard::{PathError, RepoPath, Root};
use super::list::{Listing, entries};
use super::read::{ReadError, ReadProblem, read_text, text};
use super::walk::{Walk, WalkLimits, walk};

/// Access to the files of one repository. Implemented by a folder on disk ([`Root`]) and by a table in
/// memory.
pub trait Files: Send + Sync {
    /// Returns the path of the repository, for messages; `memory` if it is on no disk.
    fn repo_path(&self) -> &Path;

    /// Returns the path that `typed`, a relative path from a user or a model, names inside the repository.
    /// Other paths are refused.
    fn path(&self, typed: &Path) -> Result<RepoPath, PathError>;

    /// Opens a file for reading from its beginning. Fails for directories, pipes and missing files.
    fn open<'a>(&'a self, path: &RepoPath) -> Result<Box<dyn Read + Send + 'a>, ReadError>;

    /// Opens a file for reading from the byte offset `from` on.
    fn open_at<'a>(&'a self, path: &RepoPath, from: u64) -> Result<Box<dyn Read + Send + 'a>, ReadError> {
        let mut reader = self.open(path)?;
        let skipped = io::copy(&mut reader.by_ref().take(from), &mut io::sink());
        skipped.map_err(|error| ReadError { path: path.to_string(), problem: error.into() })?;
        Ok(reader)
    }

    /// Returns the size of the file at `path` in bytes; an error if it is no file.
    fn size(&self, path: &RepoPath) -> Result<u64, ReadError>;

    /// Returns the text of a file, without a byte order mark. Fails above
    /// [`READ_BYTES`](super::limit::READ_BYTES), and for binary files and other encodings than UTF-8.
    fn read_text(&self, path: &RepoPath) -> Result<String, ReadError>;

    /// Returns all entries of a directory. Noise (hidden entries, dependencies and build output) is counted,
    /// not returned.
    fn entries(&self, path: &RepoPath) -> Result<Listing, ReadError>;

    /// Returns at most [`LIST_ENTRIES`](super::limit::LIST_ENTRIES) entries of a directory; the others are
    /// counted.
    fn list(&self, path: &RepoPath) -> Result<Listing, ReadError> {
        self.entries(path).map(Listing::truncate_entries)
    }

    /// Returns all files of the repository within `limits`, without noise such as hidden files, dependencies
    /// and build output.
    fn walk(&self, limits: WalkLimits) -> Walk;

    /// Returns true if there is a regular file at the path.
    fn file_exists(&self, path: &RepoPath) -> bool {
        self.size(path).is_ok()
    }
}

impl Files for Root {
    fn repo_path(&self) -> &Path {
        self.absolute()
    }

    fn path(&self, typed: &Path) -> Result<RepoPath, PathError> {
        Root::path(self, typed)
    }

    fn open<'a>(&'a self, path: &RepoPath) -> Result<Box<dyn Read + Send + 'a>, ReadError> {
        self.size(path)?;
        let file = File::open(path.absolute());
        file.map(|file| Box::new(file) as Box<_>)
            .map_err(|error| ReadError { path: path.to_string(), problem: error.into() })
    }

    fn open_at<'a>(&'a self, path: &RepoPath, from: u64) -> Result<Box<dyn Read + Send + 'a>, ReadError> {
        self.size(path)?;
        let opened = File::open(path.absolute()).and_then(|mut file| {
            file.seek(SeekFrom::Start(from))?;
            Ok(Box::new(file) as Box<_>)
        });
        opened.map_err(|error| ReadError { path: path.to_string(), problem: error.into() })
    }

    fn size(&self, path: &RepoPath) -> Result<u64, ReadError> {
        // Asked before opening: opening a pipe would wait for its writer.
        let found = fs::metadata(path.absolute()).map_err(ReadProblem::from);
        let size = found.and_then(|found| match () {
            () if found.is_dir() => Err(ReadProblem::Directory),
            () if !found.is_file() => Err(ReadProblem::Special),
            () => Ok(found.len()),
        });
        size.map_err(|problem| ReadError { path: path.to_string(), problem })
    }

    fn read_text(&self, path: &RepoPath) -> Result<String, ReadError> {
        read_text(path)
    }

    fn entries(&self, path: &RepoPath) -> Result<Listing, ReadError> {
        entries(path, self.ignored_names())
    }

    fn walk(&self, limits: WalkLimits) -> Walk {
        walk(self, limits)
    }
}

/// Reads to the end of `reader`. Fails with `Huge` beyond `limit` bytes.
pub(super) fn read_bytes(reader: &mut dyn Read, limit: u64) -> Result<Vec<u8>, ReadProblem> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(ReadProblem::Huge { bytes: bytes.len() as u64 });
    }
    Ok(bytes)
}

/// Converts the bytes of a file to its text, with the limits and errors of [`Files::read_text`].
pub(super) fn text_of(bytes: &[u8]) -> Result<String, ReadProblem> {
    text(read_bytes(&mut &*bytes, super::limit::READ_BYTES as u64).map_err(|problem| match problem {
        ReadProblem::Huge { .. } => ReadProblem::Huge { bytes: bytes.len() as u64 },
        other => other,
    })?)
}

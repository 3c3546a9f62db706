//! A view of a tree that does not change while it is read: the first reading of a file counts for all later ones. Small texts are kept; of
//! the others the hash is, and a file with another hash is gone. A file that changes under the reader costs its own facts only.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::files::Files;
use super::guard::{PathError, RepoPath};
use super::limit::{SNAPSHOT_BYTES, SNAPSHOT_FILE_BYTES};
use super::list::Listing;
use super::read::{ReadError, ReadProblem};
use super::walk::{Walk, WalkLimits};

/// A view of a repository in which the text of a file does not change after its first reading. If a file does
/// change, later readings return the kept text or an error. Walks, listings and searches see the present
/// tree.
pub struct FilesSnapshot {
    files: Arc<dyn Files>,
    first: Mutex<FirstReads>,
}

/// The results of the first readings by path, with the number of bytes of the kept texts.
#[derive(Default)]
struct FirstReads {
    by_path: HashMap<PathBuf, FirstRead>,
    bytes: usize,
}

/// The result of the first reading of a file: its text, the hash of a larger text, or the error.
enum FirstRead {
    Text(Arc<str>),
    Hash([u8; 32]),
    Failed(ReadError),
}

impl FilesSnapshot {
    /// Makes a view of `files` in which nothing was read so far.
    pub fn new(files: Arc<dyn Files>) -> Self {
        Self { files, first: Mutex::default() }
    }

    /// Returns the kept result of the first reading; `None` if there was none or only its hash is known, so
    /// that the file must be read.
    fn recall(&self, path: &RepoPath) -> Option<Result<String, ReadError>> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        match first.by_path.get(path.relative())? {
            FirstRead::Text(text) => Some(Ok(text.as_ref().to_owned())),
            FirstRead::Failed(error) => Some(Err(error.clone())),
            FirstRead::Hash(_) => None,
        }
    }

    /// Records `read` as the first reading of a file, and returns it. If there was one before, returns the
    /// kept result, or compares the hashes: a changed file is an error.
    fn settle(&self, path: &RepoPath, read: Result<String, ReadError>) -> Result<String, ReadError> {
        let hash = read.as_ref().map(|text| *blake3::hash(text.as_bytes()).as_bytes()).ok();
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        match (first.by_path.get(path.relative()), hash) {
            (None, _) => {
                first.insert(path, &read, hash);
                read
            }
            (Some(FirstRead::Text(text)), _) => Ok(text.as_ref().to_owned()),
            (Some(FirstRead::Failed(error)), _) => Err(error.clone()),
            (Some(FirstRead::Hash(known)), Some(hash)) if *known == hash => read,
            (Some(FirstRead::Hash(_)), Some(_)) => {
                let reason = "it changed while the tree was read".to_owned();
                Err(ReadError { path: path.to_string(), problem: ReadProblem::Unreadable { reason } })
            }
            (Some(FirstRead::Hash(_)), None) => read,
        }
    }
}

impl FirstReads {
    fn insert(&mut self, path: &RepoPath, read: &Result<String, ReadError>, hash: Option<[u8; 32]>) {
        let kept = match (read, hash) {
            (Err(error), _) => FirstRead::Failed(error.clone()),
            (Ok(text), Some(hash)) if !self.has_room(path, text) => FirstRead::Hash(hash),
            (Ok(text), _) => {
                self.bytes += text.len();
                FirstRead::Text(text.as_str().into())
            }
        };
        self.by_path.insert(path.relative().to_owned(), kept);
    }

    /// Returns true if the text is to be kept: it is small, there is room, and it is no code. Code is nearly
    /// all of a tree, and few readers ask for it again.
    fn has_room(&self, path: &RepoPath, text: &str) -> bool {
        let is_code = super::outline::Language::of_path(path.relative()).is_some();
        !is_code && text.len() <= SNAPSHOT_FILE_BYTES && self.bytes + text.len() <= SNAPSHOT_BYTES
    }
}

impl Files for FilesSnapshot {
    fn repo_path(&self) -> &Path {
        self.files.repo_path()
    }

    fn path(&self, typed: &Path) -> Result<RepoPath, PathError> {
        self.files.path(typed)
    }

    fn open<'a>(&'a self, path: &RepoPath) -> Result<Box<dyn Read + Send + 'a>, ReadError> {
        self.files.open(path)
    }

    fn open_at<'a>(&'a self, path: &RepoPath, from: u64) -> Result<Box<dyn Read + Send + 'a>, ReadError> {
        self.files.open_at(path, from)
    }

    fn size(&self, path: &RepoPath) -> Result<u64, ReadError> {
        self.files.size(path)
    }

    fn read_text(&self, path: &RepoPath) -> Result<String, ReadError> {
        match self.recall(path) {
            Some(answer) => answer,
            None => self.settle(path, self.files.read_text(path)),
        }
    }

    fn entries(&self, path: &RepoPath) -> Result<Listing, ReadError> {
        self.files.entries(path)
    }

    fn walk(&self, limits: WalkLimits) -> Walk {
        self.files.walk(limits)
    }
}

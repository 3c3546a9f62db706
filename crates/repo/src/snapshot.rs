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

/// Files as they were when each was first read as text. Walks, listings and searches see the tree as it is.
pub struct Snapshot {
    files: Arc<dyn Files>,
    first: Mutex<FirstReads>,
}

#[derive(Default)]
struct FirstReads {
    by_path: HashMap<PathBuf, FirstRead>,
    bytes: usize,
}

/// The result of the first reading of a file.
enum FirstRead {
    Text(Arc<str>),
    Hash([u8; 32]),
    Failed(ReadError),
}

impl Snapshot {
    /// Makes a view of these files, with nothing read so far.
    pub fn new(files: Arc<dyn Files>) -> Self {
        Self { files, first: Mutex::default() }
    }

    /// Returns the answer that the first reading determines; `None` if the file must be read for it.
    fn known(&self, path: &RepoPath) -> Option<Result<String, ReadError>> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        match first.by_path.get(path.relative())? {
            FirstRead::Text(text) => Some(Ok(text.as_ref().to_owned())),
            FirstRead::Failed(error) => Some(Err(error.clone())),
            FirstRead::Hash(_) => None,
        }
    }

    /// Records a reading, if it is the first one; otherwise compares it with the first one.
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

    /// Returns true for a small text. Code is not kept, because it is nearly all of a tree and few readers ask for it again.
    fn has_room(&self, path: &RepoPath, text: &str) -> bool {
        let is_code = super::outline::Language::of_path(path.relative()).is_some();
        !is_code && text.len() <= SNAPSHOT_FILE_BYTES && self.bytes + text.len() <= SNAPSHOT_BYTES
    }
}

impl Files for Snapshot {
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
        match self.known(path) {
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

//! Puts the documents in their place: whole, only where they differ, and takes away those of earlier runs that nothing stands behind any
//! more. What somebody else wrote there, or changed, is never removed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{Change, Document, WriteError};
use crate::repo::{ContentHash, PathError, RepoPath, Root, replace};

/// What was written, by path: the hash of each document.
const LEDGER: &str = ".documents.json";

/// Everything that a run writes, by path.
pub(super) type Files = BTreeMap<String, String>;

/// The folder of the documents.
pub(super) struct Folder {
    root: Root,
}

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Self, WriteError> {
        fs::create_dir_all(path)
            .map_err(|error| WriteError::Folder { path: path.to_owned(), reason: error.to_string() })?;
        Ok(Self { root: Root::open(path)? })
    }

    /// Writes what differs; answers what became of each file, and which are gone.
    pub(super) fn put(&self, files: &Files) -> Result<(Vec<Document>, Vec<String>), WriteError> {
        // All places first: a link that leads elsewhere is an error before anything is written.
        let places: Vec<RepoPath> = files.keys().map(|path| self.place(path)).collect::<Result<_, _>>()?;
        let ledger = self.ledger()?;
        let mut documents = Vec::new();
        for ((path, text), place) in files.iter().zip(&places) {
            let change = match fs::read(place.absolute()) {
                Ok(bytes) if bytes == text.as_bytes() => Change::Unchanged,
                Ok(_) => Change::Changed,
                Err(_) => Change::New,
            };
            if change != Change::Unchanged {
                replace(place.absolute(), text.as_bytes())?;
            }
            documents.push(Document { path: path.clone(), change });
        }
        let removed = self.remove_stale(&ledger, files);
        self.write_ledger(&ledger, files)?;
        Ok((documents, removed))
    }

    fn place(&self, path: &str) -> Result<RepoPath, PathError> {
        self.root.path(path)
    }

    fn ledger(&self) -> Result<BTreeMap<String, ContentHash>, WriteError> {
        let text = fs::read(self.place(LEDGER)?.absolute()).unwrap_or_default();
        // One that cannot be read only means that nothing old is removed.
        Ok(serde_json::from_slice(&text).unwrap_or_default())
    }

    /// Removes documents that are not written any more, those of another format among them (DOC-120); answers them. One that somebody
    /// changed since is theirs: it stays.
    fn remove_stale(&self, ledger: &BTreeMap<String, ContentHash>, files: &Files) -> Vec<String> {
        let is_removed = |(path, hash): &(&String, &ContentHash)| {
            let Ok(place) = self.place(path) else { return false };
            let as_written = fs::read(place.absolute()).is_ok_and(|bytes| ContentHash::of(&bytes) == **hash);
            as_written && fs::remove_file(place.absolute()).is_ok()
        };
        let stale = ledger.iter().filter(|(path, _)| !files.contains_key(*path));
        stale.filter(is_removed).map(|(path, _)| path.clone()).collect()
    }

    fn write_ledger(&self, old: &BTreeMap<String, ContentHash>, files: &Files) -> Result<(), WriteError> {
        let ledger: BTreeMap<String, ContentHash> =
            files.iter().map(|(path, text)| (path.clone(), ContentHash::of(text.as_bytes()))).collect();
        if ledger != *old {
            let text = serde_json::to_string_pretty(&ledger).expect("texts are JSON");
            replace(self.place(LEDGER)?.absolute(), format!("{text}\n").as_bytes())?;
        }
        Ok(())
    }
}

//! Puts the documents in their place: whole, only where they differ, and takes away those of earlier runs that nothing stands behind any
//! more. What somebody else wrote there, or changed, is never removed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{Change, Document, Format, WriteError};
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
    pub(super) fn put(
        &self,
        files: &Files,
        format: Format,
    ) -> Result<(Vec<Document>, Vec<String>), WriteError> {
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
        let (removed, kept) = self.remove_stale(&ledger, files, format);
        self.write_ledger(&ledger, files, kept)?;
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

    /// Removes documents of this format, and diagrams, that are not written any more; answers them, and what is kept of the ledger.
    fn remove_stale(
        &self,
        ledger: &BTreeMap<String, ContentHash>,
        files: &Files,
        format: Format,
    ) -> (Vec<String>, BTreeMap<String, ContentHash>) {
        let (mut removed, mut kept) = (Vec::new(), BTreeMap::new());
        for (path, hash) in ledger.iter().filter(|(path, _)| !files.contains_key(*path)) {
            let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
            if !extension.is_some_and(|extension| extension == "mmd" || extension == format.name()) {
                // Written in another format; it goes with the next run in that one.
                kept.insert(path.clone(), hash.clone());
                continue;
            }
            let Ok(place) = self.place(path) else { continue };
            let as_written = fs::read(place.absolute()).is_ok_and(|bytes| ContentHash::of(&bytes) == *hash);
            if as_written && fs::remove_file(place.absolute()).is_ok() {
                removed.push(path.clone());
            }
        }
        (removed, kept)
    }

    fn write_ledger(
        &self,
        old: &BTreeMap<String, ContentHash>,
        files: &Files,
        kept: BTreeMap<String, ContentHash>,
    ) -> Result<(), WriteError> {
        let mut ledger = kept;
        ledger.extend(files.iter().map(|(path, text)| (path.clone(), ContentHash::of(text.as_bytes()))));
        if ledger != *old {
            let text = serde_json::to_string_pretty(&ledger).expect("texts are JSON");
            replace(self.place(LEDGER)?.absolute(), format!("{text}\n").as_bytes())?;
        }
        Ok(())
    }
}

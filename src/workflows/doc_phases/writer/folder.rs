//! Writes the documents that differ, each as a whole, and removes obsolete ones of earlier runs. Files that another author wrote or
//! changed are never removed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{Change, Document, WriteDocumentsError};
use crate::repo::{ContentHash, FileWriter, PathError, RepoPath, Root};

/// File with the hash of each written document, by path.
const LEDGER: &str = ".documents.json";

/// Text of each document and diagram that a run writes, by path relative to the folder of the documents.
pub(super) type RenderedFiles = BTreeMap<String, String>;

/// Folder that contains the written documents.
pub(super) struct DocumentFolder {
    root: Root,
}

impl DocumentFolder {
    pub(super) fn open(path: &Path) -> Result<Self, WriteDocumentsError> {
        fs::create_dir_all(path).map_err(|error| WriteDocumentsError::Folder {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        Ok(Self { root: Root::open(path)? })
    }

    /// Writes the files whose content differs, removes documents of earlier runs that are not in `files`, and
    /// updates the ledger of hashes. Returns each file with its change, and the paths of the removed
    /// documents.
    pub(super) fn write_all(
        &self,
        files: &RenderedFiles,
    ) -> Result<(Vec<Document>, Vec<String>), WriteDocumentsError> {
        // Resolves all paths first because a link that leads out of the folder must fail before any write.
        let paths: Vec<RepoPath> = files.keys().map(|path| self.resolve(path)).collect::<Result<_, _>>()?;
        let ledger = self.read_ledger()?;
        // Documents can be made from memory again, so one flush for all suffices.
        let writer = FileWriter::default().deferred();
        let mut documents = Vec::new();
        for ((path, text), resolved) in files.iter().zip(&paths) {
            let change = match fs::read(resolved.absolute()) {
                Ok(bytes) if bytes == text.as_bytes() => Change::Unchanged,
                Ok(_) => Change::Changed,
                Err(_) => Change::New,
            };
            if change != Change::Unchanged {
                writer.replace(resolved.absolute(), text.as_bytes())?;
            }
            documents.push(Document { path: path.clone(), change });
        }
        let removed = self.remove_stale(&ledger, files);
        self.write_ledger(&ledger, files, writer)?;
        if removed.len() + documents.iter().filter(|one| one.change != Change::Unchanged).count() > 0 {
            writer.flush(self.root.absolute())?;
        }
        Ok((documents, removed))
    }

    fn resolve(&self, path: &str) -> Result<RepoPath, PathError> {
        self.root.path(path)
    }

    fn read_ledger(&self) -> Result<BTreeMap<String, ContentHash>, WriteDocumentsError> {
        let text = fs::read(self.resolve(LEDGER)?.absolute()).unwrap_or_default();
        // An unreadable ledger counts as empty; then no old document is removed.
        Ok(serde_json::from_slice(&text).unwrap_or_default())
    }

    /// Removes the documents in `ledger` that are not in `files`, such as those in another format (DOC-120),
    /// and returns their paths. A document that was changed since it was written stays.
    fn remove_stale(&self, ledger: &BTreeMap<String, ContentHash>, files: &RenderedFiles) -> Vec<String> {
        let is_removed = |(path, hash): &(&String, &ContentHash)| {
            let Ok(resolved) = self.resolve(path) else { return false };
            let as_written =
                fs::read(resolved.absolute()).is_ok_and(|bytes| ContentHash::of(&bytes) == **hash);
            as_written && fs::remove_file(resolved.absolute()).is_ok()
        };
        let stale = ledger.iter().filter(|(path, _)| !files.contains_key(*path));
        stale.filter(is_removed).map(|(path, _)| path.clone()).collect()
    }

    fn write_ledger(
        &self,
        old: &BTreeMap<String, ContentHash>,
        files: &RenderedFiles,
        writer: FileWriter,
    ) -> Result<(), WriteDocumentsError> {
        let ledger: BTreeMap<String, ContentHash> =
            files.iter().map(|(path, text)| (path.clone(), ContentHash::of(text.as_bytes()))).collect();
        if ledger != *old {
            let text = serde_json::to_string_pretty(&ledger).expect("texts are JSON");
            writer.replace(self.resolve(LEDGER)?.absolute(), format!("{text}\n").as_bytes())?;
        }
        Ok(())
    }
}

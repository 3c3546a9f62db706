//! Inspection of a journal, and replacement of a damaged one by its sound entries. The damaged file is kept under another name.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::files::JournalFiles;
use super::journal_lock::IfAbsent;
use super::rewrite::rewrite;
use super::salvage::{Salvaged, salvage};
use stategraph_base::regular::{Links, open};
use stategraph_core::{HistoryEntry, HistoryQuery, StoreError, ThreadId};

/// The report on a thread's journal after all of it was read and verified.
#[derive(Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// The defects, each a [`StoreError::Corrupt`], in file order; empty for a sound thread.
    pub damage: Vec<StoreError>,
    /// The checkpoints that can be rebuilt, with their task records, oldest first. A repaired thread continues from the last one.
    pub readable: Vec<HistoryEntry>,
    /// Number of records that are dropped, because they are broken or the checkpoint they continue is lost.
    pub left_out: usize,
}

/// The result of a repair of a thread.
#[derive(Debug)]
#[non_exhaustive]
pub struct Repaired {
    /// The inspection of the journal before the repair.
    pub found: Inspection,
    /// Path of the damaged file; `None` if the journal was sound and nothing was changed.
    pub kept: Option<PathBuf>,
}

impl JournalFiles {
    /// Inspects a thread. Returns `None` if it does not exist.
    pub(super) fn inspect(&self, thread: &ThreadId) -> Result<Option<Inspection>, StoreError> {
        let path = self.folder.journal(thread);
        let file = match open(&path, Links::Refused) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("open", path, error)),
        };
        salvage(&path, file)?.as_ref().map(Salvaged::inspection).transpose()
    }

    /// Replaces the journal of a damaged thread by its sound entries. Returns `None` if the thread does not exist.
    pub(super) fn repair(&self, thread: &ThreadId) -> Result<Option<Repaired>, StoreError> {
        let Some(held) = self.hold(thread, IfAbsent::Leave)? else { return Ok(None) };
        let file = held.file()?.try_clone().map_err(|error| StoreError::io("open", held.path(), error))?;
        let Some(salvaged) = salvage(held.path(), file)? else { return Ok(None) };
        let found = salvaged.inspection()?;
        if found.damage.is_empty() {
            return Ok(Some(Repaired { found, kept: None }));
        }
        if found.readable.is_empty() {
            return Err(salvaged.journal.corrupt(0, "no checkpoint of it can be read".to_owned()));
        }
        let kept = keep(held.path())?;
        if let Err(error) = rewrite(&self.folder, thread, &salvaged.journal, |_| true, &BTreeMap::new()) {
            // Removed again, because the damaged file still has its own name.
            let _ = fs::remove_file(&kept);
            return Err(error);
        }
        self.forget(thread);
        Ok(Some(Repaired { found, kept: Some(kept) }))
    }
}

impl Salvaged {
    /// Makes the report.
    fn inspection(&self) -> Result<Inspection, StoreError> {
        let mut readable = self.journal.history(&HistoryQuery::default())?;
        readable.reverse();
        Ok(Inspection { damage: self.damage.clone(), readable, left_out: self.left_out })
    }
}

/// Gives a file a second name, `….damaged-1` or the next free number, and returns that path. Copies the file
/// if the file system has no hard links.
fn keep(path: &Path) -> Result<PathBuf, StoreError> {
    for number in 1_u32.. {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".damaged-{number}"));
        let kept = PathBuf::from(name);
        if fs::symlink_metadata(&kept).is_ok() {
            continue;
        }
        return match fs::hard_link(path, &kept) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(_) => {
                fs::copy(path, &kept).map(|_| kept).map_err(|error| StoreError::io("copy", path, error))
            }
            Ok(()) => Ok(kept),
        };
    }
    unreachable!("there are more numbers than files")
}

//! Looking through a journal, and putting what is sound of a damaged one in its place. The damaged file stays, under another name.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::files::Files;
use super::held::Absent;
use super::rewrite::rewrite;
use super::salvage::{Salvaged, salvage};
use stategraph_base::regular::{Links, open};
use stategraph_core::{HistoryEntry, HistoryQuery, StoreError, ThreadId};

/// What a thread's journal holds, found by reading all of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// What is wrong, each a [`StoreError::Corrupt`], in the order of the file; empty for a sound thread.
    pub damage: Vec<StoreError>,
    /// The checkpoints whose states can be rebuilt, with what their tasks left, oldest first. The last is where a repaired thread goes on.
    pub readable: Vec<HistoryEntry>,
    /// How many records can be read but are of no use, since what they continue is lost.
    pub left_out: usize,
}

/// What a repair did.
#[derive(Debug)]
#[non_exhaustive]
pub struct Repaired {
    /// What the journal held.
    pub found: Inspection,
    /// Where the damaged file is kept; none when nothing was wrong and nothing was done.
    pub kept: Option<PathBuf>,
}

impl Files {
    /// Looks through a thread; none when it does not exist.
    pub(super) fn inspect(&self, thread: &ThreadId) -> Result<Option<Inspection>, StoreError> {
        let path = self.folder.journal(thread);
        let file = match open(&path, Links::Refused) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("open", path, error)),
        };
        salvage(&path, file)?.as_ref().map(Salvaged::inspection).transpose()
    }

    /// Puts what is sound of a damaged thread in the place of its journal; none when there is no such thread.
    pub(super) fn repair(&self, thread: &ThreadId) -> Result<Option<Repaired>, StoreError> {
        let Some(held) = self.hold(thread, Absent::Leave)? else { return Ok(None) };
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
            // The journal has its name still.
            let _ = fs::remove_file(&kept);
            return Err(error);
        }
        self.forget(thread);
        Ok(Some(Repaired { found, kept: Some(kept) }))
    }
}

impl Salvaged {
    fn inspection(&self) -> Result<Inspection, StoreError> {
        let mut readable = self.journal.history(&HistoryQuery::default())?;
        readable.reverse();
        Ok(Inspection { damage: self.damage.clone(), readable, left_out: self.left_out })
    }
}

/// Gives a file a second name, `….damaged-1` or the next that is free; where the file system knows no second names, a copy has it.
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

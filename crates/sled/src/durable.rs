//! What makes the names of files and folders survive a power cut. Their content is the business of whoever writes it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::lock;
use stategraph_base::owner_only;
use stategraph_core::StoreError;

/// The most folders that are remembered; then all are synced once more.
const KNOWN: usize = 4096;

/// The folders whose names this process has put on the disk.
///
/// An earlier process may have made a folder and ended before it synced the one above. So a folder that exists counts as made only
/// after its name was synced here, once in a process.
#[derive(Debug, Default)]
pub(super) struct DurableFolders {
    known: Mutex<BTreeSet<PathBuf>>,
}

impl DurableFolders {
    /// Makes a folder and those above it; each name is on the disk before this returns.
    pub(super) fn make(&self, folder: &Path) -> Result<(), StoreError> {
        if lock(&self.known).contains(folder) && folder.is_dir() {
            return Ok(());
        }
        let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
        if let Some(above) = above {
            self.make(above)?;
        }
        let above = above.unwrap_or(Path::new("."));
        match owner_only::builder().create(folder) {
            Ok(()) => sync_folder(above)?,
            // Two processes may make it at once.
            Err(_) if folder.is_dir() => sync_above(above, folder)?,
            Err(error) => return Err(StoreError::io("make the folder", folder, error)),
        }
        let mut known = lock(&self.known);
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(folder.to_owned());
        Ok(())
    }
}

/// Syncs the name of a folder that exists. What this user must not look into, or does not take a sync, was not made by this program.
fn sync_above(above: &Path, folder: &Path) -> Result<(), StoreError> {
    use ErrorKind::{InvalidInput, PermissionDenied, ReadOnlyFilesystem, Unsupported};
    if folder.parent().is_none() {
        return Ok(());
    }
    match sync_folder(above) {
        Err(StoreError::Io { source, .. })
            if matches!(
                source.kind(),
                PermissionDenied | ReadOnlyFilesystem | InvalidInput | Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// Syncs a folder's entries. Only Unix has, and needs, this.
pub(super) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| StoreError::io("sync", folder, error))?;
    }
    Ok(())
}

//! Makes new folders survive a power cut by syncing their names in the parent folder. The writers of files
//! sync their content.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::lock;
use stategraph_base::owner_only;
use stategraph_core::StoreError;

/// Maximum number of remembered folders. At this number the set is cleared, so that each folder is synced
/// once more.
const KNOWN: usize = 4096;

/// The set of folders whose names this process has synced to the disk, so that each is synced once.
///
/// An existing folder is synced too, because an earlier process may have made it and ended before it synced
/// the parent.
#[derive(Debug, Default)]
pub(super) struct DurableFolders {
    known: Mutex<BTreeSet<PathBuf>>,
}

impl DurableFolders {
    /// Makes a folder and its missing parents. Each name is on the disk before this returns. Does nothing for
    /// a known folder.
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
            // The folder may exist because another process made it at the same moment.
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

/// Syncs the name of the existing `folder` in its parent `above`. A parent that cannot be opened or synced is
/// skipped, because this program did not make it.
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

/// Syncs the directory entries of a folder, so that created, renamed and removed names survive a power cut.
/// Does nothing outside Unix, where it is neither possible nor needed.
pub(super) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| StoreError::io("sync", folder, error))?;
    }
    Ok(())
}

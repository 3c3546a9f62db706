//! Makes the names of files and folders survive a power cut. The writers of the files sync their content.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::lock;
use stategraph_base::owner_only;
use stategraph_core::StoreError;

/// Maximum number of remembered folders. The set is then cleared, so that each folder is synced once more.
const KNOWN: usize = 4096;

/// The folders whose names this process has synced to the disk.
///
/// A folder that exists counts as durable only after this process has synced its name once, because an earlier process may have made
/// the folder and ended before it synced the parent.
#[derive(Debug, Default)]
pub(super) struct DurableFolders {
    known: Mutex<BTreeSet<PathBuf>>,
}

impl DurableFolders {
    /// Makes a folder and its parents. Each name is on the disk before this returns.
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

/// Syncs the name of an existing folder. Parents that refuse to be opened or synced are skipped, because this program did not make them.
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

/// Syncs the entries of a folder. Does nothing outside Unix, where it is neither possible nor needed.
pub(super) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| StoreError::io("sync", folder, error))?;
    }
    Ok(())
}

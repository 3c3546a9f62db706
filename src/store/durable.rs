//! What makes the names of files and folders survive a power cut. Their content is the business of whoever writes it.

use std::fs::File;
use std::path::Path;

use crate::engine::StoreError;
use crate::owner_only;

/// Makes a folder and those above it; each new name is on the disk before this returns.
pub(super) fn make_durably(folder: &Path) -> Result<(), StoreError> {
    if folder.is_dir() {
        return Ok(());
    }
    let above = folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_durably(above)?;
    match owner_only::builder().create(folder) {
        // Two processes may make it at once.
        Err(error) if !folder.is_dir() => Err(StoreError::io("make the folder", folder, error)),
        _ => sync_folder(above),
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

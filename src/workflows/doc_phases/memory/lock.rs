//! One run at a time on a memory. The operating system keeps the lock and gives it back when the process dies, however it dies.

use std::fs::{File, TryLockError};

use super::error::MemoryError;
use crate::repo::{RepoPath, show};

/// The right to a memory, until it is dropped.
pub(super) struct Lock(File);

impl Lock {
    /// Takes the lock on the file at `path`, which is made for it; an error names `folder`.
    pub(super) fn take(path: &RepoPath, folder: &str) -> Result<Self, MemoryError> {
        let failed = |error: std::io::Error| MemoryError::Folder {
            path: show(path.absolute()),
            reason: error.to_string(),
        };
        let file =
            File::options().write(true).create(true).truncate(false).open(path.absolute()).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(MemoryError::Locked { path: folder.to_owned() }),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing alone would leave the lock to a child process that is just being started and still shares the file.
        let _ = self.0.unlock();
    }
}

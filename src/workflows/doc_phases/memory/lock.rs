//! The lock that admits one run at a time to a memory. The operating system releases it when the process dies.

use std::fs::{File, TryLockError};

use super::error::MemoryError;
use crate::repo::{RepoPath, show};

/// Exclusive lock of the folder of the agent's memory, held by one process and released on drop.
pub(super) struct Lock(File);

impl Lock {
    /// Locks the file at `path`, and creates it if it is missing. Does not wait: fails if another run holds
    /// the lock. Errors name `folder`, the folder of the memory.
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
        // Unlocks explicitly because closing alone would leave the lock to a child process that is being started and still
        // shares the file.
        let _ = self.0.unlock();
    }
}

//! The exclusive right to a thread's journal: a lock of the operating system on the file, so that it ends with the process.
//! Reads and writes no entry.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;

use super::folder::{Folder, same_file};
use crate::engine::{StoreError, ThreadId};
use crate::owner_only;

/// A journal that nobody else may write. Given back when dropped; a file that is empty then is removed.
#[derive(Debug)]
pub(super) struct Held {
    file: File,
    path: PathBuf,
    given_back: Once,
}

/// What to do about a thread that has no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    Create,
    Leave,
}

/// Whether the lock was got.
pub(super) enum Taken {
    Held(Held),
    /// Somebody else has it.
    Busy,
    /// There is no such file.
    Absent,
}

impl Held {
    /// Takes the right to a thread if it is free.
    pub(super) fn take(folder: &Folder, thread: &ThreadId, absent: Absent) -> Result<Taken, StoreError> {
        let path = folder.journal(thread);
        if absent == Absent::Create {
            folder.make()?;
        }
        // The file that was locked may have been replaced or removed just before: then the new one is taken instead.
        loop {
            let file = match open(&path, absent) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound && absent == Absent::Leave => {
                    return Ok(Taken::Absent);
                }
                Err(error) => return Err(StoreError::io("open", path, error)),
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(Taken::Busy),
                Err(TryLockError::Error(error)) => return Err(StoreError::io("lock", path, error)),
            }
            let held = Self { file, path: path.clone(), given_back: Once::new() };
            if held.in_place()? {
                return Ok(Taken::Held(held));
            }
        }
    }

    /// Gives the right back before the end of this value.
    pub(super) fn give_back(&self) {
        self.given_back.call_once(|| {
            if let (Ok(true), Ok(0)) = (self.in_place(), self.len()) {
                // Left behind, it is a thread without checkpoints, which nobody sees.
                let _ = fs::remove_file(&self.path);
            }
            // Closing alone would leave the lock to a child process that is just being started and still shares the file.
            let _ = self.file.unlock();
        });
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The length of the file, in bytes.
    pub(super) fn len(&self) -> Result<u64, StoreError> {
        Ok(self.file.metadata().map_err(|error| StoreError::io("read", &self.path, error))?.len())
    }

    /// Whether the file still has its name.
    pub(super) fn in_place(&self) -> Result<bool, StoreError> {
        let failed = |error| StoreError::io("read", &self.path, error);
        match fs::metadata(&self.path) {
            Ok(named) => Ok(same_file(&named, &self.file.metadata().map_err(failed)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.give_back();
    }
}

fn open(path: &Path, absent: Absent) -> io::Result<File> {
    let create = absent == Absent::Create;
    owner_only::options().read(true).append(true).create(create).open(path)
}

//! The exclusive right to a thread's journal: locks of the operating system, so that it ends with the process. Reads and writes no
//! entry.
//!
//! Of many journals that are held at once only some are open ([`OPEN_MAX`]): a lock on a byte of one file for all of them
//! (`locks.rs`) keeps the right to those that are closed meanwhile. Where the system has no such locks, all stay open.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once};

use super::folder::{FileId, Folder};
use super::locks::{Locks, Range, Right};
use crate::lock;
use stategraph_base::owner_only;
use stategraph_base::regular::{Links, open_as};
use stategraph_core::{StoreError, ThreadId};

/// How many journals that are held stay open: of 1,024 descriptors, which most systems give, a quarter.
const OPEN_MAX: usize = 256;

/// A journal that nobody else may write. Given back when dropped; a file that is empty then is removed.
#[derive(Debug)]
pub(super) struct Held {
    path: PathBuf,
    id: FileId,
    /// None while it is put away.
    file: Mutex<Option<Arc<File>>>,
    locks: Arc<Locks>,
    /// The right to the journal while it is not open; none where the system does not know it.
    range: Option<Range>,
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
    pub(super) fn take(
        folder: &Folder,
        locks: &Arc<Locks>,
        thread: &ThreadId,
        absent: Absent,
    ) -> Result<Taken, StoreError> {
        if absent == Absent::Create {
            folder.make()?;
        }
        let path = folder.journal(thread);
        if absent == Absent::Leave && !path.exists() {
            return Ok(Taken::Absent);
        }
        let range = match locks.take(folder, &path)? {
            Right::Got(range) => Some(range),
            Right::Unknown => None,
            Right::Busy => return Ok(Taken::Busy),
        };
        // The file that was locked may have been replaced or removed just before: then the new one is taken instead.
        loop {
            let file = match open(&path, absent) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound && absent == Absent::Leave => {
                    return Ok(Taken::Absent);
                }
                Err(error) => return Err(StoreError::io("open", path, error)),
            };
            // Earlier versions know this lock alone.
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(Taken::Busy),
                Err(TryLockError::Error(error)) => return Err(StoreError::io("lock", path, error)),
            }
            let metadata = file.metadata().map_err(|error| StoreError::io("read", &path, error))?;
            let id = FileId::of(&metadata);
            if length_of(&path, id)?.is_some() {
                locks.note_opened();
                let file = Mutex::new(Some(Arc::new(file)));
                let locks = Arc::clone(locks);
                return Ok(Taken::Held(Self { path, id, file, locks, range, given_back: Once::new() }));
            }
        }
    }

    /// Gives the right back before the end of this value.
    pub(super) fn give_back(&self) {
        self.given_back.call_once(|| {
            if let Ok(Some(0)) = self.length() {
                // Left behind, it is a thread without checkpoints, which nobody sees.
                let _ = fs::remove_file(&self.path);
            }
            self.close();
            if let Some(range) = &self.range {
                range.give_back();
            }
        });
    }

    /// The file, open.
    pub(super) fn file(&self) -> Result<Arc<File>, StoreError> {
        let mut open = lock(&self.file);
        if let Some(file) = &*open {
            return Ok(Arc::clone(file));
        }
        let failed = |error| StoreError::io("open", &self.path, error);
        let file = self::open(&self.path, Absent::Leave).map_err(failed)?;
        if FileId::of(&file.metadata().map_err(failed)?) != self.id {
            return Err(failed(io::Error::other("it was replaced meanwhile")));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(failed(io::Error::other("an earlier version of this program has taken it")));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        self.locks.note_opened();
        Ok(Arc::clone(open.insert(Arc::new(file))))
    }

    /// Whether the file should be closed until it is needed again: too many are open. Everything written must be synced before, as
    /// an error of a write under way is told to those who have the file open, and to nobody else.
    pub(super) fn should_be_closed(&self) -> bool {
        self.range.is_some() && self.locks.open_files() > OPEN_MAX
    }

    /// Closes the file; the right to it stays.
    pub(super) fn close(&self) {
        if let Some(file) = lock(&self.file).take() {
            // Closing alone would leave the lock to a child process that is just being started and still shares the file.
            let _ = file.unlock();
            self.locks.note_closed();
        }
    }

    /// The file once more, for writing anywhere in it; what is appended otherwise stands at its end whoever else writes.
    pub(super) fn for_rewriting(&self) -> Result<File, StoreError> {
        let failed = |error| StoreError::io("open", &self.path, error);
        let file = open_as(owner_only::options().read(true).write(true), &self.path, Links::Refused)
            .map_err(failed)?;
        if FileId::of(&file.metadata().map_err(failed)?) != self.id {
            return Err(failed(io::Error::other("it was replaced meanwhile")));
        }
        Ok(file)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The length of the file, in bytes; none when it does not have its name any more.
    pub(super) fn length(&self) -> Result<Option<u64>, StoreError> {
        length_of(&self.path, self.id)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.give_back();
    }
}

fn length_of(path: &Path, id: FileId) -> Result<Option<u64>, StoreError> {
    match fs::symlink_metadata(path) {
        Ok(named) => Ok((FileId::of(&named) == id).then_some(named.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io("read", path, error)),
    }
}

fn open(path: &Path, absent: Absent) -> io::Result<File> {
    let create = absent == Absent::Create;
    open_as(owner_only::options().read(true).append(true).create(create), path, Links::Refused)
}

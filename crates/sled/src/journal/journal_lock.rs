//! The exclusive lock on a thread's journal. Uses locks of the operating system, because those end with the process. Reads and writes
//! no entry.
//!
//! Of many claimed journals only some are open ([`OPEN_MAX`]). The lock on one byte of a shared lock file (`byte_locks.rs`) protects the
//! journals that are closed meanwhile. Where the system has no such locks, all claimed journals stay open.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once};

use super::byte_locks::{ByteLock, ByteLocks, ByteOutcome};
use super::folder::{FileId, StoreFolder};
use crate::lock;
use stategraph_base::owner_only;
use stategraph_base::regular::{Links, open_as};
use stategraph_core::{StoreError, ThreadId};

/// Maximum number of claimed journals that stay open: a quarter of the 1,024 file descriptors that most
/// systems allow.
const OPEN_MAX: usize = 256;

/// The exclusive lock on one journal; no other claim may write while it is held. Dropping it releases the
/// lock and removes the file if it is empty.
#[derive(Debug)]
pub(super) struct JournalLock {
    path: PathBuf,
    /// Identity of the locked file, to notice that its name belongs to another file.
    id: FileId,
    /// The open file; `None` while it is closed.
    file: Mutex<Option<Arc<File>>>,
    locks: Arc<ByteLocks>,
    /// Lock that protects the journal while it is closed; `None` if the system does not support byte locks.
    range: Option<ByteLock>,
    released: Once,
}

/// The handling of a thread that has no journal file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfAbsent {
    /// Create an empty file.
    Create,
    /// Create nothing.
    Leave,
}

/// The result of an attempt to lock a journal.
pub(super) enum LockOutcome {
    Acquired(JournalLock),
    /// Another claim has the lock.
    Busy,
    /// The thread has no file.
    Absent,
}

impl JournalLock {
    /// Locks the journal of a thread if it is free. Does not wait.
    pub(super) fn take(
        folder: &StoreFolder,
        locks: &Arc<ByteLocks>,
        thread: &ThreadId,
        absent: IfAbsent,
    ) -> Result<LockOutcome, StoreError> {
        if absent == IfAbsent::Create {
            folder.make()?;
        }
        let path = folder.journal(thread);
        if absent == IfAbsent::Leave && !path.exists() {
            return Ok(LockOutcome::Absent);
        }
        let range = match locks.take(folder, &path)? {
            ByteOutcome::Acquired(range) => Some(range),
            ByteOutcome::Unsupported => None,
            ByteOutcome::Busy => return Ok(LockOutcome::Busy),
        };
        // IMPORTANT: the identity is compared after locking, because the locked file may have been replaced or removed just before. Then the
        // file that has the name now is locked instead.
        loop {
            let file = match open(&path, absent) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound && absent == IfAbsent::Leave => {
                    return Ok(LockOutcome::Absent);
                }
                Err(error) => return Err(StoreError::io("open", path, error)),
            };
            // Locked in addition to the byte, because earlier versions know only this lock.
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(LockOutcome::Busy),
                Err(TryLockError::Error(error)) => return Err(StoreError::io("lock", path, error)),
            }
            let metadata = file.metadata().map_err(|error| StoreError::io("read", &path, error))?;
            let id = FileId::of(&metadata);
            if length_of(&path, id)?.is_some() {
                locks.note_opened();
                let file = Mutex::new(Some(Arc::new(file)));
                let locks = Arc::clone(locks);
                return Ok(LockOutcome::Acquired(Self {
                    path,
                    id,
                    file,
                    locks,
                    range,
                    released: Once::new(),
                }));
            }
        }
    }

    /// Releases the lock before this value is dropped, and removes an empty file. Later calls do nothing.
    pub(super) fn release(&self) {
        self.released.call_once(|| {
            if let Ok(Some(0)) = self.length() {
                // The error is ignored, because an empty journal is a thread without checkpoints and is not listed.
                let _ = fs::remove_file(&self.path);
            }
            self.close();
            if let Some(range) = &self.range {
                range.release();
            }
        });
    }

    /// Returns the open file. If it was closed, opens and locks it again; fails if it was replaced meanwhile.
    pub(super) fn file(&self) -> Result<Arc<File>, StoreError> {
        let mut open = lock(&self.file);
        if let Some(file) = &*open {
            return Ok(Arc::clone(file));
        }
        let failed = |error| StoreError::io("open", &self.path, error);
        let file = self::open(&self.path, IfAbsent::Leave).map_err(failed)?;
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

    /// Returns true if too many claimed journals are open and a byte lock protects this one, so that it
    /// should be closed until its next use.
    pub(super) fn should_be_closed(&self) -> bool {
        self.range.is_some() && self.locks.open_files() > OPEN_MAX
    }

    /// Closes the file to save its descriptor. The byte lock stays.
    pub(super) fn close(&self) {
        if let Some(file) = lock(&self.file).take() {
            // Unlocked explicitly, because a child process that is just being started may still share the file and would keep the lock.
            let _ = file.unlock();
            self.locks.note_closed();
        }
    }

    /// Opens the file a second time, for writes at any offset; the first handle only appends.
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

    /// Returns the length of the file in bytes. `None` if its path now belongs to no file or to another one.
    pub(super) fn length(&self) -> Result<Option<u64>, StoreError> {
        length_of(&self.path, self.id)
    }
}

impl Drop for JournalLock {
    fn drop(&mut self) {
        self.release();
    }
}

/// Returns the length of the file at `path`; `None` if it is missing or has another identity.
fn length_of(path: &Path, id: FileId) -> Result<Option<u64>, StoreError> {
    match fs::symlink_metadata(path) {
        Ok(named) => Ok((FileId::of(&named) == id).then_some(named.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io("read", path, error)),
    }
}

/// Opens a journal for reading and appending; creates it if `absent` says so.
fn open(path: &Path, absent: IfAbsent) -> io::Result<File> {
    let create = absent == IfAbsent::Create;
    open_as(owner_only::options().read(true).append(true).create(create), path, Links::Refused)
}

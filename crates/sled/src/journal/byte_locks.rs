//! Locks on any number of journals through one open lock file, in which each journal has one byte. The locks
//! end with the process. Opens no journal.
//!
//! Linux only, because other systems have no byte locks that belong to the open file instead of the process (`F_OFD_SETLK`).

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::folder::StoreFolder;
use stategraph_core::StoreError;

/// The byte locks of one store, and the number of its claimed journals that are open files.
#[derive(Debug, Default)]
pub(super) struct ByteLocks {
    /// Number of claimed journals that are open.
    open_files: AtomicUsize,
    #[cfg(target_os = "linux")]
    bytes: linux::ByteTable,
}

/// The result of an attempt to lock the byte of a journal.
pub(super) enum ByteOutcome {
    /// The byte is locked until the value is dropped.
    Acquired(ByteLock),
    /// Another claim has the lock.
    Busy,
    /// The system or the file system does not support byte locks.
    Unsupported,
}

/// The lock on the byte of one journal. Dropping it releases the lock.
#[derive(Debug)]
pub(super) struct ByteLock {
    #[cfg(target_os = "linux")]
    byte: i64,
    #[cfg(target_os = "linux")]
    locks: Arc<ByteLocks>,
}

impl ByteLocks {
    /// Locks the byte of the journal at `path`, if it is free. Does not wait.
    pub(super) fn take(
        self: &Arc<Self>,
        folder: &StoreFolder,
        path: &Path,
    ) -> Result<ByteOutcome, StoreError> {
        #[cfg(target_os = "linux")]
        return self.bytes.take(&folder.locks(), path).map(|taken| match taken {
            linux::ByteAttempt::Byte(byte) => {
                ByteOutcome::Acquired(ByteLock { byte, locks: Arc::clone(self) })
            }
            linux::ByteAttempt::Busy => ByteOutcome::Busy,
            linux::ByteAttempt::Unsupported => ByteOutcome::Unsupported,
        });
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (folder, path);
            Ok(ByteOutcome::Unsupported)
        }
    }

    /// Returns the number of claimed journals that are open.
    pub(super) fn open_files(&self) -> usize {
        self.open_files.load(Ordering::Relaxed)
    }

    /// Counts a claimed journal that was opened.
    pub(super) fn note_opened(&self) {
        self.open_files.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a claimed journal that was closed.
    pub(super) fn note_closed(&self) {
        self.open_files.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ByteLock {
    /// Releases the lock before this value is dropped.
    pub(super) fn release(&self) {
        #[cfg(target_os = "linux")]
        self.locks.bytes.release(self.byte);
    }
}

impl Drop for ByteLock {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeSet;
    use std::fs::File;
    use std::path::Path;
    use std::sync::Mutex;

    use nix::errno::Errno;
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::libc;
    use uuid::Uuid;

    use crate::lock;
    use stategraph_base::owner_only;
    use stategraph_base::regular::{Links, open_as};
    use stategraph_core::StoreError;

    /// The lock file of one store, with the bytes that this process has locked.
    #[derive(Debug, Default)]
    pub(super) struct ByteTable {
        state: Mutex<LockTable>,
    }

    /// The state of a byte table.
    #[derive(Debug, Default)]
    struct LockTable {
        /// The open lock file; `None` before the first lock.
        file: Option<File>,
        /// Bytes locked by this process, because the system detects conflicts only between different open files.
        taken: BTreeSet<i64>,
    }

    /// The result of an attempt to lock a byte.
    pub(super) enum ByteAttempt {
        Byte(i64),
        Busy,
        Unsupported,
    }

    impl ByteTable {
        /// Locks the byte of the journal `path` in the lock file `locks`, which the first call opens or
        /// creates.
        pub(super) fn take(&self, locks: &Path, path: &Path) -> Result<ByteAttempt, StoreError> {
            let mut state = lock(&self.state);
            if state.file.is_none() {
                let mut options = owner_only::options();
                let file = open_as(options.read(true).write(true).create(true), locks, Links::Refused);
                state.file = Some(file.map_err(|error| StoreError::io("open", locks, error))?);
            }
            let byte = byte_of(path);
            if !state.taken.insert(byte) {
                return Ok(ByteAttempt::Busy);
            }
            let LockTable { file, taken } = &mut *state;
            let refused = match set(file.as_ref().expect("it was just opened"), byte, libc::F_WRLCK) {
                Ok(()) => return Ok(ByteAttempt::Byte(byte)),
                Err(refused) => refused,
            };
            taken.remove(&byte);
            match refused {
                Errno::EAGAIN | Errno::EACCES => Ok(ByteAttempt::Busy),
                _ => Ok(ByteAttempt::Unsupported),
            }
        }

        /// Unlocks a byte; does nothing if this process has not locked it.
        pub(super) fn release(&self, byte: i64) {
            let mut state = lock(&self.state);
            if let (true, Some(file)) = (state.taken.remove(&byte), &state.file) {
                // The result is ignored, because the end of the process releases the lock anyway.
                let _ = set(file, byte, libc::F_UNLCK);
            }
        }
    }

    /// Returns the offset of a journal's byte: a 62-bit hash of its file name, so that all processes lock the
    /// same byte. Collisions are negligible.
    fn byte_of(path: &Path) -> i64 {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let (_, low) = Uuid::new_v5(&Uuid::NAMESPACE_OID, name).as_u64_pair();
        i64::try_from(low >> 2).expect("it has 62 bits")
    }

    /// Locks (`F_WRLCK`) or unlocks (`F_UNLCK`) one byte of a file without waiting.
    fn set(file: &File, byte: i64, kind: libc::c_int) -> Result<(), Errno> {
        let small =
            |number: libc::c_int| libc::c_short::try_from(number).expect("the numbers of locks are small");
        let range = libc::flock {
            l_type: small(kind),
            l_whence: small(libc::SEEK_SET),
            l_start: byte,
            l_len: 1,
            l_pid: 0,
        };
        fcntl(file, FcntlArg::F_OFD_SETLK(&range)).map(|_| ())
    }
}

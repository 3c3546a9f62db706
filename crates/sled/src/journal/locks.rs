//! Locks on any number of journals through one open lock file: each journal has one byte of it. The locks end with the process. Knows
//! no journal.
//!
//! Linux only, because other systems have no byte locks that belong to the open file instead of the process (`F_OFD_SETLK`).

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::folder::Folder;
use stategraph_core::StoreError;

/// The byte locks of one store, and its count of open journals.
#[derive(Debug, Default)]
pub(super) struct Locks {
    /// Number of claimed journals that are open.
    open_files: AtomicUsize,
    #[cfg(target_os = "linux")]
    bytes: linux::Bytes,
}

/// The result of an attempt to lock a byte.
pub(super) enum Right {
    Got(Range),
    /// Another claim has the lock.
    Busy,
    /// The system or the file system does not support byte locks.
    Unknown,
}

/// The lock on the byte of one journal. Dropping it releases the lock.
#[derive(Debug)]
pub(super) struct Range {
    #[cfg(target_os = "linux")]
    byte: i64,
    #[cfg(target_os = "linux")]
    locks: Arc<Locks>,
}

impl Locks {
    /// Locks the byte of the file at `path`, if it is free.
    pub(super) fn take(self: &Arc<Self>, folder: &Folder, path: &Path) -> Result<Right, StoreError> {
        #[cfg(target_os = "linux")]
        return self.bytes.take(&folder.locks(), path).map(|taken| match taken {
            linux::Taken::Byte(byte) => Right::Got(Range { byte, locks: Arc::clone(self) }),
            linux::Taken::Busy => Right::Busy,
            linux::Taken::Unknown => Right::Unknown,
        });
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (folder, path);
            Ok(Right::Unknown)
        }
    }

    pub(super) fn open_files(&self) -> usize {
        self.open_files.load(Ordering::Relaxed)
    }

    pub(super) fn note_opened(&self) {
        self.open_files.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn note_closed(&self) {
        self.open_files.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Range {
    /// Releases the lock.
    pub(super) fn give_back(&self) {
        #[cfg(target_os = "linux")]
        self.locks.bytes.give_back(self.byte);
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        self.give_back();
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

    #[derive(Debug, Default)]
    pub(super) struct Bytes {
        state: Mutex<State>,
    }

    #[derive(Debug, Default)]
    struct State {
        file: Option<File>,
        /// Bytes locked by this process, because the system detects conflicts only between different open files.
        taken: BTreeSet<i64>,
    }

    pub(super) enum Taken {
        Byte(i64),
        Busy,
        Unknown,
    }

    impl Bytes {
        pub(super) fn take(&self, locks: &Path, path: &Path) -> Result<Taken, StoreError> {
            let mut state = lock(&self.state);
            if state.file.is_none() {
                let mut options = owner_only::options();
                let file = open_as(options.read(true).write(true).create(true), locks, Links::Refused);
                state.file = Some(file.map_err(|error| StoreError::io("open", locks, error))?);
            }
            let byte = byte_of(path);
            if !state.taken.insert(byte) {
                return Ok(Taken::Busy);
            }
            let State { file, taken } = &mut *state;
            let refused = match set(file.as_ref().expect("it was just opened"), byte, libc::F_WRLCK) {
                Ok(()) => return Ok(Taken::Byte(byte)),
                Err(refused) => refused,
            };
            taken.remove(&byte);
            match refused {
                Errno::EAGAIN | Errno::EACCES => Ok(Taken::Busy),
                _ => Ok(Taken::Unknown),
            }
        }

        pub(super) fn give_back(&self, byte: i64) {
            let mut state = lock(&self.state);
            if let (true, Some(file)) = (state.taken.remove(&byte), &state.file) {
                // The end of the process gives it back too.
                // The result is ignored, because the end of the process releases the lock anyway.
            }
        }
    }

    /// Returns the byte of a file: a 62-bit hash of its name, so that all processes use the same byte. Collisions are negligible.
    fn byte_of(path: &Path) -> i64 {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let (_, low) = Uuid::new_v5(&Uuid::NAMESPACE_OID, name).as_u64_pair();
        i64::try_from(low >> 2).expect("it has 62 bits")
    }

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

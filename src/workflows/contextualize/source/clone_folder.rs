//! The temporary folder of a clone, which is always removed (CTX-4): when its owner is dropped, and at the next clone if the process was
//! killed.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use tempfile::{Builder, TempDir};

/// Beginning of the names of these folders.
const PREFIX: &str = "stategraph-clone-";
/// File that is locked while its folder is in use.
const LOCK: &str = "lock";
/// Age from which a folder whose process was killed is removed.
const LEFTOVER_AGE: Duration = Duration::from_hours(24);
/// Attempts of a removal. Processes that were killed just now may still create files.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// A temporary folder for a clone, locked while it is in use. Dropping it removes it.
#[derive(Debug)]
pub(super) struct CloneFolder {
    /// Closed before the removal.
    lock: Option<File>,
    folder: Option<TempDir>,
}

impl CloneFolder {
    /// Creates and locks a folder in `parent`. Also removes the folders of killed processes there that are
    /// older than a day.
    pub(super) fn create(parent: &Path) -> io::Result<Self> {
        let folder = Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        lock.lock()?;
        remove_leftovers(parent, folder.path());
        Ok(Self { lock: Some(lock), folder: Some(folder) })
    }

    /// Returns the path of the folder.
    pub(super) fn path(&self) -> &Path {
        self.folder.as_ref().expect("it is there until the drop").path()
    }
}

impl Drop for CloneFolder {
    fn drop(&mut self) {
        drop(self.lock.take());
        let Some(folder) = self.folder.take() else { return };
        remove(&folder.keep());
    }
}

fn remove(folder: &Path) {
    for _ in 0..ATTEMPTS {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => thread::sleep(PAUSE),
            _ => return,
        }
    }
    tracing::warn!(folder = %folder.display(), "the temporary folder of a clone could not be removed");
}

/// Removes folders of killed processes in `parent`: older than a day, of the same user, and not in use.
fn remove_leftovers(parent: &Path, own: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let named = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    for folder in named.map(|entry| entry.path()).filter(|folder| folder != own) {
        if is_leftover(&folder, own) {
            remove(&folder);
        }
    }
}

fn is_leftover(folder: &PathBuf, own: &Path) -> bool {
    let (Ok(found), Ok(own)) = (fs::symlink_metadata(folder), fs::metadata(own)) else { return false };
    let age = found.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    found.is_dir()
        && have_one_owner(&found, &own)
        && age.is_some_and(|age| age > LEFTOVER_AGE)
        && !is_in_use(folder)
}

/// Returns true if a process holds the lock of a folder.
fn is_in_use(folder: &Path) -> bool {
    let lock = stategraph_base::regular::open(&folder.join(LOCK), stategraph_base::regular::Links::Refused);
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

#[cfg(unix)]
fn have_one_owner(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    one.uid() == other.uid()
}

#[cfg(not(unix))]
fn have_one_owner(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}

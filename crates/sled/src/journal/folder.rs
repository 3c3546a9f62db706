//! Paths of a store's files, and the sync of their names. Opens no journal.

use std::ffi::OsStr;
use std::fs::{self, DirEntry, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::names;
use crate::durable::{DurableFolders, sync_folder};
use stategraph_base::owner_only;
use stategraph_base::regular::expect;
use stategraph_core::{StoreError, ThreadId};

/// The root folder of a store, from which the paths of all its files follow.
#[derive(Debug, Clone)]
pub(super) struct StoreFolder {
    root: PathBuf,
    durable: Arc<DurableFolders>,
}

impl StoreFolder {
    /// Makes the value without creating anything. Fails if the path, or that of the journals, exists and is
    /// no folder, or if sled's files in it are not regular ones.
    pub(super) fn new(root: PathBuf) -> Result<Self, StoreError> {
        let folder = Self { root, durable: Arc::default() };
        for path in [folder.root(), &folder.threads()] {
            match fs::metadata(path) {
                Ok(found) if !found.is_dir() => {
                    return Err(StoreError::io("use", path, io::ErrorKind::NotADirectory.into()));
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(StoreError::io("use", path, error)),
            }
        }
        // Checked here because sled opens whatever it finds. A plain file in place of the index folder is removed with the index.
        let index = folder.index();
        expect(&index, |found| found.is_dir() || found.is_file())
            .map_err(|error| StoreError::io("use", &index, error))?;
        for path in ["db", "conf"].map(|name| index.join(name)) {
            expect(&path, Metadata::is_file).map_err(|error| StoreError::io("use", path, error))?;
        }
        Ok(folder)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder of the journals.
    pub(super) fn threads(&self) -> PathBuf {
        self.root.join("threads")
    }

    /// Returns the folder of the sled index.
    pub(super) fn index(&self) -> PathBuf {
        self.root.join("index")
    }

    /// Returns the path of the lock file, which has one byte per claimed journal.
    pub(super) fn locks(&self) -> PathBuf {
        self.root.join("locks")
    }

    /// Returns the path of a thread's journal. A journal that an earlier version named by the plain id keeps its name.
    pub(super) fn journal(&self, thread: &ThreadId) -> PathBuf {
        let (name, threads) = (names::of(thread), self.threads());
        let path = threads.join(format!("{name}.log"));
        if name != thread.as_str() && fs::symlink_metadata(&path).is_err() {
            let plain = threads.join(format!("{thread}.log"));
            if has_exact_name(&plain) {
                return plain;
            }
        }
        path
    }

    /// Returns the path at which a new version of a thread's journal is written before it is renamed. It
    /// begins with a dot, as no thread id does.
    pub(super) fn temporary(&self, thread: &ThreadId) -> PathBuf {
        self.threads().join(format!(".{}.new", names::of(thread)))
    }

    /// Returns the threads that have a journal file and whose ids begin with `prefix`, sorted. Opens no file.
    pub(super) fn list(&self, prefix: &str) -> Result<Vec<ThreadId>, StoreError> {
        let folder = self.threads();
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::io("list", folder, error)),
        };
        let file_name = |entry: io::Result<DirEntry>| {
            let entry = entry?;
            Ok((!entry.file_type()?.is_dir()).then(|| entry.file_name()))
        };
        let names: io::Result<Vec<_>> = entries.filter_map(|entry| file_name(entry).transpose()).collect();
        let names = names.map_err(|error| StoreError::io("list", folder, error))?;
        let mut threads: Vec<ThreadId> = names
            .iter()
            .filter_map(|name| thread_of(name))
            .filter(|thread| thread.as_str().starts_with(prefix))
            .collect();
        threads.sort();
        // A thread may have a file of either name.
        threads.dedup();
        Ok(threads)
    }

    /// Makes the folders, durably. A new root folder gets a `.gitignore`, because it may be inside a repository and its files are not source.
    pub(super) fn make(&self) -> Result<(), StoreError> {
        let is_new = !self.root.exists();
        self.durable.make(&self.threads())?;
        if is_new {
            // The error is ignored, because the store works without this file.
            let _ =
                owner_only::create(&self.root.join(".gitignore")).and_then(|mut file| file.write_all(b"*\n"));
        }
        Ok(())
    }

    /// Syncs the names of the journals to the disk.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        sync_folder(&self.threads())
    }
}

/// Returns the thread of a journal file by its name; `None` for other files.
fn thread_of(name: &OsStr) -> Option<ThreadId> {
    names::thread(name.to_str()?.strip_suffix(".log")?)
}

/// Returns true if there is a file with exactly this name. A file system that ignores case would otherwise
/// give the file of another thread.
fn has_exact_name(path: &Path) -> bool {
    let Ok(found) = fs::symlink_metadata(path) else { return false };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
    let small = folder.join(name.to_string_lossy().to_lowercase());
    let told_apart =
        fs::symlink_metadata(small).map_or(true, |small| FileId::of(&small) != FileId::of(&found));
    told_apart
        || fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name() == name))
}

/// The identity of a file, independent of its name: device and inode. Outside Unix it is constant, because an
/// open file cannot be replaced there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileId(u64, u64);

impl FileId {
    /// Returns the identity of the file with this metadata.
    pub(super) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Self(metadata.dev(), metadata.ino())
        }
        #[cfg(not(unix))]
        {
            Self(u64::from(metadata.is_file()), 0)
        }
    }
}

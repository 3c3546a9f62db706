//! Where the files of a store are, and what makes their names durable. Opens no journal.

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

/// The folder of a store.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    root: PathBuf,
    durable: Arc<DurableFolders>,
}

impl Folder {
    /// A folder that exists or can be made later. Fails when something else stands in its place.
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
        // sled opens what it finds. A plain file in place of the folder is thrown away with the index.
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

    /// Where the journals are.
    pub(super) fn threads(&self) -> PathBuf {
        self.root.join("threads")
    }

    /// Where the index is.
    pub(super) fn index(&self) -> PathBuf {
        self.root.join("index")
    }

    /// The file whose bytes stand for the journals that are held.
    pub(super) fn locks(&self) -> PathBuf {
        self.root.join("locks")
    }

    /// The journal of a thread. One that an earlier version named by the id itself keeps its name.
    pub(super) fn journal(&self, thread: &ThreadId) -> PathBuf {
        let (name, threads) = (names::of(thread), self.threads());
        let path = threads.join(format!("{name}.log"));
        if name != thread.as_str() && fs::symlink_metadata(&path).is_err() {
            let plain = threads.join(format!("{thread}.log"));
            if is_named_so(&plain) {
                return plain;
            }
        }
        path
    }

    /// Where the next journal of a thread is written before it takes its place. No thread id begins with a dot.
    pub(super) fn temporary(&self, thread: &ThreadId) -> PathBuf {
        self.threads().join(format!(".{}.new", names::of(thread)))
    }

    /// The threads that have a file and whose ids begin so, sorted. Opens none.
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

    /// Makes the folders, durably. A new one says that it is nobody's source: to Git, and to whoever walks the repository that it may
    /// stand in.
    pub(super) fn make(&self) -> Result<(), StoreError> {
        let is_new = !self.root.exists();
        self.durable.make(&self.threads())?;
        if is_new {
            // A convenience: without it everything works.
            let _ =
                owner_only::create(&self.root.join(".gitignore")).and_then(|mut file| file.write_all(b"*\n"));
        }
        Ok(())
    }

    /// Makes the names of journals durable.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        sync_folder(&self.threads())
    }
}

fn thread_of(name: &OsStr) -> Option<ThreadId> {
    names::thread(name.to_str()?.strip_suffix(".log")?)
}

/// Whether there is a file of exactly this name. Where capitals are not told from small letters, the file of another thread would be
/// found.
fn is_named_so(path: &Path) -> bool {
    let Ok(found) = fs::symlink_metadata(path) else { return false };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
    let small = folder.join(name.to_string_lossy().to_lowercase());
    let told_apart =
        fs::symlink_metadata(small).map_or(true, |small| FileId::of(&small) != FileId::of(&found));
    told_apart
        || fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name() == name))
}

/// What tells a file from others, whatever its name. Elsewhere than on Unix a file that is open cannot be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileId(u64, u64);

impl FileId {
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

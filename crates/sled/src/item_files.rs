//! Long-term memory in a folder, one durable file per item. Any number of processes may use the folder at once; the last put of a key
//! wins. Not stored in sled, because one process would lock the folder, and sled never reclaims large values.
//!
//! ```text
//! <folder>/<label>/<label>/<key>.json     the item, with its original path and key
//! ```
//!
//! Labels and keys that are not portable file names are replaced by a digest.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;

use super::durable::{DurableFolders, sync_folder};
use stategraph_base::owner_only;
use stategraph_base::regular::{Links, open};
use stategraph_core::{Clock, Item, ItemPath, LongTermStore, PutItem, StoreError};

/// Maximum length in bytes of a label or key that is used as a file name. It leaves room for suffixes below
/// every file system's limit.
const PLAIN_MAX: usize = 120;

/// A long-term store in a folder, with one file per item. The first put makes the folder. Clones share its
/// state.
///
/// ```
/// use serde_json::json;
/// use stategraph_core::{LongTermStore, PutItem};
/// use stategraph_sled::ItemFiles;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let folder = tempfile::tempdir()?;
/// let path = "users".parse()?;
/// ItemFiles::open(folder.path()).put(PutItem::new(&path, "ada", json!("tea"))?).await?;
/// let kept = ItemFiles::open(folder.path()).get(&path, "ada").await?.ok_or("it was put")?;
/// assert_eq!(kept.value, "tea");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct ItemFiles {
    folder: Arc<Path>,
    clock: Clock,
    /// Counter that makes the names of temporary files unique within the process.
    counter: Arc<AtomicU64>,
    durable: Arc<DurableFolders>,
}

/// The sync policy of one write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteSync {
    /// The content is on the disk before the write is acknowledged.
    Now,
    /// The operating system decides when it reaches the disk.
    Never,
}

impl ItemFiles {
    /// Returns the store in `folder`. Reads nothing yet.
    pub fn open(folder: impl Into<PathBuf>) -> Self {
        Self::open_with_clock(folder, Clock::SYSTEM)
    }

    /// Returns the store in `folder`, which takes the time at which items expire from `clock`. Reads nothing
    /// yet.
    pub fn open_with_clock(folder: impl Into<PathBuf>, clock: Clock) -> Self {
        Self { folder: folder.into().into(), clock, counter: Arc::default(), durable: Arc::default() }
    }

    /// Returns the folder of the items with this path.
    fn folder_of(&self, path: &ItemPath) -> PathBuf {
        path.labels().iter().fold(self.folder.to_path_buf(), |folder, label| folder.join(file_name(label)))
    }

    /// Returns the file of an item.
    fn file_of(&self, path: &ItemPath, key: &str) -> PathBuf {
        self.folder_of(path).join(format!("{}.json", file_name(key)))
    }

    /// Stores an item durably; it replaces an older one of the same path and key.
    fn put_now(&self, put: PutItem) -> Result<(), StoreError> {
        let file = self.file_of(&put.path, &put.key);
        // An unreadable item is replaced, because a put is the way to repair it.
        let before = read(&file).ok().flatten();
        let item = Item::from_put(before.as_ref(), put, self.clock.now_ms());
        self.write(&file, &item, WriteSync::Now)
    }

    /// Returns an item; `None` if it does not exist or has expired. Reading restarts the lifetime of an item
    /// that has one.
    fn get_now(&self, path: &ItemPath, key: &str) -> Result<Option<Item>, StoreError> {
        let (file, now) = (self.file_of(path, key), self.clock.now_ms());
        let Some(mut item) = read(&file)?.filter(|item| !item.is_expired(now)) else { return Ok(None) };
        if let Some(kept) = item.kept {
            item.kept = Some(kept.restart(now));
            self.write(&file, &item, WriteSync::Never)?;
        }
        Ok(Some(item))
    }

    /// Removes an item durably; does nothing if it does not exist.
    fn delete_now(&self, path: &ItemPath, key: &str) -> Result<(), StoreError> {
        remove(&self.file_of(path, key))?;
        Ok(())
    }

    /// Returns all items that have not expired, below a path if one is given, sorted by path and key.
    fn all_now(&self, below: Option<&ItemPath>) -> Result<Vec<Item>, StoreError> {
        let folder = below.map_or_else(|| self.folder.to_path_buf(), |path| self.folder_of(path));
        let now = self.clock.now_ms();
        let mut all = Vec::new();
        for file in files_below(&folder)? {
            all.extend(read(&file)?.filter(|item| !item.is_expired(now)));
        }
        all.sort_by(|one, other| (&one.path, &one.key).cmp(&(&other.path, &other.key)));
        Ok(all)
    }

    /// Removes the expired items and returns their number.
    fn sweep_now(&self) -> Result<usize, StoreError> {
        let (now, mut swept) = (self.clock.now_ms(), 0);
        for file in files_below(&self.folder)? {
            if read(&file)?.is_some_and(|item| item.is_expired(now)) && remove(&file)? {
                swept += 1;
            }
        }
        Ok(swept)
    }

    /// Writes an item to `path`, replacing the file atomically: after a kill or a power cut, readers find the
    /// old item or the new one.
    fn write(&self, path: &Path, item: &Item, sync: WriteSync) -> Result<(), StoreError> {
        let folder = path.parent().expect("an item's file is in a folder");
        self.durable.make(folder)?;
        let counter = self.counter.fetch_add(1, Ordering::Relaxed);
        let temporary = folder.join(format!(".{}-{counter}.new", std::process::id()));
        // IMPORTANT: sync the temporary file before the rename, because the new name must never point to content that is not on the disk.
        let text = serde_json::to_vec(item).expect("an item is JSON");
        let written = write_file(&temporary, &text, sync)
            .map_err(|error| StoreError::io("write", &temporary, error))
            .and_then(|()| {
                fs::rename(&temporary, path).map_err(|error| StoreError::io("replace", path, error))
            });
        if let Err(error) = written {
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
        if sync == WriteSync::Now { sync_folder(folder) } else { Ok(()) }
    }

    /// Runs blocking work on a thread of the runtime for blocking calls. Fails if the runtime shuts down.
    fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, StoreError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, StoreError>> {
        let store = self.clone();
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || work(&store)).await;
            done.unwrap_or_else(|_| Err(StoreError::Closed("the runtime is shutting down".to_owned())))
        })
    }
}

/// Writes a new file and syncs it if the policy says so.
fn write_file(path: &Path, text: &[u8], sync: WriteSync) -> io::Result<()> {
    let mut file = owner_only::create(path)?;
    file.write_all(text)?;
    if sync == WriteSync::Now { file.sync_all() } else { Ok(()) }
}

/// Reads an item; `None` if there is no file. A file that does not parse is an error.
fn read(path: &Path) -> Result<Option<Item>, StoreError> {
    let mut text = Vec::new();
    match open(path, Links::Refused).and_then(|mut file| file.read_to_end(&mut text)) {
        Ok(_) => {}
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(StoreError::io("read", path, error)),
    }
    let damaged = |error: serde_json::Error| StoreError::Corrupt {
        path: path.to_owned(),
        offset: error.column().saturating_sub(1) as u64,
        detail: error.to_string(),
    };
    serde_json::from_slice(&text).map(Some).map_err(damaged)
}

/// Removes a file and syncs its folder. Returns false if there was no file.
fn remove(path: &Path) -> Result<bool, StoreError> {
    match fs::remove_file(path) {
        Ok(()) => sync_folder(path.parent().expect("an item's file is in a folder")).map(|()| true),
        Err(error) if is_absent(&error) => Ok(false),
        Err(error) => Err(StoreError::io("remove", path, error)),
    }
}

/// Returns true if the error means that the file, or a folder above it, does not exist.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns the paths of the item files below a folder, recursively; empty if the folder does not exist.
/// Temporary files of writes in progress are left out.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |error| StoreError::io("list", folder, error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        if entry.file_type().map_err(failed)?.is_dir() {
            files.extend(files_below(&path)?);
        } else if path.extension().is_some_and(|end| end == "json") {
            files.push(path);
        }
    }
    Ok(files)
}

/// Returns the file name of a label or key: the text itself if it is short and has only lower-case letters,
/// digits, `-` and `_`, otherwise a digest after `=`. Capital letters lead to a digest, because some file
/// systems ignore case.
fn file_name(name: &str) -> String {
    let safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if name.len() <= PLAIN_MAX && name.chars().all(safe) {
        return name.to_owned();
    }
    format!("={}", uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, name.as_bytes()).simple())
}

impl LongTermStore for ItemFiles {
    fn put(&self, put: PutItem) -> BoxFuture<'_, Result<(), StoreError>> {
        self.blocking(move |store| store.put_now(put))
    }

    fn get<'a>(
        &'a self,
        path: &'a ItemPath,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Item>, StoreError>> {
        let (path, key) = (path.clone(), key.to_owned());
        self.blocking(move |store| store.get_now(&path, &key))
    }

    fn delete<'a>(&'a self, path: &'a ItemPath, key: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        let (path, key) = (path.clone(), key.to_owned());
        self.blocking(move |store| store.delete_now(&path, &key))
    }

    fn all<'a>(&'a self, below: Option<&'a ItemPath>) -> BoxFuture<'a, Result<Vec<Item>, StoreError>> {
        let below = below.cloned();
        self.blocking(move |store| store.all_now(below.as_ref()))
    }

    fn sweep(&self) -> BoxFuture<'_, Result<usize, StoreError>> {
        self.blocking(Self::sweep_now)
    }
}

//! The parts of files on disk, one pack for each code base, in the user's cache folder. Stores no fact that depends on two files. A damaged,
//! foreign or unwritable pack costs time only, so no function here fails.

mod pack;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use stategraph_base::owner_only;

pub(crate) use pack::Pack;

/// Bytes of all packs together, unless set.
const BYTES: u64 = 256 * 1024 * 1024;
/// Variable with another bound, in megabytes; `0` turns the cache off.
const VARIABLE: &str = "STATEGRAPH_CACHE_MB";
/// Age of a temporary file whose process must be gone.
const ABANDONED: Duration = Duration::from_hours(24);

/// A folder for the parsed parts of code bases. Only its owner can read what it creates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsCache {
    folder: PathBuf,
    bytes: u64,
}

impl FactsCache {
    /// Returns the cache of the user whose environment variables `var` returns: `stategraph/facts` below `XDG_CACHE_HOME`, else below
    /// `~/.cache`, on macOS `~/Library/Caches`, on Windows `LOCALAPPDATA`. `STATEGRAPH_CACHE_MB` sets the most megabytes; default 256. `None`
    /// if it is `0` or there is no such folder.
    pub fn of_user(var: impl Fn(&str) -> Option<String>) -> Option<Self> {
        // The specification of these variables ignores relative paths.
        let folder = |name: &str| var(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = || folder("HOME").or_else(|| folder("USERPROFILE"));
        let usual = || match std::env::consts::OS {
            "windows" => folder("LOCALAPPDATA"),
            "macos" => home().map(|home| home.join("Library/Caches")),
            _ => home().map(|home| home.join(".cache")),
        };
        let bytes = match var(VARIABLE).and_then(|text| text.trim().parse::<u64>().ok()) {
            Some(megabytes) => megabytes.saturating_mul(1024 * 1024),
            None => BYTES,
        };
        let folder = folder("XDG_CACHE_HOME").or_else(usual)?;
        (bytes > 0).then(|| Self::at(folder.join("stategraph").join("facts")).bytes(bytes))
    }

    /// Makes a cache of a folder, which need not exist.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), bytes: BYTES }
    }

    /// Sets the most bytes of all files in the folder. The packs that were not used for the longest time are removed first.
    #[must_use]
    pub fn bytes(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }

    /// Opens the pack of a code base; `None` if the cache would lie inside of it.
    pub(crate) fn pack(&self, repository: &Path) -> Option<Pack> {
        let is_inside = |folder: &Path| folder.starts_with(repository);
        // Before the folder is created, by those above it that exist; afterwards without links.
        let existing = self.folder.ancestors().find_map(|folder| fs::canonicalize(folder).ok())?;
        if is_inside(&self.folder) || is_inside(&existing) {
            return None;
        }
        owner_only::create_dir_all(&self.folder).ok()?;
        let folder = fs::canonicalize(&self.folder).ok().filter(|folder| !is_inside(folder))?;
        let hash = blake3::hash(repository.as_os_str().as_encoded_bytes()).to_hex();
        Some(Pack::open(&folder, &folder.join(format!("{}.pack", &hash[..32]))))
    }

    /// Writes a pack if it has something new, and removes the oldest packs beyond the bound.
    pub(crate) fn save(&self, pack: Pack) {
        let path = pack.path().to_owned();
        if pack.save(self.bytes).is_err() {
            return;
        }
        // The time of the file is that of its last use.
        if let Ok(file) = File::options().append(true).open(&path) {
            let _ = file.set_modified(SystemTime::now());
        }
        self.remove_oldest(&path);
    }

    fn remove_oldest(&self, newest: &Path) {
        let entries = newest.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten();
        let mut packs = Vec::new();
        for entry in entries.flatten() {
            let (path, Ok(found)) = (entry.path(), entry.metadata()) else { continue };
            let Ok(used) = found.modified() else { continue };
            match path.extension().and_then(|ending| ending.to_str()) {
                Some("pack") if path != newest && found.is_file() => packs.push((used, path, found.len())),
                Some("tmp") if used.elapsed().is_ok_and(|age| age > ABANDONED) => {
                    let _ = fs::remove_file(path);
                }
                _ => {}
            }
        }
        packs.sort_by(|a, b| b.cmp(a));
        let mut left = self.bytes.saturating_sub(fs::metadata(newest).map_or(0, |found| found.len()));
        for (_, path, bytes) in packs {
            // The first that does not fit and all older ones go.
            if let Some(rest) = left.checked_sub(bytes) {
                left = rest;
            } else {
                left = 0;
                let _ = fs::remove_file(path);
            }
        }
    }
}

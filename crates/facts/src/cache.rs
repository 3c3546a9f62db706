//! Disk cache of parsed files: for each code base one pack, a file in the user's cache folder, with the
//! parsed parts of its source files. Stores no fact that depends on two files. A damaged, foreign or
//! unwritable pack costs time only, so no function here fails.

mod pack;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use stategraph_base::owner_only;

pub(crate) use pack::Pack;

/// Default bound on the size of all packs together, in bytes.
const BYTES: u64 = 256 * 1024 * 1024;
/// Environment variable that sets another bound, in megabytes; `0` turns the cache off.
const VARIABLE: &str = "STATEGRAPH_CACHE_MB";
/// Age from which a temporary file counts as left behind by a process that is gone.
const ABANDONED: Duration = Duration::from_hours(24);

/// Cache on disk that spares parsing unchanged source files again: a folder with one pack file per code
/// base. Only its owner can read the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsCache {
    folder: PathBuf,
    bytes: u64,
}

impl FactsCache {
    /// Returns the cache in the user's cache folder: `stategraph/facts` below `XDG_CACHE_HOME`, else below
    /// `~/.cache`, on macOS `~/Library/Caches`, on Windows `LOCALAPPDATA`. `var` returns the value of an
    /// environment variable. `STATEGRAPH_CACHE_MB` sets the maximum size in megabytes; default 256. Returns
    /// `None` if it is `0` or if there is no such folder.
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

    /// Makes a cache in a folder, which is created when needed.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), bytes: BYTES }
    }

    /// Sets the maximum size of all packs in the folder, in bytes. The least recently used packs are
    /// removed first.
    #[must_use]
    pub fn bytes(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }

    /// Opens the pack of the code base at `repository`. Returns `None` if the cache folder lies inside the
    /// code base or cannot be created.
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

    /// Writes a pack to disk if it has new parts, marks it as just used, and removes the least recently
    /// used packs beyond the maximum size.
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

    /// Removes abandoned temporary files and the least recently used packs beyond the maximum size.
    /// `newest` is kept.
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

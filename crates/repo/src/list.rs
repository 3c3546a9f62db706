//! Lists one directory for a reader: directories first, noise filtered, sizes shown (EXP-13). Enters no directory.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use super::guard::RepoPath;
use super::left_out::LeftOut;
use super::limit::{LIST_ENTRIES, MANIFEST_BYTES};
use super::noise::{Ignored, Noise, NoiseEntry};
use super::read::{ReadError, ReadProblem};
use super::show::show;
use super::source::{FolderEntry, TreeView, is_source};

/// The entries of one directory. Displays one line per entry, directories with a slash, files with their size
/// in bytes, and a last line with the counts of omitted entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Directories first, each kind in byte order of the names (ENG-18).
    pub entries: Vec<ListEntry>,
    /// The omitted entries.
    pub left_out: LeftOut,
}

/// One entry of a listed directory: its name and kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListEntry {
    /// Its name.
    pub name: OsString,
    /// The kind of the entry.
    pub kind: EntryKind,
}

/// The kind of a directory entry; directories come first in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A file.
    File {
        /// Its size.
        bytes: u64,
    },
    /// A symbolic link; it is followed only when it is opened.
    Link,
    /// A pipe, socket or device.
    Special,
}

/// Returns the entries of the directory at `path`, at most [`LIST_ENTRIES`]. Hidden entries other than `.gitignore` and the folders of
/// [`NOISE_FOLDERS`](super::NOISE_FOLDERS) are counted, not listed.
pub fn list(path: &RepoPath) -> Result<Listing, ReadError> {
    entries(path, &Ignored::default()).map(Listing::truncate_entries)
}

/// Returns all entries of the directory at `path`, without hidden ones, noise folders and the names in
/// `ignored`, which are counted.
pub(super) fn entries(path: &RepoPath, ignored: &Ignored) -> Result<Listing, ReadError> {
    let failed = |error: io::Error| ReadError { path: path.to_string(), problem: ReadProblem::from(error) };
    let entries = fs::read_dir(path.absolute()).map_err(failed)?;
    let entries = entries.map(|entry| entry.and_then(|entry| read_entry(&entry)));
    let folder = Disk::of(path);
    Ok(Listing::of(entries, |name, kind| ignored.skips(&folder, &path.relative().join(name), kind)))
}

/// A view of the tree on disk below a folder, for rules that look at the files around an entry to decide
/// whether it is noise.
pub(super) struct Disk(PathBuf);

impl Disk {
    pub(super) fn new(root: &Path) -> Self {
        Self(root.to_owned())
    }

    /// Returns the view of the tree in which `path` lies. If the path goes through a link, the view starts at
    /// its target.
    fn of(path: &RepoPath) -> Self {
        let levels = path.relative().iter().count();
        let above = path.absolute().ancestors().nth(levels);
        let root = above.filter(|root| root.join(path.relative()) == path.absolute());
        Self(root.unwrap_or(path.absolute()).to_owned())
    }
}

impl TreeView for Disk {
    fn names(&self, folder: &Path) -> Vec<FolderEntry> {
        let entries = fs::read_dir(self.0.join(folder)).into_iter().flatten().flatten();
        let seen = entries.filter_map(|entry| {
            let (kind, name) = (entry.file_type().ok()?, entry.file_name().into_string().ok()?);
            let bytes = match () {
                () if kind.is_dir() => None,
                () if kind.is_file() && is_source(&name) => Some(entry.metadata().ok()?.len()),
                () if kind.is_file() => Some(0),
                () => return None,
            };
            Some(FolderEntry { name, bytes })
        });
        seen.collect()
    }

    fn text(&self, path: &Path) -> Option<String> {
        let path = self.0.join(path);
        let found = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        if found.len() > MANIFEST_BYTES {
            return None;
        }
        fs::read_to_string(path).ok()
    }
}

fn read_entry(entry: &DirEntry) -> io::Result<ListEntry> {
    let kind = entry.file_type()?;
    let kind = match () {
        () if kind.is_symlink() => EntryKind::Link,
        () if kind.is_dir() => EntryKind::Directory,
        () if kind.is_file() => EntryKind::File { bytes: entry.metadata()?.len() },
        () => EntryKind::Special,
    };
    Ok(ListEntry { name: entry.file_name(), kind })
}

impl Listing {
    /// Makes a sorted listing. Entries for which `skips` gives a reason (hidden, dependencies and the like)
    /// are counted instead, except `.gitignore`.
    pub(super) fn of(
        entries: impl Iterator<Item = io::Result<ListEntry>>,
        skips: impl Fn(&OsStr, NoiseEntry) -> Option<Noise>,
    ) -> Self {
        let mut listing = Self::default();
        for entry in entries {
            match entry {
                Ok(entry) => listing.take(entry, &skips),
                Err(error) => listing.left_out.count_problem(error.to_string()),
            }
        }
        listing.entries.sort_by(|a, b| (a.rank(), &a.name).cmp(&(b.rank(), &b.name)));
        listing.left_out.problems.sort();
        listing
    }

    /// Keeps the first [`LIST_ENTRIES`] entries; the others are counted in `left_out`.
    pub(super) fn truncate_entries(mut self) -> Self {
        self.left_out.beyond_limit += self.entries.len().saturating_sub(LIST_ENTRIES);
        self.entries.truncate(LIST_ENTRIES);
        self
    }

    fn take(&mut self, entry: ListEntry, skips: impl Fn(&OsStr, NoiseEntry) -> Option<Noise>) {
        let kind = NoiseEntry::folder(entry.kind == EntryKind::Directory);
        match skips(&entry.name, kind) {
            Some(noise) if noise != Noise::Hidden || entry.name != ".gitignore" => {
                self.left_out.count_noise(noise);
            }
            _ => self.entries.push(entry),
        }
    }
}

impl ListEntry {
    fn rank(&self) -> u8 {
        u8::from(self.kind != EntryKind::Directory)
    }
}

impl fmt::Display for ListEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = show(&self.name);
        match self.kind {
            EntryKind::Directory => write!(f, "{name}/"),
            EntryKind::File { bytes } => write!(f, "{name}  {bytes} B"),
            EntryKind::Link => write!(f, "{name}  (link)"),
            EntryKind::Special => write!(f, "{name}  (pipe, socket or device)"),
        }
    }
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> = self.entries.iter().map(ToString::to_string).collect();
        if lines.is_empty() {
            lines.push("(nothing to show)".into());
        }
        if !self.left_out.is_empty() {
            lines.push(format!("({})", self.left_out));
        }
        f.write_str(&lines.join("\n"))
    }
}

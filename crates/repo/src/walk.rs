//! Walks the whole tree in order, under the repository's `.gitignore` rules. Reads no file; follows no link.

use std::path::Path;
use std::sync::{Arc, Mutex};

use ignore::{DirEntry, WalkBuilder};

use super::guard::{RepoPath, Root};
use super::left_out::LeftOut;
use super::limit::{WALK_DEPTH, WALK_FILES};
use super::list::Disk;
use super::noise::{Ignored, Noise, NoiseEntry};

/// The bounds of a walk through a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkLimits {
    /// Deepest level that is entered; the root's own entries are level 1.
    pub depth: usize,
    /// Maximum number of files that are returned; further ones are counted.
    pub files: usize,
}

impl Default for WalkLimits {
    fn default() -> Self {
        Self { depth: WALK_DEPTH, files: WALK_FILES }
    }
}

/// The result of a walk: the files of a tree, without ignored files and noise (hidden entries, dependencies,
/// build output).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// The files depth first, the entries of each folder in byte order of the names. Two walks of one tree
    /// are equal (ENG-18).
    pub files: Vec<WalkedFile>,
    /// The counts of entries that the walk omitted.
    pub left_out: LeftOut,
}

/// A file that a walk found, with its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedFile {
    /// The path.
    pub path: RepoPath,
    /// Size of the file.
    pub bytes: u64,
}

/// Returns the files under `root`, without noise and without those that `.gitignore` files in the tree
/// exclude; these may be nested and apply with or without a `.git` folder (CTX-17). The user's global rules
/// and those of folders above the root do not apply, so a tree gives the same walk on every machine.
pub fn walk(root: &Root, limits: WalkLimits) -> Walk {
    let skipped: Arc<Mutex<LeftOut>> = Arc::default();
    let mut walk = Walk::default();
    for entry in rules(root, limits, Arc::clone(&skipped)).build() {
        match entry {
            Ok(entry) => walk.take(root, limits, &entry),
            Err(error) => walk.count_problem(root, &error),
        }
    }
    let skipped = skipped.lock().expect("no holder of this lock panics");
    walk.left_out.hidden = skipped.hidden;
    walk.left_out.noise_folders = skipped.noise_folders;
    walk.left_out.ignored = skipped.ignored;
    walk
}

fn rules(root: &Root, limits: WalkLimits, skipped: Arc<Mutex<LeftOut>>) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root.absolute());
    let (ignored, root) = (root.ignored_names().clone(), root.absolute().to_owned());
    let tree = Disk::new(&root);
    builder
        .standard_filters(false)
        .git_ignore(true)
        .git_exclude(true)
        .require_git(false)
        .follow_links(false)
        .max_depth(Some(limits.depth))
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(move |entry| match skips(&tree, &root, &ignored, entry) {
            Some(noise) => {
                skipped.lock().expect("no holder of this lock panics").count_noise(noise);
                false
            }
            None => true,
        });
    builder
}

fn skips(tree: &Disk, root: &Path, ignored: &Ignored, entry: &DirEntry) -> Option<Noise> {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let below = entry.path().strip_prefix(root).ok()?;
    ignored.skips(tree, below, NoiseEntry::folder(is_folder))
}

impl Walk {
    fn take(&mut self, root: &Root, limits: WalkLimits, entry: &DirEntry) {
        // A `.gitignore` with a pattern that makes no sense: the entry is good, the rule is not.
        if let Some(error) = entry.error() {
            self.count_problem(root, error);
        }
        match entry.file_type() {
            _ if entry.depth() == 0 => {}
            Some(kind) if kind.is_file() => self.take_file(root, limits, entry),
            Some(kind) if kind.is_dir() => {
                self.left_out.too_deep += usize::from(entry.depth() == limits.depth);
            }
            Some(kind) if kind.is_symlink() => self.left_out.links += 1,
            _ => self.left_out.special += 1,
        }
    }

    fn take_file(&mut self, root: &Root, limits: WalkLimits, entry: &DirEntry) {
        if self.files.len() >= limits.files {
            self.left_out.beyond_limit += 1;
            return;
        }
        let relative =
            entry.path().strip_prefix(root.absolute()).expect("a walk stays below where it began").to_owned();
        match entry.metadata() {
            Ok(found) => self.files.push(WalkedFile { path: root.child_path(relative), bytes: found.len() }),
            Err(error) => self.count_problem(root, &error),
        }
    }

    /// Counts an unreadable entry, and records its error with a path relative to the root.
    fn count_problem(&mut self, root: &Root, error: &ignore::Error) {
        let above = format!("{}/", root.absolute().display());
        self.left_out.count_problem(error.to_string().replace(&above, ""));
    }
}

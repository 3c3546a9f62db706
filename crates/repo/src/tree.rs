//! A tree for readers: a few levels, a few entries of each directory, and the number of the others (CTX-10, 18). walk.rs decides which
//! entries are walked.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::Files;
use super::left_out::LeftOut;
use super::limit::{SCAN_CHILDREN, SCAN_DEPTH};
use super::show::show;
use super::walk::{WalkLimits, WalkedFile};

/// The bounds of the displayed tree of a [`Scan`]. They do not limit its list of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanLimits {
    /// Number of levels that are shown; the root's own entries are level 1.
    pub depth: usize,
    /// Maximum number of entries shown of one directory.
    pub children: usize,
}

impl Default for ScanLimits {
    fn default() -> Self {
        Self { depth: SCAN_DEPTH, children: SCAN_CHILDREN }
    }
}

/// An overview of a repository: a tree cut to a few levels, and the list of all files. [`scan`] makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan {
    /// The tree from the root on, within the limits.
    pub tree: TreeNode,
    /// Every file, in byte order of the paths.
    pub files: Vec<String>,
    /// Number of files.
    pub total_files: usize,
    /// Number of directories with files, without the root.
    pub total_directories: usize,
    /// The omitted entries.
    pub left_out: LeftOut,
}

/// A directory or a file in the tree of a [`Scan`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeNode {
    /// Name of the entry; `.` for the root.
    pub name: String,
    /// The kind of the node.
    #[serde(rename = "type")]
    pub kind: NodeKind,
    /// Size in bytes: of the file, or of all files below the directory.
    pub size: u64,
    /// Path relative to the root; `.` for the root.
    pub path: String,
    /// Directories first, each kind in byte order of the names.
    pub children: Vec<TreeNode>,
    /// Number of its entries that are not shown.
    pub truncated: usize,
}

/// The kind of a [`TreeNode`]: a directory or a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    /// A directory, whose entries are children.
    Directory,
    /// A file.
    File,
}

/// Walks a repository and returns its tree within `limits`, its files and their counts. Reads no file.
///
/// ```
/// use stategraph_repo::{MemoryFiles, ScanLimits, scan};
///
/// let found = scan(&MemoryFiles::new([("src/main.rs", "fn main() {}"), ("README.md", "")]), ScanLimits::default());
/// assert_eq!((found.total_files, found.total_directories), (2, 1));
/// assert_eq!(found.tree.children[0].path, "src");
/// ```
pub fn scan(files: &dyn Files, limits: ScanLimits) -> Scan {
    let walk = files.walk(WalkLimits::default());
    let mut root = Folder::default();
    walk.files.iter().for_each(|file| root.put(file));
    let mut paths: Vec<String> = walk.files.iter().map(|file| file.path.to_string()).collect();
    paths.sort();
    Scan {
        tree: root.node(".".into(), Path::new(""), limits.depth, limits),
        total_files: paths.len(),
        files: paths,
        total_directories: root.folders(),
        left_out: walk.left_out,
    }
}

/// A folder of the tree that [`scan`] builds: its folders and files by name, files with their sizes.
#[derive(Default)]
struct Folder {
    folders: BTreeMap<OsString, Folder>,
    files: BTreeMap<OsString, u64>,
}

impl Folder {
    fn put(&mut self, file: &WalkedFile) {
        let mut names: Vec<OsString> = file.path.relative().iter().map(ToOwned::to_owned).collect();
        let Some(name) = names.pop() else { return };
        let folder = names.into_iter().fold(self, |at, name| at.folders.entry(name).or_default());
        folder.files.insert(name, file.bytes);
    }

    fn folders(&self) -> usize {
        self.folders.values().map(|folder| 1 + folder.folders()).sum()
    }

    fn bytes(&self) -> u64 {
        let own: u64 = self.files.values().sum();
        own + self.folders.values().map(Self::bytes).sum::<u64>()
    }

    fn node(&self, name: String, path: &Path, levels: usize, limits: ScanLimits) -> TreeNode {
        let all = self.folders.len() + self.files.len();
        let shown = if levels == 0 { 0 } else { all.min(limits.children) };
        let folders = self.folders.iter().take(shown);
        let files = self.files.iter().take(shown - folders.len());
        let folders = folders.map(|(name, folder)| {
            folder.node(show(name), &path.join(name), levels.saturating_sub(1), limits)
        });
        let files = files.map(|(name, bytes)| TreeNode {
            name: show(name),
            kind: NodeKind::File,
            size: *bytes,
            path: show(path.join(name)),
            children: Vec::new(),
            truncated: 0,
        });
        TreeNode {
            name,
            kind: NodeKind::Directory,
            size: self.bytes(),
            path: if path.as_os_str().is_empty() { ".".into() } else { show(path) },
            children: folders.chain(files).collect(),
            truncated: all - shown,
        }
    }
}

//! The layer `repo`: nothing outside the root, nothing without a bound, the same bytes every time.

#![allow(clippy::format_collect, reason = "the texts of tests are short")]
#![allow(clippy::print_stderr, reason = "what was not run is said")]

mod agreement;
mod code;
mod cut;
mod files;
mod guard;
mod hostile;
mod list;
mod list_files;
mod manifest;
mod outline;
mod read;
mod search;
mod slug;
mod tree;
mod walk;
mod write;

use std::fs;
use std::path::Path;

use stategraph::repo::Root;
use tempfile::TempDir;

/// A repository with these files, in a folder that is removed with the first value. It stands in `home/repo`, so that a test
/// has a neighbour to escape to.
pub(crate) fn tree(files: &[(&str, &str)]) -> (TempDir, Root) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let repo = home.path().join("repo");
    fs::create_dir(&repo).expect("a new folder");
    for (path, text) in files {
        put(&repo, path, text.as_bytes());
    }
    let root = Root::open(&repo).expect("it was just made");
    (home, root)
}

pub(crate) fn put(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders");
    fs::write(path, bytes).expect("a file");
}

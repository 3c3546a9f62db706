//! Folders with files in them.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Makes a folder with these files, below one that is removed with the first value. It stands in `home/repo`, so that a test has a
/// neighbour to escape to.
pub fn tree(files: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let repo = home.path().join("repo");
    fs::create_dir(&repo).expect("a new folder");
    for (path, text) in files {
        put(&repo, path, text.as_bytes());
    }
    (home, repo)
}

/// Writes a file, and makes the folders above it.
pub fn put(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders");
    fs::write(path, bytes).expect("a file");
}

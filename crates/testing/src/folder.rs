//! Temporary folders with files for tests.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Makes a temporary folder with these files, given as path and text. Returns its guard, which removes it
/// when dropped, and the path of the folder `repo` in it. The level between lets tests try to escape from
/// `repo` to a neighbour.
pub fn tree(files: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let repo = home.path().join("repo");
    fs::create_dir(&repo).expect("a new folder");
    for (path, text) in files {
        put(&repo, path, text.as_bytes());
    }
    (home, repo)
}

/// Writes the file `path` below `folder` and creates its parent folders.
pub fn put(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders");
    fs::write(path, bytes).expect("a file");
}

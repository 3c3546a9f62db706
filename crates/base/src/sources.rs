//! A hash of a crate's sources, for build scripts.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns a hash (FNV-1a) of the relative names and the contents of all files below a folder, in sorted
/// order. A file that cannot be read counts by its name alone. Build scripts use it as the version of the
/// crate.
pub fn hash_sources(folder: &Path) -> u64 {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let name = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().into_owned();
        for byte in name.bytes().chain([0]).chain(fs::read(&file).unwrap_or_default()).chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

/// Adds the paths of all files below `folder` to `found`, recursively. Skips folders that cannot be read.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            found.push(path);
        }
    }
}

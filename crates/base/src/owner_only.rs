//! Files and folders that only their owner can read: prompts, answers and states are private. On systems without Unix modes, new files
//! and folders get the permissions of the folder that they are made in.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Mode of a new file.
#[cfg(unix)]
pub const FILE_MODE: u32 = 0o600;

/// Returns options that give a file that they create the mode 0600. An existing file keeps its mode.
pub fn options() -> OpenOptions {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, FILE_MODE);
    options
}

/// Opens a file for writing: creates it with the mode 0600, or truncates an existing file and keeps its mode.
pub fn create(path: &Path) -> io::Result<File> {
    options().write(true).create(true).truncate(true).open(path)
}

/// Creates a folder and those above it that are missing, each with the mode 0700. An existing folder keeps its mode.
pub fn create_dir_all(folder: &Path) -> io::Result<()> {
    builder().recursive(true).create(folder)
}

/// Returns a builder of folders with the mode 0700.
pub fn builder() -> DirBuilder {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

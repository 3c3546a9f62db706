//! Replaces files atomically: the old bytes or the new ones, never a mixture (ENG-16). Knows nothing about the content.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};
use thiserror::Error;

use super::show::show_typed;
use stategraph_base::owner_only;

/// Writes `bytes` to the file at `path` atomically, and creates the folders above it. The bytes are written
/// to a temporary file beside it, synced and renamed, so that a reader, a kill or a power cut sees either the
/// old file or the new one.
///
/// A link is followed and stays a link; an existing file keeps its permissions. A read-only file, a device or
/// a pipe is not replaced, which is an error.
pub fn replace(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), WriteError> {
    FileWriter::default().replace(path, bytes)
}

/// Writes `bytes` to a new file at `path`, and creates the folders above it. If there is a file already, also
/// from another process at the same time, fails with [`WriteProblem::Taken`]. A reader sees no file or the
/// whole file.
pub fn create(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), WriteError> {
    let path = path.as_ref();
    create_whole(path, bytes).map_err(|problem| WriteError { path: show_typed(path), problem })
}

/// Writes `bytes` to `path` as [`replace`] does, for files that hold prompts, answers or keys: a new file
/// gets the mode 0600, and new folders 0700. An existing file keeps its permissions.
pub fn replace_private(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), WriteError> {
    FileWriter::default().private().replace(path, bytes)
}

/// A writer that replaces files as [`replace`] does. It can restrict their readers, and defer the moment at
/// which they are durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileWriter {
    readers: Readers,
    is_deferred: bool,
}

impl FileWriter {
    /// Makes the writer give new files the mode 0600, and new folders 0700.
    #[must_use]
    pub fn private(self) -> Self {
        Self { readers: Readers::OwnerOnly, ..self }
    }

    /// Makes the writer sync no file; [`flush`](Self::flush) later makes all durable with one wait. For files
    /// that can be computed again: a kill still leaves the old or the new file, but a power cut before the
    /// flush may leave neither.
    #[must_use]
    pub fn deferred(self) -> Self {
        Self { is_deferred: true, ..self }
    }

    /// Writes `bytes` to `path` atomically, and creates the folders above it.
    pub fn replace(self, path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), WriteError> {
        let path = path.as_ref();
        write(path, bytes, self).map_err(|problem| WriteError { path: show_typed(path), problem })
    }

    /// Makes all files in the file system of `folder` durable. Does nothing if this writer is not deferred.
    pub fn flush(self, folder: &Path) -> Result<(), WriteError> {
        if !self.is_deferred {
            return Ok(());
        }
        let flushed = File::open(folder).and_then(|folder| flush_file_system(&folder));
        flushed.map_err(|error| WriteError { path: show_typed(folder), problem: error.into() })
    }

    /// Returns true if each file is synced when it is written. That is always so on systems without Unix,
    /// which cannot flush a whole file system.
    fn syncs(self) -> bool {
        !self.is_deferred || cfg!(not(unix))
    }
}

#[cfg(target_os = "linux")]
fn flush_file_system(folder: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(folder)?)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn flush_file_system(_: &File) -> io::Result<()> {
    rustix::fs::sync();
    Ok(())
}

#[cfg(not(unix))]
fn flush_file_system(_: &File) -> io::Result<()> {
    Ok(())
}

/// The users who can read a new file: those of the umask, or its owner alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Readers {
    /// Those whom the umask of the process allows.
    #[default]
    AsUsual,
    /// Only its owner.
    OwnerOnly,
}

/// Checks whether [`replace`] could write `path` now, by creating and removing a temporary file. For a check
/// before work is spent on the content. Creates no folder.
pub fn probe(path: impl AsRef<Path>) -> Result<(), WriteError> {
    let path = path.as_ref();
    try_out(path).map_err(|problem| WriteError { path: show_typed(path), problem })
}

fn try_out(path: &Path) -> Result<(), WriteProblem> {
    let target = target(path)?;
    replaceable(&target)?;
    let existing = folder_of(&target).ancestors().find(|folder| folder.exists());
    let folder = existing.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(WriteProblem::ParentNotADirectory);
    }
    // A file that is gone again at once is the only test that counts permissions, mounts and quotas.
    fresh(folder, Readers::AsUsual)?;
    Ok(())
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn write(path: &Path, bytes: &[u8], writer: FileWriter) -> Result<(), WriteProblem> {
    let target = target(path)?;
    let old = replaceable(&target)?;
    let folder = folder_of(&target);
    create_folders(folder, writer.readers)?;
    let mut fresh = fresh(folder, writer.readers)?;
    fresh.write_all(bytes)?;
    if let Some(old) = old {
        fresh.as_file().set_permissions(old.permissions())?;
    }
    if writer.syncs() {
        fresh.as_file().sync_all()?;
    }
    fresh.persist(&target).map_err(|error| error.error)?;
    if writer.syncs() {
        sync_folder(folder)?;
    }
    Ok(())
}

fn create_whole(path: &Path, bytes: &[u8]) -> Result<(), WriteProblem> {
    if path.file_name().is_none() {
        return Err(WriteProblem::NoFileName);
    }
    let folder = folder_of(path);
    create_folders(folder, Readers::AsUsual)?;
    let mut fresh = fresh(folder, Readers::AsUsual)?;
    fresh.write_all(bytes)?;
    fresh.as_file().sync_all()?;
    fresh.persist_noclobber(path).map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => WriteProblem::Taken,
        _ => error.error.into(),
    })?;
    Ok(sync_folder(folder)?)
}

fn create_folders(folder: &Path, readers: Readers) -> Result<(), WriteProblem> {
    let made = match readers {
        Readers::AsUsual => fs::create_dir_all(folder),
        Readers::OwnerOnly => owner_only::create_dir_all(folder),
    };
    made.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => WriteProblem::ParentNotADirectory,
        _ => error.into(),
    })
}

/// Returns the path of the file to write: `path`, or the target of the link there. Fails if `path` names no
/// file.
fn target(path: &Path) -> Result<PathBuf, WriteProblem> {
    let ends_in_slash = path.as_os_str().as_encoded_bytes().last() == Some(&b'/');
    if path.file_name().is_none() || ends_in_slash {
        return Err(WriteProblem::NoFileName);
    }
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            fs::canonicalize(path).map_err(|error| WriteProblem::BrokenLink { reason: error.to_string() })
        }
        _ => Ok(path.to_owned()),
    }
}

/// Returns the metadata of the file at `target`; `None` if there is none. Fails if it is a directory, no
/// regular file or read-only.
fn replaceable(target: &Path) -> Result<Option<Metadata>, WriteProblem> {
    match fs::metadata(target) {
        Ok(found) if found.is_dir() => Err(WriteProblem::Directory),
        Ok(found) if !found.is_file() => Err(WriteProblem::Special),
        Ok(found) if found.permissions().readonly() => Err(WriteProblem::ReadOnly),
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Err(WriteProblem::ParentNotADirectory),
        Err(error) => Err(error.into()),
    }
}

/// Creates a temporary file in `folder`, with the mode that `readers` needs. It is removed when dropped,
/// unless it is persisted.
fn fresh(folder: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".stategraph-").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(match readers {
        Readers::AsUsual => 0o666,
        Readers::OwnerOnly => owner_only::FILE_MODE,
    }));
    #[cfg(not(unix))]
    let _ = readers;
    builder.tempfile_in(folder)
}

/// Syncs a folder, so that the name of a new file in it survives a power cut. Does nothing on systems without
/// Unix, where that is not possible and not needed.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// The error of a file that could not be written. The old content is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cannot write `{path}`: {problem}")]
pub struct WriteError {
    /// The path as it was given.
    pub path: String,
    /// The reason.
    pub problem: WriteProblem,
}

/// The reason why a file could not be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WriteProblem {
    /// The path is empty, `..`, or ends with a slash.
    #[error("it names no file")]
    NoFileName,
    /// There is a directory at the path.
    #[error("it is a directory")]
    Directory,
    /// There is a pipe, socket or device at the path.
    #[error("it is a pipe, socket or device")]
    Special,
    /// There is a file at the path already, and it must not be replaced.
    #[error("there is a file already")]
    Taken,
    /// The file is marked read-only.
    #[error("the file is read-only")]
    ReadOnly,
    /// The path is a link to nothing, or a link in a circle.
    #[error("it is a link that cannot be followed: {reason}")]
    BrokenLink {
        /// As the operating system says it.
        reason: String,
    },
    /// A file is in the place of a folder above the path.
    #[error("a part of the path above it is a file")]
    ParentNotADirectory,
    /// The operating system does not permit the write.
    #[error("permission denied")]
    NotPermitted,
    /// The disk is full, or a quota is used up.
    #[error("the disk is full")]
    Full,
    /// The operating system reports another error.
    #[error("{reason}")]
    Failed {
        /// As the operating system says it.
        reason: String,
    },
}

impl WriteError {
    /// Returns a hint for the user: the next step after this error.
    pub fn hint(&self) -> &'static str {
        match self.problem {
            WriteProblem::NoFileName | WriteProblem::Directory => {
                "give the path of a file, such as out/spec.md"
            }
            WriteProblem::Special => "give the path of a regular file",
            WriteProblem::Taken => "move it away, or write elsewhere",
            WriteProblem::ReadOnly => "make it writable (chmod u+w), or write elsewhere",
            WriteProblem::BrokenLink { .. } => "remove the link, or write elsewhere",
            WriteProblem::ParentNotADirectory => "move that file away, or write elsewhere",
            WriteProblem::NotPermitted => "check who owns the folder, or write elsewhere",
            WriteProblem::Full => "free some space and run again, or write elsewhere",
            WriteProblem::Failed { .. } => "try again, or write elsewhere",
        }
    }
}

impl From<io::Error> for WriteProblem {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::NotPermitted,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            io::ErrorKind::IsADirectory => Self::Directory,
            _ => Self::Failed { reason: error.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_other_failures() {
        // ARD, ENG-16: no test can fill the disk, so the one translation is checked alone.
        assert_eq!(WriteProblem::from(io::Error::from(io::ErrorKind::StorageFull)), WriteProblem::Full);
        assert_eq!(WriteProblem::from(io::Error::from(io::ErrorKind::QuotaExceeded)), WriteProblem::Full);
        let denied = WriteProblem::from(io::Error::from(io::ErrorKind::PermissionDenied));
        assert_eq!(denied, WriteProblem::NotPermitted);
    }
}

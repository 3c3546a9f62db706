//! Puts the document in its place in one step: written beside it, synced, renamed over it (ARD-60, ENG-16).

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Writes the file, with its folders; what stood there is replaced whole or not at all. A symbolic link is followed.
pub fn write(path: &Path, text: &str) -> Result<(), WriteError> {
    let fail = |source: io::Error| WriteError::of(path, source);
    if path.is_dir() || path.file_name().is_none() {
        return Err(WriteError::IsFolder { path: path.to_owned() });
    }
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(fail)?;
    let mut file = builder(&target).tempfile_in(folder).map_err(fail)?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(fail)?;
    file.persist(&target).map_err(|error| fail(error.error))?;
    sync_folder(folder).map_err(fail)
}

/// A hidden file with the mode of the one it replaces, or what the umask leaves.
fn builder(target: &Path) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".spec-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        const READABLE: u32 = 0o666;
        let mode = std::fs::metadata(target).map_or(READABLE, |old| old.permissions().mode() & 0o777);
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    builder
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Why a document could not be put in its place. Nothing is lost: what stood there still does, and the debate is in its
/// checkpoints.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The path is a folder.
    #[error("cannot write the specification to {}: it is a folder", path.display())]
    IsFolder {
        /// The path.
        path: PathBuf,
    },
    /// No permission, or a read-only file system.
    #[error("cannot write the specification to {}: not permitted", path.display())]
    NotWritable {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk or the quota is full.
    #[error("cannot write the specification to {}: no space left", path.display())]
    DiskFull {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Anything else.
    #[error("cannot write the specification to {}", path.display())]
    Failed {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl WriteError {
    /// Sorts a system error.
    pub fn of(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::NotWritable { path, source }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path, source },
            io::ErrorKind::IsADirectory => Self::IsFolder { path },
            _ => Self::Failed { path, source },
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        let resume = "then resume the run: the debate is kept and no model is asked again";
        match self {
            Self::IsFolder { path } => {
                format!("name a file in it: --output {}; {resume}", path.join("spec.md").display())
            }
            Self::NotWritable { .. } => {
                format!("choose another place with --output, or allow writing; {resume}")
            }
            Self::DiskFull { .. } => format!("free some space; {resume}"),
            Self::Failed { .. } => format!("check the path of --output; {resume}"),
        }
    }
}

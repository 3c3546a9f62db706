//! What goes wrong with a memory: what, where, what next. Nothing that was stored is lost by any of it.

use thiserror::Error;

use super::schema::Rejection;
use super::types::EntryType;
use crate::repo::{PathError, RootError, WriteError};

/// A memory that cannot be opened or changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MemoryError {
    /// Another run has it.
    #[error("another run is working on the memory {path}")]
    Locked {
        /// The memory's folder.
        path: String,
    },
    /// It was written in another format.
    #[error("the memory {path} has version {found}; this program reads version {known}", known = super::INDEX_VERSION)]
    OtherVersion {
        /// The index that says so.
        path: String,
        /// Its version.
        found: String,
    },
    /// Its folder cannot be made or locked.
    #[error("cannot use the memory {path}: {reason}")]
    Folder {
        /// The folder or file.
        path: String,
        /// As the operating system says it.
        reason: String,
    },
    /// A broken file cannot be put aside, and would be lost when it is written again.
    #[error("{path} cannot be read ({problem}) and cannot be put aside: {reason}")]
    Stuck {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
        /// Why it has to stay.
        reason: String,
    },
    /// Its folder is no folder.
    #[error(transparent)]
    Root(#[from] RootError),
    /// A place in it leads out of it.
    #[error("in the memory {path}: {error}")]
    Path {
        /// The memory's folder.
        path: String,
        /// What is wrong.
        error: PathError,
    },
    /// A file of it cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The entry does not hold what its schema demands (DOC-78).
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// There is no such entry.
    #[error("there is no {entry_type} `{id}` in memory")]
    Unknown {
        /// Of this type.
        entry_type: EntryType,
        /// As it was named.
        id: String,
        /// The nearest that there is.
        nearest: Option<String>,
    },
}

impl MemoryError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Locked { .. } => {
                "wait for it to end, or stop it; the lock is given back when its process ends".into()
            }
            Self::OtherVersion { path, .. } => {
                format!("move the folder of {path} away, or use the version that wrote it")
            }
            Self::Folder { .. } => "check who owns the folder and whether it may be written".into(),
            Self::Stuck { .. } => "move the file away by hand".into(),
            Self::Root(error) => error.hint().into(),
            Self::Path { error, .. } => error.hint().into(),
            Self::Write(error) => error.hint().into(),
            Self::Rejected(_) => "store it again with what is wrong put right".into(),
            Self::Unknown { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::Unknown { entry_type, .. } => format!("store the {entry_type} first"),
        }
    }
}

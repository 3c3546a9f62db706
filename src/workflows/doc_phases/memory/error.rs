//! Errors of a memory. None of them loses a stored entry.

use thiserror::Error;

use super::schema::Rejection;
use super::types::EntryType;
use crate::repo::{PathError, RootError, WriteError};

/// Error of opening, reading or changing the agent's memory.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MemoryError {
    /// Another run holds the lock.
    #[error("another run is working on the memory {path}")]
    Locked {
        /// Folder of the memory.
        path: String,
    },
    /// The memory has another format version.
    #[error("the memory {path} has version {found}; this program reads version {known}", known = super::INDEX_VERSION)]
    OtherVersion {
        /// Path of the index.
        path: String,
        /// Version in the index.
        found: String,
    },
    /// A folder or file cannot be created, locked, listed or removed.
    #[error("cannot use the memory {path}: {reason}")]
    Folder {
        /// Path of the folder or file.
        path: String,
        /// Error text of the operating system.
        reason: String,
    },
    /// A damaged file cannot be renamed, and would be overwritten by the next write.
    #[error("{path} cannot be read ({problem}) and cannot be put aside: {reason}")]
    Stuck {
        /// Path of the file.
        path: String,
        /// Defect of the file.
        problem: String,
        /// Reason of the failed rename.
        reason: String,
    },
    /// The path of the memory is not a folder.
    #[error(transparent)]
    Root(#[from] RootError),
    /// A path in the memory leads out of its folder.
    #[error("in the memory {path}: {error}")]
    Path {
        /// Folder of the memory.
        path: String,
        /// Error of the path.
        error: PathError,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The entry violates its schema (DOC-78).
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// Memory has no such entry.
    #[error("there is no {entry_type} `{id}` in memory")]
    Unknown {
        /// Type of the entry.
        entry_type: EntryType,
        /// Id as given.
        id: String,
        /// Most similar existing id.
        nearest: Option<String>,
    },
}

impl MemoryError {
    /// Returns the hint: the next step for the user.
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

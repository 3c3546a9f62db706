//! Errors of snapshots.

use std::io;
use std::path::PathBuf;

use stategraph_repo::WriteError;
use thiserror::Error;

/// A failure to write or read snapshots of a run.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// A time has the wrong form.
    #[error("`{0}` is no time such as 2024-01-15T10:30:00Z")]
    Time(String),
    /// No folder is free for the run.
    #[error("`{folder}` has folders of too many runs that started at {started}")]
    Crowded {
        /// Folder of the package.
        folder: PathBuf,
        /// Start of the runs.
        started: String,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file or a folder cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// Path.
        path: PathBuf,
        /// Reason of the system.
        source: io::Error,
    },
    /// A file is larger than any snapshot.
    #[error("`{path}` has more than {limit} bytes")]
    TooLarge {
        /// Path.
        path: PathBuf,
        /// Largest size in bytes.
        limit: usize,
    },
    /// Metadata is not JSON, or has other fields.
    #[error("`{path}` is no metadata of a snapshot: {source}")]
    Json {
        /// Path.
        path: PathBuf,
        /// Reason of the parser.
        source: serde_json::Error,
    },
}

impl SnapshotError {
    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Time(_) => "pass the start of the run in UTC, to the second",
            Self::Crowded { .. } => "remove old folders of this package",
            Self::Write(_) => "check the permissions of the folder and the space on its disk",
            Self::Read { .. } => {
                "check the path and its permissions; a snapshot is the path of its `.md` file"
            }
            Self::TooLarge { .. } | Self::Json { .. } => "name a snapshot that a run wrote",
        }
    }
}

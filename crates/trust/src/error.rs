//! Errors of trust, with the command that the user types next.

use std::path::PathBuf;

use thiserror::Error;

use super::request::CapabilityRequest;
use stategraph_base::quote_for_shell;
use stategraph_repo::WriteError;

/// The error of a file that is not trusted, or of an approval that cannot be stored or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The file asks for capabilities that the user has not allowed.
    #[error("{} is not trusted yet. It asks to:\n{}", file.display(), listing(wants))]
    Untrusted {
        /// The file.
        file: PathBuf,
        /// Everything that it asks for.
        wants: Vec<CapabilityRequest>,
    },
    /// The environment names no home folder, so approvals cannot be kept.
    #[error("there is no folder to keep approvals in: neither XDG_STATE_HOME nor HOME is an absolute path")]
    NoStateFolder,
    /// The folder of approvals cannot be read or written.
    #[error("cannot use {}", path.display())]
    Folder {
        /// The folder, or a file in it.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The approval cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Returns the capabilities with their positions, one per line.
fn listing(wants: &[CapabilityRequest]) -> String {
    wants.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl TrustError {
    /// Returns the next step of the user.
    pub fn hint(&self) -> String {
        match self {
            Self::Untrusted { file, .. } => format!(
                "if you trust it: `graph trust {}` allows this from now on",
                quote_for_shell(file.as_os_str())
            ),
            Self::NoStateFolder => "set HOME, so that the decision can be kept".to_owned(),
            Self::Folder { .. } => "check who owns it, or name another one in XDG_STATE_HOME".to_owned(),
            Self::Write(error) => error.hint().to_owned(),
        }
    }
}

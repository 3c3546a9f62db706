//! Writes the document atomically (ARD-60, ENG-16), and words its errors for the author of a debate.

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::digest::is_sealed;
use crate::repo::{self, WriteProblem};
use crate::workflows::ard::services::ExistingFile;
use crate::workflows::config::landing_outside;
use stategraph_base::quote_for_shell;
use stategraph_base::regular::{Links, open};

/// Writes the file and creates its folders. An existing file is replaced atomically; a file that this program did not write, or
/// that was edited since, is copied first, unless `existing` allows to overwrite it. Returns the path of the copy. A symbolic
/// link is followed.
pub fn write(path: &Path, text: &str, existing: ExistingFile) -> Result<Option<PathBuf>, SpecWriteError> {
    let kept = match existing {
        ExistingFile::Kept => keep_foreign(path, text).map_err(|source| SpecWriteError {
            path: path.to_owned(),
            problem: SpecWriteProblem::Copy { reason: source.to_string() },
        })?,
        ExistingFile::Overwritten => None,
    };
    repo::replace(path, text.as_bytes()).map_err(|error| SpecWriteError::from_repo(path, error))?;
    Ok(kept)
}

/// Copies an existing file that is neither a document of this program nor equal to the new text.
fn keep_foreign(path: &Path, text: &str) -> io::Result<Option<PathBuf>> {
    let Ok(mut file) = open(path, Links::Followed) else {
        // A missing file needs no copy; any other obstacle is an error of the write itself.
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    if bytes.is_empty() || bytes == text.as_bytes() || std::str::from_utf8(&bytes).is_ok_and(is_sealed) {
        return Ok(None);
    }
    let name = path.file_name().unwrap_or_default();
    for number in 0_u32.. {
        let mut copy = name.to_owned();
        copy.push(if number == 0 { ".bak".to_owned() } else { format!(".bak.{number}") });
        let copy = path.with_file_name(copy);
        // `create_new` never overwrites an earlier copy.
        match std::fs::OpenOptions::new().write(true).create_new(true).open(&copy) {
            Ok(mut target) => {
                target.write_all(&bytes)?;
                target.sync_all()?;
                return Ok(Some(copy));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Checks that [`write()`] would succeed now, before tokens are spent on the document. Creates no folder.
pub fn probe(path: &Path) -> Result<(), SpecWriteError> {
    repo::probe(path).map_err(|error| SpecWriteError::from_repo(path, error))
}

/// The error of a document that was not written. An existing file is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot write the specification to {}: {problem}", path.display())]
pub struct SpecWriteError {
    /// Path of the document.
    pub path: PathBuf,
    /// The reason.
    pub problem: SpecWriteProblem,
}

/// The reason why a document was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecWriteProblem {
    /// The path cannot be written.
    #[error(transparent)]
    Write(#[from] WriteProblem),
    /// The file that is there could not be copied.
    #[error("the file that is there cannot be copied: {reason}")]
    Copy {
        /// Error of the operating system.
        reason: String,
    },
    /// The path leads out of the working folder, and the user did not type it.
    #[error("it leads out of the working folder, to {}", landing.display())]
    Outside {
        /// The path that it leads to, links resolved.
        landing: PathBuf,
    },
}

impl SpecWriteError {
    fn from_repo(path: &Path, error: repo::WriteError) -> Self {
        Self { path: path.to_owned(), problem: error.problem.into() }
    }

    /// Makes the error of a path that leads out of `folder`.
    pub(in crate::workflows::ard) fn outside(folder: &Path, path: &Path) -> Self {
        let landing = landing_outside(folder, path).unwrap_or_else(|| folder.join(path));
        Self { path: path.to_owned(), problem: SpecWriteProblem::Outside { landing } }
    }

    /// Returns advice for the user before a debate.
    pub fn hint(&self) -> String {
        match &self.problem {
            SpecWriteProblem::Write(WriteProblem::Directory) => {
                let inside = self.path.join("spec.md");
                format!("move it away, or name a file in it: --output {}", inside.display())
            }
            SpecWriteProblem::Outside { landing } => {
                format!("to write it there, name the path: --output {}", quote_for_shell(landing.as_os_str()))
            }
            SpecWriteProblem::Write(_) | SpecWriteProblem::Copy { .. } => {
                format!("{}, or name another file: --output FILE", self.remedy())
            }
        }
    }

    /// Returns advice for the user after a debate, when the settings are fixed.
    pub fn remedy(&self) -> &'static str {
        let problem = match &self.problem {
            SpecWriteProblem::Outside { .. } => return "name the file with --output",
            SpecWriteProblem::Copy { .. } => return "move it away",
            SpecWriteProblem::Write(problem) => problem,
        };
        match problem {
            WriteProblem::NoFileName => "check the path",
            WriteProblem::Directory | WriteProblem::Special | WriteProblem::ParentNotADirectory => {
                "move it away"
            }
            WriteProblem::ReadOnly => "make the file writable",
            WriteProblem::BrokenLink { .. } => "remove the link",
            WriteProblem::NotPermitted => "grant write permission",
            WriteProblem::Full => "free some space",
            WriteProblem::Failed { .. } => "check that the folder still exists",
        }
    }
}

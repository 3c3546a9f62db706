//! Output files of workflows: resolves their paths, which stay in the working folder unless the user
//! typed them, and writes them without losing a file of the user. Knows no format.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};

use super::config::{inside, landing_outside};
use crate::repo::{self, WriteProblem};
use stategraph_base::quote_for_shell;
use stategraph_base::regular::{Links, open};

/// Output path that stands for standard output.
pub(super) const STDOUT: &str = "-";

/// Maximum size of an existing file that is compared with the new text, in bytes. A larger one is
/// treated as a file of the user.
const COMPARED: u64 = 1 << 24;

/// Treatment of an existing file that this program did not write, or that was edited since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExistingFile {
    /// It is copied to another name before the write.
    #[default]
    Kept,
    /// It is overwritten.
    Overwritten,
}

/// Restriction on an output path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputScope {
    /// The path must stay in the working folder: it is the default, or was found in a file.
    #[default]
    Folder,
    /// No restriction: the user named the path.
    Anywhere,
}

/// Name of a document in messages. Its methods resolve, check and write the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentName {
    /// The document as the object of a sentence, such as "the specification".
    pub noun: &'static str,
    /// An example of a file name, such as "spec.md".
    pub example: &'static str,
}

impl DocumentName {
    /// Resolves an output path against the working folder. Fails if the path leads out of the folder
    /// and `scope` forbids that; there, links are resolved too, so that the write follows none.
    pub(super) fn resolve(
        self,
        folder: &Path,
        path: &Path,
        scope: OutputScope,
    ) -> Result<PathBuf, OutputError> {
        match scope {
            OutputScope::Anywhere => Ok(folder.join(path)),
            OutputScope::Folder => inside(folder, path).ok_or_else(|| {
                let landing = landing_outside(folder, path).unwrap_or_else(|| folder.join(path));
                self.error(path, OutputProblem::Outside { landing })
            }),
        }
    }

    /// Writes the file atomically and creates its folders. An existing file is copied first if it
    /// differs from the new text, `is_own` returns false for its text, and `existing` is `Kept`.
    /// Returns the path of the copy, if any. A symbolic link is followed.
    pub(super) fn write(
        self,
        path: &Path,
        text: &str,
        existing: ExistingFile,
        is_own: impl FnOnce(&str) -> bool,
    ) -> Result<Option<PathBuf>, OutputError> {
        let kept = match existing {
            ExistingFile::Kept => keep_foreign(path, text, is_own)
                .map_err(|error| self.error(path, OutputProblem::Copy { reason: error.to_string() }))?,
            ExistingFile::Overwritten => None,
        };
        repo::replace(path, text.as_bytes()).map_err(|error| self.error(path, error.problem.into()))?;
        Ok(kept)
    }

    /// Checks that [`write`](Self::write) would succeed now, before tokens are spent on the document. Creates no folder.
    pub(super) fn probe(self, path: &Path) -> Result<(), OutputError> {
        repo::probe(path).map_err(|error| self.error(path, error.problem.into()))
    }

    /// Makes the error for this document.
    pub(super) fn error(self, path: &Path, problem: OutputProblem) -> OutputError {
        OutputError { document: self, path: path.to_owned(), problem }
    }
}

/// Copies an existing file that is neither empty, nor equal to the new text, nor the program's own.
/// Returns the path of the copy, `None` without one.
fn keep_foreign(path: &Path, text: &str, is_own: impl FnOnce(&str) -> bool) -> io::Result<Option<PathBuf>> {
    let Ok(mut file) = open(path, Links::Followed) else {
        // A missing file needs no copy; any other obstacle is an error of the write itself.
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.by_ref().take(COMPARED + 1).read_to_end(&mut bytes)?;
    let is_whole = bytes.len() as u64 <= COMPARED;
    if bytes.is_empty()
        || is_whole && (bytes == text.as_bytes() || std::str::from_utf8(&bytes).is_ok_and(is_own))
    {
        return Ok(None);
    }
    file.rewind()?;
    copy_beside(path, &mut file).map(Some)
}

/// Copies a file to the first free name of `NAME.bak`, `NAME.bak.1` and so on, and returns that path.
fn copy_beside(path: &Path, file: &mut File) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default();
    for number in 0_u32.. {
        let mut copy = name.to_owned();
        copy.push(if number == 0 { ".bak".to_owned() } else { format!(".bak.{number}") });
        let copy = path.with_file_name(copy);
        // `create_new` never overwrites an earlier copy.
        match OpenOptions::new().write(true).create_new(true).open(&copy) {
            Ok(mut target) => {
                io::copy(file, &mut target)?;
                target.sync_all()?;
                return Ok(copy);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "all names of copies are taken"))
}

/// Error of a document that was not written. An existing file is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot write {} to {}: {problem}", document.noun, path.display())]
pub struct OutputError {
    /// The document, for the message.
    pub document: DocumentName,
    /// Path of the document.
    pub path: PathBuf,
    /// The reason.
    pub problem: OutputProblem,
}

/// Reason why a document was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutputProblem {
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

impl OutputError {
    /// Returns advice for the user before a run, when arguments can still be changed.
    pub fn hint(&self) -> String {
        match &self.problem {
            OutputProblem::Write(WriteProblem::Directory) => {
                let inside = self.path.join(self.document.example);
                format!("move it away, or name a file in it: --output {}", inside.display())
            }
            OutputProblem::Outside { landing } => {
                format!("to write it there, name the path: --output {}", quote_for_shell(landing.as_os_str()))
            }
            OutputProblem::Write(_) | OutputProblem::Copy { .. } => {
                format!("{}, or name another file: --output FILE", self.remedy())
            }
        }
    }

    /// Returns advice for the user after a run, when only the file system can be changed.
    pub fn remedy(&self) -> &'static str {
        let problem = match &self.problem {
            OutputProblem::Outside { .. } => return "name the file with --output",
            OutputProblem::Copy { .. } => return "move it away",
            OutputProblem::Write(problem) => problem,
        };
        match problem {
            WriteProblem::NoFileName => "check the path",
            WriteProblem::Directory
            | WriteProblem::Special
            | WriteProblem::Taken
            | WriteProblem::ParentNotADirectory => "move it away",
            WriteProblem::ReadOnly => "make the file writable",
            WriteProblem::BrokenLink { .. } => "remove the link",
            WriteProblem::NotPermitted => "grant write permission",
            WriteProblem::Full => "free some space",
            WriteProblem::Failed { .. } => "check that the folder still exists",
        }
    }
}

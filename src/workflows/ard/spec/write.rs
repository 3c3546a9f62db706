//! Puts the document in its place in one step (ARD-60, ENG-16), and words what can go wrong for its author.

use std::path::{Path, PathBuf};

use crate::repo::{self, WriteProblem};
use crate::workflows::config::landing_outside;
use stategraph_base::quoted;

/// Writes the file, with its folders; what stood there is replaced whole or not at all. A symbolic link is followed.
pub fn write(path: &Path, text: &str) -> Result<(), WriteError> {
    repo::replace(path, text.as_bytes()).map_err(|error| WriteError::of(path, error))
}

/// Whether [`write()`] would work now, asked before anything is spent on what is to be written. Makes no folder.
pub fn probe(path: &Path) -> Result<(), WriteError> {
    repo::probe(path).map_err(|error| WriteError::of(path, error))
}

/// The document could not be put in its place; what stood there still does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot write the specification to {}: {problem}", path.display())]
pub struct WriteError {
    /// Where it should have gone.
    pub path: PathBuf,
    /// Why it did not.
    pub problem: Problem,
}

/// The reason why a document was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The place cannot be written.
    #[error(transparent)]
    Write(#[from] WriteProblem),
    /// The path leads out of the working folder, and the user did not type it.
    #[error("it leads out of the working folder, to {}", landing.display())]
    Outside {
        /// Where it leads to.
        landing: PathBuf,
    },
}

impl WriteError {
    fn of(path: &Path, error: repo::WriteError) -> Self {
        Self { path: path.to_owned(), problem: error.problem.into() }
    }

    /// The error of a path that leads out of `folder`.
    pub(in crate::workflows::ard) fn outside(folder: &Path, path: &Path) -> Self {
        let landing = landing_outside(folder, path).unwrap_or_else(|| folder.join(path));
        Self { path: path.to_owned(), problem: Problem::Outside { landing } }
    }

    /// What to do about it before a debate.
    pub fn hint(&self) -> String {
        match &self.problem {
            Problem::Write(WriteProblem::Directory) => {
                let inside = self.path.join("spec.md");
                format!("move it away, or name a file in it: --output {}", inside.display())
            }
            Problem::Outside { landing } => {
                format!("if it should go there, say so: --output {}", quoted(landing.as_os_str()))
            }
            Problem::Write(_) => format!("{}, or name another file: --output FILE", self.remedy()),
        }
    }

    /// What to do about it in the place itself.
    pub fn remedy(&self) -> &'static str {
        let problem = match &self.problem {
            Problem::Outside { .. } => return "name the file with --output",
            Problem::Write(problem) => problem,
        };
        match problem {
            WriteProblem::NoFileName => "check the path",
            WriteProblem::Directory | WriteProblem::Special | WriteProblem::ParentNotADirectory => {
                "clear the way there"
            }
            WriteProblem::ReadOnly => "make the file writable",
            WriteProblem::BrokenLink { .. } => "remove the link",
            WriteProblem::NotPermitted => "allow writing there",
            WriteProblem::Full => "free some space",
            WriteProblem::Failed { .. } => "see whether the place is still there",
        }
    }
}

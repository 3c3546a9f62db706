//! Puts the document in its place in one step (ARD-60, ENG-16), and words what can go wrong for its author.

use std::path::{Path, PathBuf};

use crate::repo::{self, WriteProblem};

/// Writes the file, with its folders; what stood there is replaced whole or not at all. A symbolic link is followed.
pub fn write(path: &Path, text: &str) -> Result<(), WriteError> {
    repo::replace(path, text.as_bytes()).map_err(|error| WriteError::of(path, error))
}

/// Whether [`write`] would work now, asked before anything is spent on what is to be written. Makes no folder.
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
    pub problem: WriteProblem,
    advice: &'static str,
}

impl WriteError {
    fn of(path: &Path, error: repo::WriteError) -> Self {
        let advice = error.hint();
        Self { path: path.to_owned(), problem: error.problem, advice }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match &self.problem {
            WriteProblem::Directory => {
                format!(
                    "move it away, or name a file in it: --output {}",
                    self.path.join("spec.md").display()
                )
            }
            _ => format!("{}: --output FILE", self.advice),
        }
    }
}

//! Puts the document in its place in one step (ARD-60, ENG-16), and says what a failure means for the debate.

use std::path::Path;

use crate::repo;

/// Writes the file, with its folders; what stood there is replaced whole or not at all. A symbolic link is followed.
pub fn write(path: &Path, text: &str) -> Result<(), WriteError> {
    repo::replace(path, text.as_bytes()).map_err(WriteError)
}

/// Whether [`write`] would work now, asked before a model is.
pub fn probe(path: &Path) -> Result<(), repo::WriteError> {
    repo::probe(path)
}

/// The document could not be put in its place. Nothing is lost: what stood there still does, and the debate is in its
/// checkpoints.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the specification is not written: {0}")]
pub struct WriteError(pub repo::WriteError);

impl WriteError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        format!(
            "{} (--output FILE); then resume: the debate is kept, and no model is asked again",
            self.0.hint()
        )
    }
}

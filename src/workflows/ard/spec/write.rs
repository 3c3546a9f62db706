//! Writes the document atomically (ARD-60, ENG-16), and keeps a file that a person wrote.

use std::path::{Path, PathBuf};

use crate::workflows::output::{DocumentName, ExistingFile};
use crate::workflows::seal::DocumentSeal;

pub use crate::workflows::output::{OutputError as SpecWriteError, OutputProblem as SpecWriteProblem};

/// The document in messages.
pub(in crate::workflows::ard) const SPEC: DocumentName =
    DocumentName { noun: "the specification", example: "spec.md" };

/// The digest stands before the section of the architect.
pub(super) const SEAL: DocumentSeal = DocumentSeal { next: "\narchitect:\n" };

/// Writes the file and creates its folders. An existing file is replaced atomically; a file that this program did not write, or
/// that was edited since, is copied first, unless `existing` allows to overwrite it. Returns the path of the copy. A symbolic
/// link is followed.
pub fn write(path: &Path, text: &str, existing: ExistingFile) -> Result<Option<PathBuf>, SpecWriteError> {
    SPEC.write(path, text, existing, |found| SEAL.is_sealed(found))
}

/// Checks that [`write()`] would succeed now, before tokens are spent on the document. Creates no folder.
pub fn probe(path: &Path) -> Result<(), SpecWriteError> {
    SPEC.probe(path)
}

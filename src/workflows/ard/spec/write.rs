//! Writes the document atomically (ARD-60, ENG-16), and keeps a file that a person wrote.

use std::path::{Path, PathBuf};

use crate::workflows::output::{DocumentName, ExistingFile};
use crate::workflows::seal::DocumentSeal;

pub use crate::workflows::output::{OutputError as SpecWriteError, OutputProblem as SpecWriteProblem};

/// Name of the specification in messages.
pub(in crate::workflows::ard) const SPEC: DocumentName =
    DocumentName { noun: "the specification", example: "spec.md" };

/// Seal of the specification: a digest in the front matter, before the line `architect:`, that shows
/// later edits.
pub(super) const SEAL: DocumentSeal = DocumentSeal { next: "\narchitect:\n" };

/// Writes the specification atomically and creates its folders. A file that this program did not write,
/// or that was edited since, is copied first, unless `existing` allows overwriting it. Returns the path
/// of the copy, if any. A symbolic link is followed.
pub fn write(path: &Path, text: &str, existing: ExistingFile) -> Result<Option<PathBuf>, SpecWriteError> {
    SPEC.write(path, text, existing, |found| SEAL.is_sealed(found))
}

/// Checks that [`write()`] would succeed now, so that no tokens are spent on a document that cannot be
/// written. Creates no folder.
pub fn probe(path: &Path) -> Result<(), SpecWriteError> {
    SPEC.probe(path)
}

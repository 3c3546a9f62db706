//! Error handling, logging and concurrency, by syntax: a call, an import, an attribute, a keyword.

use stategraph_repo::ParsedFile;

use crate::fact::Fact;

/// Returns the concerns of one file.
pub(crate) fn of_file(_file: &ParsedFile) -> Vec<Fact> {
    Vec::new()
}

//! The paths that servers answer, by the rules of well-known frameworks.

use stategraph_repo::ParsedFile;

use crate::fact::Fact;

/// Returns the routes that one file declares.
pub(crate) fn of_file(_file: &ParsedFile) -> Vec<Fact> {
    Vec::new()
}

//! What a user or an operator can set: environment variables, options, files, keys, features.

use stategraph_repo::ParsedFile;

use crate::fact::Fact;

/// Returns the settings that one file reads.
pub(crate) fn of_file(_file: &ParsedFile) -> Vec<Fact> {
    Vec::new()
}

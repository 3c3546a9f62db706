//! The subcommands of programs, by the rules of well-known libraries.

use stategraph_repo::ParsedFile;

use crate::fact::Fact;

/// Returns the subcommands that one file declares.
pub(crate) fn of_file(_file: &ParsedFile) -> Vec<Fact> {
    Vec::new()
}

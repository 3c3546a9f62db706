//! The layer `repo`: nothing outside the root, nothing without a bound, the same bytes every time.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]
#![allow(clippy::format_collect, reason = "the texts of tests are short")]
#![allow(clippy::print_stderr, reason = "what was not run is said")]

mod agreement;
mod code;
mod dependencies;
mod files;
mod guard;
mod hostile;
mod list;
mod list_files;
mod manifest;
mod outline;
mod read;
mod search;
mod slug;
mod tree;
mod tree_parse;
mod typed;
mod walk;
mod write;

pub(crate) use stategraph_testing::put;

use stategraph_repo::Root;
use tempfile::TempDir;

/// A repository with these files, in a folder that is removed with the first value.
pub(crate) fn tree(files: &[(&str, &str)]) -> (TempDir, Root) {
    let (home, folder) = stategraph_testing::tree(files);
    (home, Root::open(&folder).expect("it was just made"))
}

//! The way of calls from the entry of a program to its core.

use std::sync::Arc;

use stategraph_repo::{Dependencies, FileOutline, ProjectMetadata};

use crate::fact::Fact;

/// Returns a trace for each program.
pub(crate) fn facts(
    _project: &ProjectMetadata,
    _outlines: &[Arc<FileOutline>],
    _dependencies: &Dependencies,
) -> Vec<Fact> {
    Vec::new()
}

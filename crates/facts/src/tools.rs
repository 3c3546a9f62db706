//! The tools that a project is developed with, from their configuration files and manifests.

use stategraph_repo::ProjectMetadata;

use crate::collect::Texts;
use crate::fact::Fact;

/// Returns the tools of all projects.
pub(crate) fn facts(_project: &ProjectMetadata, _texts: &Texts) -> Vec<Fact> {
    Vec::new()
}

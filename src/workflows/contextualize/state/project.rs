//! The metadata of a repository (CTX-11, 58), without its manifests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stategraph_base::has_secret;

use crate::repo::{ProjectMetadata, ProjectType};

/// Most dependencies and most entry points that a checkpoint holds.
const LISTED: usize = 500;

/// The metadata of a project. Optional fields are present and null (CTX-66).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextProject {
    /// Its name in its first manifest, or the name of its folder.
    pub name: String,
    /// The source that the user named: a path or a URL.
    pub path: String,
    /// The first of its types; `None` if no manifest is known.
    pub project_type: Option<ProjectType>,
    /// All of its types, in the order of CTX-14.
    pub project_types: Vec<ProjectType>,
    /// Versions by name, of all manifests; `*` if a manifest says none.
    pub dependencies: BTreeMap<String, String>,
    /// Files where programs and libraries begin.
    pub entry_points: Vec<String>,
    /// The files to read first.
    pub key_files: Vec<String>,
    /// The beginning of the README, without lines that hold secrets.
    pub readme_content: Option<String>,
}

impl ContextProject {
    /// Makes the metadata of a repository from its manifests, without values that hold secrets. The tuple has
    /// its name and its source; a name in a manifest takes precedence.
    pub fn new(metadata: ProjectMetadata, (name, path): (String, String)) -> Self {
        let named = metadata.manifests.iter().find_map(|manifest| manifest.name.clone());
        let project_type = Some(metadata.project_type).filter(|found| *found != ProjectType::Unknown);
        let readme = metadata
            .readme_content
            .map(|text| text.lines().filter(|line| !has_secret(line)).collect::<Vec<_>>().join("\n"));
        let is_open = |(_, version): &(String, String)| !has_secret(version);
        Self {
            name: named.unwrap_or(name),
            path,
            project_type,
            project_types: metadata.project_types,
            dependencies: metadata.dependencies.into_iter().filter(is_open).take(LISTED).collect(),
            entry_points: metadata.entry_points.into_iter().take(LISTED).collect(),
            key_files: metadata.key_files,
            readme_content: readme,
        }
    }
}

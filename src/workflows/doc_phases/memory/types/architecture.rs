//! The overview of the whole system (DOC-92).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Boundaries, Entry, EntryType, MemoryEntry, OmittedCounts, Removals, normalize_paths, with_field,
};

/// Id of the only overview (DOC-77).
pub const OVERVIEW: &str = "overview";

/// Overview of the whole system: purpose, technologies, entry points and components. Phase A stores it; the
/// agent's memory has at most one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArchitectureOverview {
    /// The name of the system.
    #[schemars(length(min = 1, max = 200))]
    pub system_name: String,
    /// Purpose of the system, in a few sentences.
    #[schemars(length(min = 1))]
    pub purpose: String,
    /// Languages, frameworks, services.
    #[serde(default)]
    pub tech_stack: Vec<String>,
    /// Entry points: programs, scripts, exported modules, as `path` or `path: the program or module that starts there`.
    #[serde(default)]
    pub entry_points: Vec<String>,
    /// Its main parts, by name.
    #[serde(default)]
    pub major_components: Vec<String>,
    /// Structure of the system: layers, services, plug-ins.
    #[serde(default)]
    pub architectural_style: String,
    /// The notions that one has to know.
    #[serde(default)]
    pub key_abstractions: Vec<String>,
    /// The files and folders of each component, by its id.
    #[serde(default)]
    pub component_boundaries: Boundaries,
    /// Confidence in this entry, from 0.0 to 1.0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
    /// The files that were read for it.
    #[serde(default)]
    pub verified_by_files: Vec<String>,
    /// Numbers of further elements that a list omits, by the name of the list.
    #[serde(default, skip_serializing_if = "OmittedCounts::is_empty")]
    pub more: OmittedCounts,
}

impl MemoryEntry for ArchitectureOverview {
    const TYPE: EntryType = EntryType::Architecture;

    fn id(&self) -> &str {
        OVERVIEW
    }

    fn confidence(&self) -> f64 {
        self.confidence
    }

    fn from_entry(entry: &Entry) -> Option<&Self> {
        if let Entry::Architecture(entry) = entry { Some(entry) } else { None }
    }

    fn strip_removed(&mut self, gone: &Removals) -> bool {
        self.component_boundaries.retain(|id, _| !gone.has_component(id));
        self.component_boundaries.values_mut().for_each(|paths| gone.remove_files(paths));
        gone.remove_components(&mut self.major_components);
        self.entry_points.retain(|entry| !gone.has_file(entry.split(": ").next().unwrap_or(entry)));
        gone.remove_files(&mut self.verified_by_files);
        true
    }

    fn normalize(&mut self) {
        self.component_boundaries.values_mut().for_each(normalize_paths);
        normalize_paths(&mut self.verified_by_files);
    }

    fn files(&self) -> Vec<(&'static str, &str)> {
        with_field("verified_by_files", &self.verified_by_files).collect()
    }

    fn files_or_folders(&self) -> Vec<(&'static str, &str)> {
        self.component_boundaries
            .values()
            .flat_map(|paths| with_field("component_boundaries", paths))
            .collect()
    }
}

//! One part of the system (DOC-76).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Entry, EntryType, MemoryEntry, OmittedCounts, Removals, normalize_path, normalize_paths, sort_unique,
    with_field,
};

/// Description of one component, a part of the system such as a package or module. Phase B stores it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComponentSummary {
    /// Id by which all other entries refer to it.
    #[schemars(length(min = 1, max = 200))]
    pub component_id: String,
    /// Its name for people.
    #[schemars(length(min = 1, max = 200))]
    pub component_name: String,
    /// Its folder, or its file; `.` is the whole repository.
    #[serde(default)]
    pub root_path: String,
    /// Responsibility of the component, in a few sentences.
    #[schemars(length(min = 1))]
    pub responsibility: String,
    /// The files to read first.
    #[serde(default)]
    pub key_files: Vec<String>,
    /// Interfaces that other components use.
    #[serde(default)]
    pub public_interfaces: Vec<PublicInterface>,
    /// The ids of the components that it uses.
    #[serde(default)]
    pub dependencies: Vec<String>,
    /// The ids of the components that use it.
    #[serde(default)]
    pub dependents: Vec<String>,
    /// The design patterns in it.
    #[serde(default)]
    pub design_patterns_used: Vec<String>,
    /// Confidence in this entry, from 0.0 to 1.0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
    /// The files that were really read.
    #[serde(default)]
    pub explored_files: Vec<String>,
    /// Numbers of further elements that a list omits, by the name of the list.
    #[serde(default, skip_serializing_if = "OmittedCounts::is_empty")]
    pub more: OmittedCounts,
}

/// Function, type, endpoint or command of a component that others use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublicInterface {
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Kind: function, class, trait, endpoint, command.
    #[serde(default, rename = "type")]
    pub kind: String,
    /// Declaration.
    #[serde(default)]
    pub signature: String,
    /// Behaviour, for a caller.
    #[serde(default)]
    pub description: String,
}

impl MemoryEntry for ComponentSummary {
    const TYPE: EntryType = EntryType::Component;

    fn id(&self) -> &str {
        &self.component_id
    }

    fn confidence(&self) -> f64 {
        self.confidence
    }

    fn from_entry(entry: &Entry) -> Option<&Self> {
        if let Entry::Component(entry) = entry { Some(entry) } else { None }
    }

    fn strip_removed(&mut self, gone: &Removals) -> bool {
        gone.remove_files(&mut self.key_files);
        gone.remove_files(&mut self.explored_files);
        gone.remove_components(&mut self.dependencies);
        gone.remove_components(&mut self.dependents);
        !gone.has_component(&self.component_id)
    }

    fn normalize(&mut self) {
        normalize_path(&mut self.root_path);
        normalize_paths(&mut self.explored_files);
        self.key_files.iter_mut().for_each(normalize_path);
        sort_unique(&mut self.dependencies);
        sort_unique(&mut self.dependents);
    }

    fn component(&self) -> Option<&str> {
        Some(&self.component_id)
    }

    fn files(&self) -> Vec<(&'static str, &str)> {
        with_field("key_files", &self.key_files)
            .chain(with_field("explored_files", &self.explored_files))
            .collect()
    }

    fn files_or_folders(&self) -> Vec<(&'static str, &str)> {
        if self.root_path.is_empty() { Vec::new() } else { vec![("root_path", &self.root_path)] }
    }
}

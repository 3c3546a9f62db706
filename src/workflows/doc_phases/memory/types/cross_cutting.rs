//! Concerns that span components (DOC-96).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Entry, EntryType, MemoryEntry, OmittedCounts, Removals, normalize_paths, sort_unique, with_field,
};

/// Description of a concern that spans components, such as configuration, logging or error handling. Phase C
/// stores it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrossCuttingConcern {
    /// Id by which all other entries refer to it.
    #[schemars(length(min = 1, max = 200))]
    pub concern_id: String,
    /// Its name for people.
    #[schemars(length(min = 1, max = 200))]
    pub concern_name: String,
    /// Kind: configuration, logging, error handling, security, testing, concurrency.
    #[serde(default)]
    pub concern_type: String,
    /// Solution in this code base, in a few sentences.
    #[schemars(length(min = 1))]
    pub description: String,
    /// The pattern behind it.
    #[serde(default)]
    pub implementation_pattern: String,
    /// The files where it shows.
    #[serde(default)]
    pub files_involved: Vec<String>,
    /// The ids of the components where it shows.
    #[serde(default)]
    pub components_affected: Vec<String>,
    /// The notions that one has to know.
    #[serde(default)]
    pub key_abstractions: Vec<String>,
    /// Confidence in this entry, from 0.0 to 1.0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
    /// Numbers of further elements that a list omits, by the name of the list.
    #[serde(default, skip_serializing_if = "OmittedCounts::is_empty")]
    pub more: OmittedCounts,
}

impl MemoryEntry for CrossCuttingConcern {
    const TYPE: EntryType = EntryType::CrossCutting;

    fn id(&self) -> &str {
        &self.concern_id
    }

    fn confidence(&self) -> f64 {
        self.confidence
    }

    fn from_entry(entry: &Entry) -> Option<&Self> {
        if let Entry::CrossCutting(entry) = entry { Some(entry) } else { None }
    }

    fn strip_removed(&mut self, gone: &Removals) -> bool {
        let named = self.files_involved.len() + self.components_affected.len();
        gone.remove_files(&mut self.files_involved);
        gone.remove_components(&mut self.components_affected);
        gone.remove_sentences(&mut self.description);
        gone.remove_sentences(&mut self.implementation_pattern);
        let is_somewhere = !(self.files_involved.is_empty() && self.components_affected.is_empty());
        !self.description.is_empty() && (named == 0 || is_somewhere)
    }

    fn normalize(&mut self) {
        normalize_paths(&mut self.files_involved);
        sort_unique(&mut self.components_affected);
    }

    fn files(&self) -> Vec<(&'static str, &str)> {
        with_field("files_involved", &self.files_involved).collect()
    }
}

//! A data structure (DOC-94).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Entry, EntryType, MemoryEntry, OmittedCounts, Removals, normalize_path, sort_unique};

/// Description of a data structure in the code: a struct, a table, a message, a schema.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataModel {
    /// Id by which all other entries refer to it.
    #[schemars(length(min = 1, max = 200))]
    pub model_id: String,
    /// Its name in the code.
    #[schemars(length(min = 1, max = 200))]
    pub model_name: String,
    /// Kind: struct, enum, class, interface, table, message.
    #[serde(default)]
    pub model_type: String,
    /// The file that defines it.
    #[schemars(length(min = 1, max = 4096))]
    pub file_path: String,
    /// Its fields, in order.
    #[serde(default)]
    pub fields: Vec<DataField>,
    /// Relationships to other data models.
    #[serde(default)]
    pub relationships: Vec<Relationship>,
    /// The ids of the components that use it.
    #[serde(default)]
    pub used_by_components: Vec<String>,
    /// Confidence in this entry, from 0.0 to 1.0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
    /// Numbers of further elements that a list omits, by the name of the list.
    #[serde(default, skip_serializing_if = "OmittedCounts::is_empty")]
    pub more: OmittedCounts,
}

/// Field of a data structure: name, type and meaning.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataField {
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Its type, as the code says it.
    #[serde(default, rename = "type")]
    pub kind: String,
    /// Meaning of the field.
    #[serde(default)]
    pub description: String,
}

/// Relationship of a data structure to another one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Relationship {
    /// The id or name of the other.
    #[schemars(length(min = 1))]
    pub target_model: String,
    /// Kind of relationship: has one, has many, extends, implements, refers to.
    #[serde(default)]
    pub relation_type: String,
}

impl MemoryEntry for DataModel {
    const TYPE: EntryType = EntryType::DataModel;

    fn id(&self) -> &str {
        &self.model_id
    }

    fn confidence(&self) -> f64 {
        self.confidence
    }

    fn from_entry(entry: &Entry) -> Option<&Self> {
        if let Entry::DataModel(entry) = entry { Some(entry) } else { None }
    }

    fn strip_removed(&mut self, gone: &Removals) -> bool {
        gone.remove_components(&mut self.used_by_components);
        self.relationships.retain(|tie| !gone.has_model(&tie.target_model));
        !gone.has_file(&self.file_path)
    }

    fn normalize(&mut self) {
        normalize_path(&mut self.file_path);
        sort_unique(&mut self.used_by_components);
    }

    fn files(&self) -> Vec<(&'static str, &str)> {
        vec![("file_path", &self.file_path)]
    }
}

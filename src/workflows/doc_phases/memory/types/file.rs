//! The role of a file (DOC-93).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Entry, EntryType, MemoryEntry, OmittedCounts, Removals, normalize_path};
use crate::repo::ContentHash;

/// Description of a source file: responsibility, component and main definitions. Its path is its id.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileRole {
    /// A short name of its own; the path, if it is left out.
    #[serde(default)]
    pub file_id: String,
    /// Its path in the repository.
    #[schemars(length(min = 1, max = 4096))]
    pub file_path: String,
    /// Responsibility of the file, in a sentence.
    #[schemars(length(min = 1))]
    pub responsibility: String,
    /// The layer that it belongs to, such as `api`, `domain`, `storage`, `tests`.
    #[serde(default)]
    pub layer: String,
    /// The id of the component that it belongs to.
    #[serde(default)]
    pub component: String,
    /// Names of the most important exports.
    #[serde(default)]
    pub key_exports: Vec<String>,
    /// Its main functions.
    #[serde(default)]
    pub key_functions: Vec<KeyFunction>,
    /// Its main classes.
    #[serde(default)]
    pub key_classes: Vec<KeyClass>,
    /// Files or packages that it imports.
    #[serde(default)]
    pub imports_from: Vec<String>,
    /// The files that import it.
    #[serde(default)]
    pub imported_by: Vec<String>,
    /// The hash of its content when this was stored; the memory fills it in (DOC-89).
    #[serde(default)]
    #[schemars(skip)]
    pub last_read_hash: Option<ContentHash>,
    /// Confidence in this entry, from 0.0 to 1.0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
    /// Numbers of further elements that a list omits, by the name of the list.
    #[serde(default, skip_serializing_if = "OmittedCounts::is_empty")]
    pub more: OmittedCounts,
}

/// Important function of a file, in the entry of the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyFunction {
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Declaration.
    #[serde(default)]
    pub signature: String,
    /// Purpose.
    #[serde(default)]
    pub purpose: String,
}

/// Important class, struct, trait or the like of a file, in the entry of the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyClass {
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Purpose.
    #[serde(default)]
    pub purpose: String,
    /// Its main methods, by name.
    #[serde(default)]
    pub methods: Vec<String>,
}

impl MemoryEntry for FileRole {
    const TYPE: EntryType = EntryType::File;

    fn id(&self) -> &str {
        &self.file_path
    }

    fn confidence(&self) -> f64 {
        self.confidence
    }

    fn from_entry(entry: &Entry) -> Option<&Self> {
        if let Entry::File(entry) = entry { Some(entry) } else { None }
    }

    fn strip_removed(&mut self, gone: &Removals) -> bool {
        gone.remove_files(&mut self.imports_from);
        gone.remove_files(&mut self.imported_by);
        !gone.has_file(&self.file_path)
    }

    fn normalize(&mut self) {
        normalize_path(&mut self.file_path);
        if self.file_id.is_empty() {
            self.file_id.clone_from(&self.file_path);
        }
    }

    fn component(&self) -> Option<&str> {
        Some(self.component.as_str()).filter(|component| !component.is_empty())
    }

    fn files(&self) -> Vec<(&'static str, &str)> {
        vec![("file_path", &self.file_path)]
    }
}

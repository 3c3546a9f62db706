//! The types of entries (DOC-74, 75). A new type is a file of this folder and a line of the catalogue below (DOC-100); its name,
//! folder, schema, storage and queries follow from these.

mod architecture;
mod component;
mod cross_cutting;
mod data_model;
mod file;
mod flow;
mod note;

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::removals::Removals;

pub use architecture::{ArchitectureOverview, OVERVIEW};
pub use component::{ComponentSummary, PublicInterface};
pub use cross_cutting::CrossCuttingConcern;
pub use data_model::{DataField, DataModel, Relationship};
pub use file::{FileRole, KeyClass, KeyFunction};
pub use flow::{RuntimeFlow, RuntimeStep};
pub use note::{Note, NoteKind, parse_place};

/// Number of items that were left out of a list of an entry, by the name of the list: `key_exports`, or
/// `Store.methods` for the methods of a class.
pub type OmittedCounts = BTreeMap<String, usize>;

/// Entry of one type in the agent's memory, such as a component or a file: its fields, its id, and the paths
/// that it names. Fields with a serde default are optional, all others are required, and unknown fields are
/// rejected (DOC-78).
pub trait MemoryEntry: Serialize + DeserializeOwned + JsonSchema {
    /// Type of the entry.
    const TYPE: EntryType;

    /// Returns the id, unique within the type. It also determines the name of the entry's file (DOC-77).
    fn id(&self) -> &str;

    /// Returns the confidence of the author in the entry, from 0 to 1.
    fn confidence(&self) -> f64;

    /// Returns the entry as this Rust type; `None` if `entry` is of another type.
    fn from_entry(entry: &Entry) -> Option<&Self>;

    /// Normalises the entry before it is stored: one spelling for each path, lists that are sets sorted.
    fn normalize(&mut self) {}

    /// Removes the files, components and data models in `gone` from the entry. Returns false if the entry
    /// itself is about one of them and must be removed from the agent's memory.
    fn strip_removed(&mut self, gone: &Removals) -> bool;

    /// Returns the id of the component that the entry belongs to, if it belongs to one.
    fn component(&self) -> Option<&str> {
        None
    }

    /// Returns the paths in the entry that must be files, each with the name of its field.
    fn files(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }

    /// Returns the paths in the entry that may be files or folders, each with the name of its field.
    fn files_or_folders(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }
}

/// Defines the enums of the catalogue and the conversions between them.
macro_rules! catalogue {
    ($($(#[$about:meta])* $variant:ident($entry:ident) = $name:literal in $folder:literal;)*) => {
        /// Type of an entry in the agent's memory (DOC-74), such as component or file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum EntryType {
            $($(#[$about])* $variant,)*
        }

        impl EntryType {
            /// All values, in the order of their definition.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the name of the type in tools and queries, such as `data_model`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the folder of the type's files, relative to the memory folder.
            pub fn folder(self) -> &'static str {
                match self { $(Self::$variant => $folder,)* }
            }

            /// Returns the JSON Schema of the entries of this type.
            pub fn schema(self) -> Schema {
                match self { $(Self::$variant => schema_for!($entry),)* }
            }

            /// Deserialises an entry of this type. The caller has validated it against the schema.
            pub(super) fn read(self, value: Value) -> Result<Entry, serde_json::Error> {
                match self { $(Self::$variant => serde_json::from_value(value).map(Entry::$variant),)* }
            }
        }

        /// Entry of any type in the agent's memory.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum Entry {
            $($(#[$about])* $variant($entry),)*
        }

        impl Entry {
            /// Returns the type of the entry.
            pub fn entry_type(&self) -> EntryType {
                match self { $(Self::$variant(_) => EntryType::$variant,)* }
            }

            /// Returns the id of the entry, unique within its type.
            pub fn id(&self) -> &str {
                match self { $(Self::$variant(entry) => entry.id(),)* }
            }

            /// Returns the confidence of the author in the entry, from 0 to 1.
            pub fn confidence(&self) -> f64 {
                match self { $(Self::$variant(entry) => entry.confidence(),)* }
            }

            /// Returns the id of the component that the entry belongs to, if it belongs to one.
            pub fn component(&self) -> Option<&str> {
                match self { $(Self::$variant(entry) => entry.component(),)* }
            }

            pub(super) fn strip_removed(&mut self, gone: &Removals) -> bool {
                match self { $(Self::$variant(entry) => entry.strip_removed(gone),)* }
            }

            pub(super) fn normalize(&mut self) {
                match self { $(Self::$variant(entry) => entry.normalize(),)* }
            }

            pub(super) fn files(&self) -> Vec<(&'static str, &str)> {
                match self { $(Self::$variant(entry) => entry.files(),)* }
            }

            pub(super) fn files_or_folders(&self) -> Vec<(&'static str, &str)> {
                match self { $(Self::$variant(entry) => entry.files_or_folders(),)* }
            }
        }

        $(impl From<$entry> for Entry {
            fn from(entry: $entry) -> Self {
                Self::$variant(entry)
            }
        })*
    };
}

catalogue! {
    /// The one overview of the system.
    Architecture(ArchitectureOverview) = "architecture" in "architecture";
    /// A part of the system.
    Component(ComponentSummary) = "component" in "components";
    /// A file.
    File(FileRole) = "file" in "files";
    /// A data structure.
    DataModel(DataModel) = "data_model" in "data_models";
    /// A sequence of steps at run time.
    Flow(RuntimeFlow) = "flow" in "flows";
    /// A concern that spans components: configuration, logging, errors.
    CrossCutting(CrossCuttingConcern) = "cross_cutting" in "cross_cutting";
    /// A remark about a place in the code.
    Note(Note) = "note" in "notes";
}

impl EntryType {
    /// Returns the type with this name; `None` for an unknown name (DOC-85).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Returns the name of the field that holds the id of an entry; `None` for the architecture, of which
    /// there is one entry.
    pub fn id_field(self) -> Option<&'static str> {
        match self {
            Self::Architecture => None,
            Self::Component => Some("component_id"),
            Self::File => Some("file_path"),
            Self::DataModel => Some("model_id"),
            Self::Flow => Some("flow_id"),
            Self::CrossCutting => Some("concern_id"),
            Self::Note => Some("note_id"),
        }
    }

    /// Returns the id in the JSON fields of an entry, for the architecture a constant; `None` if the field is
    /// missing.
    pub fn stated_id(self, fields: &Map<String, Value>) -> Option<&str> {
        self.id_field().map_or(Some(OVERVIEW), |field| fields.get(field)?.as_str())
    }

    /// Returns the names of all types, joined by commas, for messages.
    pub fn names() -> String {
        Self::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for EntryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Sorts the list and removes duplicates.
fn sort_unique(list: &mut Vec<String>) {
    list.sort();
    list.dedup();
}

/// Normalises a path in place: `./src//a.rs` to `src/a.rs`. Absolute paths and `..` stay, for the path guard
/// to refuse them.
fn normalize_path(path: &mut String) {
    let names: Vec<&str> = path.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    let tidy = names.join("/");
    if !path.starts_with('/') && tidy != *path {
        *path = if tidy.is_empty() { ".".to_owned() } else { tidy };
    }
}

fn normalize_paths(paths: &mut Vec<String>) {
    paths.iter_mut().for_each(normalize_path);
    sort_unique(paths);
}

/// Returns each item of a list with the name of its field before it.
fn with_field<'a>(field: &'static str, list: &'a [String]) -> impl Iterator<Item = (&'static str, &'a str)> {
    list.iter().map(move |name| (field, name.as_str()))
}

/// Paths of each component, by component id.
type Boundaries = BTreeMap<String, Vec<String>>;

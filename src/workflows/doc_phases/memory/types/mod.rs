//! The types of entries (DOC-74, 75). A new one is a file of this folder and a line of the catalogue below (DOC-100): the name,
//! the folder, the schema, the store and the queries follow from it.

mod architecture;
mod component;
mod cross_cutting;
mod data_model;
mod file;
mod flow;

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::removals::Removals;

pub use architecture::{ArchitectureOverview, OVERVIEW};
pub use component::{ComponentSummary, PublicInterface};
pub use cross_cutting::CrossCuttingConcern;
pub use data_model::{DataField, DataModel, Relationship};
pub use file::{FileRole, KeyClass, KeyFunction};
pub use flow::{FlowStep, RuntimeFlow};

/// How many more there are than a list of an entry names, by the name of the list: `key_exports`, or `Store.methods` for the methods of a
/// class.
pub type More = BTreeMap<String, usize>;

/// What every entry has. Fields with a serde default may be left out; every other is required, and no further is allowed (DOC-78).
pub trait MemoryEntry: Serialize + DeserializeOwned + JsonSchema {
    /// Its type.
    const TYPE: EntryType;

    /// What it is found again by, and what its file is named by (DOC-77).
    fn id(&self) -> &str;

    /// How sure its author is, from 0 to 1.
    fn confidence(&self) -> f64;

    /// The entry out of an [`Entry`], if it is of this type.
    fn from_entry(entry: &Entry) -> Option<&Self>;

    /// Brings what was given into the form in which it is kept: one name for one thing, sets in order.
    fn normalize(&mut self) {}

    /// Takes out what names something that is gone. False if the entry itself is.
    fn strip_removed(&mut self, gone: &Removals) -> bool;

    /// The component that it speaks of, where that is one.
    fn component(&self) -> Option<&str> {
        None
    }

    /// The files it names, with the field that names them.
    fn files(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }

    /// The files or folders it names, with the field that names them.
    fn files_or_folders(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }
}

/// Makes the enums of the catalogue and the ways from one to the other.
macro_rules! catalogue {
    ($($(#[$about:meta])* $variant:ident($entry:ident) = $name:literal in $folder:literal;)*) => {
        /// The type of an entry (DOC-74).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum EntryType {
            $($(#[$about])* $variant,)*
        }

        impl EntryType {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name in tools and queries.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The folder of its files, in the memory's.
            pub fn folder(self) -> &'static str {
                match self { $(Self::$variant => $folder,)* }
            }

            /// The schema that entries are held against.
            pub fn schema(self) -> Schema {
                match self { $(Self::$variant => schema_for!($entry),)* }
            }

            /// Reads an entry of this type that its schema allows.
            pub(super) fn read(self, value: Value) -> Result<Entry, serde_json::Error> {
                match self { $(Self::$variant => serde_json::from_value(value).map(Entry::$variant),)* }
            }
        }

        /// An entry of any type.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum Entry {
            $($(#[$about])* $variant($entry),)*
        }

        impl Entry {
            /// Its type.
            pub fn entry_type(&self) -> EntryType {
                match self { $(Self::$variant(_) => EntryType::$variant,)* }
            }

            /// What it is found again by.
            pub fn id(&self) -> &str {
                match self { $(Self::$variant(entry) => entry.id(),)* }
            }

            /// How sure its author is, from 0 to 1.
            pub fn confidence(&self) -> f64 {
                match self { $(Self::$variant(entry) => entry.confidence(),)* }
            }

            /// The component that it speaks of, where that is one.
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
    /// What happens at run time, step by step.
    Flow(RuntimeFlow) = "flow" in "flows";
    /// What spans components: configuration, logging, errors.
    CrossCutting(CrossCuttingConcern) = "cross_cutting" in "cross_cutting";
}

impl EntryType {
    /// The type of this name (DOC-85).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The names of all, for messages.
    pub fn names() -> String {
        Self::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for EntryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// In order, each once.
fn sort_unique(list: &mut Vec<String>) {
    list.sort();
    list.dedup();
}

/// `./src//a.rs` as `src/a.rs`: one name for one file. What leads out of the repository is left for the guard to refuse.
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

/// All of a list, as names of one field.
fn with_field<'a>(field: &'static str, list: &'a [String]) -> impl Iterator<Item = (&'static str, &'a str)> {
    list.iter().map(move |name| (field, name.as_str()))
}

/// What maps a name to paths.
type Boundaries = BTreeMap<String, Vec<String>>;

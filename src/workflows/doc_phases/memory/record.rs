//! An entry with its history: its times and authors. Files and query results hold it as one flat JSON object, so that a file looks
//! like the entry. Touches no file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::author::{EntryAuthor, WrittenBy};
use super::schema;
use super::types::{Entry, EntryType};
use crate::repo::ContentHash;
use crate::workflows::timestamp::Timestamp;

/// Field that only the memory sets (DOC-89).
const HASH: &str = "last_read_hash";

/// An entry in the agent's memory with its times and authors; the content of one JSON file.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryRecord {
    /// Stored entry.
    pub entry: Entry,
    /// Times and authors.
    pub(super) history: History,
}

/// Times and authors that the memory adds to an entry. No schema has fields of these names; such fields in an
/// entry that a model gives are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct History {
    /// Time of the first store under this id (DOC-98).
    pub(super) created_at: Timestamp,
    /// Time of the last change of its content.
    pub(super) updated_at: Timestamp,
    /// Time of the last store, if that left the content unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) confirmed_at: Option<Timestamp>,
    /// End of the component's exploration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) explored_at: Option<Timestamp>,
    /// Author of the last store.
    #[serde(default, skip_serializing_if = "EntryAuthor::is_default")]
    pub(super) stored_by: EntryAuthor,
    /// Origin of its facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) written_by: Option<WrittenBy>,
    /// Version before the run that changed it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<PreviousVersion>,
}

/// Content hash and time of an entry before the current run. If one author changes the entry and another
/// changes it back, the comparison with this version shows no change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PreviousVersion {
    hash: ContentHash,
    pub(super) updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) written_by: Option<WrittenBy>,
}

impl PreviousVersion {
    /// Returns true if the content of `entry` equals that of this version.
    pub(super) fn matches(&self, entry: &Entry) -> bool {
        self.hash == content_hash(entry)
    }
}

fn content_hash(entry: &Entry) -> ContentHash {
    ContentHash::of(Value::Object(entry_fields(entry)).to_string().as_bytes())
}

/// Field names of [`History`].
const HISTORY_FIELDS: &[&str] =
    &["created_at", "updated_at", "confirmed_at", "explored_at", "stored_by", "written_by", "before"];

impl History {
    /// Returns the time of the last store, even if that left the content unchanged.
    pub(super) fn stored_at(&self) -> Timestamp {
        self.confirmed_at.unwrap_or(self.updated_at)
    }

    /// Returns the time of the last store or of the end of the component's exploration, the later of both.
    pub(super) fn last_event(&self) -> Timestamp {
        self.stored_at().max(self.explored_at.unwrap_or_default())
    }
}

impl EntryRecord {
    /// Returns the time of the first store under this id, perhaps of an earlier run.
    pub fn created_at(&self) -> Timestamp {
        self.history.created_at
    }

    /// Returns the time of the last change of the content; a store of equal content does not change it.
    pub fn updated_at(&self) -> Timestamp {
        self.history.updated_at
    }

    /// Returns the time of the last store, even if that left the content unchanged.
    pub fn stored_at(&self) -> Timestamp {
        self.history.stored_at()
    }

    /// Returns true for a component that is marked as explored.
    pub fn is_explored(&self) -> bool {
        self.history.explored_at.is_some()
    }

    /// Returns the author of the last store.
    pub fn stored_by(&self) -> &EntryAuthor {
        &self.history.stored_by
    }

    /// Returns the explorer that produced the content, rules or a model; `None` if it is not known.
    pub fn written_by(&self) -> Option<&WrittenBy> {
        self.history.written_by.as_ref()
    }

    /// Returns the version of the entry before the run that started at `run`: the stored one if this run
    /// changed the entry, else the current content. `None` if this run created the entry.
    pub(super) fn previous_version(&self, run: Timestamp) -> Option<PreviousVersion> {
        if self.history.updated_at == run {
            return self.history.before.clone();
        }
        let History { updated_at, written_by, .. } = self.history.clone();
        Some(PreviousVersion { hash: content_hash(&self.entry), updated_at, written_by })
    }

    /// Returns the entry as a JSON object with `created_at` and `updated_at`, as query results have it.
    pub fn to_value(&self) -> Value {
        let mut fields = entry_fields(&self.entry);
        fields.insert("created_at".into(), self.history.created_at.to_string().into());
        fields.insert("updated_at".into(), self.history.updated_at.to_string().into());
        Value::Object(fields)
    }

    /// Returns the entry's own fields, without its times, its authors and the hash that the agent's memory
    /// adds.
    pub fn fields(&self) -> Map<String, Value> {
        let mut fields = entry_fields(&self.entry);
        fields.shift_remove(HASH);
        fields
    }

    /// Returns the text of the entry's file: fields and history as one flat JSON object.
    pub(super) fn to_json_text(&self) -> String {
        let mut all = entry_fields(&self.entry);
        let Ok(Value::Object(history)) = serde_json::to_value(&self.history) else {
            unreachable!("a struct of texts is an object")
        };
        all.extend(history);
        let text = serde_json::to_string_pretty(&Value::Object(all)).expect("JSON is text");
        format!("{text}\n")
    }

    /// Parses the text of an entry's file. The error is the defect of the text.
    pub(super) fn parse(entry_type: EntryType, text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
        let Value::Object(mut all) = value else { return Err("no JSON object".into()) };
        let history =
            HISTORY_FIELDS.iter().filter_map(|name| Some(((*name).to_owned(), all.shift_remove(*name)?)));
        let history: Map<String, Value> = history.collect();
        let history = serde_json::from_value(Value::Object(history)).map_err(|error| error.to_string())?;
        let hash = all.shift_remove(HASH);
        let mut entry =
            read_entry(entry_type, Value::Object(all)).map_err(|rejection| rejection.to_string())?;
        if let (Entry::File(file), Some(hash)) = (&mut entry, hash) {
            file.last_read_hash = serde_json::from_value(hash).map_err(|error| format!("{HASH}: {error}"))?;
        }
        Ok(Self { entry, history })
    }
}

/// Validates and parses an entry that a model or a program gives as JSON. Times, authors and hashes in it, as
/// in query results, are ignored.
pub(super) fn parse_entry(entry_type: EntryType, value: &Value) -> Result<Entry, schema::Rejection> {
    let mut value = value.clone();
    if let Value::Object(fields) = &mut value {
        HISTORY_FIELDS.iter().chain([&HASH]).for_each(|name| drop(fields.shift_remove(*name)));
    }
    read_entry(entry_type, value)
}

fn read_entry(entry_type: EntryType, value: Value) -> Result<Entry, schema::Rejection> {
    schema::check(entry_type, &value)?;
    let mut entry = entry_type.read(value).map_err(|error| schema::Rejection {
        entry_type,
        problems: vec![schema::EntryProblem::new(
            "",
            format!("cannot be read: {error}"),
            "hold it against the schema",
        )],
    })?;
    entry.normalize();
    Ok(entry)
}

/// Returns an entry as a JSON object, with its fields in the order of its Rust type.
pub(super) fn entry_fields(entry: &Entry) -> Map<String, Value> {
    match serde_json::to_value(entry) {
        Ok(Value::Object(fields)) => fields,
        _ => unreachable!("every entry is a struct"),
    }
}

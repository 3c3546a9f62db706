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

/// An entry in memory with its history.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryRecord {
    /// Stored entry.
    pub entry: Entry,
    /// Times and authors.
    pub(super) history: History,
}

/// History that the memory adds to an entry. No schema has fields of these names; such fields in a given entry are ignored.
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

/// An entry's version before a run. If one author changes the entry and another changes it back, the comparison with this version
/// shows no change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PreviousVersion {
    hash: ContentHash,
    pub(super) updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) written_by: Option<WrittenBy>,
}

impl PreviousVersion {
    /// Returns true if its content equals that of `entry`.
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
    /// Returns the time of the last store.
    pub(super) fn stored_at(&self) -> Timestamp {
        self.confirmed_at.unwrap_or(self.updated_at)
    }

    /// Returns the time of its last event.
    pub(super) fn last_event(&self) -> Timestamp {
        self.stored_at().max(self.explored_at.unwrap_or_default())
    }
}

impl EntryRecord {
    /// Returns the time of the first store under this id.
    pub fn created_at(&self) -> Timestamp {
        self.history.created_at
    }

    /// Returns the time of the last change of its content.
    pub fn updated_at(&self) -> Timestamp {
        self.history.updated_at
    }

    /// Returns the time of the last store, even if that left the content unchanged.
    pub fn stored_at(&self) -> Timestamp {
        self.history.stored_at()
    }

    /// Returns true for a component whose exploration ended.
    pub fn is_explored(&self) -> bool {
        self.history.explored_at.is_some()
    }

    /// Returns the author of the last store.
    pub fn stored_by(&self) -> &EntryAuthor {
        &self.history.stored_by
    }

    /// Returns the origin of its facts, if known.
    pub fn written_by(&self) -> Option<&WrittenBy> {
        self.history.written_by.as_ref()
    }

    /// Returns the version before the run that started at `run`.
    pub(super) fn previous_version(&self, run: Timestamp) -> Option<PreviousVersion> {
        if self.history.updated_at == run {
            return self.history.before.clone();
        }
        let History { updated_at, written_by, .. } = self.history.clone();
        Some(PreviousVersion { hash: content_hash(&self.entry), updated_at, written_by })
    }

    /// Returns the entry's fields with its times, as in query results.
    pub fn to_value(&self) -> Value {
        let mut fields = entry_fields(&self.entry);
        fields.insert("created_at".into(), self.history.created_at.to_string().into());
        fields.insert("updated_at".into(), self.history.updated_at.to_string().into());
        Value::Object(fields)
    }

    /// Returns the entry's own fields, without its times, its authors and the hash that memory adds.
    pub fn fields(&self) -> Map<String, Value> {
        let mut fields = entry_fields(&self.entry);
        fields.shift_remove(HASH);
        fields
    }

    /// Returns the text of its file.
    pub(super) fn to_json_text(&self) -> String {
        let mut all = entry_fields(&self.entry);
        let Ok(Value::Object(history)) = serde_json::to_value(&self.history) else {
            unreachable!("a struct of texts is an object")
        };
        all.extend(history);
        let text = serde_json::to_string_pretty(&Value::Object(all)).expect("JSON is text");
        format!("{text}\n")
    }

    /// Parses the text of its file; the error is the defect.
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

/// Parses an entry from a model or a program. Fields that only the memory sets, as in query results, are ignored.
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

/// Returns the fields of an entry, in the order of its type.
pub(super) fn entry_fields(entry: &Entry) -> Map<String, Value> {
    match serde_json::to_value(entry) {
        Ok(Value::Object(fields)) => fields,
        _ => unreachable!("every entry is a struct"),
    }
}

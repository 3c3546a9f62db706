//! An entry with what the memory knows of it: when it came, who stored it. As one flat JSON object in a file and in answers, so that
//! a file reads like the entry it holds. Touches no file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::author::{EntryAuthor, WrittenBy};
use super::schema;
use super::timestamp::Timestamp;
use super::types::{Entry, EntryType};
use crate::repo::ContentHash;

/// The field that only the memory fills in (DOC-89).
const HASH: &str = "last_read_hash";

/// An entry in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryRecord {
    /// What was stored.
    pub entry: Entry,
    /// When, and by whom.
    pub(super) history: History,
}

/// What the memory adds to an entry. These names are no fields of any schema; what an entry says under them is ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct History {
    /// When its id was stored first (DOC-98).
    pub(super) created_at: Timestamp,
    /// When what it says changed last.
    pub(super) updated_at: Timestamp,
    /// When it was stored last, if it says the same as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) confirmed_at: Option<Timestamp>,
    /// When the exploration of a component ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) explored_at: Option<Timestamp>,
    /// Who stored it last.
    #[serde(default, skip_serializing_if = "EntryAuthor::is_default")]
    pub(super) stored_by: EntryAuthor,
    /// What found it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) written_by: Option<WrittenBy>,
    /// What stood here before the run that changed it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<PreviousVersion>,
}

/// What an entry was before a run, so that one author may change it, another change it back, and nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PreviousVersion {
    hash: ContentHash,
    pub(super) updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) written_by: Option<WrittenBy>,
}

impl PreviousVersion {
    /// Whether it said the same.
    pub(super) fn matches(&self, entry: &Entry) -> bool {
        self.hash == content_hash(entry)
    }
}

fn content_hash(entry: &Entry) -> ContentHash {
    ContentHash::of(Value::Object(entry_fields(entry)).to_string().as_bytes())
}

/// The names of [`History`].
const HISTORY_FIELDS: &[&str] =
    &["created_at", "updated_at", "confirmed_at", "explored_at", "stored_by", "written_by", "before"];

impl History {
    /// When it was stored last.
    pub(super) fn stored_at(&self) -> Timestamp {
        self.confirmed_at.unwrap_or(self.updated_at)
    }

    /// The last thing that happened to it.
    pub(super) fn last_event(&self) -> Timestamp {
        self.stored_at().max(self.explored_at.unwrap_or_default())
    }
}

impl EntryRecord {
    /// When its id was stored first.
    pub fn created_at(&self) -> Timestamp {
        self.history.created_at
    }

    /// When what it says changed last.
    pub fn updated_at(&self) -> Timestamp {
        self.history.updated_at
    }

    /// When it was stored last, also if it said the same as before.
    pub fn stored_at(&self) -> Timestamp {
        self.history.stored_at()
    }

    /// Whether it is a component whose exploration ended.
    pub fn is_explored(&self) -> bool {
        self.history.explored_at.is_some()
    }

    /// Who stored it last.
    pub fn stored_by(&self) -> &EntryAuthor {
        &self.history.stored_by
    }

    /// What found it out, where that was said.
    pub fn written_by(&self) -> Option<&WrittenBy> {
        self.history.written_by.as_ref()
    }

    /// What stood here before the run of this moment.
    pub(super) fn previous_version(&self, run: Timestamp) -> Option<PreviousVersion> {
        if self.history.updated_at == run {
            return self.history.before.clone();
        }
        let History { updated_at, written_by, .. } = self.history.clone();
        Some(PreviousVersion { hash: content_hash(&self.entry), updated_at, written_by })
    }

    /// The entry's fields and its times: what queries answer.
    pub fn to_value(&self) -> Value {
        let mut fields = entry_fields(&self.entry);
        fields.insert("created_at".into(), self.history.created_at.to_string().into());
        fields.insert("updated_at".into(), self.history.updated_at.to_string().into());
        Value::Object(fields)
    }

    /// The text of its file.
    pub(super) fn to_json_text(&self) -> String {
        let mut all = entry_fields(&self.entry);
        let Ok(Value::Object(history)) = serde_json::to_value(&self.history) else {
            unreachable!("a struct of texts is an object")
        };
        all.extend(history);
        let text = serde_json::to_string_pretty(&Value::Object(all)).expect("JSON is text");
        format!("{text}\n")
    }

    /// Reads its file; or says what is wrong with it.
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

/// Reads an entry as a model or a program gives it. The memory's own fields, which it may have from a query, are left aside.
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

/// The fields of an entry, in the order of its type.
pub(super) fn entry_fields(entry: &Entry) -> Map<String, Value> {
    match serde_json::to_value(entry) {
        Ok(Value::Object(fields)) => fields,
        _ => unreachable!("every entry is a struct"),
    }
}

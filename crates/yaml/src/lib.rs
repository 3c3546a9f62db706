//! Parses YAML and JSON of strangers to a tree in which every key and value knows its position. Knows no key
//! of any format.
//!
//! A typed deserialiser stops at the first value that does not fit; with a tree, a reader can report all of them with their lines.

mod parse;

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::{Map, Number, Value};

pub use parse::{YamlError, YamlLimits, error_place, error_text, parse, span_of};

/// A value of a document with its position.
#[derive(Debug, Clone, PartialEq)]
pub struct YamlNode {
    /// Value.
    pub value: YamlValue,
    /// Byte range in the text. For a list or map only the start counts, because the parser gives no end.
    pub span: Range<usize>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A value of YAML or JSON. Maps keep their order and their duplicate keys.
#[derive(Debug, Clone, PartialEq)]
pub enum YamlValue {
    /// No value.
    Null,
    /// `true` or `false`; as in YAML 1.2, `yes` and `off` are texts.
    Bool(bool),
    /// A number.
    Number(YamlNumber),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<YamlNode>),
    /// A map.
    Map(Vec<YamlEntry>),
}

/// A number, and its text in the file, because `1.10` may be a version and `0x1F` is not written `31`.
#[derive(Debug, Clone, PartialEq)]
pub struct YamlNumber {
    /// Text in the file; for an alias (`*port`) the decimal digits.
    pub written: String,
    amount: Amount,
}

/// The numeric value of a [`YamlNumber`].
#[derive(Debug, Clone, Copy, PartialEq)]
enum Amount {
    Integer(i128),
    Float(f64),
}

/// An entry of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct YamlEntry {
    /// Key.
    pub key: String,
    /// Byte range of the key in the text.
    pub span: Range<usize>,
    /// Line of the key, from 1.
    pub line: usize,
    /// Column of the key in characters, from 1.
    pub column: usize,
    /// Value.
    pub value: YamlNode,
}

impl YamlNumber {
    /// Returns the number as the nearest floating-point number.
    pub fn as_f64(&self) -> f64 {
        match self.amount {
            #[expect(clippy::cast_precision_loss, reason = "the nearest number is what the caller asks for")]
            Amount::Integer(amount) => amount as f64,
            Amount::Float(amount) => amount,
        }
    }

    /// Returns the whole number; `None` for a number with a fraction or an exponent.
    pub fn as_integer(&self) -> Option<i128> {
        match self.amount {
            Amount::Integer(amount) => Some(amount),
            Amount::Float(_) => None,
        }
    }

    /// Returns the number as JSON. A number that JSON lacks, such as infinity, becomes a string.
    fn to_json(&self) -> Value {
        let integer = self.as_integer().and_then(Number::from_i128);
        let number = integer.or_else(|| Number::from_f64(self.as_f64()));
        number.map_or_else(|| Value::String(self.as_f64().to_string()), Value::Number)
    }
}

impl YamlNode {
    /// Returns the value of a key; of equal keys the first. `None` if there is none, and if the node is no
    /// map.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// Returns the first entry of a map with this key.
    fn entry(&self, key: &str) -> Option<&YamlEntry> {
        let YamlValue::Map(entries) = &self.value else { return None };
        entries.iter().find(|entry| entry.key == key)
    }

    /// Returns the value at a dotted path. Each dot may separate levels of maps or be part of a key:
    /// `kibana.version` finds both `kibana.version: …` and `kibana: {version: …}`.
    pub fn find(&self, path: &str) -> Option<&Self> {
        self.find_entry(path).map(|entry| &entry.value)
    }

    /// Returns the line of the key at a dotted path; see [`find`](Self::find).
    pub fn find_line(&self, path: &str) -> Option<usize> {
        self.find_entry(path).map(|entry| entry.line)
    }

    /// Returns the entry at a dotted path; a key that contains the dots comes first.
    fn find_entry(&self, path: &str) -> Option<&YamlEntry> {
        if let Some(found) = self.entry(path) {
            return Some(found);
        }
        path.match_indices('.').find_map(|(at, _)| self.get(&path[..at])?.find_entry(&path[at + 1..]))
    }

    /// Returns the first entry in the tree whose key occurs earlier in the same map; `None` if all keys are
    /// unique.
    pub fn find_duplicate(&self) -> Option<&YamlEntry> {
        match &self.value {
            YamlValue::List(items) => items.iter().find_map(Self::find_duplicate),
            YamlValue::Map(entries) => {
                let mut keys = BTreeSet::new();
                entries.iter().find_map(|entry| {
                    if keys.insert(&entry.key) { entry.value.find_duplicate() } else { Some(entry) }
                })
            }
            YamlValue::Null | YamlValue::Bool(_) | YamlValue::Number(_) | YamlValue::Text(_) => None,
        }
    }

    /// Returns the value as JSON, without positions. Of equal keys the first counts.
    pub fn to_json(&self) -> Value {
        match &self.value {
            YamlValue::Null => Value::Null,
            YamlValue::Bool(value) => Value::Bool(*value),
            YamlValue::Number(number) => number.to_json(),
            YamlValue::Text(text) => Value::String(text.clone()),
            YamlValue::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            YamlValue::Map(entries) => {
                let mut map = Map::new();
                for entry in entries {
                    map.entry(entry.key.clone()).or_insert_with(|| entry.value.to_json());
                }
                Value::Object(map)
            }
        }
    }
}

impl YamlValue {
    /// Returns the type of the value for a message, such as "a list".
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a truth value",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

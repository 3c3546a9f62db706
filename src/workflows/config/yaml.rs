//! YAML as a tree in which every key and value knows its line and column. Knows no key; see fields.rs.

use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Location, MessageFormatter, Spanned, UserMessageFormatter};

/// A line and a column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::workflows) struct YamlPosition {
    pub(in crate::workflows) line: u64,
    pub(in crate::workflows) column: u64,
}

impl From<Location> for YamlPosition {
    fn from(location: Location) -> Self {
        Self { line: location.line().max(1), column: location.column().max(1) }
    }
}

/// A value; maps keep duplicates, so that both places can be named.
#[derive(Debug, Clone)]
pub(in crate::workflows) enum Value {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    List,
    Map(Map),
}

/// The entries of a map in the order of the file.
pub(in crate::workflows) type Map = Vec<(Spanned<String>, Spanned<Value>)>;

impl Value {
    /// Returns the value in the words of "expected …, found …".
    pub(in crate::workflows) fn describe(&self) -> String {
        match self {
            Self::Null => "nothing".to_owned(),
            Self::Bool(value) => format!("the switch `{value}`"),
            Self::Integer(value) => format!("the number {value}"),
            Self::Float(value) => format!("the number {value}"),
            Self::Text(value) => format!("the text {:?}", excerpt(value)),
            Self::List => "a list".to_owned(),
            Self::Map(_) => "a map".to_owned(),
        }
    }

    /// Like [`describe`](Self::describe), without the value.
    pub(in crate::workflows) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a switch",
            Self::Integer(_) | Self::Float(_) => "a number",
            Self::Text(text) if text.trim().is_empty() => "blank text",
            Self::Text(_) => "a text",
            Self::List => "a list",
            Self::Map(_) => "a map",
        }
    }
}

fn excerpt(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Nodes that aliases may repeat in all; a bomb of aliases stops here.
const REPLAYED: usize = 10_000;

/// Parses one document; the error is that of the parser with its place.
pub(in crate::workflows) fn parse(text: &str) -> Result<Spanned<Value>, (YamlPosition, String)> {
    parse_as(text, DuplicateKeyPolicy::PassThrough)
}

/// Parses one document as JSON, which has no places and no comments. A key that stands twice is an error.
pub(in crate::workflows) fn parse_json(text: &str) -> Result<serde_json::Value, (YamlPosition, String)> {
    parse_as(text, DuplicateKeyPolicy::Error)
}

fn parse_as<T: DeserializeOwned>(
    text: &str,
    duplicate_keys: DuplicateKeyPolicy,
) -> Result<T, (YamlPosition, String)> {
    let options = serde_saphyr::options! {
        duplicate_keys: duplicate_keys,
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: REPLAYED },
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let place = error.location().map_or(YamlPosition { line: 1, column: 1 }, YamlPosition::from);
        // Without the place that the parser puts at its end: the message already begins with it.
        (
            place,
            UserMessageFormatter
                .format_message(error.without_snippet())
                .lines()
                .next()
                .unwrap_or("not valid YAML")
                .to_owned(),
        )
    })
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(YamlTree)
    }
}

struct YamlTree;

impl<'de> Visitor<'de> for YamlTree {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        Value::deserialize(input)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        while items.next_element::<Spanned<Value>>()?.is_some() {}
        Ok(Value::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key()? {
            map.push((key, entries.next_value()?));
        }
        Ok(Value::Map(map))
    }
}

//! YAML files of a package as trees in which every value knows its line. A value of an unexpected type costs its part, not the file. Knows no
//! key of a manifest.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::options::{AliasLimits, DuplicateKeyPolicy, NonFiniteFloatPolicy};
use serde_saphyr::{Budget, MessageFormatter, Options, Spanned, UserMessageFormatter};

/// Maximum nesting of lists and maps; groups of fields in real packages need twelve.
const DEPTH_MAX: usize = 48;

/// Maximum number of values in a file; a file of fields of 1 MiB has about 60,000.
const VALUES_MAX: usize = 250_000;

/// Maximum number of values that the aliases of a file may add.
const ALIAS_VALUES_MAX: usize = 10_000;

/// A value of a YAML file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct YamlNode {
    pub(super) value: YamlValue,
    /// Line of the value, from 1.
    pub(super) line: usize,
}

/// The content of a [`YamlNode`]. Maps keep their order; of equal keys the first counts.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum YamlValue {
    Null,
    Bool(bool),
    /// A number with its text in the file, because `1.10` is a version and no number.
    Number(Number, String),
    Text(String),
    List(Vec<YamlNode>),
    Map(Vec<YamlEntry>),
}

/// An entry of a map.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct YamlEntry {
    pub(super) key: String,
    /// Line of the key, from 1.
    pub(super) line: usize,
    pub(super) value: YamlNode,
}

/// Parses one document within the bounds of depth, size and alias expansion. The error is a line and a message.
pub(super) fn parse(text: &str) -> Result<YamlNode, (usize, String)> {
    let parsed: Result<ParsedNode, _> = serde_saphyr::from_str_with_options(text, options());
    match parsed {
        Ok(node) => Ok(node.finish(text)),
        Err(error) => {
            let line = error.location().map_or(0, |place| usize::try_from(place.line()).unwrap_or(0));
            let message = UserMessageFormatter.format_message(error.without_snippet());
            Err((line, message.lines().next().unwrap_or("it is not valid YAML").to_owned()))
        }
    }
}

fn options() -> Options {
    let mut budget = Budget::default();
    budget.max_depth = DEPTH_MAX;
    budget.flow_nesting_limit = DEPTH_MAX;
    budget.max_nodes = VALUES_MAX;
    let mut alias_limits = AliasLimits::default();
    alias_limits.max_total_replayed_events = ALIAS_VALUES_MAX;
    let mut options = Options::default();
    options.budget = Some(budget);
    options.alias_limits = alias_limits;
    options.duplicate_keys = DuplicateKeyPolicy::PassThrough;
    options.non_finite_float_policy = NonFiniteFloatPolicy::PassThrough;
    // YAML 1.2: `no` and `on` are texts, and defaults of variables may be these words.
    options.strict_booleans = true;
    options
}

impl YamlNode {
    /// Returns the value behind a key; `None` also where this is no map.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    fn entry(&self, key: &str) -> Option<&YamlEntry> {
        let YamlValue::Map(entries) = &self.value else { return None };
        entries.iter().find(|entry| entry.key == key)
    }

    /// Returns the value behind a dotted path. Each dot may be a level of maps or a part of a key: `kibana.version` and
    /// `kibana: {version: …}` are the same.
    pub(super) fn find(&self, path: &str) -> Option<&Self> {
        self.find_entry(path).map(|entry| &entry.value)
    }

    /// Returns the line of the key behind a dotted path; see [`find`](Self::find).
    pub(super) fn find_line(&self, path: &str) -> Option<usize> {
        self.find_entry(path).map(|entry| entry.line)
    }

    fn find_entry(&self, path: &str) -> Option<&YamlEntry> {
        if let Some(found) = self.entry(path) {
            return Some(found);
        }
        path.match_indices('.').find_map(|(at, _)| self.get(&path[..at])?.find_entry(&path[at + 1..]))
    }

    /// Returns the value as JSON. Numbers that JSON lacks become texts.
    pub(super) fn to_json(&self) -> Value {
        match &self.value {
            YamlValue::Null => Value::Null,
            YamlValue::Bool(value) => Value::Bool(*value),
            YamlValue::Number(number, _) => Value::Number(number.clone()),
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

    /// Describes the value for messages.
    pub(super) fn describe(&self) -> &'static str {
        match self.value {
            YamlValue::Null => "nothing",
            YamlValue::Bool(_) => "a truth value",
            YamlValue::Number(..) => "a number",
            YamlValue::Text(_) => "a text",
            YamlValue::List(_) => "a list",
            YamlValue::Map(_) => "a map",
        }
    }
}

/// A value as the parser gives it: numbers without their text.
struct ParsedNode {
    value: ParsedValue,
    line: usize,
    start: usize,
    length: usize,
}

enum ParsedValue {
    Scalar(Value),
    List(Vec<ParsedNode>),
    Map(Vec<(Spanned<String>, ParsedNode)>),
}

impl ParsedNode {
    fn finish(self, text: &str) -> YamlNode {
        let value = match self.value {
            ParsedValue::Scalar(Value::Null | Value::Array(_) | Value::Object(_)) => YamlValue::Null,
            ParsedValue::Scalar(Value::Bool(value)) => YamlValue::Bool(value),
            ParsedValue::Scalar(Value::String(value)) => YamlValue::Text(value),
            ParsedValue::Scalar(Value::Number(number)) => {
                let source = text.get(self.start..self.start + self.length).map(str::trim);
                // Of an alias the source is its name, such as `*port`.
                let source =
                    source.filter(|source| source.starts_with(|c: char| c.is_ascii_digit() || c == '-'));
                let source = source.map_or_else(|| number.to_string(), str::to_owned);
                YamlValue::Number(number, source)
            }
            ParsedValue::List(items) => {
                YamlValue::List(items.into_iter().map(|item| item.finish(text)).collect())
            }
            ParsedValue::Map(entries) => {
                let entry = |(key, value): (Spanned<String>, Self)| YamlEntry {
                    line: usize::try_from(key.referenced.line()).unwrap_or_default(),
                    key: key.value,
                    value: value.finish(text),
                };
                YamlValue::Map(entries.into_iter().map(entry).collect())
            }
        };
        YamlNode { value, line: self.line }
    }
}

impl<'de> Deserialize<'de> for ParsedNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned { value, referenced, .. } = Spanned::deserialize(deserializer)?;
        let known = |n: u64| usize::try_from(n).unwrap_or_default();
        let span = referenced.span();
        Ok(Self {
            value,
            line: known(referenced.line()),
            start: span.byte_offset().map_or(0, known),
            length: span.byte_len().map_or(0, known),
        })
    }
}

impl<'de> Deserialize<'de> for ParsedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlVisitor)
    }
}

struct YamlVisitor;

impl<'de> Visitor<'de> for YamlVisitor {
    type Value = ParsedValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<ParsedValue, E> {
        Ok(ParsedValue::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<ParsedValue, E> {
        Ok(ParsedValue::Scalar(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<ParsedValue, D::Error> {
        ParsedValue::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<ParsedValue, E> {
        Ok(ParsedValue::Scalar(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<ParsedValue, E> {
        Ok(ParsedValue::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<ParsedValue, E> {
        Ok(ParsedValue::Scalar(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<ParsedValue, E> {
        Ok(ParsedValue::Scalar(Value::String(value.to_string())))
    }

    fn visit_u128<E>(self, value: u128) -> Result<ParsedValue, E> {
        Ok(ParsedValue::Scalar(Value::String(value.to_string())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<ParsedValue, E> {
        let number = Number::from_f64(value).map(Value::Number);
        Ok(ParsedValue::Scalar(number.unwrap_or_else(|| Value::String(value.to_string()))))
    }

    fn visit_str<E>(self, value: &str) -> Result<ParsedValue, E> {
        Ok(ParsedValue::Scalar(Value::String(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<ParsedValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(ParsedValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<ParsedValue, A::Error> {
        let mut map = Vec::new();
        while let Some(key) = entries.next_key::<Spanned<String>>()? {
            map.push((key, entries.next_value()?));
        }
        Ok(ParsedValue::Map(map))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn values_know_their_lines_and_numbers_keep_their_text() {
        let tree = parse("a: 1.10\nb:\n  - x: yes\n    y: 0x1F\n").unwrap();
        let YamlValue::Number(_, source) = &tree.get("a").unwrap().value else { panic!("{tree:?}") };
        assert_eq!(source, "1.10");
        let YamlValue::List(items) = &tree.get("b").unwrap().value else { panic!("{tree:?}") };
        assert_eq!(items[0].get("x").unwrap().value, YamlValue::Text("yes".into()));
        assert_eq!((items[0].line, items[0].get("y").unwrap().line), (3, 4));
    }

    #[test]
    fn a_dotted_path_is_found_in_both_notations() {
        for text in ["conditions:\n  kibana.version: ^9\n", "conditions:\n  kibana:\n    version: ^9\n"] {
            let tree = parse(text).unwrap();
            assert_eq!(
                tree.find("conditions.kibana.version").unwrap().value,
                YamlValue::Text("^9".into()),
                "{text}"
            );
        }
    }

    #[test]
    fn bombs_of_aliases_and_deep_nesting_are_errors() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = format!("*a{}", level - 1);
            writeln!(bomb, "a{level}: &a{level} [{}]", vec![before; 9].join(", ")).unwrap();
        }
        assert!(parse(&bomb).is_err());
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse(&"- ".repeat(100_000)).is_err());
        assert!(parse("a: [").is_err());
    }
}

//! Positions of values in a configuration, and descriptions of values for its defects. Knows no keys;
//! see `fields.rs`.

use stategraph_yaml::{YamlEntry, YamlLimits, YamlNode, YamlValue};

/// Position in a configuration file: line and column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::workflows) struct ConfigPosition {
    pub(in crate::workflows) line: u64,
    pub(in crate::workflows) column: u64,
}

impl ConfigPosition {
    /// Makes a position from that of the parser, which counts from 1 and returns 0 for an unknown
    /// place; that becomes 1.
    pub(in crate::workflows) fn new(line: usize, column: usize) -> Self {
        Self { line: line.max(1) as u64, column: column.max(1) as u64 }
    }
}

impl From<&YamlNode> for ConfigPosition {
    fn from(node: &YamlNode) -> Self {
        Self::new(node.line, node.column)
    }
}

impl From<&YamlEntry> for ConfigPosition {
    fn from(entry: &YamlEntry) -> Self {
        Self::new(entry.line, entry.column)
    }
}

/// Limits of a configuration and of a front matter, so that YAML with exploding aliases is refused
/// early.
pub(in crate::workflows) const YAML_LIMITS: YamlLimits =
    YamlLimits { depth: 64, values: 100_000, alias_values: 10_000 };

/// Describes a value for the message "expected …, found …". Texts are shown, shortened.
pub(super) fn describe(value: &YamlValue) -> String {
    match value {
        YamlValue::Bool(value) => format!("the switch `{value}`"),
        YamlValue::Number(number) => format!("the number {}", number.written),
        YamlValue::Text(value) => format!("the text {:?}", excerpt(value)),
        YamlValue::Null | YamlValue::List(_) | YamlValue::Map(_) => value.describe().to_owned(),
    }
}

/// Describes the type of a value without its text, which may be a secret.
pub(super) fn describe_type(value: &YamlValue) -> &'static str {
    match value {
        YamlValue::Text(text) if text.trim().is_empty() => "blank text",
        _ => value.describe(),
    }
}

/// Returns the first 40 characters of a text, with `…` if it is longer.
fn excerpt(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

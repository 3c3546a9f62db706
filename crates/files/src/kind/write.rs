//! The writes of `set`, `overwrite` and `to`: channels with values, each with an optional condition.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use super::super::expression::{DeclaredNames, EvalScope, Expression, ExpressionError, Operand};
use super::super::format::Entries;
use super::super::inline::StateSchema;
use super::super::read::Reader;
use super::parts::check_channel;
use stategraph_yaml::{YamlNode, YamlValue};

/// Keys of a conditional write. A map with other keys is a plain value to write.
const WHEN: &str = "when";
const VALUE: &str = "value";

/// A value that `set`, `overwrite` or `to` writes to a channel, with an optional condition.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelWrite {
    /// The condition; `None` writes always.
    pub when: Option<Expression>,
    /// The value.
    pub value: Operand,
}

impl ChannelWrite {
    /// Returns the value to write; `None` if the condition is false.
    pub fn evaluate(&self, scope: &EvalScope<'_>) -> Result<Option<Value>, ExpressionError> {
        match &self.when {
            Some(condition) if !condition.is_true(scope)? => Ok(None),
            _ => self.value.evaluate(scope).map(Some),
        }
    }

    fn read(reader: &mut Reader, what: &str, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        if !is_conditional(&tree) {
            return Some(Self { when: None, value: reader.read_operand(what, tree, names)? });
        }
        let mut object = reader.read_object(what, tree)?;
        let before = reader.diagnostics.len();
        let has_value = object.has(VALUE);
        let key = object.key_span(WHEN);
        let when = object
            .take(WHEN)
            .and_then(|tree| reader.read_expression(&format!("`when` of {what}"), tree, names));
        // A null is a value too, so `take` would not do.
        let value = if has_value { object.require(VALUE) } else { None };
        let value = value.and_then(|tree| reader.read_operand(what, tree, names));
        object.finish(reader);
        if !has_value {
            let message = format!("{what} has a condition and no value");
            reader.report(&key, message, "add `value: …`; to write a map, put it in quotes: \"{'when': …}\"");
        }
        if reader.diagnostics.len() > before {
            return None;
        }
        Some(Self { when: Some(when?), value: value? })
    }
}

/// Returns true for a map that has the key `when` and no keys besides `when` and `value`.
fn is_conditional(tree: &YamlNode) -> bool {
    let YamlValue::Map(entries) = &tree.value else { return false };
    let is_known = |key: &str| key == WHEN || key == VALUE;
    entries.iter().any(|entry| entry.key == WHEN) && entries.iter().all(|entry| is_known(&entry.key))
}

/// Reads a map from channels to the values to write. Reports duplicates and channels that are not in
/// `channels`; without `channels` every name passes, because the keys name members of a result. `None` if
/// anything was reported.
pub(crate) fn read_writes(
    reader: &mut Reader,
    what: &str,
    tree: YamlNode,
    channels: Option<&StateSchema>,
    names: &DeclaredNames<'_>,
) -> Option<Entries<ChannelWrite>> {
    let entries = reader.read_entries(what, "channel", tree)?;
    let count = entries.len();
    let mut seen: Vec<String> = Vec::new();
    let read: Vec<_> = entries
        .into_iter()
        .filter_map(|(name, tree)| {
            if seen.contains(&name.value) {
                let message = format!("{what} writes `{}` twice", name.value);
                reader.report(&name.span, message, "remove one of them");
                return None;
            }
            seen.push(name.value.clone());
            check_channel(reader, &name, channels)?;
            let write = ChannelWrite::read(reader, &format!("`{}` of {what}", name.value), tree, names)?;
            Some((name, write))
        })
        .collect();
    (read.len() == count).then_some(Entries(read))
}

impl JsonSchema for ChannelWrite {
    fn schema_name() -> Cow<'static, str> {
        "ChannelWrite".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A value in which every text is an expression, or { when: CONDITION, value: VALUE }, which writes only if the condition holds."
        })
    }
}

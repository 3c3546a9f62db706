//! Formats the payload of a question for a terminal: JSON without brackets, as an indented outline. List
//! items are numbered from 1, so that an answer can refer to one.

use serde_json::Value;
use serde_json::value::RawValue;

/// Number of spaces by which each level is indented.
const INDENT: usize = 2;

/// Formats a payload as lines of text: a plain value as one line, an object or a list as an outline.
pub(super) fn format_payload(payload: &RawValue) -> Vec<String> {
    let value: Value = serde_json::from_str(payload.get()).expect("a payload is JSON");
    match &value {
        Value::Object(_) | Value::Array(_) => {
            let mut lines = Vec::new();
            outline(&value, INDENT, &mut lines);
            lines
        }
        plain => vec![plain_text(plain)],
    }
}

fn outline(value: &Value, indent: usize, lines: &mut Vec<String>) {
    let mut entry = |name: String, value: &Value| match value {
        Value::Object(_) | Value::Array(_) => {
            lines.push(format!("{:indent$}{name}", ""));
            outline(value, indent + INDENT, lines);
        }
        plain => {
            // The further lines of a text stand below its first.
            let text =
                plain_text(plain).replace('\n', &format!("\n{:deeper$}", "", deeper = indent + INDENT));
            lines.push(format!("{:indent$}{name} {text}", ""));
        }
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| entry(format!("{name}:"), value)),
        Value::Array(items) => (1..).zip(items).for_each(|(number, item): (usize, _)| {
            entry(format!("{number}."), &flatten(item).unwrap_or_else(|| item.clone()));
        }),
        plain => lines.push(format!("{:indent$}{}", "", plain_text(plain))),
    }
}

/// Joins the fields of a list item on one line, `name: value; …`. Returns `None` for an item that is not an
/// object or has nested values.
fn flatten(item: &Value) -> Option<Value> {
    let fields = item.as_object()?;
    if fields.values().any(|value| value.is_object() || value.is_array()) {
        return None;
    }
    let fields: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}: {}", plain_text(value))).collect();
    Some(Value::String(fields.join("; ")))
}

/// Returns a plain JSON value as text: a string without its quotes, any other value as JSON.
fn plain_text(plain: &Value) -> String {
    plain.as_str().map_or_else(|| plain.to_string(), str::to_owned)
}

//! A question's payload as people read it: JSON without its brackets. Lists are counted from 1, so that an answer can name an entry.

use serde_json::Value;
use serde_json::value::RawValue;

/// How far each level stands to the right of the one above.
const INDENT: usize = 2;

/// The payload, as one line after the question's name or as lines below it.
pub(super) fn lines(payload: &RawValue) -> Vec<String> {
    let value: Value = serde_json::from_str(payload.get()).expect("a payload is JSON");
    match &value {
        Value::Object(_) | Value::Array(_) => {
            let mut lines = Vec::new();
            outline(&value, INDENT, &mut lines);
            lines
        }
        plain => vec![said(plain)],
    }
}

fn outline(value: &Value, indent: usize, lines: &mut Vec<String>) {
    let mut entry = |name: String, value: &Value| match value {
        Value::Object(_) | Value::Array(_) => {
            lines.push(format!("{:indent$}{name}", ""));
            outline(value, indent + INDENT, lines);
        }
        plain => lines.push(format!("{:indent$}{name} {}", "", said(plain))),
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| entry(format!("{name}:"), value)),
        Value::Array(items) => (1..).zip(items).for_each(|(number, item): (usize, _)| {
            entry(format!("{number}."), &flat(item).unwrap_or_else(|| item.clone()));
        }),
        plain => lines.push(format!("{:indent$}{}", "", said(plain))),
    }
}

/// An entry of plain fields on one line.
fn flat(item: &Value) -> Option<Value> {
    let fields = item.as_object()?;
    if fields.values().any(|value| value.is_object() || value.is_array()) {
        return None;
    }
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {}", said(value))).collect();
    Some(Value::String(fields.join("; ")))
}

fn said(plain: &Value) -> String {
    plain.as_str().map_or_else(|| plain.to_string(), str::to_owned)
}

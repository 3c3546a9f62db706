//! Common deviations of models from the schema of a typed answer, put right before the answer is validated: missing lists, texts for
//! lists, lists for maps, numbers as text. Pure.

use serde_json::{Map, Value, json};

/// Most places that a model may name in one answer; the first count.
const LOCATIONS: usize = 60;
/// Most files that a model may ask for in one answer; the first count.
const FILES: usize = 500;

/// Changes the JSON of a `CodeAnalysis` in place to fit its schema: missing lists, a text for a list, a list
/// for the map of conventions. Values without any of its fields stay as they are.
pub(super) fn mend_analysis(value: &mut Value) {
    let Some(fields) = known(value, &["architecture_patterns", "coding_conventions", "tech_stack"]) else {
        return;
    };
    for name in ["architecture_patterns", "tech_stack"] {
        let list = texts(fields.remove(name));
        fields.insert(name.to_owned(), json!(list));
    }
    let conventions = match fields.remove("coding_conventions") {
        Some(Value::Object(map)) => {
            let one = |(topic, value): (String, Value)| Some((topic, Value::String(text(value)?)));
            map.into_iter().filter_map(one).collect()
        }
        other => {
            (1..).zip(texts(other)).map(|(number, text)| (format!("{number}"), Value::String(text))).collect()
        }
    };
    fields.insert("coding_conventions".to_owned(), Value::Object(conventions));
    set_text(fields, "insights");
}

/// Changes the JSON of a `ScopeExploration` in place to fit its schema: lists, the flag, places in other
/// forms. A missing `sufficient_context` is true if no file is asked for.
pub(super) fn mend_exploration(value: &mut Value) {
    let names = ["additional_files_needed", "sufficient_context", "preliminary_insights", "key_locations"];
    let Some(fields) = known(value, &names) else { return };
    let mut files = texts(fields.remove("additional_files_needed"));
    files.truncate(FILES);
    let is_sufficient = match fields.remove("sufficient_context") {
        Some(Value::Bool(is_sufficient)) => is_sufficient,
        Some(Value::String(word)) => matches!(word.to_lowercase().as_str(), "true" | "yes"),
        _ => files.is_empty(),
    };
    let locations = match fields.remove("key_locations") {
        Some(Value::Array(items)) => items.into_iter().filter_map(location).take(LOCATIONS).collect(),
        _ => Vec::new(),
    };
    fields.insert("additional_files_needed".to_owned(), json!(files));
    fields.insert("sufficient_context".to_owned(), json!(is_sufficient));
    fields.insert("key_locations".to_owned(), Value::Array(locations));
    set_text(fields, "reasoning");
    set_text(fields, "preliminary_insights");
}

/// Returns the fields of an object that has at least one of these names; `None` for other values, which are
/// not the answer.
fn known<'a>(value: &'a mut Value, names: &[&str]) -> Option<&'a mut Map<String, Value>> {
    value.as_object_mut().filter(|fields| names.iter().any(|name| fields.contains_key(*name)))
}

/// Converts a value to a list of texts: the items of a list, or one item for another value; empty items are
/// dropped.
fn texts(value: Option<Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items.into_iter().filter_map(text).collect(),
        Some(other) => text(other).into_iter().collect(),
        None => Vec::new(),
    }
}

/// Converts a value to text: lists are joined with `; `, the values of objects with `: `. `None` for null,
/// booleans and blank texts.
fn text(value: Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text,
        Value::Array(items) => items.into_iter().filter_map(text).collect::<Vec<_>>().join("; "),
        Value::Object(fields) => {
            let parts = fields.into_iter().filter_map(|(_, value)| text(value));
            parts.collect::<Vec<_>>().join(": ")
        }
        Value::Number(number) => number.to_string(),
        Value::Bool(_) | Value::Null => String::new(),
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn set_text(fields: &mut Map<String, Value>, name: &str) {
    let text = fields.remove(name).and_then(text);
    fields.insert(name.to_owned(), json!(text));
}

/// Converts a place to an object with `path`, `line_start`, `line_end` and `description`; other names of
/// fields and texts such as `path:12-20` are accepted. `None` without a path or a line.
fn location(value: Value) -> Option<Value> {
    let mut fields = match value {
        Value::Object(fields) => fields,
        Value::String(place) => Map::from_iter([("path".to_owned(), Value::String(place))]),
        _ => return None,
    };
    let path = ["path", "file"].iter().find_map(|name| fields.remove(*name)).and_then(text)?;
    let (path, in_path) = match path.rsplit_once(':') {
        Some((path, lines)) if lines.starts_with(|c: char| c.is_ascii_digit()) => {
            (path.to_owned(), Some(lines.to_owned()))
        }
        _ => (path, None),
    };
    let range = ["lines", "line_range", "line"].iter().find_map(|name| fields.remove(*name)).map(lines_text);
    let range = range.or(in_path).unwrap_or_default();
    let mut numbers = range.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse::<u32>().ok());
    let number = |value: Option<Value>| match value? {
        Value::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let start = ["line_start", "start"].iter().find_map(|name| number(fields.remove(*name)));
    // Lines are counted from 1; a place without a line is none.
    let start = start.or_else(|| numbers.next()).filter(|start| *start > 0)?;
    let end = ["line_end", "end"].iter().find_map(|name| number(fields.remove(*name)));
    let end = end.or_else(|| numbers.next()).unwrap_or(start).max(start);
    let description = fields.remove("description").and_then(text).unwrap_or_default();
    Some(json!({ "path": path, "line_start": start, "line_end": end, "description": description }))
}

/// Converts a range of lines in any form to text: `[12, 20]` → `12-20`.
fn lines_text(value: Value) -> String {
    match value {
        Value::Array(items) => items.into_iter().map(lines_text).collect::<Vec<_>>().join("-"),
        other => text(other).unwrap_or_default(),
    }
}

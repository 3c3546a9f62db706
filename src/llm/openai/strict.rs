//! Fits a schema from schemars to what OpenAI's strict mode takes. The unchanged schema still judges the answer; see
//! `structured`.

use serde_json::{Map, Value, json};

/// Whether the endpoint can hold the model to the schema.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Strictness {
    /// Every object is closed and every property required.
    Strict,
    /// The schema has free-form objects, which strict mode does not know; it is sent unchanged, as advice.
    Advice,
}

/// Keywords that strict mode refuses and that say nothing to a model which follows the types.
const DROPPED: [&str; 4] = ["$schema", "default", "format", "title"];
/// Keywords whose value is a map from names to schemas.
const NAMED: [&str; 2] = ["$defs", "properties"];

/// The schema to send.
pub(super) fn fit(schema: &Value) -> (Value, Strictness) {
    let mut fitted = schema.clone();
    match close(&mut fitted) {
        Ok(()) => (fitted, Strictness::Strict),
        Err(FreeForm) => (schema.clone(), Strictness::Advice),
    }
}

/// An object with unknown names was found.
struct FreeForm;

fn close(schema: &mut Value) -> Result<(), FreeForm> {
    // `true` is the schema of a `serde_json::Value`: anything goes.
    let Some(object) = schema.as_object_mut() else { return Err(FreeForm) };
    object.retain(|keyword, _| !DROPPED.contains(&keyword.as_str()));
    if let Some(target) = object.get("$ref").cloned() {
        // Strict mode takes no neighbours of a reference, not even a description; the root keeps its definitions.
        object.retain(|keyword, _| keyword == "$defs");
        object.insert("$ref".into(), target);
    }
    if let Some(branches) = object.remove("oneOf") {
        object.insert("anyOf".into(), branches);
    }
    close_object(object)?;
    if is_empty(object) {
        return Err(FreeForm);
    }
    for keyword in NAMED {
        if let Some(Value::Object(named)) = object.get_mut(keyword) {
            named.values_mut().try_for_each(close)?;
        }
    }
    for keyword in ["anyOf", "prefixItems"] {
        if let Some(Value::Array(list)) = object.get_mut(keyword) {
            list.iter_mut().try_for_each(close)?;
        }
    }
    object.get_mut("items").map_or(Ok(()), close)
}

/// Requires every property and allows no other.
fn close_object(object: &mut Map<String, Value>) -> Result<(), FreeForm> {
    let names = object
        .get("properties")
        .and_then(Value::as_object)
        .map(|map| map.keys().cloned().collect::<Vec<_>>());
    let is_object = object.get("type").is_some_and(|kind| kind == "object");
    if object.get("additionalProperties").is_some_and(|others| *others != Value::Bool(false)) {
        return Err(FreeForm);
    }
    match names {
        Some(names) => {
            object.insert("required".into(), json!(names));
            object.insert("additionalProperties".into(), false.into());
            Ok(())
        }
        None if is_object => Err(FreeForm),
        None => Ok(()),
    }
}

fn is_empty(object: &Map<String, Value>) -> bool {
    object.keys().all(|keyword| keyword == "description" || keyword == "$defs")
}

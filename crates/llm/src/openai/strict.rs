//! Adapts a schema from schemars to an endpoint. The answer is still validated against the unchanged schema; see `structured`.

use serde_json::{Map, Value, json};

use super::super::message::OptionalFields;

/// The part of JSON Schema that an endpoint supports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Dialect {
    /// Bounds, patterns and alternatives anywhere: servers that make a grammar of the schema.
    Full,
    /// The part that services have in common, mainly that of OpenAI's strict mode: an object at the root, no bounds of texts.
    Portable,
}

/// The strictness with which an endpoint can enforce the schema.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Strictness {
    /// Every object is closed, and every property required that is demanded.
    Strict,
    /// The schema has free-form objects, which strict mode does not know; it is sent unchanged, as advice.
    Advice,
}

/// Keywords that strict mode refuses and that say nothing to a model which follows the types.
const DROPPED: [&str; 4] = ["$schema", "default", "format", "title"];
/// Keywords that hold a text to a form: strict mode refuses the first two, and services differ in the patterns they read.
const DROPPED_IF_PORTABLE: [&str; 3] = ["minLength", "maxLength", "pattern"];
/// Keywords whose value is a map from names to schemas.
const NAMED: [&str; 2] = ["$defs", "properties"];

/// Returns the schema to send.
pub(super) fn fit(schema: &Value, dialect: Dialect, optional: OptionalFields) -> (Value, Strictness) {
    let mut fitted = schema.clone();
    let flat = if dialect == Dialect::Portable { flatten_root(&mut fitted) } else { Ok(()) };
    // The portable part demands all fields.
    let optional = if dialect == Dialect::Portable { OptionalFields::Demanded } else { optional };
    match flat.and_then(|()| close(&mut fitted, dialect, optional)) {
        Ok(()) => (fitted, Strictness::Strict),
        Err(FreeForm) => (schema.clone(), Strictness::Advice),
    }
}

/// An object with unknown names was found.
struct FreeForm;

fn close(schema: &mut Value, dialect: Dialect, optional: OptionalFields) -> Result<(), FreeForm> {
    // `true` is the schema of a `serde_json::Value`: anything goes.
    let Some(object) = schema.as_object_mut() else { return Err(FreeForm) };
    object.retain(|keyword, _| !is_dropped(keyword, dialect));
    if let Some(target) = object.get("$ref").cloned() {
        // Strict mode takes no neighbours of a reference, not even a description; the root keeps its
        // definitions.
        object.retain(|keyword, _| keyword == "$defs");
        object.insert("$ref".into(), target);
    }
    if let Some(branches) = object.remove("oneOf") {
        object.insert("anyOf".into(), branches);
    }
    close_object(object, optional)?;
    if is_empty(object) {
        return Err(FreeForm);
    }
    let mut close = |schema: &mut Value| close(schema, dialect, optional);
    for keyword in NAMED {
        if let Some(Value::Object(named)) = object.get_mut(keyword) {
            named.values_mut().try_for_each(&mut close)?;
        }
    }
    for keyword in ["anyOf", "prefixItems"] {
        if let Some(Value::Array(list)) = object.get_mut(keyword) {
            list.iter_mut().try_for_each(&mut close)?;
        }
    }
    object.get_mut("items").map_or(Ok(()), close)
}

fn is_dropped(keyword: &str, dialect: Dialect) -> bool {
    DROPPED.contains(&keyword) || (dialect == Dialect::Portable && DROPPED_IF_PORTABLE.contains(&keyword))
}

/// Allows no property but those of the schema, and requires them all if they are demanded.
fn close_object(object: &mut Map<String, Value>, optional: OptionalFields) -> Result<(), FreeForm> {
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
            if optional == OptionalFields::Demanded {
                object.insert("required".into(), json!(names));
            }
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

/// Merges alternatives at the root into one object, because strict mode demands an object there: each property accepts all values that it
/// accepts in any alternative.
fn flatten_root(schema: &mut Value) -> Result<(), FreeForm> {
    let Some(root) = schema.as_object_mut() else { return Err(FreeForm) };
    let Some(branches) = root.remove("oneOf").or_else(|| root.remove("anyOf")) else { return Ok(()) };
    let branches: Vec<_> =
        branches.as_array().into_iter().flatten().map(|branch| &branch["properties"]).collect();
    let Some(Value::Object(first)) = branches.first() else { return Err(FreeForm) };
    let same_names = |branch: &Value| branch.as_object().is_some_and(|names| names.keys().eq(first.keys()));
    if !branches.iter().copied().all(same_names) {
        return Err(FreeForm);
    }
    let merged = first.keys().map(|name| (name.clone(), either(branches.iter().map(|branch| &branch[name]))));
    root.insert("type".into(), "object".into());
    root.insert("properties".into(), merged.collect::<Map<_, _>>().into());
    Ok(())
}

/// Merges schemas into a schema that accepts all their values; lists that differ only in their bounds become one.
fn either<'a>(schemas: impl Iterator<Item = &'a Value>) -> Value {
    let mut different: Vec<Value> = Vec::new();
    for schema in schemas {
        let mut schema = schema.clone();
        if let Some(object) =
            schema.as_object_mut().filter(|object| object.get("type") == Some(&json!("array")))
        {
            object.retain(|keyword, _| keyword != "minItems" && keyword != "maxItems");
        }
        if !different.contains(&schema) {
            different.push(schema);
        }
    }
    match different.len() {
        1 => different.remove(0),
        _ => json!({ "anyOf": different }),
    }
}

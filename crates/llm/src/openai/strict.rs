//! Adapts a schema from schemars to the part of JSON Schema that an endpoint supports. The answer is still
//! validated against the unchanged schema; see `structured`.

use serde_json::{Map, Value, json};

use super::super::message::OptionalFields;

/// The part of JSON Schema that an endpoint supports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Dialect {
    /// Everything, including bounds, patterns and alternatives anywhere: servers that compile the schema to a
    /// grammar.
    Full,
    /// The part that services have in common, mainly that of OpenAI's strict mode: an object at the root, no
    /// bounds of texts.
    Portable,
}

/// The way in which the endpoint may use the schema.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Strictness {
    /// Enforced: every object is closed, and its properties are required as far as they are demanded.
    Strict,
    /// As a hint: the schema has objects with free names, which strict mode does not support, and is sent
    /// unchanged.
    Advice,
}

/// Keywords that are removed because strict mode refuses them and a model does not need them.
const DROPPED: [&str; 4] = ["$schema", "default", "format", "title"];
/// Keywords for the form of strings that the portable dialect removes: strict mode refuses the first two, and
/// services differ in the patterns they support.
const DROPPED_IF_PORTABLE: [&str; 3] = ["minLength", "maxLength", "pattern"];
/// Keywords whose value is a map from names to schemas.
const NAMED: [&str; 2] = ["$defs", "properties"];

/// Returns the schema adapted to `dialect`, and its strictness. A schema that cannot be adapted is returned
/// unchanged as advice. The portable dialect demands all fields, whatever `optional` says.
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

/// The reason why a schema cannot be strict: an object with free property names, or a value of any type.
struct FreeForm;

/// Adapts a schema and its sub-schemas in place: removes keywords, closes objects, turns `oneOf` into
/// `anyOf`.
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

/// Returns true if the keyword is removed in this dialect.
fn is_dropped(keyword: &str, dialect: Dialect) -> bool {
    DROPPED.contains(&keyword) || (dialect == Dialect::Portable && DROPPED_IF_PORTABLE.contains(&keyword))
}

/// Forbids properties that the schema does not name, and requires all properties if they are demanded. Does
/// nothing to a schema of another type.
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

/// Returns true if a schema does not restrict its values.
fn is_empty(object: &Map<String, Value>) -> bool {
    object.keys().all(|keyword| keyword == "description" || keyword == "$defs")
}

/// Merges alternatives at the root into one object, because strict mode demands an object there: each
/// property accepts the values that it accepts in any alternative. Fails if the alternatives do not have the
/// same properties.
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

/// Returns a schema that accepts the values of all given ones (`anyOf`). Lists that differ only in their
/// bounds become one.
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

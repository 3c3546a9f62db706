//! Looks fields up in a JSON Schema, as far as it tells. Validates nothing.

use serde_json::{Map, Value};

use stategraph_core::nearest;

/// Keywords with which a schema says more about its fields than its `properties`.
const INDIRECT: [&str; 12] = [
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "not",
    "patternProperties",
    "dependentSchemas",
    "unevaluatedProperties",
    "propertyNames",
    "$defs",
];

/// The result of looking up a field or the elements of a value in its JSON Schema.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Lookup<'s> {
    /// The field or element exists and has this schema.
    Found(&'s Value),
    /// No value has this field. Holds the names of the declared fields.
    Missing(Vec<&'s str>),
    /// The schema does not tell.
    Unknown,
}

/// Looks up the schema of a field of an object. If the schema allows undeclared fields, a field counts as
/// missing only if its name is nearly that of a declared one.
pub(crate) fn field<'s>(schema: &'s Value, name: &str) -> Lookup<'s> {
    let Some(schema) = direct(schema) else { return Lookup::Unknown };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Lookup::Unknown;
    };
    if let Some(found) = properties.get(name) {
        return Lookup::Found(found);
    }
    let known = || properties.keys().map(String::as_str);
    match schema.get("additionalProperties") {
        Some(Value::Bool(false)) => Lookup::Missing(known().collect()),
        None if nearest(name, known()).is_some() => Lookup::Missing(known().collect()),
        Some(further @ Value::Object(_)) => Lookup::Found(further),
        _ => Lookup::Unknown,
    }
}

/// Looks up the schema of the elements of a list. Never returns `Missing`.
pub(crate) fn element(schema: &Value) -> Lookup<'_> {
    let items = direct(schema).filter(|schema| !schema.contains_key("prefixItems"));
    match items.and_then(|schema| schema.get("items")) {
        Some(items @ Value::Object(_)) => Lookup::Found(items),
        _ => Lookup::Unknown,
    }
}

/// Returns the values of `enum` or `const`, if the schema allows no others; otherwise `None`.
pub(crate) fn allowed_values(schema: &Value) -> Option<&[Value]> {
    let schema = direct(schema)?;
    match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(values)), None) => Some(values),
        (None, Some(value)) => Some(std::slice::from_ref(value)),
        _ => None,
    }
}

/// Returns the schema as a map; an `anyOf` of one schema and null gives that schema. `None` if keywords such
/// as `$ref` or `allOf` say more about the fields.
fn direct(schema: &Value) -> Option<&Map<String, Value>> {
    let map = schema.as_object()?;
    if let (1, Some(Value::Array(alternatives))) = (map.len(), map.get("anyOf")) {
        let is_null = |schema: &&Value| schema.get("type").is_some_and(|kind| kind == "null");
        let others: Vec<&Value> = alternatives.iter().filter(|schema| !is_null(schema)).collect();
        return if let [only] = others.as_slice() { direct(only) } else { None };
    }
    INDIRECT.iter().all(|keyword| !map.contains_key(*keyword)).then_some(map)
}

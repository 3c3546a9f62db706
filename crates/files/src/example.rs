//! Makes a value that fits a JSON Schema, as an example for a user. Gives up where a simple value does not fit; reads and prints nothing.

use serde_json::{Map, Value, json};

/// Placeholder for each text in an example.
const TEXT: &str = "TEXT";

/// Levels of nested values in an example. Deeper schemas get none, because no user types such an answer on a command line.
const DEPTH_MAX: usize = 4;

/// Returns an example value that fits the JSON Schema, to show to a user. `None` if the schema allows none of
/// the simple values that are tried.
pub fn example_of(schema: &Value) -> Option<Value> {
    let example = build(schema, 0)?;
    // The schema decides, because it may say more than is read here, such as a pattern.
    jsonschema::validator_for(schema).ok()?.is_valid(&example).then_some(example)
}

/// Returns a value for the schema: `const`, `default`, the first of `examples` or `enum`, or one made from
/// its type. `None` if it is nested too deeply or has no known type.
fn build(schema: &Value, depth: usize) -> Option<Value> {
    let schema = schema.as_object()?;
    if depth > DEPTH_MAX {
        return None;
    }
    let given = ["const", "default"].into_iter().find_map(|key| schema.get(key));
    let listed = ["examples", "enum"].into_iter().find_map(|key| schema.get(key)?.get(0));
    if let Some(given) = given.or(listed) {
        return Some(given.clone());
    }
    let alternatives = ["anyOf", "oneOf"].into_iter().find_map(|key| schema.get(key)?.as_array());
    let is_value = |schema: &&Value| schema["type"] != "null";
    let alternative = alternatives.and_then(|all| all.iter().find(is_value).or(all.first()));
    if let Some(alternative) = alternative {
        return build(alternative, depth + 1);
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => {
            kinds.iter().find_map(|kind| kind.as_str().filter(|kind| *kind != "null"))
        }
        kind => kind.and_then(Value::as_str),
    };
    match kind {
        Some("string") => Some(TEXT.into()),
        Some("integer" | "number") => Some(smallest(schema)),
        Some("boolean") => Some(true.into()),
        Some("array") => build_list(schema, depth),
        Some("object") => build_object(schema, depth),
        Some("null") => Some(Value::Null),
        _ => None,
    }
}

fn smallest(schema: &Map<String, Value>) -> Value {
    match (schema.get("minimum"), schema.get("exclusiveMinimum").and_then(Value::as_i64)) {
        (Some(least), _) => least.clone(),
        (None, Some(below)) => json!(below.saturating_add(1)),
        (None, None) => json!(0),
    }
}

fn build_list(schema: &Map<String, Value>, depth: usize) -> Option<Value> {
    match schema.get("items") {
        Some(items) => Some(json!([build(items, depth + 1)?])),
        None => Some(json!([])),
    }
}

/// Builds an example object with the properties that the schema requires, or with all if it requires none.
/// `None` if one of them has no example.
fn build_object(schema: &Map<String, Value>, depth: usize) -> Option<Value> {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_wanted = |name: &str| required.is_empty() || required.iter().any(|required| required == name);
    let wanted = properties.iter().filter(|(name, _)| is_wanted(name));
    let fields = wanted.map(|(name, schema)| Some((name.clone(), build(schema, depth + 1)?)));
    let mut fields = fields.collect::<Option<Map<_, _>>>()?;
    // A property may be required and not described.
    for name in required.iter().filter_map(Value::as_str) {
        fields.entry(name).or_insert_with(|| TEXT.into());
    }
    Some(Value::Object(fields))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::example_of;

    #[test]
    fn an_example_fits_its_schema_or_there_is_none() {
        for (schema, expected) in [
            (json!({ "type": "string" }), json!("TEXT")),
            (json!({ "type": "integer", "minimum": 3 }), json!(3)),
            (json!({ "type": "number", "exclusiveMinimum": 0 }), json!(1)),
            (json!({ "type": ["null", "boolean"] }), json!(true)),
            (json!({ "type": "array", "items": { "type": "string" } }), json!(["TEXT"])),
            (json!({ "anyOf": [{ "const": "a" }, { "const": "b" }] }), json!("a")),
            (json!({ "anyOf": [{ "type": "null" }, { "type": "integer" }] }), json!(0)),
            (
                json!({ "type": "object", "required": ["yes"], "properties": {
                    "yes": { "type": "boolean" }, "remark": { "type": "string" } } }),
                json!({ "yes": true }),
            ),
            (
                json!({ "type": "object", "properties": { "a": { "enum": [2] }, "b": { "default": [] } } }),
                json!({ "a": 2, "b": [] }),
            ),
            (
                json!({ "type": "array", "items": { "type": "object", "required": ["id"] } }),
                json!([{ "id": "TEXT" }]),
            ),
        ] {
            assert_eq!(example_of(&schema), Some(expected), "{schema}");
        }
        let mut deep = json!({ "type": "string" });
        for _ in 0..9 {
            deep = json!({ "type": "array", "items": deep });
        }
        for schema in [
            Value::Null,
            json!({}),
            json!({ "type": "string", "pattern": "^[0-9]+$" }),
            json!({ "type": "integer", "maximum": -1 }),
            deep,
        ] {
            assert_eq!(example_of(&schema), None, "{schema}");
        }
    }
}

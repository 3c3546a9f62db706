//! Converts the arguments of tool calls to the types of their JSON Schema (DOC-36), because models write
//! numbers, booleans and lists as text. Pure; refuses nothing: a value that cannot be converted stays as it
//! is, and parsing the arguments reports it.

use std::collections::BTreeSet;

use serde_json::Value;

/// Maximum number of schemas that are followed in a row, because a schema may refer to itself.
const DEEPEST: u8 = 32;

/// Converts strings in `value` to the types that `schema` wants at the same place: `"3"` becomes `3` where an
/// integer is wanted. A string stays where the schema allows strings, names no type, or the text does not
/// parse.
pub(super) fn coerce(value: Value, schema: &Value) -> Value {
    SubSchema { root: schema, at: schema, left: DEEPEST }.coerce(value)
}

/// Returns the names of the JSON types that the schema allows for the property `name`. Empty if the property
/// is unknown or has no type.
pub(super) fn types_of<'a>(schema: &'a Value, name: &str) -> BTreeSet<&'a str> {
    let property = SubSchema { root: schema, at: schema, left: DEEPEST }.property(name);
    property.map(SubSchema::types).unwrap_or_default()
}

/// A sub-schema, with the root that its `$ref`s refer to.
#[derive(Clone, Copy)]
struct SubSchema<'a> {
    /// The whole schema.
    root: &'a Value,
    /// The sub-schema.
    at: &'a Value,
    /// Number of further steps into the schema that are allowed.
    left: u8,
}

impl<'a> SubSchema<'a> {
    /// Converts the strings in `value` to the types of this schema, recursively.
    fn coerce(self, value: Value) -> Value {
        match value {
            Value::String(text) => self.read(text),
            Value::Object(fields) => {
                let field = |(name, value): (String, Value)| {
                    let value = match self.property(&name) {
                        Some(property) => property.coerce(value),
                        None => value,
                    };
                    (name, value)
                };
                Value::Object(fields.into_iter().map(field).collect())
            }
            Value::Array(items) => match self.items() {
                Some(wish) => Value::Array(items.into_iter().map(|item| wish.coerce(item)).collect()),
                None => Value::Array(items),
            },
            other => other,
        }
    }

    /// Converts one string to a type of this schema. Returns the string where that is not possible or not
    /// wanted.
    fn read(self, text: String) -> Value {
        let types = self.types();
        if types.is_empty() || types.contains("string") {
            return Value::String(text);
        }
        let lower = text.trim().to_ascii_lowercase();
        let literal = match lower.as_str() {
            "true" | "false" | "null" => lower.as_str(),
            "" if types.contains("null") => "null",
            _ => text.trim(),
        };
        match serde_json::from_str::<Value>(literal) {
            // Texts inside may be meant as other types as well.
            Ok(read) if fits(&read, &types) => match self.deeper() {
                Some(wish) if read.is_object() || read.is_array() => wish.coerce(read),
                _ => read,
            },
            _ => Value::String(text),
        }
    }

    /// Returns the schemas whose types and properties apply to a value: this one, the target of its `$ref`,
    /// and those in its `anyOf`, `oneOf` and `allOf`, recursively. Empty at the maximum depth.
    fn all(self) -> Vec<Self> {
        let Some(deeper) = self.deeper() else { return Vec::new() };
        let mut all = vec![self];
        if let Some(name) = self.at["$ref"].as_str().and_then(|name| name.strip_prefix('#')) {
            all.extend(self.root.pointer(name).into_iter().flat_map(|at| Self { at, ..deeper }.all()));
        }
        for several in ["anyOf", "oneOf", "allOf"] {
            let alternatives = self.at[several].as_array().into_iter().flatten();
            all.extend(alternatives.flat_map(|at| Self { at, ..deeper }.all()));
        }
        all
    }

    /// Returns the names of all JSON types that the schema allows. An `enum` or `const` without a type counts
    /// as string.
    fn types(self) -> BTreeSet<&'a str> {
        let named = |wish: Self| -> Vec<&'a str> {
            match &wish.at["type"] {
                Value::String(name) => vec![name],
                Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
                _ if wish.at["enum"].is_array() || wish.at["const"].is_string() => vec!["string"],
                _ => Vec::new(),
            }
        };
        self.all().into_iter().flat_map(named).collect()
    }

    /// Returns the schema of the property `name` of an object.
    fn property(self, name: &str) -> Option<Self> {
        self.all().into_iter().find_map(|wish| Self { at: wish.at["properties"].get(name)?, ..wish }.deeper())
    }

    /// Returns the schema of the items of an array.
    fn items(self) -> Option<Self> {
        self.all().into_iter().find_map(|wish| Self { at: wish.at.get("items")?, ..wish }.deeper())
    }

    /// Returns the same schema with one less allowed step into sub-schemas; `None` when no step is left.
    fn deeper(self) -> Option<Self> {
        Some(Self { left: self.left.checked_sub(1)?, ..self })
    }
}

/// Returns true if the type of `value` is among `types`. Always false for a string.
fn fits(value: &Value, types: &BTreeSet<&str>) -> bool {
    match value {
        Value::Null => types.contains("null"),
        Value::Bool(_) => types.contains("boolean"),
        Value::Number(number) => types.contains("number") || (types.contains("integer") && !number.is_f64()),
        Value::Array(_) => types.contains("array"),
        Value::Object(_) => types.contains("object"),
        Value::String(_) => false,
    }
}

//! Types of values: basic types and JSON Schemas, compiled for checks. Knows no channel.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use jsonschema::Validator;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::effort::check_effort;
use super::message_schema::conversation_schema;

/// Maximum number of objections that one check lists.
const OBJECTIONS_MAX: usize = 3;

/// Maximum length of an objection, in characters; some quote the whole value.
const OBJECTION_CHARS_MAX: usize = 200;

/// A basic type that graph files can name, such as `string` or `messages`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BasicType {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// A list.
    List,
    /// A map with text keys.
    Object,
    /// A conversation: messages with ids.
    Messages,
    /// Any value.
    Any,
}

impl BasicType {
    /// All basic types, with their names.
    pub const ALL: [(&'static str, Self); 8] = [
        ("string", Self::String),
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("boolean", Self::Boolean),
        ("list", Self::List),
        ("object", Self::Object),
        ("messages", Self::Messages),
        ("any", Self::Any),
    ];

    /// Returns the basic type with this name in graph files; `None` for an unknown name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, basic)| *basic)
    }

    /// Returns the name of the basic type in graph files.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, basic)| *basic == self).expect("the table holds all of them").0
    }

    /// Returns a JSON Schema that accepts the values of the type.
    fn schema(self) -> Value {
        match self {
            Self::Any => json!({}),
            Self::List => json!({ "type": "array" }),
            Self::Messages => conversation_schema(),
            basic => json!({ "type": basic.name() }),
        }
    }

    /// Returns the basic type that the `type` of a JSON Schema names; `Any` if it names none or several.
    fn of_schema(schema: &Value) -> Self {
        match schema.get("type").and_then(Value::as_str) {
            Some("array") => Self::List,
            Some(name) => Self::from_name(name).unwrap_or(Self::Any),
            None => Self::Any,
        }
    }
}

/// The type of a channel's or input's values: a basic type or a JSON Schema, with its compiled validator.
#[derive(Clone)]
pub struct ValueType {
    basic_type: BasicType,
    schema: Value,
    validator: Arc<Validator>,
}

impl ValueType {
    /// Returns the value type of a basic type.
    pub fn from_basic(basic: BasicType) -> Self {
        Self {
            basic_type: basic,
            ..Self::parse(basic.schema()).expect("the schema of a basic type compiles")
        }
    }

    /// Compiles a JSON Schema. Fails with the reason if it is invalid or takes too much work.
    pub fn parse(schema: Value) -> Result<Self, String> {
        check_effort(&schema)?;
        let validator =
            jsonschema::validator_for(&schema).map_err(|error| truncate_objection(&error.to_string()))?;
        Ok(Self { basic_type: BasicType::of_schema(&schema), schema, validator: Arc::new(validator) })
    }

    /// Returns the type of lists whose elements have this value type.
    #[must_use]
    pub fn list_of(&self) -> Self {
        Self::parse(json!({ "type": "array", "items": self.schema }))
            .expect("a list of what compiles compiles")
    }

    /// Returns the value type that also accepts null. Its basic type stays the same.
    #[must_use]
    pub fn optional(&self) -> Self {
        let schema = json!({ "anyOf": [{ "type": "null" }, self.schema] });
        Self {
            basic_type: self.basic_type,
            ..Self::parse(schema).expect("an alternative of what compiles compiles")
        }
    }

    /// Returns the type of the elements of a list, from `items` of the schema; `Any` if there is none, or it
    /// does not compile alone.
    #[must_use]
    pub fn item_type(&self) -> Self {
        let items = self.schema.get("items").filter(|items| items.is_object() || items.is_boolean());
        // A part that refers to definitions of the whole schema does not compile alone.
        let part = items.and_then(|items| Self::parse(items.clone()).ok());
        part.unwrap_or_else(|| Self::from_basic(BasicType::Any))
    }

    /// Returns the basic type of the values; `Any` if the schema names none.
    pub fn basic_type(&self) -> BasicType {
        self.basic_type
    }

    /// Returns the JSON Schema that the values must fit.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Returns the value if it fits; otherwise the objections. An integer type converts a whole float, such
    /// as `3.0`.
    pub fn accept(&self, value: Value) -> Result<Value, String> {
        let value = if self.basic_type == BasicType::Integer { to_integer(value) } else { value };
        self.check(&value)?;
        Ok(value)
    }

    /// Fails with the first objections, each with its position in the value, if the value does not fit.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let objections: Vec<String> = self
            .validator
            .iter_errors(value)
            .take(OBJECTIONS_MAX)
            .map(|error| match error.instance_path().as_str() {
                "" => truncate_objection(&error.to_string()),
                path => format!("at {path}: {}", truncate_objection(&error.to_string())),
            })
            .collect();
        if objections.is_empty() { Ok(()) } else { Err(objections.join("; ")) }
    }
}

/// Converts a float without a fraction to an integer, if it is small enough to be exact. Returns other values
/// unchanged.
fn to_integer(value: Value) -> Value {
    /// Largest float up to which every whole number is exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value.as_f64() {
        Some(number) if value.is_f64() && number.fract() == 0.0 && number.abs() <= EXACT => {
            #[expect(clippy::cast_possible_truncation, reason = "the line above")]
            let number = number as i64;
            number.into()
        }
        _ => value,
    }
}

fn truncate_objection(text: &str) -> String {
    match text.char_indices().nth(OBJECTION_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

impl PartialEq for ValueType {
    fn eq(&self, other: &Self) -> bool {
        self.schema == other.schema
    }
}

impl fmt::Debug for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shape({})", self.schema)
    }
}

impl JsonSchema for ValueType {
    fn schema_name() -> Cow<'static, str> {
        "JsonSchema".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["object", "boolean"], "description": "A JSON Schema (draft 2020-12)." })
    }
}

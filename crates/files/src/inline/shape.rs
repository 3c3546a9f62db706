//! What a value can be: a basic type or a JSON Schema, checked. Knows no channel.

use std::fmt;
use std::sync::Arc;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::effort::too_much;

/// The most objections that one check lists.
const PROBLEMS_MAX: usize = 3;

/// The longest objection, in characters: some quote the whole value.
const PROBLEM_MAX: usize = 200;

/// A type as a graph file names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basic {
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
    /// A map with text as keys.
    Object,
    /// A conversation: messages with ids.
    Messages,
    /// Anything.
    Any,
}

impl Basic {
    /// All of them, by name.
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

    /// The type of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, basic)| *basic)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, basic)| *basic == self).expect("the table holds all of them").0
    }

    /// As a JSON Schema.
    fn schema(self) -> Value {
        match self {
            Self::Any => json!({}),
            Self::List => json!({ "type": "array" }),
            Self::Messages => super::messages::schema(),
            basic => json!({ "type": basic.name() }),
        }
    }

    /// What a JSON Schema describes, as far as it says so.
    fn of_schema(schema: &Value) -> Self {
        match schema.get("type").and_then(Value::as_str) {
            Some("array") => Self::List,
            Some(name) => Self::named(name).unwrap_or(Self::Any),
            None => Self::Any,
        }
    }
}

/// What a value can be, ready to check values.
#[derive(Clone)]
pub struct Shape {
    basic: Basic,
    schema: Value,
    validator: Arc<Validator>,
}

impl Shape {
    /// Values of a type.
    pub fn of(basic: Basic) -> Self {
        Self { basic, ..Self::parse(basic.schema()).expect("the schema of a basic type compiles") }
    }

    /// Values of a JSON Schema; says what is wrong with one that is none.
    pub fn parse(schema: Value) -> Result<Self, String> {
        if let Some(reason) = too_much(&schema) {
            return Err(reason);
        }
        let validator = jsonschema::validator_for(&schema).map_err(|error| short(&error.to_string()))?;
        Ok(Self { basic: Basic::of_schema(&schema), schema, validator: Arc::new(validator) })
    }

    /// Lists of such values.
    #[must_use]
    pub fn listed(&self) -> Self {
        Self::parse(json!({ "type": "array", "items": self.schema }))
            .expect("a list of what compiles compiles")
    }

    /// Such values, or nothing.
    #[must_use]
    pub fn optional(&self) -> Self {
        let schema = json!({ "anyOf": [{ "type": "null" }, self.schema] });
        Self { basic: self.basic, ..Self::parse(schema).expect("an alternative of what compiles compiles") }
    }

    /// An item of such a list, as far as the schema says what its items are.
    #[must_use]
    pub fn item(&self) -> Self {
        let items = self.schema.get("items").filter(|items| items.is_object() || items.is_boolean());
        // A part may refer to definitions of the whole, and then does not stand alone.
        let part = items.and_then(|items| Self::parse(items.clone()).ok());
        part.unwrap_or_else(|| Self::of(Basic::Any))
    }

    /// The type.
    pub fn basic(&self) -> Basic {
        self.basic
    }

    /// As a JSON Schema.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// The value, where it fits: a number without a fraction where an integer is wanted becomes one.
    pub fn take(&self, value: Value) -> Result<Value, String> {
        let value = if self.basic == Basic::Integer { whole(value) } else { value };
        self.check(&value)?;
        Ok(value)
    }

    /// What is wrong with a value.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let problems: Vec<String> = self
            .validator
            .iter_errors(value)
            .take(PROBLEMS_MAX)
            .map(|error| match error.instance_path().as_str() {
                "" => short(&error.to_string()),
                path => format!("at {path}: {}", short(&error.to_string())),
            })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
    }
}

/// `3.0` is `3`.
fn whole(value: Value) -> Value {
    /// Beyond it not every whole number is a float.
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

fn short(text: &str) -> String {
    match text.char_indices().nth(PROBLEM_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.schema == other.schema
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shape({})", self.schema)
    }
}

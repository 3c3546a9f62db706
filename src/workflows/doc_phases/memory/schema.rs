//! Holds entries against the schema of their type and says what is wrong so that a model can put it right (DOC-78): which field,
//! which rule, what to do.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;
use thiserror::Error;

use super::types::EntryType;
use crate::engine::nearest;

/// Problems that are listed at most.
const MOST: usize = 10;
/// Characters of a value or name that are quoted.
const QUOTED: usize = 60;

/// An entry that is not stored, and everything that is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the {entry_type} entry is not valid: {}", listed(problems))]
pub struct Rejection {
    /// What it was stored as.
    pub entry_type: EntryType,
    /// At least one, at most ten.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The field, as `fields[0].name`; empty for the entry as a whole.
    pub field: String,
    /// The rule that it breaks.
    pub rule: String,
    /// What to do.
    pub fix: String,
}

impl Problem {
    pub(super) fn new(field: impl Into<String>, rule: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { field: field.into(), rule: rule.into(), fix: fix.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            return write!(f, "it {} ({})", self.rule, self.fix);
        }
        write!(f, "`{}` {} ({})", self.field, self.rule, self.fix)
    }
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// The names of all fields of a type, in the order of its schema.
pub(super) fn fields(entry_type: EntryType) -> Vec<String> {
    let schema = entry_type.schema();
    let properties = schema.as_value().get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(|properties| properties.keys().cloned()).collect()
}

/// Everything that the schema of the type says against `value`.
pub(super) fn check(entry_type: EntryType, value: &Value) -> Result<(), Rejection> {
    let known = Known::of(entry_type);
    let mut problems: Vec<Problem> =
        known.validator.iter_errors(value).flat_map(|error| known.problems(&error)).collect();
    problems.truncate(MOST);
    if problems.is_empty() { Ok(()) } else { Err(Rejection { entry_type, problems }) }
}

/// A schema, ready to use.
struct Known {
    entry_type: EntryType,
    schema: Value,
    validator: Validator,
}

impl Known {
    /// Compiling one takes a hundred times as long as using it.
    fn of(entry_type: EntryType) -> Arc<Self> {
        static KEPT: Mutex<BTreeMap<EntryType, Arc<Known>>> = Mutex::new(BTreeMap::new());
        let compile = || {
            let schema = entry_type.schema().to_value();
            let validator = jsonschema::validator_for(&schema).expect("schemars writes schemas that compile");
            Arc::new(Self { entry_type, schema, validator })
        };
        KEPT.lock().unwrap_or_else(PoisonError::into_inner).entry(entry_type).or_insert_with(compile).clone()
    }

    fn problems(&self, error: &ValidationError<'_>) -> Vec<Problem> {
        let field = field(error.instance_path().as_str());
        let found = || quoted(&error.instance().to_string());
        let one = |rule: String, fix: String| vec![Problem::new(&field, rule, fix)];
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                vec![Problem::new(
                    joined(&field, name),
                    "is missing",
                    format!("add it{}", self.meaning(name)),
                )]
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                unexpected.iter().map(|name| self.unknown(&field, name)).collect()
            }
            ValidationErrorKind::Type { kind: TypeKind::Single(wanted) } => {
                let wanted = wanted.to_string();
                one(format!("must be {}, but is {}", a(&wanted), found()), give(&wanted).into())
            }
            ValidationErrorKind::Minimum { limit } => one(
                format!("must be at least {limit}, but is {}", found()),
                "give a number from 0.0 to 1.0".into(),
            ),
            ValidationErrorKind::Maximum { limit } => one(
                format!("must be at most {limit}, but is {}", found()),
                "give a number from 0.0 to 1.0".into(),
            ),
            ValidationErrorKind::MinLength { .. } => one("is empty".into(), "say what it is".into()),
            ValidationErrorKind::MaxLength { limit } => {
                one(format!("is longer than {limit} characters"), "shorten it".into())
            }
            _ => one(quoted(&error.to_string()), "hold it against the schema".into()),
        }
    }

    fn unknown(&self, field: &str, name: &str) -> Problem {
        let known = self.siblings(field);
        let fix = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("leave it out; the fields are {}", known.join(", ")),
        };
        let whole = if field.is_empty() { self.entry_type.name() } else { field };
        Problem::new(joined(field, &quoted(name)), format!("is no field of {whole}"), fix)
    }

    /// The fields that the object at `field` may have.
    fn siblings(&self, field: &str) -> Vec<String> {
        let name = field.split('[').next().unwrap_or_default();
        let of = |schema: &Value| -> Vec<String> {
            let properties = schema.get("properties").and_then(Value::as_object);
            properties.into_iter().flat_map(|properties| properties.keys().cloned()).collect()
        };
        if name.is_empty() {
            return of(&self.schema);
        }
        let reference = self.schema["properties"][name]["items"]["$ref"].as_str().unwrap_or_default();
        of(self.schema.pointer(reference.trim_start_matches('#')).unwrap_or(&Value::Null))
    }

    /// What the schema says of a field, as an addition to a sentence.
    fn meaning(&self, name: &str) -> String {
        let inner = self.schema["$defs"].as_object().into_iter().flat_map(|defs| defs.values());
        let mut all = std::iter::once(&self.schema).chain(inner);
        let said = all.find_map(|schema| schema["properties"][name]["description"].as_str());
        said.map(|said| format!(": {}", said.trim_end_matches('.'))).unwrap_or_default()
    }
}

/// `/fields/0/name` as `fields[0].name`.
fn field(pointer: &str) -> String {
    pointer.split('/').skip(1).fold(String::new(), |path, name| match name.parse::<usize>() {
        Ok(number) => format!("{path}[{number}]"),
        Err(_) => joined(&path, &quoted(&name.replace("~1", "/").replace("~0", "~"))),
    })
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The beginning of what may be megabytes, on one line.
pub(super) fn quoted(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(QUOTED + 1).collect();
    if line.chars().count() <= QUOTED {
        return line;
    }
    line.chars().take(QUOTED).chain(['…']).collect()
}

fn a(kind: &str) -> String {
    match kind {
        "array" => "a list".into(),
        "string" => "a text".into(),
        "object" | "integer" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

fn give(kind: &str) -> &'static str {
    match kind {
        "array" => r#"give a list, as ["a", "b"]"#,
        "string" => "give one text in quotes",
        "object" => r#"give an object, as {"name": "a"}"#,
        "number" | "integer" => "give a number without quotes",
        _ => "give another value",
    }
}

//! Validates entries against the schema of their type and explains each defect so that a model can correct it (DOC-78): the field,
//! the rule, the fix.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;
use thiserror::Error;

use super::types::EntryType;
use crate::engine::nearest;

/// Maximum number of listed problems.
const MAX_PROBLEMS: usize = 10;
/// Maximum number of quoted characters of a value or name.
const QUOTED_CHARS: usize = 60;

/// Error of an entry that is not stored because it is invalid. Lists its problems, so that a model can
/// correct them.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the {entry_type} entry is not valid: {}", list_problems(problems))]
pub struct Rejection {
    /// Type that it should be stored as.
    pub entry_type: EntryType,
    /// 1 to 10 problems.
    pub problems: Vec<EntryProblem>,
}

/// A defect of an entry: the field, the violated rule and the way to correct it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryProblem {
    /// Path of the field, such as `fields[0].name`; empty for the whole entry.
    pub field: String,
    /// Violated rule.
    pub rule: String,
    /// Instruction for the author.
    pub fix: String,
}

impl EntryProblem {
    pub(super) fn new(field: impl Into<String>, rule: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { field: field.into(), rule: rule.into(), fix: fix.into() }
    }
}

impl fmt::Display for EntryProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            return write!(f, "it {} ({})", self.rule, self.fix);
        }
        write!(f, "`{}` {} ({})", self.field, self.rule, self.fix)
    }
}

fn list_problems(problems: &[EntryProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Returns the field names of a type, in the order of its schema.
pub(super) fn field_names(entry_type: EntryType) -> Vec<String> {
    let schema = entry_type.schema();
    let properties = schema.as_value().get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(|properties| properties.keys().cloned()).collect()
}

/// Validates `value` against the schema of the type. The error lists at most 10 problems.
pub(super) fn check(entry_type: EntryType, value: &Value) -> Result<(), Rejection> {
    let schema = CompiledSchema::get(entry_type);
    let mut problems: Vec<EntryProblem> =
        schema.validator.iter_errors(value).flat_map(|error| schema.describe_error(&error)).collect();
    problems.truncate(MAX_PROBLEMS);
    if problems.is_empty() { Ok(()) } else { Err(Rejection { entry_type, problems }) }
}

/// Maximum number of fields that are stripped from one entry.
const MAX_STRIPPED: usize = 100;

/// Removes from `value` the fields that the schema of the type does not know, and the values that violate it.
/// Returns a problem for each removal, at most 10. Missing fields of the entry itself are not reported,
/// because an earlier version of the entry in the agent's memory may have them.
pub fn strip_invalid(entry_type: EntryType, value: &mut Value) -> Vec<EntryProblem> {
    let schema = CompiledSchema::get(entry_type);
    let mut problems = Vec::new();
    for _ in 0..MAX_STRIPPED {
        // One at a time, because a removal moves the items of its list.
        let found = schema.validator.iter_errors(value).find_map(|error| {
            let place = error.instance_path().as_str().to_owned();
            let unknown = match error.kind() {
                ValidationErrorKind::AdditionalProperties { unexpected } => unexpected.clone(),
                _ => Vec::new(),
            };
            (!place.is_empty() || !unknown.is_empty())
                .then(|| (schema.describe_error(&error), place, unknown))
        });
        let Some((said, place, unknown)) = found else { break };
        problems.extend(said);
        let is_removed = if unknown.is_empty() {
            remove_at(value, &place)
        } else {
            value.pointer_mut(&place).and_then(Value::as_object_mut).is_some_and(|fields| {
                unknown.iter().filter(|name| fields.shift_remove(*name).is_some()).count() > 0
            })
        };
        if !is_removed {
            break;
        }
    }
    problems.truncate(MAX_PROBLEMS);
    problems
}

/// Removes the value at a JSON pointer such as `/fields/0/name`. Returns true if there was one.
fn remove_at(value: &mut Value, pointer: &str) -> bool {
    let Some((parent, key)) = pointer.rsplit_once('/') else { return false };
    let key = key.replace("~1", "/").replace("~0", "~");
    match value.pointer_mut(parent) {
        Some(Value::Object(fields)) => fields.shift_remove(&key).is_some(),
        Some(Value::Array(items)) => match key.parse::<usize>() {
            Ok(at) if at < items.len() => {
                items.remove(at);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// JSON Schema of an entry type with its compiled validator.
struct CompiledSchema {
    entry_type: EntryType,
    schema: Value,
    validator: Validator,
}

impl CompiledSchema {
    /// Returns the compiled schema of a type from a cache, because compiling takes a hundred times as long as
    /// validating.
    fn get(entry_type: EntryType) -> Arc<Self> {
        static COMPILED: Mutex<BTreeMap<EntryType, Arc<CompiledSchema>>> = Mutex::new(BTreeMap::new());
        let compile = || {
            let schema = entry_type.schema().to_value();
            let validator = jsonschema::validator_for(&schema).expect("schemars writes schemas that compile");
            Arc::new(Self { entry_type, schema, validator })
        };
        COMPILED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(entry_type)
            .or_insert_with(compile)
            .clone()
    }

    fn describe_error(&self, error: &ValidationError<'_>) -> Vec<EntryProblem> {
        let field = field_path(error.instance_path().as_str());
        let found = || quote(&error.instance().to_string());
        let one = |rule: String, fix: String| vec![EntryProblem::new(&field, rule, fix)];
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                vec![EntryProblem::new(
                    join_path(&field, name),
                    "is missing",
                    format!("add it{}", self.field_hint(name)),
                )]
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                unexpected.iter().map(|name| self.unknown_field(&field, name)).collect()
            }
            ValidationErrorKind::Type { kind: TypeKind::Single(wanted) } => {
                let wanted = wanted.to_string();
                one(
                    format!("must be {}, but is {}", with_article(&wanted), found()),
                    type_fix(&wanted).into(),
                )
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
            _ => one(quote(&error.to_string()), "hold it against the schema".into()),
        }
    }

    fn unknown_field(&self, field: &str, name: &str) -> EntryProblem {
        let known = self.siblings(field);
        let fix = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("leave it out; the fields are {}", known.join(", ")),
        };
        let whole = if field.is_empty() { self.entry_type.name() } else { field };
        EntryProblem::new(join_path(field, &quote(name)), format!("is no field of {whole}"), fix)
    }

    /// Returns the names of the fields that the object at the path `field` may have; those of the entry for
    /// an empty path.
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

    /// Returns the schema's description of a field after a colon (`: Its name`), to end a sentence; empty
    /// without one.
    fn field_hint(&self, name: &str) -> String {
        let inner = self.schema["$defs"].as_object().into_iter().flat_map(|defs| defs.values());
        let mut all = std::iter::once(&self.schema).chain(inner);
        let said = all.find_map(|schema| schema["properties"][name]["description"].as_str());
        said.map(|said| format!(": {}", said.trim_end_matches('.'))).unwrap_or_default()
    }
}

/// Converts a JSON pointer to the form of messages: `/fields/0/name` to `fields[0].name`.
fn field_path(pointer: &str) -> String {
    pointer.split('/').skip(1).fold(String::new(), |path, name| match name.parse::<usize>() {
        Ok(number) => format!("{path}[{number}]"),
        Err(_) => join_path(&path, &quote(&name.replace("~1", "/").replace("~0", "~"))),
    })
}

fn join_path(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Returns a text on one line, cut at [`QUOTED_CHARS`] characters with `…`, for messages. The text may be
/// megabytes long.
pub(super) fn quote(text: &str) -> String {
    let line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(QUOTED_CHARS + 1).collect();
    if line.chars().count() <= QUOTED_CHARS {
        return line;
    }
    line.chars().take(QUOTED_CHARS).chain(['…']).collect()
}

fn with_article(kind: &str) -> String {
    match kind {
        "array" => "a list".into(),
        "string" => "a text".into(),
        "object" | "integer" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

fn type_fix(kind: &str) -> &'static str {
    match kind {
        "array" => r#"give a list, as ["a", "b"]"#,
        "string" => "give one text in quotes",
        "object" => r#"give an object, as {"name": "a"}"#,
        "number" | "integer" => "give a number without quotes",
        _ => "give another value",
    }
}

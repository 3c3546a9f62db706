//! Checks answers against the JSON Schema of their question before they are accepted. Reads no store.

use serde_json::Value;
use serde_json::value::RawValue;

/// Error of a question whose answer schema is not a valid JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the schema of the answer cannot be used: {0}")]
pub struct BadAnswerSchema(String);

/// Fails when `schema` is not a valid JSON Schema.
pub(crate) fn check_schema(schema: &Value) -> Result<(), BadAnswerSchema> {
    jsonschema::validator_for(schema).map(|_| ()).map_err(|error| BadAnswerSchema(error.to_string()))
}

/// Returns the reasons why `answer` does not match `schema`, each with its place in the answer, joined by
/// `; `. Returns `None` when it matches, or when `schema` is unusable.
pub(crate) fn find_mismatch(schema: &RawValue, answer: &RawValue) -> Option<String> {
    let schema: Value = serde_json::from_str(schema.get()).ok()?;
    let answer: Value = serde_json::from_str(answer.get()).ok()?;
    let validator = jsonschema::validator_for(&schema).ok()?;
    let errors = validator.iter_errors(&answer).map(|error| match error.instance_path().as_str() {
        "" => error.to_string(),
        place => format!("at {place}: {error}"),
    });
    let errors: Vec<String> = errors.collect();
    (!errors.is_empty()).then(|| errors.join("; "))
}

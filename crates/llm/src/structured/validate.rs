//! Validates an answer against its schema and words the objections for the model (CTX-70). Validators are cached, because compiling one
//! takes a hundred times as long as using it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use schemars::Schema;
use serde_json::Value;

/// Maximum number of objections.
const MAX_PROBLEMS: usize = 20;
/// Maximum length of an objection in characters, because some quote the whole value.
const MAX_PROBLEM: usize = 300;

/// Validates `value` against `schema`. The error has up to 20 objections for the model, in the order of the
/// value.
pub(super) fn against(schema: &Schema, value: &Value) -> Result<(), Vec<String>> {
    let validator = validator(schema);
    let mut problems = Vec::new();
    validator.iter_errors(value).for_each(|error| explain(&error, &mut problems));
    problems.truncate(MAX_PROBLEMS);
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Returns the compiled validator of a schema, from the cache if it was compiled before.
fn validator(schema: &Schema) -> Arc<Validator> {
    static KEPT: Mutex<BTreeMap<String, Arc<Validator>>> = Mutex::new(BTreeMap::new());
    let mut kept = KEPT.lock().expect("no holder of this lock panics");
    let key = schema.as_value().to_string();
    let compile = || {
        Arc::new(jsonschema::validator_for(schema.as_value()).expect("schemars writes schemas that compile"))
    };
    kept.entry(key).or_insert_with(compile).clone()
}

/// Adds the objections for one validation error to `problems`. Of alternatives (every Rust enum is one), only
/// the branch with the matching tag is reported, if there is exactly one.
fn explain(error: &ValidationError<'_>, problems: &mut Vec<String>) {
    let (ValidationErrorKind::OneOfNotValid { context: branches }
    | ValidationErrorKind::AnyOf { context: branches }) = error.kind()
    else {
        return problems.push(describe_problem(error, &error.to_string()));
    };
    let meant: Vec<_> =
        branches.iter().filter(|branch| !branch.iter().any(|inner| is_other_tag(inner, error))).collect();
    match meant.as_slice() {
        [branch] => branch.iter().for_each(|inner| explain(inner, problems)),
        _ => problems.push(describe_problem(error, &alternatives(branches, error))),
    }
}

/// Returns true if the error `inner` of a branch shows that the value belongs to another branch: a different
/// constant, or a different type at the place of `outer`.
fn is_other_tag(inner: &ValidationError<'_>, outer: &ValidationError<'_>) -> bool {
    let depth = |error: &ValidationError<'_>| error.instance_path().as_str().matches('/').count();
    match inner.kind() {
        ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. } => {
            depth(inner) <= depth(outer) + 1
        }
        ValidationErrorKind::Type { .. } => depth(inner) == depth(outer),
        _ => false,
    }
}

/// Returns the message for a value that fits no branch: "expected … to be one of …" if the branches differ by
/// constants.
fn alternatives(branches: &[Vec<ValidationError<'static>>], error: &ValidationError<'_>) -> String {
    let constants = branches.iter().flatten().filter_map(|inner| match inner.kind() {
        ValidationErrorKind::Constant { expected_value } => {
            Some((inner.instance_path(), expected_value.to_string()))
        }
        ValidationErrorKind::Enum { options } => Some((inner.instance_path(), options.to_string())),
        _ => None,
    });
    let (paths, values): (Vec<_>, Vec<_>) = constants.unzip();
    match paths.first() {
        Some(path) => format!("expected `{path}` to be one of {}", values.join(", ")),
        None => error.to_string(),
    }
}

/// Returns an objection with the path of the value, cut to its maximum length.
fn describe_problem(error: &ValidationError<'_>, text: &str) -> String {
    let place = match error.instance_path().as_str() {
        "" => "the answer",
        path => path,
    };
    let problem = format!("at {place}: {text}");
    match problem.char_indices().nth(MAX_PROBLEM) {
        Some((end, _)) => format!("{}…", &problem[..end]),
        None => problem,
    }
}

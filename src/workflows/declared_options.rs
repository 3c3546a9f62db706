//! Parses the options of a graph file's run: its inputs and limits.

use serde_json::{Map, Value};
use stategraph_base::regular::read_text;

use crate::definition::InputSpec;
use crate::definition::inline::{BasicType, ValueLimits};
use crate::kinds::example_option;
use crate::workflows::workflow::{ArgValues, Setting, WorkflowError};

/// Maximum size of the file of `--input @FILE`, in bytes: 32 MiB.
const INPUT_MAX: usize = 32 * 1024 * 1024;

/// Parses `--limits`; limits that it does not name keep their defaults.
pub(super) fn limits(given: &ArgValues) -> Result<ValueLimits, WorkflowError> {
    let mut limits = ValueLimits::DEFAULT;
    for part in given.text("limits")?.unwrap_or_default().split(',').filter(|part| !part.trim().is_empty()) {
        let wrong = |what: String| {
            let names = ValueLimits::NAMES.join(", ");
            WorkflowError::msg(format!("`--limits`: {what}"))
                .with_hint(format!("such as --limits value=16MiB; the limits are {names}"))
        };
        let (name, size) = part.split_once('=').ok_or_else(|| wrong(format!("`{part}` is no limit")))?;
        let bytes = ValueLimits::parse(size.trim()).map_err(wrong)?;
        let limit =
            limits.get_mut(name.trim()).ok_or_else(|| wrong(format!("there is no limit `{name}`")))?;
        *limit = bytes;
    }
    Ok(limits)
}

/// Parses `--input`, a JSON object or `@FILE` with one, as inputs by name.
pub(super) fn whole_input(text: &str, setting: &Setting) -> Result<Map<String, Value>, WorkflowError> {
    let (text, from) = match text.strip_prefix('@') {
        None => (text.to_owned(), "`--input`".to_owned()),
        Some(path) => {
            let read = read_text(&setting.folder.join(path), INPUT_MAX).map_err(|error| {
                WorkflowError::msg(format!("cannot read {path}: {error}"))
                    .with_hint("name a file that holds a JSON object")
            })?;
            (read, path.to_owned())
        }
    };
    let wrong = |what: String| {
        WorkflowError::msg(format!("{from} {what}")).with_hint("such as --input '{\"topic\": \"rust\"}'")
    };
    match serde_json::from_str(&text) {
        Ok(Value::Object(inputs)) => Ok(inputs),
        Ok(_) => Err(wrong("is no JSON object".to_owned())),
        Err(error) => Err(wrong(format!("is not JSON: {error}"))),
    }
}

/// Parses the value of an input's option: a string as it is, other types as JSON.
pub(super) fn parse_typed(input: &InputSpec, text: &str) -> Result<Value, WorkflowError> {
    let parsed: Result<Value, _> = serde_json::from_str(text);
    match (input.value_type.basic_type(), parsed) {
        // `red` for anything is a text; so is what a schema of its own allows to be one.
        (BasicType::String, _) | (BasicType::Any, Err(_)) => Ok(text.into()),
        (_, Ok(value)) => Ok(value),
        (basic, Err(_)) => {
            let name = basic.name();
            let error = WorkflowError::msg(format!(
                "`--{}` takes {} {name}, not `{text}`",
                input.flag(),
                article(name)
            ));
            Err(error.with_hint(format!("say it with {}", example_option(input))))
        }
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'i', 'o']) { "an" } else { "a" }
}

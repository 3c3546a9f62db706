//! The initial state of a run of a graph file: its checked inputs over the defaults of the channels.

use std::ffi::OsStr;

use serde_json::{Map, Value, json};
use thiserror::Error;

use stategraph_base::quote_for_shell;
use stategraph_core::nearest;
use stategraph_files::inline::{BasicType, JsonState, JsonUpdate};
use stategraph_files::{Definition, InputSpec, example_of};

/// The reason why a run cannot start with the given inputs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InputError {
    /// The graph has no such input.
    #[error("the graph has no input `{name}`")]
    Unknown {
        /// Name as given.
        name: String,
        /// Advice for the user.
        hint: String,
    },
    /// A required input is not given.
    #[error("the input `{name}` is missing{about}")]
    Missing {
        /// The input.
        name: String,
        /// Description from the file after a colon; empty if there is none.
        about: String,
        /// Advice for the user.
        hint: String,
    },
    /// A value does not fit the type of the input.
    #[error("the input `{name}` does not fit: {reason}")]
    Misfit {
        /// The input.
        name: String,
        /// Objections of the type.
        reason: String,
        /// Advice for the user.
        hint: String,
    },
}

impl InputError {
    /// Returns advice for the user.
    pub fn hint(&self) -> &str {
        match self {
            Self::Unknown { hint, .. } | Self::Missing { hint, .. } | Self::Misfit { hint, .. } => hint,
        }
    }
}

/// Returns the initial state of a run as JSON: the checked inputs over the defaults of the channels. Fails if
/// an input is unknown, missing or of the wrong type. The record of the file is not in it; the graph adds
/// that.
pub fn initial_state(definition: &Definition, inputs: &Map<String, Value>) -> Result<Value, InputError> {
    let declared = check_known(definition, inputs)?;
    let schema = definition.schema().cloned().unwrap_or_default();
    let state = JsonState::new(schema);
    let mut state = serde_json::to_value(state).expect("a state is JSON with text as keys");
    for input in declared {
        match inputs.get(&input.name) {
            Some(value) => state[&input.name] = accept_value(input, value)?,
            None if input.default.is_none() => {
                let about = if input.about.is_empty() { String::new() } else { format!(": {}", input.about) };
                return Err(InputError::Missing { name: input.name.clone(), about, hint: hint(input) });
            }
            None => {}
        }
    }
    Ok(state)
}

/// Returns the update that continues a thread with these inputs, as JSON. Given inputs go through the
/// reducers of their channels; the others keep their values in the thread (LangGraph F44).
pub fn continuation_update(
    definition: &Definition,
    inputs: &Map<String, Value>,
) -> Result<Value, InputError> {
    let schema = definition.schema().cloned().unwrap_or_default();
    let mut update = JsonUpdate::default();
    for input in check_known(definition, inputs)? {
        let Some(value) = inputs.get(&input.name) else { continue };
        let written = schema.add_input(&mut update, &input.name, accept_value(input, value)?);
        written.map_err(|reason| misfit_error(input, reason))?;
    }
    Ok(update.into_json_with_untracked())
}

/// Returns the declared inputs. Fails if one of `inputs` is not declared.
fn check_known<'a>(
    definition: &'a Definition,
    inputs: &Map<String, Value>,
) -> Result<&'a [InputSpec], InputError> {
    let declared = definition.inputs();
    match inputs.keys().find(|key| declared.iter().all(|input| input.name != **key)) {
        Some(unknown) => Err(unknown_error(unknown, declared)),
        None => Ok(declared),
    }
}

/// Returns the value of an input after a check of its type.
fn accept_value(input: &InputSpec, value: &Value) -> Result<Value, InputError> {
    input.value_type.accept(value.clone()).map_err(|reason| misfit_error(input, reason))
}

fn misfit_error(input: &InputSpec, reason: String) -> InputError {
    InputError::Misfit { name: input.name.clone(), reason, hint: hint(input) }
}

/// Returns the advice to give an input, with an example.
fn hint(input: &InputSpec) -> String {
    format!("say it with {}", example_option(input))
}

/// Makes the error of an undeclared input, which suggests the nearest name or lists all.
fn unknown_error(unknown: &str, declared: &[InputSpec]) -> InputError {
    let known: Vec<&str> = declared.iter().map(|input| input.name.as_str()).collect();
    let hint = match nearest(unknown, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => "the graph takes no input".to_owned(),
        None => format!("the inputs are {}", known.join(", ")),
    };
    InputError::Unknown { name: unknown.to_owned(), hint }
}

/// Returns an example of the command-line option of an input: `--topic 'some text'`. The value is a usual one
/// of the type, or one made from its schema if that names fields or the usual one does not fit.
pub fn example_option(input: &InputSpec) -> String {
    let usual = match input.value_type.basic_type() {
        BasicType::String => Some(json!("some text")),
        BasicType::Integer => Some(json!(3)),
        BasicType::Number => Some(json!(0.5)),
        BasicType::Boolean => Some(json!(true)),
        BasicType::List => Some(json!(["a", "b"])),
        BasicType::Object => Some(json!({ "key": "value" })),
        BasicType::Messages => Some(json!([{ "role": "user", "content": "hello" }])),
        BasicType::Any => None,
    };
    let usual = usual.filter(|value| input.value_type.accept(value.clone()).is_ok());
    // Fields and items that the type names say more than the usual value.
    let made = || example_of(input.value_type.schema());
    let value = match made().filter(has_fields) {
        Some(made) => Some(made),
        None => usual.or_else(made),
    };
    let value = match value {
        Some(Value::String(text)) => quote_for_shell(OsStr::new(&text)).into_owned(),
        Some(value) => quote_for_shell(OsStr::new(&value.to_string())).into_owned(),
        None => "VALUE".to_owned(),
    };
    format!("--{} {value}", input.flag())
}

/// Returns true for a map with entries, and for a list with an item that is not a string.
fn has_fields(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.iter().all(Value::is_string),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    }
}

//! The initial state of a run of a graph file: its checked inputs over the defaults of the channels.

use serde_json::{Map, Value};
use thiserror::Error;

use stategraph_core::nearest;
use stategraph_files::inline::{Basic, JsonState, JsonUpdate};
use stategraph_files::{Definition, InputSpec};

/// Reason why a run cannot start from its inputs.
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

/// Returns the initial state of a run with these inputs, as JSON. The graph adds the record of its file.
pub fn start(definition: &Definition, inputs: &Map<String, Value>) -> Result<Value, InputError> {
    let declared = known(definition, inputs)?;
    let schema = definition.schema().cloned().unwrap_or_default();
    let state = JsonState::new(schema);
    let mut state = serde_json::to_value(state).expect("a state is JSON with text as keys");
    for input in declared {
        match inputs.get(&input.name) {
            Some(value) => state[&input.name] = taken(input, value)?,
            None if input.default.is_none() => {
                let about = if input.about.is_empty() { String::new() } else { format!(": {}", input.about) };
                return Err(InputError::Missing { name: input.name.clone(), about, hint: hint(input) });
            }
            None => {}
        }
    }
    Ok(state)
}

/// Returns the update that continues a thread with these inputs, as JSON. Inputs that are not given keep their values
/// in the thread; the
/// others go through the reducers of their channels (LangGraph F44).
pub fn continued(definition: &Definition, inputs: &Map<String, Value>) -> Result<Value, InputError> {
    let schema = definition.schema().cloned().unwrap_or_default();
    let mut update = JsonUpdate::default();
    for input in known(definition, inputs)? {
        let Some(value) = inputs.get(&input.name) else { continue };
        let written = schema.input(&mut update, &input.name, taken(input, value)?);
        written.map_err(|reason| misfit(input, reason))?;
    }
    Ok(update.with_passing())
}

/// Returns the declared inputs. Fails if a given input is not declared.
fn known<'a>(definition: &'a Definition, inputs: &Map<String, Value>) -> Result<&'a [InputSpec], InputError> {
    let declared = definition.inputs();
    match inputs.keys().find(|key| declared.iter().all(|input| input.name != **key)) {
        Some(stranger) => Err(unknown(stranger, declared)),
        None => Ok(declared),
    }
}

fn taken(input: &InputSpec, value: &Value) -> Result<Value, InputError> {
    input.shape.take(value.clone()).map_err(|reason| misfit(input, reason))
}

fn misfit(input: &InputSpec, reason: String) -> InputError {
    InputError::Misfit { name: input.name.clone(), reason, hint: hint(input) }
}

fn hint(input: &InputSpec) -> String {
    format!("say it with {}", example(input))
}

fn unknown(stranger: &str, declared: &[InputSpec]) -> InputError {
    let known: Vec<&str> = declared.iter().map(|input| input.name.as_str()).collect();
    let hint = match nearest(stranger, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => "the graph takes no input".to_owned(),
        None => format!("the inputs are {}", known.join(", ")),
    };
    InputError::Unknown { name: stranger.to_owned(), hint }
}

/// Returns an example of the option of an input after `graph run FILE`.
pub fn example(input: &InputSpec) -> String {
    let value = match input.shape.basic() {
        Basic::String => "\"some text\"",
        Basic::Integer => "3",
        Basic::Number => "0.5",
        Basic::Boolean => "true",
        Basic::List => "'[\"a\", \"b\"]'",
        Basic::Object => "'{\"key\": \"value\"}'",
        Basic::Messages => "'[{\"role\": \"user\", \"content\": \"hello\"}]'",
        Basic::Any => "VALUE",
    };
    format!("--{} {value}", input.flag())
}

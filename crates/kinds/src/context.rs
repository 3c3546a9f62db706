//! The context of a run: values that its nodes and edges read and that no checkpoint holds. Stores nothing.

use serde_json::{Map, Value};
use thiserror::Error;

use stategraph_core::nearest;
use stategraph_files::{Definition, InputSpec};

/// The reason why a run cannot start with the given context values.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ContextError {
    /// The graph declares no such value.
    #[error("the context of the graph has no `{name}`")]
    Unknown {
        /// Name as given.
        name: String,
        /// Advice for the user.
        hint: String,
    },
    /// A required value is not given.
    #[error("`{name}` of the context is missing{about}")]
    Missing {
        /// The value.
        name: String,
        /// Description from the file after a colon; empty if there is none.
        about: String,
    },
    /// A value does not fit its type.
    #[error("`{name}` of the context does not fit: {reason}")]
    Misfit {
        /// The value.
        name: String,
        /// Objections of the type.
        reason: String,
    },
}

impl ContextError {
    /// Returns advice for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown { hint, .. } => hint.clone(),
            Self::Missing { name, .. } | Self::Misfit { name, .. } => {
                format!("give it with the context, such as {{\"{name}\": …}}")
            }
        }
    }
}

/// Returns the context values of a run: the given ones, and the defaults of the file for the others. Fails if
/// a value is not declared, misses its type, or is missing without a default.
pub fn run_context(
    definition: &Definition,
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, ContextError> {
    let declared = definition.context();
    if let Some(name) = given.keys().find(|name| declared.iter().all(|value| value.name != **name)) {
        let known = declared.iter().map(|value| value.name.as_str());
        let hint = match nearest(name, known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "declare it under `context` in the file, or leave it out".to_owned(),
        };
        return Err(ContextError::Unknown { name: name.clone(), hint });
    }
    declared.iter().map(|value| Ok((value.name.clone(), choose(value, given.get(&value.name))?))).collect()
}

/// Returns the given value after a check of its type, or the default.
fn choose(declared: &InputSpec, given: Option<&Value>) -> Result<Value, ContextError> {
    let name = || declared.name.clone();
    match (given, &declared.default) {
        (Some(value), _) => declared
            .value_type
            .accept(value.clone())
            .map_err(|reason| ContextError::Misfit { name: name(), reason }),
        (None, Some(default)) => Ok(default.clone()),
        (None, None) => {
            let about =
                if declared.about.is_empty() { String::new() } else { format!(": {}", declared.about) };
            Err(ContextError::Missing { name: name(), about })
        }
    }
}

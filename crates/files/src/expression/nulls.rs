//! The treatment of null in templates. In requests it is an error instead of the text `None`.

use minijinja::value::Serde;
use minijinja::{Error, ErrorKind, Value};
use serde_json::Value as Json;

use super::error::explain;

/// The treatment of null values in a template: printed, or rejected in requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NullHandling {
    /// Prints the text `None`, as Jinja does.
    Print,
    /// Fails as for a missing value. Otherwise `Authorization: Bearer None` would be sent, and the refusal would not
    /// say why.
    Reject,
}

impl NullHandling {
    /// Converts a JSON value for minijinja. With `Reject`, nulls at any depth become undefined values, so
    /// that reading them fails.
    pub(super) fn convert(self, value: &Json) -> Value {
        match (self, value) {
            (Self::Reject, Json::Null) => Value::UNDEFINED,
            (Self::Reject, Json::Array(items)) => items.iter().map(|item| self.convert(item)).collect(),
            (Self::Reject, Json::Object(entries)) => {
                let entries = entries.iter().map(|(key, value)| (key.clone(), self.convert(value)));
                entries.collect::<std::collections::BTreeMap<String, Value>>().into()
            }
            _ => Serde(value).into(),
        }
    }

    /// Returns the cause of a minijinja error in the words of our messages. With `Reject` it mentions that
    /// the value may be null.
    pub(super) fn explain(self, error: &Error) -> String {
        match (self, error.kind()) {
            (Self::Reject, ErrorKind::UndefinedError) => {
                "it reads something that is not there, or null".to_owned()
            }
            _ => explain(error),
        }
    }
}

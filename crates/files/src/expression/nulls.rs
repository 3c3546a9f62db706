//! The parts of expressions that requests need: missing values are errors instead of the text `None`, and JSON texts
//! become values. Sends nothing.

use minijinja::value::Serde;
use minijinja::{Error, ErrorKind, State, Value};
use serde_json::Value as Json;

use super::bounded::{count_made, count_text};
use super::{Template, explain};
use crate::inline::json_text_size;

/// The treatment of null in a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NullHandling {
    /// Prints the text `None`, as Jinja does.
    Print,
    /// Fails as for a missing value. Otherwise `Authorization: Bearer None` would be sent, and the refusal would not
    /// say why.
    Reject,
}

impl NullHandling {
    /// Converts a value of the scope for the template.
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

    /// Translates an error of minijinja into the words of our messages.
    pub(super) fn explain(self, error: &Error) -> String {
        match (self, error.kind()) {
            (Self::Reject, ErrorKind::UndefinedError) => {
                "it reads something that is not there, or null".to_owned()
            }
            _ => explain(error),
        }
    }
}

impl Template {
    /// Returns the template for a URL or a header, in which a null or missing value is an error.
    pub(crate) fn without_nulls(mut self) -> Self {
        let environment = std::sync::Arc::make_mut(&mut self.compiled);
        environment.add_filter("urlencode", urlencode);
        environment.add_test("none", |value: &Value| value.is_none() || value.is_undefined());
        self.nulls = NullHandling::Reject;
        self
    }
}

/// Fails for null, which Jinja's own `urlencode` turns into an empty text.
fn urlencode(state: &mut State<'_, '_>, value: &Value) -> Result<String, Error> {
    if value.is_undefined() || value.is_none() {
        return Err(ErrorKind::UndefinedError.into());
    }
    count_text(state, value, 3)?;
    minijinja::filters::urlencode(value)
}

/// Parses a text as JSON.
pub(super) fn fromjson(state: &mut State<'_, '_>, text: &str) -> Result<Value, Error> {
    count_made(state, json_text_size(text))?;
    let value: Json = serde_json::from_str(text)
        .map_err(|error| Error::new(ErrorKind::InvalidOperation, format!("the text is not JSON: {error}")))?;
    Ok(Serde(value).into())
}

//! What templates of requests need: values that are not there are errors instead of the text `None`, and texts of others become values.
//! Sends nothing.

use minijinja::value::Serde;
use minijinja::{Error, ErrorKind, State, Value};
use serde_json::Value as Json;

use super::bounded::{count_text, make};
use super::{Template, spoken};
use crate::inline::weight_of_json;

/// How a template treats what is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nulls {
    /// As Jinja does: as the text `None`.
    Shown,
    /// As a value that is not there. `Authorization: Bearer None` would be sent otherwise, and nothing would say why it is refused.
    Missing,
}

impl Nulls {
    /// A value of the scope as the template sees it.
    pub(super) fn seen(self, value: &Json) -> Value {
        match (self, value) {
            (Self::Missing, Json::Null) => Value::UNDEFINED,
            (Self::Missing, Json::Array(items)) => items.iter().map(|item| self.seen(item)).collect(),
            (Self::Missing, Json::Object(entries)) => {
                let entries = entries.iter().map(|(key, value)| (key.clone(), self.seen(value)));
                entries.collect::<std::collections::BTreeMap<String, Value>>().into()
            }
            _ => Serde(value).into(),
        }
    }

    /// What minijinja says about a template that cannot be rendered.
    pub(super) fn spoken(self, error: &Error) -> String {
        match (self, error.kind()) {
            (Self::Missing, ErrorKind::UndefinedError) => {
                "it reads something that is not there, or null".to_owned()
            }
            _ => spoken(error),
        }
    }
}

impl Template {
    /// The same template for a URL or a header: a hole whose value is null, or is not there, is an error.
    pub(crate) fn without_nulls(mut self) -> Self {
        let environment = std::sync::Arc::make_mut(&mut self.compiled);
        environment.add_filter("urlencode", urlencode);
        environment.add_test("none", |value: &Value| value.is_none() || value.is_undefined());
        self.nulls = Nulls::Missing;
        self
    }
}

/// Jinja's own writes nothing for nothing.
fn urlencode(state: &mut State<'_, '_>, value: &Value) -> Result<String, Error> {
    if value.is_undefined() || value.is_none() {
        return Err(ErrorKind::UndefinedError.into());
    }
    count_text(state, value, 3)?;
    minijinja::filters::urlencode(value)
}

/// Reads a text as JSON.
pub(super) fn fromjson(state: &mut State<'_, '_>, text: &str) -> Result<Value, Error> {
    make(state, weight_of_json(text))?;
    let value: Json = serde_json::from_str(text)
        .map_err(|error| Error::new(ErrorKind::InvalidOperation, format!("the text is not JSON: {error}")))?;
    Ok(Serde(value).into())
}

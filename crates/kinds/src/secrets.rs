//! The secrets of a run: what stands for them while a request is computed, and their values at the last moment before it is sent. Reads
//! no environment, stores nothing.
//!
//! Expressions never see a value. They see a mark that no text of others can hold, since it is drawn by lot for every run, and the marks
//! in a finished URL, header or body become the values. So no expression can cut, compare or encode a secret until nobody recognises it,
//! and no text of a state can ask for one.

use std::collections::BTreeMap;

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};
use uuid::Uuid;

use stategraph_core::{NodeError, NodeResult};
use stategraph_llm::Redactor;

/// Around a mark: characters that nobody writes.
const OPEN: char = '\u{e000}';
const CLOSE: char = '\u{e001}';

/// The same as `urlencode` writes them.
const OPEN_ENCODED: &str = "%EE%80%80";
const CLOSE_ENCODED: &str = "%EE%80%81";

/// The values of secrets, by the environment variables that hold them.
pub struct Secrets {
    /// Drawn by lot.
    lot: String,
    values: BTreeMap<String, SecretString>,
    redactor: Redactor,
    /// Stand-ins instead of values: nothing is sent.
    pretended: bool,
}

impl Secrets {
    /// No secrets.
    pub fn none() -> Self {
        Self {
            lot: Uuid::now_v7().simple().to_string(),
            values: BTreeMap::new(),
            redactor: Redactor::new(),
            pretended: false,
        }
    }

    /// Stand-ins for every secret, for runs that send nothing.
    pub(super) fn pretended() -> Self {
        Self { pretended: true, ..Self::none() }
    }

    /// Adds the value of a variable; `name` is shown in its place.
    #[must_use]
    pub fn with(mut self, variable: &str, name: &str, value: &str) -> Self {
        self.redactor = self.redactor.with(name, value);
        self.values.insert(variable.to_owned(), value.into());
        self
    }

    /// Takes the secrets out of texts of others.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// What an expression sees as `secrets`: a mark for each of the names.
    pub(super) fn marks(&self, names: &BTreeMap<String, String>) -> Value {
        let mark = |(name, variable): (&String, &String)| {
            (name.clone(), Value::from(format!("{OPEN}{}.{variable}{CLOSE}", self.lot)))
        };
        Value::Object(names.iter().map(mark).collect())
    }

    /// A computed text with the values in the places of their marks.
    pub(super) fn filled(&self, text: String) -> NodeResult<String> {
        if !text.to_ascii_lowercase().contains(&self.lot[16..]) {
            return Ok(text);
        }
        let mut filled = text;
        for (open, close, encode) in [
            (OPEN.to_string(), CLOSE.to_string(), false),
            (OPEN_ENCODED.to_owned(), CLOSE_ENCODED.to_owned(), true),
        ] {
            let start = format!("{open}{}.", self.lot);
            while let Some(at) = filled.find(&start) {
                let rest = &filled[at + start.len()..];
                let Some(end) = rest.find(&close) else { break };
                let value = self.value(&rest[..end])?;
                let value = if encode { url_encoded(&value) } else { value };
                let behind = at + start.len() + end + close.len();
                filled = format!("{}{value}{}", &filled[..at], &filled[behind..]);
            }
        }
        if filled.to_ascii_lowercase().contains(&self.lot[16..]) {
            let error = NodeError::msg("a secret is used in part, or changed").permanent();
            return Err(
                error.with_hint("write it whole: `{{ secrets.name }}`, or `{{ secrets.name | urlencode }}`")
            );
        }
        Ok(filled)
    }

    /// The same of all texts of a value.
    pub(super) fn filled_in(&self, value: Value) -> NodeResult<Value> {
        Ok(match value {
            Value::String(text) => self.filled(text)?.into(),
            Value::Array(items) => {
                items.into_iter().map(|item| self.filled_in(item)).collect::<NodeResult<_>>()?
            }
            Value::Object(entries) => {
                let entries =
                    entries.into_iter().map(|(key, value)| Ok((self.filled(key)?, self.filled_in(value)?)));
                Value::Object(entries.collect::<NodeResult<Map<_, _>>>()?)
            }
            other => other,
        })
    }

    fn value(&self, variable: &str) -> NodeResult<String> {
        match self.values.get(variable) {
            Some(value) => Ok(value.expose_secret().to_owned()),
            None if self.pretended => Ok(format!("[secret: {variable}]")),
            None => {
                Err(NodeError::msg(format!("the run was made ready without the value of {variable}"))
                    .permanent())
            }
        }
    }

    /// An error without secrets, with all that it says about itself.
    pub(super) fn cleaned(&self, error: NodeError) -> NodeError {
        if self.redactor.is_empty() {
            return error;
        }
        let text = stategraph_core::with_causes(error.source());
        let clean = NodeError::msg(self.redactor.text(&text)).retried_as(error.retryable());
        match error.hint() {
            Some(hint) => clean.with_hint(self.redactor.text(hint)),
            None => clean,
        }
    }
}

/// Everything but letters, digits and `-._` as `%XX`.
fn url_encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

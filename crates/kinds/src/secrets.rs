//! The secrets of a run: placeholders while a request is computed, and values at the last moment before it is sent.
//! Reads no environment, stores nothing.
//!
//! Expressions never see a value. They see a placeholder that no foreign text can contain, because it holds a nonce
//! of the run, and the placeholders in a finished URL, header or body are replaced by the values. So no expression
//! can cut, compare or encode a secret until the redactor does not recognise it, and no text of a state can ask for
//! one.

use std::collections::BTreeMap;

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};
use uuid::Uuid;

use stategraph_core::{NodeError, NodeResult};
use stategraph_llm::Redactor;

/// First and last character of a placeholder, from the private use area of Unicode.
const OPEN: char = '\u{e000}';
const CLOSE: char = '\u{e001}';

/// The same characters after `urlencode`.
const OPEN_ENCODED: &str = "%EE%80%80";
const CLOSE_ENCODED: &str = "%EE%80%81";

/// The values of a run's secrets, by the environment variables that hold them. `http` nodes fill them into
/// requests.
pub struct Secrets {
    /// Random part of every placeholder.
    nonce: String,
    values: BTreeMap<String, SecretString>,
    redactor: Redactor,
    /// True in test cases: each missing value is replaced by a stand-in text, because nothing is sent.
    has_stand_ins: bool,
}

impl Secrets {
    /// Creates a set without secrets.
    pub fn none() -> Self {
        Self {
            nonce: Uuid::now_v7().simple().to_string(),
            values: BTreeMap::new(),
            redactor: Redactor::new(),
            has_stand_ins: false,
        }
    }

    /// Creates a set that has a stand-in text for every secret, for runs that send nothing.
    pub(super) fn stand_ins() -> Self {
        Self { has_stand_ins: true, ..Self::none() }
    }

    /// Adds the value of the environment variable `variable`. Redacted texts show `name` in its place.
    #[must_use]
    pub fn with(mut self, variable: &str, name: &str, value: &str) -> Self {
        self.redactor = self.redactor.with(name, value);
        self.values.insert(variable.to_owned(), value.into());
        self
    }

    /// Returns the redactor of these secrets.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Returns the map that expressions see as `secrets`: a placeholder for each name. `names` maps names to
    /// variables.
    pub(super) fn placeholders(&self, names: &BTreeMap<String, String>) -> Value {
        let placeholder = |(name, variable): (&String, &String)| {
            (name.clone(), Value::from(format!("{OPEN}{}.{variable}{CLOSE}", self.nonce)))
        };
        Value::Object(names.iter().map(placeholder).collect())
    }

    /// Replaces the placeholders in a computed text by the values of the secrets. Fails if a placeholder was
    /// cut or changed, or a value is missing.
    pub(super) fn fill(&self, text: String) -> NodeResult<String> {
        if !text.to_ascii_lowercase().contains(&self.nonce[16..]) {
            return Ok(text);
        }
        let mut filled = text;
        for (open, close, encode) in [
            (OPEN.to_string(), CLOSE.to_string(), false),
            (OPEN_ENCODED.to_owned(), CLOSE_ENCODED.to_owned(), true),
        ] {
            let start = format!("{open}{}.", self.nonce);
            while let Some(at) = filled.find(&start) {
                let rest = &filled[at + start.len()..];
                let Some(end) = rest.find(&close) else { break };
                let value = self.value(&rest[..end])?;
                let value = if encode { url_encode(&value) } else { value };
                let behind = at + start.len() + end + close.len();
                filled = format!("{}{value}{}", &filled[..at], &filled[behind..]);
            }
        }
        if filled.to_ascii_lowercase().contains(&self.nonce[16..]) {
            let error = NodeError::msg("a secret is used in part, or changed").permanent();
            return Err(
                error.with_hint("write it whole: `{{ secrets.name }}`, or `{{ secrets.name | urlencode }}`")
            );
        }
        Ok(filled)
    }

    /// Replaces the placeholders in all strings and keys of a JSON value.
    pub(super) fn fill_value(&self, value: Value) -> NodeResult<Value> {
        Ok(match value {
            Value::String(text) => self.fill(text)?.into(),
            Value::Array(items) => {
                items.into_iter().map(|item| self.fill_value(item)).collect::<NodeResult<_>>()?
            }
            Value::Object(entries) => {
                let entries =
                    entries.into_iter().map(|(key, value)| Ok((self.fill(key)?, self.fill_value(value)?)));
                Value::Object(entries.collect::<NodeResult<Map<_, _>>>()?)
            }
            other => other,
        })
    }

    /// Returns the value of a variable, or its stand-in. Fails if it has neither.
    fn value(&self, variable: &str) -> NodeResult<String> {
        match self.values.get(variable) {
            Some(value) => Ok(value.expose_secret().to_owned()),
            None if self.has_stand_ins => Ok(format!("[secret: {variable}]")),
            None => {
                Err(NodeError::msg(format!("the run was made ready without the value of {variable}"))
                    .permanent())
            }
        }
    }

    /// Removes the secrets from an error, and keeps its retry class and its hint.
    pub(super) fn redact_error(&self, error: NodeError) -> NodeError {
        if self.redactor.is_empty() {
            return error;
        }
        let text = stategraph_core::with_causes(error.source());
        let clean = NodeError::msg(self.redactor.text(&text)).with_retryable(error.retryable());
        match error.hint() {
            Some(hint) => clean.with_hint(self.redactor.text(hint)),
            None => clean,
        }
    }
}

/// Percent-encodes everything but letters, digits and `-._`.
fn url_encode(text: &str) -> String {
    let byte = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

//! Reads the section `providers:` of a configuration into the types of the model layer, and reports
//! each mistake with its place. Stores names of key variables, never keys; values of headers are not
//! printed.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use stategraph_yaml::YamlValue;

use super::{
    defect::{ConfigDefect, ConfigDefectKind},
    fields::{Fields, as_amount, as_map, as_positive, as_text},
    found::{ConfigPosition, describe, describe_type},
};
use crate::llm::openai::{LimitField, Structured};
use crate::llm::{OFFLINE_PROVIDER, Prices, ProviderConfig, Providers, RetryConfig, Seconds};

const A_URL: &str = "a URL with http:// or https://";
const A_RATE: &str = "a whole number above 0";
const A_TIME: &str = "a number of seconds above 0";
const A_PRICE: &str = "dollars for a million tokens: a number, 0 or more";
const FORMS: [(&str, Structured); 4] = [
    ("grammar", Structured::Grammar),
    ("json_schema", Structured::JsonSchema),
    ("json_object", Structured::JsonObject),
    ("prompt", Structured::Prompt),
];
const LIMIT_FIELDS: [(&str, LimitField); 2] =
    [("max_tokens", LimitField::MaxTokens), ("max_completion_tokens", LimitField::MaxCompletionTokens)];

/// Reads the section `providers:`; empty if the file has none.
pub(in crate::workflows) fn providers(file: &mut Fields<'_>) -> BTreeMap<String, ProviderConfig> {
    let built_in = Providers::new(BTreeMap::new()).names();
    file.take_map("providers", "a map from provider names to their settings", |entry, value, defects| {
        if entry.name.is_empty() || entry.name.contains('/') || entry.name == OFFLINE_PROVIDER {
            let expected = "a name without a slash, other than `offline`";
            let fault = ConfigDefectKind::Wrong { expected, found: format!("the name {:?}", entry.name) };
            defects.push(entry.defect(fault));
        }
        let Some(map) = as_map(value) else {
            let fault = ConfigDefectKind::Wrong { expected: "a map with `base_url`", found: describe(value) };
            defects.push(entry.defect(fault));
            return None;
        };
        let known = built_in.contains(&entry.name);
        Some(provider(Fields::open(entry.key, entry.place, map, defects), known))
    })
}

/// Reads one provider. A built-in provider needs no `base_url`.
fn provider(mut fields: Fields<'_>, is_built_in: bool) -> ProviderConfig {
    let base_url = fields.take("base_url", A_URL, as_url);
    if base_url.is_none() && !is_built_in && !fields.is_faulty("base_url") {
        fields.missing("base_url", A_URL);
    }
    let config = ProviderConfig {
        base_url,
        api_key_env: fields.take("api_key_env", "the name of an environment variable", as_text),
        headers: fields.take_map("headers", "a map from header names to texts", |entry, value, defects| {
            let text = as_text(value);
            if text.is_none() {
                // The value may be a secret of the wrong type.
                let fault =
                    ConfigDefectKind::Wrong { expected: "text", found: describe_type(value).to_owned() };
                defects.push(entry.defect(fault));
            }
            text.map(Into::into)
        }),
        insecure_http: fields.take("insecure_http", "`true` or `false`", as_switch).unwrap_or_default(),
        structured: fields.take_word(
            "structured",
            "`grammar`, `json_schema`, `json_object` or `prompt`",
            &FORMS,
        ),
        limit_field: fields.take_word(
            "limit_field",
            "`max_tokens` or `max_completion_tokens`",
            &LIMIT_FIELDS,
        ),
        max_tokens: fields.take("max_tokens", A_RATE, as_rate),
        connect_timeout_s: fields.take("connect_timeout_s", A_TIME, as_seconds),
        first_token_timeout_s: fields.take("first_token_timeout_s", A_TIME, as_seconds),
        idle_timeout_s: fields.take("idle_timeout_s", A_TIME, as_seconds),
        timeout_s: fields.take("timeout_s", A_TIME, as_seconds),
        retry: fields
            .take_fields("retry", "a map with `attempts`, `base_s` and `max_wait_s`", retry)
            .unwrap_or_default(),
        requests_per_minute: fields.take("requests_per_minute", A_RATE, as_rate),
        burst: fields.take("burst", A_RATE, as_rate),
        tokens_per_minute: fields.take("tokens_per_minute", A_RATE, as_rate),
        prices: fields.take_map("prices", "a map from model names, or `*`, to their prices", price),
    };
    fields.finish();
    config
}

fn retry(mut fields: Fields<'_>) -> RetryConfig {
    let config = RetryConfig {
        attempts: fields.take("attempts", A_RATE, as_positive),
        base_s: fields.take("base_s", A_TIME, as_seconds),
        max_wait_s: fields.take("max_wait_s", A_TIME, as_seconds),
    };
    fields.finish();
    config
}

/// Reads the prices of one model; `None`, and a defect, if one is missing or invalid.
fn price(entry: Entry, value: &YamlValue, defects: &mut Vec<ConfigDefect>) -> Option<Prices> {
    let Some(map) = as_map(value) else {
        let fault =
            ConfigDefectKind::Wrong { expected: "a map with `input` and `output`", found: describe(value) };
        defects.push(entry.defect(fault));
        return None;
    };
    let mut fields = Fields::open(entry.key, entry.place, map, defects);
    let mut side = |key| {
        let amount = fields.take(key, A_PRICE, as_amount);
        if amount.is_none() && !fields.is_faulty(key) {
            fields.missing(key, A_PRICE);
        }
        amount
    };
    let prices = (side("input"), side("output"));
    fields.finish();
    Some(Prices { input: prices.0?, output: prices.1? })
}

/// Entry of a map whose names the user chooses.
pub(in crate::workflows) struct Entry {
    /// Name of the entry.
    pub(in crate::workflows) name: String,
    /// Dotted key, for messages.
    pub(in crate::workflows) key: String,
    /// The position of the name.
    pub(in crate::workflows) place: ConfigPosition,
}

impl Entry {
    /// Makes a defect at the place of the entry.
    fn defect(&self, fault: ConfigDefectKind) -> ConfigDefect {
        ConfigDefect { line: self.place.line, column: self.place.column, key: self.key.clone(), fault }
    }
}

/// Returns a text that begins with `http://` or `https://`.
fn as_url(value: &YamlValue) -> Option<String> {
    as_text(value).filter(|url| url.starts_with("http://") || url.starts_with("https://"))
}

fn as_switch(value: &YamlValue) -> Option<bool> {
    match value {
        YamlValue::Bool(value) => Some(*value),
        _ => None,
    }
}

fn as_rate(value: &YamlValue) -> Option<NonZeroU32> {
    as_positive(value).and_then(NonZeroU32::new)
}

fn as_seconds(value: &YamlValue) -> Option<Seconds> {
    let seconds = Duration::try_from_secs_f64(as_amount(value)?).ok()?;
    (!seconds.is_zero()).then(|| Seconds::new(seconds))
}

//! What a configuration says about an endpoint. Holds names of key variables, never keys.

use std::collections::BTreeMap;

/// One entry of `providers:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSettings {
    /// Where the OpenAI-compatible interface begins, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The environment variable that holds the key; none for an endpoint without keys.
    pub api_key_env: Option<String>,
    /// Headers sent with each request.
    pub headers: BTreeMap<String, String>,
    /// Requests in a minute.
    pub requests_per_minute: Option<u32>,
    /// Tokens in a minute, prompt and answer together.
    pub tokens_per_minute: Option<u32>,
    /// How the endpoint is asked for structured answers; none lets the model layer find out.
    pub structured: Option<Structured>,
}

/// Ways to ask for a structured answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structured {
    /// `response_format` with the schema.
    JsonSchema,
    /// `response_format` that says JSON.
    JsonObject,
    /// The prompt alone.
    Prompt,
}

impl Structured {
    /// The words of the configuration file, with what they mean.
    pub(super) const WORDS: [(&str, Self); 3] =
        [("json_schema", Self::JsonSchema), ("json_object", Self::JsonObject), ("prompt", Self::Prompt)];
}

impl From<&ProviderSettings> for crate::llm::ProviderConfig {
    fn from(given: &ProviderSettings) -> Self {
        let words = |structured: Structured| match structured {
            Structured::JsonSchema => crate::llm::openai::Structured::JsonSchema,
            Structured::JsonObject => crate::llm::openai::Structured::JsonObject,
            Structured::Prompt => crate::llm::openai::Structured::Prompt,
        };
        Self {
            base_url: Some(given.base_url.clone()),
            api_key_env: given.api_key_env.clone(),
            headers: given.headers.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect(),
            structured: given.structured.map(words),
            requests_per_minute: given.requests_per_minute.and_then(std::num::NonZeroU32::new),
            tokens_per_minute: given.tokens_per_minute.and_then(std::num::NonZeroU32::new),
            ..Self::default()
        }
    }
}

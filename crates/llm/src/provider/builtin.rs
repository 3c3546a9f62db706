//! The built-in providers: addresses and key variables from their documentation.

use std::collections::BTreeMap;

use super::super::openai::{LimitField, Structured};
use super::config::Settings;

/// Returns the built-in providers by name, without `offline`, which has no endpoint.
pub(super) fn all() -> BTreeMap<String, Settings> {
    let with_key =
        |url: &str, variable: &str| Settings { api_key_env: Some(variable.to_owned()), ..Settings::new(url) };
    let list = [
        // Anthropic's compatible endpoint accepts and ignores `response_format`, so only the prompt requests JSON.
        (
            "anthropic",
            Settings {
                structured: Structured::Prompt,
                ..with_key("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY")
            },
        ),
        ("gemini", with_key("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY")),
        ("llamacpp", Settings::new("http://127.0.0.1:8080/v1")),
        ("ollama", Settings::new("http://127.0.0.1:11434/v1")),
        (
            "openai",
            Settings {
                limit_field: LimitField::MaxCompletionTokens,
                ..with_key("https://api.openai.com/v1", "OPENAI_API_KEY")
            },
        ),
        ("openrouter", with_key("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY")),
        ("vllm", Settings::new("http://127.0.0.1:8000/v1")),
    ];
    list.into_iter()
        .map(|(name, settings)| (name.to_owned(), Settings { price_list: Some(name), ..settings }))
        .collect()
}

//! Parses the name of a model: `provider/model`, a known prefix, or `offline`. Pure.

use stategraph_base::nearest;

use super::super::error::ModelErrorKind;
use super::super::model::ModelName;
use super::super::offline::OFFLINE_PROVIDER;

/// Prefixes of model names written without a provider, and the provider each belongs to.
const PREFIXES: [(&str, &str); 7] = [
    ("chatgpt-", "openai"),
    ("claude-", "anthropic"),
    ("gemini-", "gemini"),
    ("gpt-", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
];

/// Parses `text` as the name of a model at one of the `known` providers: `provider/model`, `offline`, or a
/// name whose prefix tells the provider (`gpt-…`).
pub(super) fn resolve(text: &str, known: &[String]) -> Result<ModelName, ModelErrorKind> {
    let text = text.trim();
    if text == OFFLINE_PROVIDER {
        return Ok(ModelName::new(OFFLINE_PROVIDER, ""));
    }
    let is_known = |name: &str| known.iter().any(|provider| provider == name);
    match text.split_once('/') {
        Some((OFFLINE_PROVIDER, _)) => Err(ModelErrorKind::BadProvider {
            provider: OFFLINE_PROVIDER.into(),
            problem: "it has no models: write `offline` alone".into(),
        }),
        Some(("", _)) => by_prefix(text, known),
        Some((provider, "")) if is_known(provider) => {
            Err(ModelErrorKind::NoModel { provider: provider.into() })
        }
        Some((provider, model)) if is_known(provider) => Ok(ModelName::new(provider, model)),
        Some((provider, _)) => Err(ModelErrorKind::UnknownProvider {
            provider: provider.into(),
            nearest: nearest(provider, known.iter().map(String::as_str)),
            known: known.to_vec(),
        }),
        None if is_known(text) => Err(ModelErrorKind::NoModel { provider: text.into() }),
        None => by_prefix(text, known),
    }
}

/// Finds the provider of a model name by its prefix.
fn by_prefix(text: &str, known: &[String]) -> Result<ModelName, ModelErrorKind> {
    let found = PREFIXES.iter().find(|(prefix, _)| text.starts_with(prefix));
    found.map(|(_, provider)| ModelName::new(*provider, text)).ok_or_else(|| ModelErrorKind::UnknownPrefix {
        name: text.into(),
        prefixes: PREFIXES.iter().map(|(prefix, _)| (*prefix).to_owned()).collect(),
        known: known.to_vec(),
    })
}

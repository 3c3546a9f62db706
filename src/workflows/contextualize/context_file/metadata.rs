//! The keys of the front matter that this program writes (CTX-60, CTX-61).

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::ContextFileProblem;
use super::front_matter::FrontMatter;
use crate::llm::Usage;
use crate::workflows::contextualize::input::DEFAULT_MODEL;
use crate::workflows::timestamp::Timestamp;

/// The program and its version, as files name them.
const GENERATOR: &str = concat!("stategraph ", env!("CARGO_PKG_VERSION"));

/// Front matter of a context file of a whole repository (CTX-60). Keys without a value are present as `null` (CTX-66).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextMetadata {
    /// The repository: an absolute path, or the URL of a clone without credentials (CTX-125).
    pub source_repo: String,
    /// Start of the run.
    pub scan_date: Timestamp,
    /// The user's summary of the repository.
    pub user_summary: Option<String>,
    /// The origin of the text.
    #[serde(flatten)]
    pub provenance: Provenance,
}

/// Front matter of a context file that answers a question (CTX-61). Keys without a value are present as `null` (CTX-66).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopedContextMetadata {
    /// The repository: an absolute path, or the URL of a clone without credentials (CTX-125).
    pub source_repo: String,
    /// The question.
    pub scope_question: String,
    /// Start of the run.
    pub scan_date: Timestamp,
    /// Number of files that the answer was made from.
    pub files_analyzed: u32,
    /// Context file that the run started from; `None` for a run that started from a repository (CTX-6).
    pub source_context: Option<String>,
    /// The origin of the text.
    #[serde(flatten)]
    pub provenance: Provenance,
}

/// The origin of a text: its writer, and the commit that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Name of the model that wrote the text, `offline` for rules (CTX-147).
    pub model_used: String,
    /// The writer of the text.
    pub written_by: ContextAuthor,
    /// Tokens of all prompts of the run.
    pub prompt_tokens: u64,
    /// Tokens of all answers of the run.
    pub completion_tokens: u64,
    /// Commit of the repository; `None` for a folder without one. The files of a local folder may differ from it.
    pub commit: Option<String>,
    /// The program and its version.
    pub generator: String,
}

/// The writer of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextAuthor {
    /// Rules, without a model.
    Rules,
    /// The model that `model_used` names.
    Model,
    /// Rules, and the model that `model_used` names: its words are a part of the text.
    RulesAndModel,
}

impl Provenance {
    /// Returns the origin of a text that rules wrote about a commit.
    pub fn of_rules(commit: Option<String>) -> Self {
        Self {
            model_used: DEFAULT_MODEL.to_owned(),
            written_by: ContextAuthor::Rules,
            prompt_tokens: 0,
            completion_tokens: 0,
            commit,
            generator: GENERATOR.to_owned(),
        }
    }

    /// Returns the origin of a text that a model wrote about a commit, with the tokens that the run used.
    pub fn of_model(name: &str, usage: Usage, commit: Option<String>) -> Self {
        Self {
            model_used: name.to_owned(),
            written_by: ContextAuthor::Model,
            ..Self::of_rules(commit).with_usage(usage)
        }
    }

    /// Sets the tokens that the run used. Rules use none, but a model may have been asked before them.
    #[must_use]
    pub fn with_usage(self, usage: Usage) -> Self {
        Self { prompt_tokens: usage.prompt_tokens, completion_tokens: usage.completion_tokens, ..self }
    }

    /// Returns the origin as front matter, for a file whose other keys are kept.
    pub fn front_matter(&self) -> FrontMatter {
        to_front_matter(self)
    }
}

impl ContextMetadata {
    /// Returns the metadata as front matter.
    pub fn front_matter(&self) -> FrontMatter {
        to_front_matter(self)
    }
}

impl ScopedContextMetadata {
    /// Returns the metadata as front matter.
    pub fn front_matter(&self) -> FrontMatter {
        to_front_matter(self)
    }
}

impl TryFrom<&FrontMatter> for ContextMetadata {
    type Error = ContextFileProblem;

    fn try_from(front_matter: &FrontMatter) -> Result<Self, ContextFileProblem> {
        from_front_matter(front_matter)
    }
}

impl TryFrom<&FrontMatter> for ScopedContextMetadata {
    type Error = ContextFileProblem;

    fn try_from(front_matter: &FrontMatter) -> Result<Self, ContextFileProblem> {
        from_front_matter(front_matter)
    }
}

fn to_front_matter(metadata: &impl Serialize) -> FrontMatter {
    match serde_json::to_value(metadata) {
        Ok(Value::Object(map)) => map.into(),
        _ => unreachable!("a struct of texts and numbers is a JSON object"),
    }
}

fn from_front_matter<T: DeserializeOwned>(front_matter: &FrontMatter) -> Result<T, ContextFileProblem> {
    serde_json::from_value(Value::Object(front_matter.map().clone()))
        .map_err(|error| ContextFileProblem::Metadata { reason: error.to_string() })
}

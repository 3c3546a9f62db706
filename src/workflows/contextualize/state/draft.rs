//! The text of a context file before it is written, and the record of the written file.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::workflows::contextualize::search::CodeReference;

/// The text of a context file before it is written, without front matter, and its origin. Nodes that write
/// make it; the node `save` reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextDraft {
    /// The text, in Markdown.
    pub markdown: String,
    /// The author of the text.
    pub author: DraftAuthor,
    /// Parts that did not fit into the limit of tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Checked places in the code; for the answer to a question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<CodeReference>,
    /// The files that the text is about; for the answer to a question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_analyzed: Vec<String>,
    /// Parts of a model's text that the check marked or took out, for the user. The file names none of them, because agents obey it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<String>,
    /// The state of the work.
    pub status: DraftStatus,
}

/// The author of a text (CTX-147).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DraftAuthor {
    /// Rules; no model was asked, or its text was of no use.
    Rules,
    /// A model, by the name that its endpoint reports.
    Model(String),
    /// Rules and a model: words of the model are a part of the text.
    RulesAndModel(String),
    /// The author of the file that a change left as it was.
    Unchanged,
}

impl DraftAuthor {
    /// Returns the author in words for the user, such as `written by rules`.
    pub fn describe(&self) -> Cow<'_, str> {
        match self {
            Self::Rules => Cow::Borrowed("written by rules"),
            Self::Model(name) => Cow::Owned(format!("written by {name}")),
            Self::RulesAndModel(name) => Cow::Owned(format!("written by rules and {name}")),
            Self::Unchanged => Cow::Borrowed("not changed"),
        }
    }
}

/// The completeness of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DraftStatus {
    /// Every step was done as asked.
    #[default]
    Complete,
    /// A step was left out, for this reason (CTX-141).
    Partial(String),
}

/// The record of a context file that was written, or that a change left as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenContext {
    /// Its path, as the user would type it.
    pub path: PathBuf,
    /// Its size in tokens, front matter included.
    pub tokens: usize,
    /// The copy of a file that was there and that a person wrote or edited.
    pub kept: Option<PathBuf>,
}

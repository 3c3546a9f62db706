//! The state of `contextualize-scope`.

use serde::{Deserialize, Serialize};

use super::{ContextDraft, ContextRun, RepositoryIdentity, ScopeExploration, WrittenContext};
use crate::agent::{Conversation, Spent};
use crate::engine::State;
use crate::workflows::contextualize::search::{CodeReference, Discovery};

/// The state of a run that answers a question about a repository.
#[derive(State, Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextScope {
    /// The settings, the repository and the start of the run.
    pub input: ContextRun,
    /// The question.
    pub question: String,
    /// The context file that named the repository, if the user named that instead (CTX-6).
    pub source_context: Option<String>,
    /// The repository; `None` before it is opened.
    pub repository: Option<RepositoryIdentity>,
    /// The files that the question is about, by rules; `None` before they are searched.
    pub discovery: Option<Discovery>,
    /// The files that the next request shows, and those that earlier ones showed, in order.
    pub files: Vec<String>,
    /// Number of [`files`](Self::files) that were shown.
    pub shown: usize,
    /// The rounds of exploration, in order.
    #[state(append)]
    pub explorations: Vec<ScopeExploration>,
    /// Places that the model named and that exist, each once.
    pub references: Vec<CodeReference>,
    /// Number of places that the model named and that do not exist (CTX-30).
    #[state(add)]
    pub dropped_references: usize,
    /// True if no further exploration is possible or useful.
    pub is_explored: bool,
    /// The text; `None` before it is written.
    pub draft: Option<ContextDraft>,
    /// The conversation with the model, in agent mode.
    pub conversation: Conversation,
    /// Messages to the user about the result, in order.
    #[state(append)]
    pub notes: Vec<String>,
    /// Tokens and money by operation.
    #[state(add)]
    pub spent: Spent,
    /// The written file; `None` before it is written.
    pub written: Option<WrittenContext>,
    /// The file for standard output; `None` if it goes to a path.
    pub document: Option<String>,
}

impl ContextScope {
    /// Makes the first state of a run.
    pub fn new(input: ContextRun, question: String, source_context: Option<String>) -> Self {
        Self {
            input,
            question,
            source_context,
            repository: None,
            discovery: None,
            files: Vec::new(),
            shown: 0,
            explorations: Vec::new(),
            references: Vec::new(),
            dropped_references: 0,
            is_explored: false,
            draft: None,
            conversation: Conversation::default(),
            notes: Vec::new(),
            spent: Spent::default(),
            written: None,
            document: None,
        }
    }
}

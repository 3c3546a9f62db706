//! The state of `contextualize-generate`.

use serde::{Deserialize, Serialize};

use super::{
    CodeAnalysis, ContextDraft, ContextProject, ContextRun, RepositoryIdentity, StructureScan, WrittenContext,
};
use crate::agent::{Conversation, Spent};
use crate::engine::State;

/// The state of a run that describes a whole repository.
#[derive(State, Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextGeneration {
    /// The settings, the repository and the start of the run.
    pub input: ContextRun,
    /// The user's own words about the repository.
    pub summary: Option<String>,
    /// The request of a refinement that continues this thread in agent mode (CTX-33).
    pub request: Option<String>,
    /// The repository; `None` before it is opened.
    pub repository: Option<RepositoryIdentity>,
    /// The structure; `None` before the scan.
    pub scan: Option<StructureScan>,
    /// The metadata; `None` before they are read.
    pub project: Option<ContextProject>,
    /// The analysis of the code; `None` before it is made.
    pub analysis: Option<CodeAnalysis>,
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

impl ContextGeneration {
    /// Makes the state of a run that has not begun.
    pub fn new(input: ContextRun, summary: Option<String>) -> Self {
        Self {
            input,
            summary,
            request: None,
            repository: None,
            scan: None,
            project: None,
            analysis: None,
            draft: None,
            conversation: Conversation::default(),
            notes: Vec::new(),
            spent: Spent::default(),
            written: None,
            document: None,
        }
    }
}

//! The state of `contextualize-generate`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{
    CodeAnalysis, ContextDraft, ContextProject, ContextRun, RepositoryIdentity, StructureScan, WrittenContext,
};
use crate::agent::{Conversation, Spent};
use crate::engine::State;
use crate::workflows::contextualize::context_file::ContextFile;

/// A context file with the change that the user asks for; the input of a turn in agent mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefinedFile {
    /// Path of the file.
    pub file: PathBuf,
    /// Its content when the turn began.
    pub original: ContextFile,
    /// The change that the user wants.
    pub request: String,
}

/// The state of a run that describes a whole repository or, in agent mode, changes its context file.
#[derive(State, Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextGeneration {
    /// The settings, the repository and the start of the run.
    pub input: ContextRun,
    /// The user's own words about the repository.
    pub summary: Option<String>,
    /// The context file that this turn of the thread changes, in agent mode (CTX-33); `None` for a description.
    pub refinement: Option<RefinedFile>,
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
    /// Makes the first state of a run that describes a repository.
    pub fn new(input: ContextRun, summary: Option<String>) -> Self {
        Self {
            input,
            summary,
            refinement: None,
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

    /// Makes the first state of a thread that begins with the change of a context file. A thread that described the repository before
    /// goes on with [`next_turn`](Self::next_turn).
    pub fn refining(input: ContextRun, refined: RefinedFile) -> Self {
        Self { refinement: Some(refined), ..Self::new(input, None) }
    }

    /// Returns the update with which a thread continues to change a context file. Conversation, analysis and
    /// summary stay; text, notes, spending and written file of the last turn are reset.
    pub fn next_turn(input: ContextRun, refined: RefinedFile) -> ContextGenerationUpdate {
        Self::update()
            .input(input)
            .refinement(Some(refined))
            .repository(None)
            .draft(None)
            .overwrite_notes(Vec::new())
            .overwrite_spent(Spent::default())
            .written(None)
            .document(None)
    }
}

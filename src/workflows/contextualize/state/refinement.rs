//! The state of `contextualize-refine`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{ContextDraft, ContextRun, RepositoryIdentity, WrittenContext};
use crate::agent::Spent;
use crate::engine::State;
use crate::workflows::contextualize::context_file::ContextFile;

/// The state of a run that changes a context file.
#[derive(State, Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextRefinement {
    /// The settings, the repository of the context file and the start of the run.
    pub input: ContextRun,
    /// The context file.
    pub file: PathBuf,
    /// Its content when the run began.
    pub original: ContextFile,
    /// The change that the user wants.
    pub request: String,
    /// The repository; `None` before it is opened. Stays `None` if it is gone, so that nothing can be checked against it.
    pub repository: Option<RepositoryIdentity>,
    /// The new text; `None` before it is written.
    pub draft: Option<ContextDraft>,
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

impl ContextRefinement {
    /// Makes the first state of a run.
    pub fn new(input: ContextRun, file: PathBuf, original: ContextFile, request: String) -> Self {
        Self {
            input,
            file,
            original,
            request,
            repository: None,
            draft: None,
            notes: Vec::new(),
            spent: Spent::default(),
            written: None,
            document: None,
        }
    }
}

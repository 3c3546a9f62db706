//! The states of the three commands: plain data that a checkpoint holds. They have no key, no handle and no file of the repository; the
//! services compute facts again after a resume.

mod analysis;
mod draft;
mod generation;
mod project;
mod refinement;
mod scan;
mod scope;

use serde::{Deserialize, Serialize};

use super::input::ContextSettings;
use super::source::RepositorySource;
use crate::workflows::timestamp::Timestamp;

pub use analysis::{CodeAnalysis, KeyLocation, ScopeExploration};
pub use draft::{ContextDraft, DraftAuthor, DraftStatus, WrittenContext};
pub use generation::{ContextGeneration, ContextGenerationUpdate, RefinedFile};
pub use project::ContextProject;
pub use refinement::{ContextRefinement, ContextRefinementUpdate};
pub use scan::StructureScan;
pub use scope::{ContextScope, ContextScopeUpdate};

/// The name, the source and the commit of the repository that a run opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepositoryIdentity {
    /// Its name: that of its folder, or that in its URL.
    pub name: String,
    /// The repository as context files name it: an absolute path or a URL (CTX-125).
    pub source_repo: String,
    /// Its commit; `None` outside of version control.
    pub commit: Option<String>,
}

/// The input that the states of all three commands have: settings, repository, start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextRun {
    /// The settings that the run began with.
    pub settings: ContextSettings,
    /// The repository.
    pub source: RepositorySource,
    /// Start of the run. It is the date in the front matter.
    pub started: Timestamp,
}

impl ContextRun {
    /// Returns the text that identifies the repository: its resolved path or its URL. Threads are named after it (CTX-97).
    pub fn source_key(&self) -> String {
        match &self.source {
            RepositorySource::Folder(path) => {
                path.canonicalize().unwrap_or_else(|_| path.clone()).to_string_lossy().into_owned()
            }
            RepositorySource::GitHub(url) => url.to_string(),
        }
    }
}

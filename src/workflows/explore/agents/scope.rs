//! The part of the repository that an agent explores.

use serde::{Deserialize, Serialize};

/// The part of the repository that an agent explores: the source files of a folder or of a module. No file is in the scopes of two agents,
/// unless one of them is an ancestor of the other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentScope {
    /// Path of the folder or of the module, relative to the repository and with `/`; empty for the repository.
    pub path: String,
    /// Paths of its source files, sorted, relative to the repository; at most 200 (EXP-23) for all agents but the root.
    pub files: Vec<String>,
}

impl AgentScope {
    /// Returns true if the scope is the whole repository.
    pub fn is_repository(&self) -> bool {
        self.path.is_empty()
    }

    /// Returns the files of a folder or a module below `path`: those in the folder, and files beside it that have its name, such as
    /// `src/parser.rs` for `src/parser`.
    pub fn below(&self, path: &str) -> Vec<String> {
        let below = self.files.iter().filter(|file| *file != path && is_below(file, path));
        below.cloned().collect()
    }
}

/// Returns true if a file or folder is the one at `path`, or in the folder or module there.
pub(in super::super) fn is_below(file: &str, path: &str) -> bool {
    if path.is_empty() {
        return true;
    }
    let Some(rest) = file.strip_prefix(path) else { return false };
    rest.is_empty()
        || rest.starts_with('/')
        || rest.strip_prefix('.').is_some_and(|extension| !extension.contains('/'))
}

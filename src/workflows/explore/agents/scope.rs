//! Scopes: the part of the repository that an agent explores.

use serde::{Deserialize, Serialize};

/// Part of the repository that an agent explores: the source files of a folder or module. No file is in
/// the scopes of two agents, unless one of them is an ancestor of the other.
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

    /// Returns the files of the folder or module at `path`: those in the folder, and files beside it
    /// with its name, such as `src/parser.rs` for `src/parser`. The file `path` itself is left out.
    pub fn below(&self, path: &str) -> Vec<String> {
        let below = self.files.iter().filter(|file| *file != path && is_below(file, path));
        below.cloned().collect()
    }
}

/// Returns true if a file or folder is at `path`, in that folder, or a file of the module there
/// (`src/parser.rs` for `src/parser`). An empty `path` contains everything.
pub(in super::super) fn is_below(file: &str, path: &str) -> bool {
    if path.is_empty() {
        return true;
    }
    let Some(rest) = file.strip_prefix(path) else { return false };
    rest.is_empty()
        || rest.starts_with('/')
        || rest.strip_prefix('.').is_some_and(|extension| !extension.contains('/'))
}

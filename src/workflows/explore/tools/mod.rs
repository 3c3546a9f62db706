//! Tools of an agent (EXP-12 to EXP-20): those that read the repository and the notepad, and those that
//! an agent's node runs itself, because they change its state or run another agent.
//!
//! A new tool is a line in [`build_toolbox`]; every agent then has it (EXP-20, EXP-63).

mod acting;
mod list_topics;
mod read_notepad;

use std::sync::Arc;

use super::notepad::Notepad;
use super::services::ExploredRepository;
use crate::agent::{Toolbox, ToolboxError};

pub use acting::{
    Delegate, DelegateArguments, FinishArguments, FinishWork, WriteNotepad, WriteNotepadArguments,
};
pub use list_topics::ListTopics;
pub use read_notepad::{ReadNotepad, ReadNotepadArguments};

/// Names of the tools that return the text of the file `path`; their calls count as read files of an
/// agent.
pub(super) const READING_FILES: &[&str] = &["read_file", "read_lines", "read_symbol"];

/// Names of the tools whose results depend on the notes of other agents.
pub(super) const READING_NOTES: &[&str] = &["list_topics", "read_notepad"];

/// Makes the tools for all agents of a run, over its repository and its notepad.
pub fn build_toolbox(repository: &ExploredRepository, notepad: &Arc<Notepad>) -> Toolbox {
    let all = || -> Result<Toolbox, ToolboxError> {
        repository
            .tools()
            .toolbox()
            .with(ReadNotepad::new(notepad.clone()))?
            .with(ListTopics::new(notepad.clone()))?
            .with(WriteNotepad)?
            .with(Delegate)?
            .with(FinishWork)
    };
    all().expect("the names are portable and different")
}

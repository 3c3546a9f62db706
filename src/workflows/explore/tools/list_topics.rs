//! Tool `list_topics` (EXP-16): the topics of the notepad with their numbers of notes.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::agent::{NoArguments, Tool, ToolOutput};
use crate::workflows::explore::notepad::Notepad;

/// Maximum number of topics in an answer.
const LISTED: usize = 200;

/// Tool that lists the topics of the notepad.
#[derive(Debug, Clone)]
pub struct ListTopics {
    notepad: Arc<Notepad>,
}

impl ListTopics {
    /// Makes the tool for a notepad.
    pub fn new(notepad: Arc<Notepad>) -> Self {
        Self { notepad }
    }
}

impl Tool for ListTopics {
    type Arguments = NoArguments;

    fn name(&self) -> &'static str {
        "list_topics"
    }

    fn description(&self) -> &'static str {
        "Lists the topics of the shared notepad with their numbers of notes."
    }

    async fn run(&self, _: NoArguments) -> ToolOutput {
        let topics = self.notepad.list_topics();
        if topics.is_empty() {
            return ToolOutput::ok("[the notepad is empty]");
        }
        let mut lines = String::new();
        for (topic, notes) in topics.iter().take(LISTED) {
            let _ = writeln!(lines, "{topic} ({notes} {})", if *notes == 1 { "note" } else { "notes" });
        }
        if topics.len() > LISTED {
            let _ = writeln!(lines, "… and {} more topics", topics.len() - LISTED);
        }
        ToolOutput::ok(lines.trim_end())
    }
}

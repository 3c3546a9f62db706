//! Effects of calls on the state of the agent. They are data of a tool's output, which is journaled, so
//! that a resumed run has them without running the call again.

use serde::{Deserialize, Serialize};

use crate::agent::{Spent, ToolOutput};
use crate::workflows::explore::agents::{AgentRecord, AgentRun};
use crate::workflows::explore::notepad::NotepadEntry;

/// Effect of one call on the state of the agent. `Actions` puts it into the output; `Announcer` and the
/// node `tools` read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ActionEffect {
    /// A note was written.
    Noted { note: NotepadEntry, unknown_citations: Vec<String> },
    /// A child ended.
    Explored(Box<ChildResult>),
    /// The agent is done.
    Finished { summary: String, unknown_citations: Vec<String> },
}

/// Result of a child and of all agents below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ChildResult {
    /// The records, that of the child first.
    pub(super) agents: Vec<AgentRecord>,
    pub(super) notes: Vec<NotepadEntry>,
    pub(super) spent: Spent,
}

impl ActionEffect {
    /// Returns the effect in the data of an output; `None` for calls without one.
    pub(super) fn of(output: &ToolOutput) -> Option<Self> {
        serde_json::from_value(output.data.clone()?).ok()
    }
}

impl ChildResult {
    pub(super) fn of(child: AgentRun) -> Self {
        Self { agents: child.records(), spent: child.spent_in_all(), notes: child.notes }
    }
}

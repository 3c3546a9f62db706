//! Notes of the notepad.

use serde::{Deserialize, Serialize};

use super::topic::Topic;
use crate::repo::cut;
use crate::workflows::explore::agents::AgentId;
use crate::workflows::timestamp::Timestamp;

/// Maximum number of notes of one agent.
pub const MAX_AGENT_NOTES: u32 = 100;

/// Maximum length of a note, in characters; a longer one is cut.
pub const NOTE_CHARS: usize = 8_000;

/// Note of the notepad: a finding of an agent. Its author and its number identify it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotepadEntry {
    /// The topic.
    pub topic: Topic,
    /// The finding.
    pub content: String,
    /// The agent that wrote it.
    pub author: AgentId,
    /// Position among the notes of its author, from 1.
    pub number: u32,
    /// Start of the run. A time of arrival would differ between equal runs.
    pub at: Timestamp,
}

impl NotepadEntry {
    /// Returns the content, cut to the limit, and true if it was cut.
    pub fn fit(content: &str) -> (String, bool) {
        let content = cut(content, NOTE_CHARS);
        (content.to_string(), content.left_out > 0)
    }

    /// Returns author and number, by which notes are identified and ordered.
    pub(super) fn position(&self) -> (&AgentId, u32) {
        (&self.author, self.number)
    }
}

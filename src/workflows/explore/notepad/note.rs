//! A note of the notepad.

use serde::{Deserialize, Serialize};

use super::topic::Topic;
use crate::workflows::explore::agents::AgentId;
use crate::workflows::timestamp::Timestamp;

/// A note of the notepad. Its author and its number identify it.
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
    /// Returns the position among all notes.
    pub(super) fn position(&self) -> (&AgentId, u32) {
        (&self.author, self.number)
    }
}

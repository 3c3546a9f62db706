//! The results of an exploration, as parts of a state.

use serde::{Deserialize, Serialize};

use super::agents::AgentRecord;
use super::notepad::NotepadEntry;
use crate::agent::Spent;

/// The result of the root agent and of all agents below it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplorationResult {
    /// The notes, by topic, author and number.
    pub notes: Vec<NotepadEntry>,
    /// The agents, a parent before its children, the children by number. The first is the root.
    pub agents: Vec<AgentRecord>,
    /// The source files, by the agents that read them.
    pub coverage: ReadCoverage,
    /// Tokens, money and calls of all agents.
    pub spent: Spent,
}

/// The source files of the repository, by the agents that read them (EXP-69).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadCoverage {
    /// Files with the ids of the agents that read them, sorted.
    pub read: Vec<ReadFileEntry>,
    /// Files that no agent read, each with the agent whose scope it was in.
    pub unread: Vec<UnreadFileEntry>,
}

/// A file that agents read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadFileEntry {
    /// The path.
    pub path: String,
    /// The agents.
    pub agents: Vec<super::agents::AgentId>,
}

/// A file that no agent read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadFileEntry {
    /// The path.
    pub path: String,
    /// The deepest agent in whose scope it was.
    pub scope_of: super::agents::AgentId,
}

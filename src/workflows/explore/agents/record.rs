//! Record of an ended agent (EXP-68).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::id::AgentId;
use super::scope::AgentScope;
use crate::agent::AnswerTotals;

/// Record of an ended agent: a node of the tree of agents, as `agents.json` has it. `AgentRun::record`
/// makes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRecord {
    /// Its id.
    pub id: AgentId,
    /// Id of the agent that delegated to it; `None` for the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<AgentId>,
    /// Number of agents above it.
    pub depth: u32,
    /// The task that it was given.
    pub purpose: String,
    /// The part of the repository that it explored.
    pub scope: AgentScope,
    /// The way in which it ended.
    pub end: AgentEnd,
    /// Its findings for the parent, as a text.
    pub summary: String,
    /// Number of requests to the model.
    pub rounds: u32,
    /// Numbers of tool calls by name, including refused ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<String, u32>,
    /// Tokens and money that its own answers took, without those of its children.
    #[serde(default)]
    pub took: AnswerTotals,
    /// Notes that it wrote.
    pub notes: u32,
    /// Files that it read with a tool, sorted, relative to the repository.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// Paths that its summary or its notes cite but that do not exist (EXP-72).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_citations: Vec<String>,
}

/// End of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentEnd {
    /// It called `finish`.
    Finished,
    /// It stopped without `finish`; its last text is the summary (EXP-8).
    Stopped,
    /// It failed, or reached a limit. The text is the reason.
    Failed(String),
}

//! The facts by which rules decide the next calls of an agent.

use super::id::AgentId;
use super::record::AgentRecord;
use super::scope::AgentScope;
use crate::workflows::explore::rules::FindingIndex;

/// The facts by which rules decide the next calls of an agent. None of them depends on the order in which agents run at the same time, so
/// the notepad is not among them.
#[derive(Clone, Copy)]
pub struct AgentView<'a> {
    /// Id of the agent.
    pub id: &'a AgentId,
    /// Number of agents above it.
    pub depth: u32,
    /// Depth below which nothing is delegated (EXP-21).
    pub max_depth: u32,
    /// The task that it was given.
    pub purpose: &'a str,
    /// The knowledge of the parent.
    pub context_packet: &'a str,
    /// The part of the repository that it explores.
    pub scope: &'a AgentScope,
    /// The number of this answer, from 1.
    pub round: u32,
    /// Further agents that its part of the budget allows below it.
    pub agents_left: u32,
    /// The records of its own children that ended, in call order.
    pub children: &'a [&'a AgentRecord],
    /// The findings that rules can tell about the repository.
    pub findings: &'a FindingIndex,
}

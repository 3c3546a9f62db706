//! View of an agent for the rules that replace its model.

use super::id::AgentId;
use super::record::AgentRecord;
use super::scope::AgentScope;
use crate::workflows::explore::rules::FindingIndex;

/// Facts by which rules decide the next calls of an agent in place of a model. None of them depends on
/// the order in which agents run, so the notepad is not among them.
#[derive(Clone, Copy)]
pub struct AgentView<'a> {
    /// Id of the agent.
    pub id: &'a AgentId,
    /// Number of agents above it.
    pub depth: u32,
    /// Depth at which agents no longer delegate (EXP-21).
    pub max_depth: u32,
    /// The task that it was given.
    pub purpose: &'a str,
    /// Knowledge that the parent passed on.
    pub context_packet: &'a str,
    /// The part of the repository that it explores.
    pub scope: &'a AgentScope,
    /// Number of this answer, from 1.
    pub round: u32,
    /// Number of agents that may still be started below it.
    pub agents_left: u32,
    /// The records of its own children that ended, in call order.
    pub children: &'a [&'a AgentRecord],
    /// Findings of the rules about the whole repository.
    pub findings: &'a FindingIndex,
}

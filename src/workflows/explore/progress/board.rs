//! Live view of the agents at work: each with its scope, its last tool and its notes, and totals of the
//! tree.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{parse, shorten};
use crate::engine::{Event, EventKind};
use crate::llm::Money;
use crate::workflows::explore::agents::AgentId;
use crate::workflows::explore::events::ExplorationEvent;
use crate::workflows::workflow::LiveLines;

/// Agents at work and totals of the tree, updated by events, as lines for the live view.
#[derive(Debug, Default)]
pub(in super::super) struct AgentBoard {
    working: BTreeMap<AgentId, WorkingAgent>,
    agents: usize,
    notes: usize,
    tokens: u64,
    cost: Money,
}

/// Agent at work, as the live view shows it: its scope, its last tool and its number of notes.
#[derive(Debug, Default)]
struct WorkingAgent {
    scope: String,
    /// The tool that it called last.
    tool: String,
    notes: usize,
}

impl LiveLines for AgentBoard {
    fn observe(&mut self, event: &Event) {
        if let EventKind::Custom { data, .. } = &event.kind
            && let Some(event) = parse(data)
        {
            self.take(event);
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut totals =
            format!("{} agents, {} at work, {} notes", self.agents, self.working.len(), self.notes);
        if self.tokens > 0 {
            let _ = write!(totals, ", {} tokens, {} of those that ended", self.tokens, self.cost);
        }
        let lines = self.working.iter().map(|(id, agent)| {
            let indent = "  ".repeat(id.depth() as usize);
            let tool = if agent.tool.is_empty() { "begins" } else { &agent.tool };
            format!("{indent}{id} {}: {tool}, {} notes", agent.scope, agent.notes)
        });
        std::iter::once(totals).chain(lines).collect()
    }
}

impl AgentBoard {
    /// Updates the agents and totals by an event.
    fn take(&mut self, event: ExplorationEvent) {
        match event {
            ExplorationEvent::AgentSpawned { agent_id, scope, .. } => {
                let scope = if scope.is_empty() { ".".to_owned() } else { shorten(&scope) };
                self.agents += 1;
                self.working.insert(agent_id, WorkingAgent { scope, ..WorkingAgent::default() });
            }
            ExplorationEvent::AgentFinished { agent_id, tokens, cost, .. }
            | ExplorationEvent::AgentError { agent_id, tokens, cost, .. } => {
                self.working.remove(&agent_id);
                self.tokens += tokens;
                self.cost += cost;
            }
            ExplorationEvent::NotepadWrite { agent_id, .. } => {
                self.notes += 1;
                if let Some(agent) = self.working.get_mut(&agent_id) {
                    agent.notes += 1;
                }
            }
            ExplorationEvent::ToolStart { agent_id, tool, .. } => {
                if let Some(agent) = self.working.get_mut(&agent_id) {
                    agent.tool = shorten(&tool);
                }
            }
            _ => {}
        }
    }
}

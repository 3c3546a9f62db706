//! State of one agent. All agents run the same graph, each on a state of its own (EXP-2, EXP-5).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::allowance::AgentAllowance;
use super::id::AgentId;
use super::record::{AgentEnd, AgentRecord};
use super::scope::AgentScope;
use crate::agent::Spent;
use crate::engine::State;
use crate::llm::{MessageChange, Messages};
use crate::workflows::explore::notepad::NotepadEntry;
use crate::workflows::timestamp::Timestamp;

/// State of one agent: its conversation, its task, its limits, and the results of the agents below it.
#[derive(State, Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentRun {
    /// Conversation with the model.
    #[state(reduce = Messages::change, delta = MessageChange)]
    pub messages: Messages,
    /// Id of the agent.
    pub agent_id: AgentId,
    /// Id of the agent that delegated to it; `None` for the root.
    pub parent_id: Option<AgentId>,
    /// Its task.
    pub purpose: String,
    /// Knowledge that the parent passes on; at most 2,000 characters (EXP-23, EXP-70).
    pub context_packet: String,
    /// Absolute path of the repository.
    pub repo_root: PathBuf,
    /// Path of the folder or module that it explores, relative to the repository; empty for the repository.
    pub scope_path: String,
    /// Source files of its scope, sorted.
    pub scope_files: Vec<String>,
    /// Folders or modules inside its scope's folder that other agents explore; their files are not in
    /// the scope (EXP-67).
    pub taken_parts: Vec<TakenPart>,
    /// Number of agents above it; 0 for the root.
    pub depth: u32,
    /// Depth at which agents can no longer delegate.
    pub max_depth: u32,
    /// Its findings: set by `finish` (EXP-6), or its last text if it stops without (EXP-8).
    pub summary: String,
    /// Share in the limits of the tree.
    pub allowance: AgentAllowance,
    /// Start of the run, and time stamp of all notes.
    pub started: Timestamp,
    /// Times that it asked the model.
    pub rounds: u32,
    /// True after the reminder to call `finish` (EXP-8).
    pub reminded: bool,
    /// End of the agent; `None` while it runs.
    pub end: Option<AgentEnd>,
    /// Tokens and money of its own answers.
    pub spent: Spent,
    /// Tokens and money of the agents below it that ended.
    #[state(add)]
    pub spent_below: Spent,
    /// Calls of tools, by name; refused ones too.
    #[state(reduce = add_calls)]
    pub calls: BTreeMap<String, u32>,
    /// Its own notes, and those of the agents below it that ended.
    #[state(append)]
    pub notes: Vec<NotepadEntry>,
    /// Number of its own notes.
    #[state(add)]
    pub own_notes: u32,
    /// Number of children that it delegated to.
    #[state(add)]
    pub children: u32,
    /// The records of the agents below it that ended, a parent before its children.
    #[state(append)]
    pub agents: Vec<AgentRecord>,
    /// Files that it read with a tool.
    #[state(merge)]
    pub read: BTreeSet<String>,
    /// Paths that it cited and that do not exist.
    #[state(merge)]
    pub unknown_citations: BTreeSet<String>,
}

/// Folder or module that another agent explores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenPart {
    /// Its path.
    pub path: String,
    /// The agent.
    pub agent: AgentId,
}

impl AgentRun {
    /// Makes the initial state of an agent. Path of the repository, depth limit, time stamp and packet
    /// are set by the caller.
    pub fn new(id: AgentId, purpose: String, scope: AgentScope, allowance: AgentAllowance) -> Self {
        Self {
            messages: Messages::default(),
            parent_id: id.parent(),
            depth: id.depth(),
            agent_id: id,
            purpose,
            context_packet: String::new(),
            repo_root: PathBuf::new(),
            scope_path: scope.path,
            scope_files: scope.files,
            taken_parts: Vec::new(),
            max_depth: 0,
            summary: String::new(),
            allowance,
            started: Timestamp::default(),
            rounds: 0,
            reminded: false,
            end: None,
            spent: Spent::default(),
            spent_below: Spent::default(),
            calls: BTreeMap::new(),
            notes: Vec::new(),
            own_notes: 0,
            children: 0,
            agents: Vec::new(),
            read: BTreeSet::new(),
            unknown_citations: BTreeSet::new(),
        }
    }

    /// Returns the scope as a value of its own.
    pub fn scope(&self) -> AgentScope {
        AgentScope { path: self.scope_path.clone(), files: self.scope_files.clone() }
    }

    /// Returns the tokens and money of the agent and of all ended agents below it.
    pub fn spent_in_all(&self) -> Spent {
        let mut spent = self.spent.clone();
        spent += self.spent_below.clone();
        spent
    }

    /// Returns the records of its own children that ended, by number.
    pub fn children(&self) -> Vec<&AgentRecord> {
        self.agents.iter().filter(|record| record.parent.as_ref() == Some(&self.agent_id)).collect()
    }

    /// Returns the notes that it wrote itself.
    pub fn written_notes(&self) -> impl Iterator<Item = &NotepadEntry> {
        self.notes.iter().filter(|note| note.author == self.agent_id)
    }

    /// Returns the record of the agent. Without an end it counts as failed.
    pub fn record(&self) -> AgentRecord {
        let end = self.end.clone().unwrap_or_else(|| AgentEnd::Failed("it did not end".to_owned()));
        AgentRecord {
            id: self.agent_id.clone(),
            parent: self.parent_id.clone(),
            depth: self.depth,
            purpose: self.purpose.clone(),
            scope: self.scope(),
            end,
            summary: self.summary.clone(),
            rounds: self.rounds,
            calls: self.calls.clone(),
            took: self.spent.total(),
            notes: self.own_notes,
            read: self.read.iter().cloned().collect(),
            unknown_citations: self.unknown_citations.iter().cloned().collect(),
        }
    }

    /// Returns the records of the agent and of all agents below it that ended.
    pub fn records(&self) -> Vec<AgentRecord> {
        std::iter::once(self.record()).chain(self.agents.iter().cloned()).collect()
    }
}

fn add_calls(calls: &mut BTreeMap<String, u32>, more: BTreeMap<String, u32>) {
    for (tool, number) in more {
        let sum = calls.entry(tool).or_default();
        *sum = sum.saturating_add(number);
    }
}

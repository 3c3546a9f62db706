//! State of an exploration: plain data that checkpoints store, without keys, handles and texts of the
//! repository.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::agents::{AgentAllowance, AgentEnd, AgentId, AgentRecord, AgentRun, AgentScope};
use super::document::{DocumentOverview, DocumentPlan, ScopeSection, SectionNote};
use super::input::ExploreSettings;
use super::notepad::{Notepad, NotepadEntry};
use crate::agent::Spent;
use crate::engine::State;
use crate::workflows::timestamp::Timestamp;

/// Task of the root agent unless the user names another.
pub const DEFAULT_PURPOSE: &str = "Find out how the repository is built: its parts and their responsibilities, how they work together, \
                                   the decisions behind them, and what a newcomer must know before changing the code.";

/// State of an exploration: settings, the results of the agents, and the data of the document.
#[derive(State, Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExploreRun {
    /// The settings that the run began with.
    pub settings: ExploreSettings,
    /// Absolute path of the repository.
    pub repository: PathBuf,
    /// Name of the repository: that of its folder.
    pub name: String,
    /// Start of the run, which is the time stamp of everything that it stores.
    pub started: Timestamp,
    /// Source files of the repository, sorted; empty before the node `open`.
    pub source_files: Vec<String>,
    /// Result of the agents; `None` before they have ended.
    pub result: Option<ExplorationResult>,
    /// Scopes of the document; `None` before they are planned, and for runs without a document.
    pub plan: Option<DocumentPlan>,
    /// The sections of the document, in the order of the plan.
    pub sections: Vec<ScopeSection>,
    /// Findings of agents about the whole repository.
    pub general: Vec<SectionNote>,
    /// Overview of the document; `None` before the node `reduce`.
    pub overview: Option<DocumentOverview>,
    /// Document as Markdown; `None` before the node `render`.
    pub document: Option<String>,
    /// Reasons why the document lacks something.
    #[state(append)]
    pub warnings: Vec<String>,
    /// Messages to the user.
    #[state(append)]
    pub notes: Vec<String>,
    /// Files that were written, as the user named their folder.
    pub written: Vec<PathBuf>,
    /// Tokens, money and calls of all agents.
    #[state(add)]
    pub spent: Spent,
}

impl ExploreRun {
    /// Makes the state of a run that has not begun.
    pub fn new(settings: ExploreSettings, repository: PathBuf, name: String, started: Timestamp) -> Self {
        Self {
            settings,
            repository,
            name,
            started,
            source_files: Vec::new(),
            result: None,
            plan: None,
            sections: Vec::new(),
            general: Vec::new(),
            overview: None,
            document: None,
            warnings: Vec::new(),
            notes: Vec::new(),
            written: Vec::new(),
            spent: Spent::default(),
        }
    }

    /// Returns the initial state of the root agent.
    pub fn root_agent(&self) -> AgentRun {
        let limits = self.settings.limits;
        let allowance = AgentAllowance { budget: limits.budget, agents: limits.agents.saturating_sub(1) };
        let scope = AgentScope { path: String::new(), files: self.source_files.clone() };
        let purpose = self.settings.purpose.clone().unwrap_or_else(|| DEFAULT_PURPOSE.to_owned());
        AgentRun {
            repo_root: self.repository.clone(),
            max_depth: self.settings.max_depth,
            started: self.started,
            ..AgentRun::new(AgentId::root(), purpose, scope, allowance)
        }
    }
}

/// Result of the root agent and all agents below it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplorationResult {
    /// The notes, by topic, author and number.
    pub notes: Vec<NotepadEntry>,
    /// The agents, a parent before its children, the children by number. The first is the root.
    pub agents: Vec<AgentRecord>,
    /// Source files by the agents that read them.
    pub coverage: ReadCoverage,
    /// Tokens, money and calls of all agents.
    pub spent: Spent,
}

impl ExplorationResult {
    /// Makes the result from the state of the ended root agent.
    pub fn of(root: &AgentRun) -> Self {
        let mut agents = root.records();
        agents.sort_by(|one, other| one.id.cmp(&other.id));
        Self {
            notes: Notepad::of(root.notes.iter().cloned()).notes(),
            coverage: ReadCoverage::of(&agents),
            agents,
            spent: root.spent_in_all(),
        }
    }

    /// Returns the record of the root agent.
    pub fn root(&self) -> Option<&AgentRecord> {
        self.agents.first()
    }

    /// Returns true if no agent failed or reached a limit.
    pub fn is_complete(&self) -> bool {
        !self.agents.iter().any(|agent| matches!(agent.end, AgentEnd::Failed(_)))
    }
}

/// Coverage of the source files by the agents that read them (EXP-69).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadCoverage {
    /// Files with the ids of the agents that read them, sorted.
    pub read: Vec<ReadFileEntry>,
    /// Files that no agent read, each with the agent whose scope it was in.
    pub unread: Vec<UnreadFileEntry>,
}

/// Source file with the agents that read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadFileEntry {
    /// The path.
    pub path: String,
    /// The agents.
    pub agents: Vec<AgentId>,
}

/// Source file that no agent read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadFileEntry {
    /// The path.
    pub path: String,
    /// Deepest agent in whose scope the file was.
    pub scope_of: AgentId,
}

impl ReadCoverage {
    /// Returns the coverage by the agents of a tree, which come parents before children. Files outside
    /// of the root's scope do not count.
    pub fn of(agents: &[AgentRecord]) -> Self {
        let mut owners: BTreeMap<&String, &AgentId> = BTreeMap::new();
        let mut readers: BTreeMap<&String, Vec<AgentId>> = BTreeMap::new();
        for agent in agents {
            // A later agent is deeper, or has other files.
            owners.extend(agent.scope.files.iter().map(|file| (file, &agent.id)));
            for file in &agent.read {
                readers.entry(file).or_default().push(agent.id.clone());
            }
        }
        let mut coverage = Self::default();
        for (path, owner) in owners {
            match readers.remove(path) {
                Some(agents) => coverage.read.push(ReadFileEntry { path: path.clone(), agents }),
                None => coverage.unread.push(UnreadFileEntry { path: path.clone(), scope_of: owner.clone() }),
            }
        }
        coverage
    }
}

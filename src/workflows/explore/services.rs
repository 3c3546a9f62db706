//! Services of the nodes: the model, the prompts, the repository, the notepad, the events. None of it
//! is stored: after a resume the notepad is filled from the states of the agents, and the repository is
//! read again.

mod citations;
mod deadline;
mod repository;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::{OnceCell, Semaphore};

use super::agents::{AgentEnd, AgentId, AgentRun};
use super::events::{EventLog, ExplorationEvent};
use super::input::ExploreSettings;
use super::notepad::{Notepad, NotepadEntry, WriteEffect};
use super::tools;
use crate::agent::Toolbox;
use crate::agent::around::off_the_tape;
use crate::engine::{CompiledGraph, Cx, NodeError, NodeResult};
use crate::llm::{EmbeddedPrompt, Messages, Prices, Prompts, SharedModel, Tape};
use crate::mcp::McpServers;
use crate::workflows::node_errors::{prompt_error, viewer_error};
use crate::workflows::tool_servers::AgentTools;

pub use deadline::TreeDeadline;
pub use repository::ExploredRepository;

/// Embedded prompts, by their file names in `prompts/explore`. A changed text changes the behaviour of
/// all agents (EXP-64).
pub const PROMPTS: &[EmbeddedPrompt] = &[
    ("agent.system.md", include_str!("../../../prompts/explore/agent.system.md")),
    ("agent.user.md", include_str!("../../../prompts/explore/agent.user.md")),
    ("reminder.user.md", include_str!("../../../prompts/explore/reminder.user.md")),
];

/// Compiled graph that all agents run (EXP-4).
pub type AgentGraph = CompiledGraph<AgentRun, ExploreServices>;

/// Services of the nodes of both graphs. Those of a viewer have no resources; with them nodes fail.
#[derive(Clone, Default)]
pub struct ExploreServices {
    run: Option<Arc<RunServices>>,
}

/// Resources of one run, and the compiled graph of its agents.
struct RunServices {
    resources: ExploreResources,
    /// Graph of the agents, compiled with viewer services. `ExploreServices::agents` replaces these by
    /// the services of the run, so that graph and services do not keep each other alive.
    agents: AgentGraph,
}

/// Resources of one run that all of its agents share.
pub struct ExploreResources {
    /// The model; `None` where rules explore.
    pub model: Option<SharedModel>,
    /// Prices of answers that state no cost; `None` if they are not known.
    pub prices: Option<Prices>,
    /// The compiled prompts.
    pub prompts: Prompts,
    /// The repository.
    pub repository: Arc<ExploredRepository>,
    /// The settings of the run.
    pub settings: ExploreSettings,
    /// The notes of all agents.
    pub notepad: Arc<Notepad>,
    /// The stream of events.
    pub events: EventLog,
    /// The tape that records everything that is read from outside.
    pub tape: Tape,
    /// Working folder, where relative paths start.
    pub folder: std::path::PathBuf,
    /// The time limit of the tree.
    pub deadline: TreeDeadline,
    /// Limits the number of agents that ask a model at the same time.
    pub slots: Semaphore,
    /// Tools of all agents, without those of servers.
    pub toolbox: Toolbox,
    /// Servers whose tools all agents can use; `None` unless the user named some.
    pub foreign: Option<McpServers>,
    all_tools: OnceCell<AgentTools>,
    /// Newest states of the running agents, without their conversations, for the case that a step
    /// fails.
    running: Mutex<BTreeMap<AgentId, AgentRun>>,
}

impl ExploreResources {
    /// Makes the resources of a run. Without a model rules explore; events go to no file, and nothing
    /// is recorded.
    pub fn new(
        model: Option<SharedModel>,
        prompts: Prompts,
        repository: Arc<ExploredRepository>,
        settings: ExploreSettings,
    ) -> Self {
        let notepad = Arc::new(Notepad::default());
        let toolbox = tools::build_toolbox(&repository, &notepad);
        Self {
            model,
            prices: None,
            prompts,
            repository,
            notepad,
            events: EventLog::default(),
            tape: Tape::Off,
            folder: std::path::PathBuf::new(),
            deadline: TreeDeadline::seconds(settings.limits.seconds),
            slots: Semaphore::new(settings.parallel.max(1) as usize),
            toolbox,
            running: Mutex::default(),
            foreign: None,
            all_tools: OnceCell::new(),
            settings,
        }
    }

    /// Returns all tools of the agents. The servers are asked for their tools once a run; a replay
    /// takes the list from the tape.
    pub async fn tools(&self) -> NodeResult<&AgentTools> {
        let list = || AgentTools::list(self.toolbox.clone(), self.foreign.as_ref(), &self.tape);
        self.all_tools.get_or_try_init(list).await
    }

    /// Returns true if rules explore instead of a language model.
    pub fn is_rules(&self) -> bool {
        self.model.is_none()
    }

    /// Reads the repository on a blocking thread. The result passes through the tape under `name` and
    /// `input`, so that a replay reads no file.
    pub async fn read<T>(
        &self,
        name: &str,
        input: Value,
        read: impl FnOnce(&ExploredRepository) -> T + Send + 'static,
    ) -> NodeResult<T>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        let repository = self.repository.clone();
        let reading =
            async { Ok::<_, NodeError>(tokio::task::spawn_blocking(move || read(&repository)).await?) };
        self.tape.effect(name, input, off_the_tape, reading).await
    }

    /// Stores the state of a child at the beginning of its step; the root is not stored.
    pub(super) fn remember(&self, agent: &AgentRun) {
        if agent.parent_id.is_some() {
            let kept = AgentRun { messages: Messages::default(), ..agent.clone() };
            self.lock_running().insert(agent.agent_id.clone(), kept);
        }
    }

    /// Returns everything that is known of a child whose step failed: its state before the step, the
    /// notes that it and the agents below it have written, and these agents as failed. `begun` is the
    /// state with which it started.
    pub(super) fn recall(&self, begun: &AgentRun) -> AgentRun {
        let running = self.lock_running();
        let mut known = running.get(&begun.agent_id).unwrap_or(begun).clone();
        let written = self.notepad.notes();
        let own_notes =
            |id: &AgentId| u32::try_from(written.iter().filter(|note| note.author == *id).count());
        // The agents below it ended with it.
        for (id, below) in
            running.iter().filter(|(id, _)| id.is_inside(&begun.agent_id) && **id != begun.agent_id)
        {
            let end = Some(AgentEnd::Failed("the agent above it failed".to_owned()));
            let own_notes = own_notes(id).unwrap_or(u32::MAX);
            known.agents.extend(AgentRun { end, own_notes, ..below.clone() }.records());
            known.spent_below += below.spent.clone();
            known.spent_below += below.spent_below.clone();
        }
        known.own_notes = own_notes(&begun.agent_id).unwrap_or(u32::MAX);
        let inside = written.into_iter().filter(|note| note.author.is_inside(&begun.agent_id));
        known.notes = Notepad::of(known.notes.drain(..).chain(inside)).notes();
        known
    }

    /// Drops the stored states of an ended child and of the agents below it.
    pub(super) fn forget(&self, id: &AgentId) {
        self.lock_running().retain(|running, _| !running.is_inside(id));
    }

    fn lock_running(&self) -> MutexGuard<'_, BTreeMap<AgentId, AgentRun>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Renders a prompt by its file name.
    pub fn render(&self, name: &str, variables: &impl Serialize) -> NodeResult<String> {
        self.prompts.render(name, variables).map_err(prompt_error)
    }

    /// Writes an event to the log and sends it to subscribers of the run, unless the log has it
    /// already.
    pub fn tell(&self, cx: &Cx<ExploreServices>, event: ExplorationEvent) -> NodeResult<()> {
        self.tell_all(cx, [event])
    }

    /// Writes several events to the log without others between them, and sends those that are new.
    pub fn tell_all(
        &self,
        cx: &Cx<ExploreServices>,
        events: impl IntoIterator<Item = ExplorationEvent>,
    ) -> NodeResult<()> {
        let mut log = self.events.lock();
        for event in events {
            // Sent under the lock, so that subscribers get the events in the order of their numbers.
            if let Some(told) = log.tell(event)? {
                cx.emit(told.event.name(), &*told)?;
            }
        }
        Ok(())
    }

    /// Adds a note to the notepad and announces it, unless it is there already (EXP-32, EXP-35).
    pub fn write_note(&self, cx: &Cx<ExploreServices>, note: &NotepadEntry) -> NodeResult<()> {
        let mut log = self.events.lock();
        if self.notepad.write(note.clone()) == WriteEffect::Known {
            return Ok(());
        }
        for event in ExplorationEvent::written(note) {
            if let Some(told) = log.tell(event)? {
                cx.emit(told.event.name(), &*told)?;
            }
        }
        Ok(())
    }
}

impl ExploreServices {
    /// Returns services that only allow viewing stored threads; their nodes fail.
    pub fn viewer() -> Self {
        Self { run: None }
    }

    /// Makes the services of a run. `agents` is the compiled graph of the agents.
    pub fn new(resources: ExploreResources, agents: AgentGraph) -> Self {
        Self { run: Some(Arc::new(RunServices { resources, agents })) }
    }

    /// Returns the resources of the run. Fails for the services of a viewer.
    pub fn resources(&self) -> NodeResult<&ExploreResources> {
        Ok(&self.run()?.resources)
    }

    /// Returns the graph of the agents with these services. Fails for the services of a viewer.
    pub fn agents(&self) -> NodeResult<AgentGraph> {
        Ok(self.run()?.agents.clone().with_services(Arc::new(self.clone())))
    }

    fn run(&self) -> NodeResult<&RunServices> {
        self.run.as_deref().ok_or_else(viewer_error)
    }
}

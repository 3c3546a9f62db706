//! A repository in a folder, a model that answers by a script of the agent that asks, and whole explorations.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use stategraph::engine::CheckpointStore;
use stategraph::engine::{Durability, RunError, ThreadId};
use stategraph::llm::{
    AnswerFuture, ChatAnswer, ChatModel, ChatRequest, Finish, ModelError, ModelErrorKind, ModelName, Prompts,
    Role, TokenDemand, TokenSink, ToolCall, Usage, UsageSource,
};
use stategraph::repo::Root;
use stategraph::store::MemoryStore;
use stategraph::workflows::Timestamp;
use stategraph::workflows::explore::agents::{AgentEnd, AgentRecord};
use stategraph::workflows::explore::events::{EventLog, ExplorationEvent, NumberedEvent, read_log};
use stategraph::workflows::explore::exploration_graph;
use stategraph::workflows::explore::input::ExploreSettings;
use stategraph::workflows::explore::services::{ExploreResources, ExploredRepository, PROMPTS};
use stategraph::workflows::explore::state::{ExplorationResult, ExploreRun};
use tempfile::TempDir;

/// One request of an agent.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    /// Id of the agent.
    pub(super) id: String,
    /// Number of the answer, from 1.
    pub(super) answer: usize,
    /// The whole request.
    pub(super) request: ChatRequest,
}

impl Ask {
    /// Returns the content of the newest message.
    pub(super) fn last(&self) -> &str {
        &self.request.messages.last().unwrap().content
    }

    /// Returns the results of the newest calls, in order.
    pub(super) fn results(&self) -> Vec<Value> {
        let newest = self.request.messages.iter().rev().take_while(|message| message.role == Role::Tool);
        let mut results: Vec<Value> =
            newest.map(|message| serde_json::from_str(&message.content).unwrap()).collect();
        results.reverse();
        results
    }

    pub(super) fn depth(&self) -> usize {
        self.id.matches('.').count()
    }

    fn of(request: &ChatRequest) -> Self {
        let system = &request.messages[0].content;
        let (_, rest) = system.split_once("You are agent ").expect("the prompt names the agent");
        let id = rest.split([',', ' ']).next().unwrap().to_owned();
        let answers = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
        Self { id, answer: answers + 1, request: request.clone() }
    }
}

/// An answer of a script.
#[derive(Debug, Clone, Default)]
pub(super) struct Says {
    pub(super) text: String,
    pub(super) calls: Vec<ToolCall>,
    pub(super) tokens: u64,
    pub(super) fails: bool,
}

/// Returns an answer with calls.
pub(super) fn call(calls: impl IntoIterator<Item = (&'static str, Value)>) -> Says {
    let calls = calls.into_iter().enumerate().map(|(index, (name, arguments))| ToolCall {
        id: format!("c{index}"),
        name: name.to_owned(),
        arguments: arguments.to_string(),
    });
    Says { calls: calls.collect(), ..Says::default() }
}

/// Returns an answer without calls.
pub(super) fn text(text: &str) -> Says {
    Says { text: text.to_owned(), ..Says::default() }
}

pub(super) fn delegate(target: &str) -> (&'static str, Value) {
    ("delegate", json!({ "target": target, "purpose": format!("look at {target}") }))
}

pub(super) fn note(topic: &str, content: &str) -> (&'static str, Value) {
    ("write_notepad", json!({ "topic": topic, "content": content }))
}

pub(super) fn finish(summary: &str) -> (&'static str, Value) {
    ("finish", json!({ "summary": summary }))
}

type Script = dyn Fn(&Ask) -> Says + Send + Sync;

/// A model that answers by a script, and keeps the requests.
pub(super) struct TreeModel {
    name: ModelName,
    script: Box<Script>,
    asked: Mutex<Vec<Ask>>,
    /// False once the process of the model counts as killed: it answers nothing more.
    is_alive: Box<dyn Fn() -> bool + Send + Sync>,
}

impl TreeModel {
    pub(super) fn new(script: impl Fn(&Ask) -> Says + Send + Sync + 'static) -> Arc<Self> {
        Self::living(script, || true)
    }

    /// Makes a model that answers as long as the process counts as alive.
    pub(super) fn living(
        script: impl Fn(&Ask) -> Says + Send + Sync + 'static,
        is_alive: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Arc<Self> {
        let name = "test/tree".into();
        Arc::new(Self {
            name,
            script: Box::new(script),
            asked: Mutex::default(),
            is_alive: Box::new(is_alive),
        })
    }

    /// Returns the requests so far.
    pub(super) fn asked(&self) -> Vec<Ask> {
        self.asked.lock().unwrap().clone()
    }

    /// Returns the request for an answer of an agent.
    pub(super) fn ask(&self, id: &str, answer: usize) -> Ask {
        let asked = self.asked();
        let found = asked.iter().find(|ask| ask.id == id && ask.answer == answer);
        found.unwrap_or_else(|| panic!("agent {id} did not ask for answer {answer}")).clone()
    }

    /// Returns the number of requests of each agent and answer.
    pub(super) fn counts(&self) -> BTreeMap<(String, usize), usize> {
        let mut counts = BTreeMap::new();
        for ask in self.asked() {
            *counts.entry((ask.id, ask.answer)).or_default() += 1;
        }
        counts
    }
}

impl ChatModel for TreeModel {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        let ask = Ask::of(request);
        let is_alive = (self.is_alive)();
        let says = if is_alive { (self.script)(&ask) } else { Says { fails: true, ..Says::default() } };
        if is_alive {
            self.asked.lock().unwrap().push(ask);
        }
        let answer = if says.fails {
            Err(ModelError::new(&self.name, ModelErrorKind::ScriptEnded { answers: 0, question: 1 }))
        } else {
            if sink.token_demand() == TokenDemand::Tokens {
                says.text.split_inclusive(' ').for_each(|piece| sink.token(piece));
            }
            let usage =
                Usage { prompt_tokens: says.tokens, completion_tokens: 1, source: UsageSource::Reported };
            let finish = if says.calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
            let model = self.name.to_string();
            Ok(ChatAnswer { text: says.text, tool_calls: says.calls, usage, cost: None, model, finish })
        };
        // Others run meanwhile, so that agents that work at the same time take turns.
        async move {
            tokio::task::yield_now().await;
            answer
        }
        .boxed()
    }
}

/// A working folder with a repository in `repo`.
pub(super) struct Place {
    pub(super) folder: TempDir,
}

/// An exploration of a place.
pub(super) struct Exploring {
    pub(super) settings: ExploreSettings,
    pub(super) model: Option<Arc<TreeModel>>,
    pub(super) store: Option<Arc<dyn CheckpointStore>>,
    pub(super) durability: Durability,
}

/// The end of an exploration.
#[derive(Debug)]
pub(super) struct Explored {
    pub(super) result: ExplorationResult,
    pub(super) events: Vec<NumberedEvent>,
}

impl Place {
    /// Makes a repository of these files; each has a line of code.
    pub(super) fn new(files: &[&str]) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        for file in files {
            place.write(&format!("repo/{file}"), "pub fn work() {}\n");
        }
        place
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(super) fn events_path(&self) -> std::path::PathBuf {
        self.path().join("explorations/repo/events.jsonl")
    }

    /// Returns the events of the log.
    pub(super) fn events(&self) -> Vec<NumberedEvent> {
        let mut events = Vec::new();
        read_log(&self.events_path(), |event| events.push(event)).unwrap();
        events
    }

    pub(super) fn resources(&self, exploring: &Exploring) -> ExploreResources {
        let root = Root::open(self.path().join("repo")).unwrap();
        let own = self.path().join("explorations/repo");
        let repository = Arc::new(ExploredRepository::new(root, &[own], None));
        let prompts = Prompts::new(PROMPTS).unwrap();
        let model = exploring.model.clone().map(|model| -> Arc<dyn ChatModel> { model });
        let mut resources = ExploreResources::new(model, prompts, repository, exploring.settings.clone());
        resources.folder = self.path().into();
        resources.events = EventLog::at(self.events_path());
        resources
    }

    pub(super) fn run_state(&self, exploring: &Exploring) -> ExploreRun {
        let root = self.path().join("repo").canonicalize().unwrap();
        let started = Timestamp::from_ms(1_705_314_600_000);
        ExploreRun::new(exploring.settings.clone(), root, "repo".to_owned(), started)
    }

    /// Explores with a script and the default settings.
    pub(super) async fn explore(&self, model: &Arc<TreeModel>) -> Explored {
        Exploring::with(model).run(self).await.unwrap()
    }
}

impl Exploring {
    pub(super) fn with(model: &Arc<TreeModel>) -> Self {
        let settings = ExploreSettings { model: "test/tree".to_owned(), ..ExploreSettings::default() };
        Self { settings, model: Some(model.clone()), store: None, durability: Durability::default() }
    }

    pub(super) fn by_rules() -> Self {
        let settings = ExploreSettings::default();
        Self { settings, model: None, store: None, durability: Durability::default() }
    }

    pub(super) fn set(mut self, change: impl FnOnce(&mut ExploreSettings)) -> Self {
        change(&mut self.settings);
        self
    }

    pub(super) fn store(mut self, store: Arc<dyn CheckpointStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Runs from the beginning.
    pub(super) async fn run(&self, place: &Place) -> Result<Explored, RunError> {
        let store = self.store.clone().unwrap_or_else(|| Arc::new(MemoryStore::new()));
        let graph = exploration_graph(place.resources(self)).with_store(store);
        let run = graph.run(place.run_state(self)).thread(thread()).durability(self.durability);
        let end = run.await?;
        Ok(Explored { result: end.state.result.unwrap(), events: place.events() })
    }

    /// Goes on with the thread of the store, in a process of its own.
    pub(super) async fn resume(&self, place: &Place) -> Result<Explored, RunError> {
        let graph = exploration_graph(place.resources(self)).with_store(self.store.clone().unwrap());
        let end = graph.resume(&thread()).durability(self.durability).await?;
        Ok(Explored { result: end.state.result.unwrap(), events: place.events() })
    }
}

pub(super) fn thread() -> ThreadId {
    ThreadId::from_parts(&["explore-test"])
}

impl Explored {
    pub(super) fn agent(&self, id: &str) -> &AgentRecord {
        let found = self.result.agents.iter().find(|agent| agent.id.to_string() == id);
        found.unwrap_or_else(|| panic!("there is no agent {id}"))
    }

    pub(super) fn ids(&self) -> Vec<String> {
        self.result.agents.iter().map(|agent| agent.id.to_string()).collect()
    }

    /// Returns the notes as topic, content, author and number.
    pub(super) fn notes(&self) -> Vec<(String, String, String, u32)> {
        let note = |note: &stategraph::workflows::explore::notepad::NotepadEntry| {
            (note.topic.to_string(), note.content.clone(), note.author.to_string(), note.number)
        };
        self.result.notes.iter().map(note).collect()
    }

    pub(super) fn failure(&self, id: &str) -> &str {
        match &self.agent(id).end {
            AgentEnd::Failed(reason) => reason,
            end => panic!("agent {id} did not fail: {end:?}"),
        }
    }

    /// Returns the events of this name, as JSON.
    pub(super) fn named(&self, name: &str) -> Vec<Value> {
        let named = self.events.iter().filter(|event| event.event.name() == name);
        named.map(|event| serde_json::to_value(event).unwrap()).collect()
    }
}

/// Asserts the rules of the stream: numbers without gaps, one end for each agent and each call, topics created once.
#[track_caller]
pub(super) fn assert_whole(events: &[NumberedEvent]) {
    let mut open: BTreeMap<String, u32> = BTreeMap::new();
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event.seq, index as u64 + 1, "the numbers have a gap");
        let (key, change) = match &event.event {
            ExplorationEvent::AgentSpawned { agent_id, .. } => (format!("agent {agent_id}"), 1),
            ExplorationEvent::AgentFinished { agent_id, .. }
            | ExplorationEvent::AgentError { agent_id, .. } => (format!("agent {agent_id}"), 2),
            ExplorationEvent::ToolStart { agent_id, call, .. } => (format!("call {agent_id} {call}"), 1),
            ExplorationEvent::ToolEnd { agent_id, call, .. }
            | ExplorationEvent::ToolError { agent_id, call, .. } => (format!("call {agent_id} {call}"), 2),
            ExplorationEvent::NotepadCreated { topic, .. } => (format!("topic {topic}"), 3),
            ExplorationEvent::NotepadWrite { topic, author, number, .. } => {
                assert!(
                    open.contains_key(&format!("topic {topic}")),
                    "{topic} was written before it was created"
                );
                (format!("note {author} {number}"), 3)
            }
            ExplorationEvent::LlmToken { .. } => continue,
        };
        let before = open.insert(key.clone(), change);
        let expected = if change == 2 { Some(1) } else { None };
        assert_eq!(before, expected, "{key} at event {}", event.seq);
    }
    let unended: Vec<&String> = open.iter().filter(|(_, state)| **state == 1).map(|(key, _)| key).collect();
    assert!(unended.is_empty(), "these have no end: {unended:?}");
}

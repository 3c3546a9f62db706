//! Documentation runs with a scripted model over a small repository in a temporary folder.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use stategraph::definition::Definition;
use stategraph::engine::{
    CheckpointStore, Clock, CompiledGraph, Event, EventKinds, Outcome, RunError, RunRequest, ThreadId,
};
use stategraph::llm::{
    AnswerFuture, ChatAnswer, ChatModel, ChatRequest, Finish, Message, ModelError, ModelErrorKind, ModelName,
    Money, Prompts, Role, SharedModel, TokenSink, ToolCall, Usage, UsageSource,
};
use stategraph::repo::Root;
use stategraph::store::MemoryStore;
use stategraph::workflows::doc_phases::input::{DocSettings, Mode};
use stategraph::workflows::doc_phases::services::{DocServices, PROMPTS, open_memory};
use stategraph::workflows::doc_phases::state::Documentation;
use stategraph::workflows::doc_phases::{GRAPH, registry, status_line};

/// Compiled graph of the runs.
pub(super) type Graph = CompiledGraph<Documentation, DocServices>;

/// Start of the first run.
pub(super) const STARTED: u64 = 1_705_314_600_000;

/// Files of the repository: two components and a program.
const FILES: [(&str, &str); 7] = [
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
    ("README.md", "# Shop\n\nSells bread.\n"),
    ("src/main.rs", "//! The shop.\n\nmod auth;\nmod store;\n\nfn main() {\n    auth::login(\"you\");\n}\n"),
    (
        "src/auth/mod.rs",
        "//! Who may buy.\n\nuse crate::store;\n\n/// Lets somebody in.\npub fn login(name: &str) -> bool {\n    store::knows(name)\n}\n",
    ),
    ("src/auth/token.rs", "//! Tokens.\n\n/// A token.\npub struct Token(pub String);\n"),
    (
        "src/store/mod.rs",
        "//! Keeps customers.\n\n/// Whether a customer is known.\npub fn knows(name: &str) -> bool {\n    !name.is_empty()\n}\n",
    ),
    ("notes.txt", "Nothing of interest.\n"),
];

/// Setup of a run: a repository, a store of threads, settings.
pub(super) struct Kit {
    pub(super) folder: tempfile::TempDir,
    pub(super) store: MemoryStore,
    pub(super) settings: DocSettings,
    pub(super) mode: Mode,
    pub(super) started: u64,
}

impl Kit {
    /// Returns a setup with the small repository.
    pub(super) fn new() -> Self {
        let kit = Self::empty();
        FILES.iter().for_each(|(path, text)| kit.write(path, text));
        kit
    }

    /// Returns a setup with an empty repository.
    pub(super) fn empty() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            store: MemoryStore::new(),
            settings: DocSettings { model: "test/model".to_owned(), ..DocSettings::default() },
            mode: Mode::Full,
            started: STARTED,
        }
    }

    /// Changes the settings.
    pub(super) fn set(mut self, change: impl FnOnce(&mut DocSettings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// Returns the setup of the next run in the same repository, some seconds later.
    pub(super) fn next(mut self, mode: Mode) -> Self {
        self.started += 60_000;
        self.mode = mode;
        self
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(path))
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(super) fn root(&self) -> Root {
        Root::open(self.folder.path()).unwrap()
    }

    /// Returns the initial state.
    pub(super) fn state(&self) -> Documentation {
        Documentation::new(self.root().absolute().to_owned(), self.started, self.mode, self.settings.clone())
    }

    /// Returns the thread of the run.
    pub(super) fn thread(&self) -> ThreadId {
        ThreadId::new(self.state().session_id).unwrap()
    }

    /// Returns the services of the nodes.
    pub(super) fn services(&self, model: SharedModel) -> DocServices {
        let run = self.state();
        let memory = open_memory(&self.root(), run.started).unwrap();
        let prompts = Prompts::new(PROMPTS).unwrap();
        let services = DocServices::new(self.root(), memory, model, prompts, &run).unwrap();
        services.with_clock(Clock::fixed(self.started))
    }

    /// Compiles the graph, which keeps a memory open until it is dropped.
    pub(super) fn graph(&self, model: SharedModel) -> Graph {
        self.graph_in(model, Arc::new(self.store.clone()))
    }

    pub(super) fn graph_in(&self, model: SharedModel, store: Arc<dyn CheckpointStore>) -> Graph {
        self.graph_of(self.services(model), store)
    }

    pub(super) fn graph_of(&self, services: DocServices, store: Arc<dyn CheckpointStore>) -> Graph {
        let graph = Definition::parse(GRAPH.text, GRAPH.file).unwrap().build(&registry()).unwrap();
        let graph = graph.compile_with(services).unwrap();
        let graph = graph.with_max_concurrency(self.state().settings.parallel as usize);
        graph.with_store(store).with_clock(Clock::fixed(self.started))
    }

    /// Runs from the start.
    pub(super) async fn run(&self, player: &Arc<Player>) -> Result<Outcome<Documentation>, RunError> {
        self.graph(player.clone()).run(self.state()).thread(self.thread()).await
    }

    /// Runs from the start and expects success.
    pub(super) async fn done(&self, player: &Arc<Player>) -> Documentation {
        self.run(player).await.expect("it ends").state
    }

    /// Runs and returns the progress lines.
    pub(super) async fn lines(&self, player: &Arc<Player>) -> (Vec<String>, Documentation) {
        let graph = self.graph(player.clone());
        let (events, outcome) = watched(graph.run(self.state()).thread(self.thread())).await;
        (events.iter().filter_map(status_line).collect(), outcome.state)
    }

    /// Returns all files below a folder of the repository, with their text.
    pub(super) fn tree(&self, folder: &str) -> BTreeMap<String, String> {
        fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) {
            let Ok(entries) = std::fs::read_dir(folder) else { return };
            for path in entries.map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    walk(root, &path, found);
                } else {
                    let name = path.strip_prefix(root).unwrap().display().to_string();
                    let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                    found.insert(name, text);
                }
            }
        }
        let (root, mut found) = (self.folder.path().join(folder), BTreeMap::new());
        walk(&root, &root, &mut found);
        found
    }

    /// Returns the files of memory and the documents.
    pub(super) fn outcome(&self) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        for folder in [".agentic/memory", ".agentic/documentation"] {
            all.extend(self.tree(folder).into_iter().map(|(name, text)| (format!("{folder}/{name}"), text)));
        }
        all
    }
}

/// Runs and collects the events.
pub(super) async fn watched(
    request: RunRequest<Documentation, DocServices>,
) -> (Vec<Event>, Outcome<Documentation>) {
    let mut stream = request.stream(EventKinds::CUSTOM).await.expect("it starts");
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event);
    }
    (events, stream.outcome().expect("the stream has ended").expect("it ends"))
}

/// Position of a model request: phase, component and round.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Asked {
    pub(super) phase: String,
    pub(super) component: String,
    pub(super) round: u32,
}

impl Asked {
    fn by(request: &ChatRequest) -> Self {
        let said = request.messages.iter().filter(|message| message.role == Role::User);
        let context = &said.map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n");
        let after = |word: &str| context.split_once(word).map(|(_, rest)| rest).unwrap_or_default();
        let phase = after("Phase: ").split(',').next().unwrap().to_owned();
        let round = after(", round ").split(' ').next().unwrap().parse().unwrap();
        let component = after(": id \"").split('"').next().unwrap_or_default().to_owned();
        Self { phase, component, round }
    }
}

/// Scripted answer of a model.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) calls: Vec<(String, Value)>,
    pub(super) fails: bool,
}

/// Returns a text answer.
pub(super) fn says(text: impl Into<String>) -> Said {
    Said { text: text.into(), ..Said::default() }
}

/// Returns an answer with tool calls.
pub(super) fn calls<const N: usize>(calls: [(&str, Value); N]) -> Said {
    let calls = calls.into_iter().map(|(tool, arguments)| (tool.to_owned(), arguments)).collect();
    Said { calls, ..Said::default() }
}

/// Returns the completion of a phase.
pub(super) fn complete(summary: &str) -> Said {
    says(format!(
        "<phase_complete>\n{{\"findings_summary\": {}, \"confidence\": 0.9}}\n</phase_complete>",
        json!(summary)
    ))
}

type Play = Box<dyn Fn(&Asked) -> Said + Send + Sync>;

/// A model whose answers depend on the position of the request alone, so runs may be killed, resumed and parallel. Counts every
/// request.
pub(super) struct Player {
    name: ModelName,
    play: Play,
    asked: Mutex<Vec<(Asked, ChatRequest)>>,
    /// Price of an answer, in dollars.
    price: Option<f64>,
}

impl Player {
    pub(super) fn new(play: impl Fn(&Asked) -> Said + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            name: "test/model".into(),
            play: Box::new(play),
            asked: Mutex::default(),
            price: None,
        })
    }

    /// Returns a model for the usual run.
    pub(super) fn usual() -> Arc<Self> {
        Self::new(usual)
    }

    /// Returns a model for the usual run, except for the positions that `instead` answers.
    pub(super) fn but(instead: impl Fn(&Asked) -> Option<Said> + Send + Sync + 'static) -> Arc<Self> {
        Self::new(move |asked| instead(asked).unwrap_or_else(|| usual(asked)))
    }

    /// Returns the same model with a price for each answer.
    pub(super) fn costing(self: Arc<Self>, dollars: f64) -> Arc<Self> {
        let player = Arc::into_inner(self).expect("a fresh model has one owner");
        Arc::new(Self { price: Some(dollars), ..player })
    }

    /// Returns the positions of its requests, in order.
    pub(super) fn requests(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().iter().map(|(asked, _)| asked.clone()).collect()
    }

    /// Returns the number of requests at each position.
    pub(super) fn counts(&self) -> BTreeMap<Asked, usize> {
        let mut counts = BTreeMap::new();
        self.requests().into_iter().for_each(|asked| *counts.entry(asked).or_default() += 1);
        counts
    }

    /// Returns the request at a position.
    pub(super) fn request(&self, phase: &str, round: u32) -> ChatRequest {
        let asked = self.asked.lock().unwrap();
        let found = asked.iter().find(|(at, _)| at.phase == phase && at.round == round);
        found.unwrap_or_else(|| panic!("{phase} {round} was not asked")).1.clone()
    }

    /// Returns the request of a component's round.
    pub(super) fn request_of(&self, component: &str, round: u32) -> ChatRequest {
        let asked = self.asked.lock().unwrap();
        let found = asked.iter().find(|(at, _)| at.component == component && at.round == round);
        found.unwrap_or_else(|| panic!("{component} {round} was not asked")).1.clone()
    }

    /// Returns the results of the calls in a round of a phase without components: tool and content, as the model reads them.
    pub(super) fn results(&self, phase: &str, round: u32) -> Vec<Value> {
        let request = self.request(phase, round + 1);
        let from = request.messages.iter().rposition(|message| message.role == Role::Assistant).unwrap();
        let results = request.messages[from + 1..].iter();
        let results = results.filter(|message| message.role == Role::Tool);
        results.map(|message| serde_json::from_str(&message.content).unwrap()).collect()
    }
}

impl ChatModel for Player {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, _: &'a dyn TokenSink) -> AnswerFuture<'a> {
        async move {
            let at = Asked::by(request);
            let Said { text, calls, fails } = (self.play)(&at);
            self.asked.lock().unwrap().push((at, request.clone()));
            // Yields, so that another task may proceed.
            tokio::task::yield_now().await;
            if fails {
                let kind = ModelErrorKind::Unreachable { reason: "connection refused".to_owned() };
                return Err(ModelError::new(&self.name, kind));
            }
            let calls = (1..).zip(calls);
            let call = |(number, (name, arguments)): (u32, (String, Value))| ToolCall {
                id: format!("c{number}"),
                name,
                arguments: match arguments {
                    Value::String(raw) => raw,
                    arguments => arguments.to_string(),
                },
            };
            let tool_calls: Vec<ToolCall> = calls.map(call).collect();
            let finish = if tool_calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
            let usage = Usage { prompt_tokens: 100, completion_tokens: 10, source: UsageSource::Reported };
            let cost = self.price.map(Money::dollars);
            Ok(ChatAnswer { text, tool_calls, usage, cost, model: "test".to_owned(), finish })
        }
        .boxed()
    }
}

/// The usual run: each phase explores, stores, and completes.
pub(super) fn usual(at: &Asked) -> Said {
    match (at.phase.as_str(), at.round) {
        ("architecture_discovery", 1) => calls([
            ("list_files", json!({ "directory": "." })),
            ("read_file", json!({ "path": "Cargo.toml" })),
            ("grep", json!({ "pattern": "fn main" })),
            ("get_symbols", json!({ "path": "src/main.rs" })),
        ]),
        ("architecture_discovery", 2) => {
            calls([("store_discovery", json!({ "type": "architecture", "data": overview() }))])
        }
        ("component_deep_dive", 1) => calls([
            ("list_files", json!({ "directory": format!("src/{}", at.component) })),
            ("read_file", json!({ "path": format!("src/{}/mod.rs", at.component) })),
            ("get_symbols", json!({ "path": format!("src/{}/mod.rs", at.component) })),
        ]),
        ("component_deep_dive", 2) => calls([
            ("store_discovery", json!({ "type": "component", "data": summary(&at.component) })),
            ("store_discovery", json!({ "type": "file", "data": file(&at.component) })),
            ("mark_explored", json!({ "type": "component", "id": at.component })),
        ]),
        ("cross_cutting", 1) => calls([("grep", json!({ "pattern": "pub fn" }))]),
        ("cross_cutting", 2) => {
            calls([("store_discovery", json!({ "type": "cross_cutting", "data": concern() }))])
        }
        ("documentation_generation", 1) => {
            calls([("query_memory", json!({ "query_type": "component", "max_entries": 10 }))])
        }
        ("documentation_generation", _) => says(
            "<doc_generation_complete>{\"findings_summary\": \"All of it.\", \"confidence\": 0.9}</doc_generation_complete>",
        ),
        (phase, _) => complete(&format!("{phase} is done.")),
    }
}

pub(super) fn overview() -> Value {
    json!({
        "system_name": "Shop", "purpose": "Sells bread.", "tech_stack": ["Rust"], "entry_points": ["src/main.rs"],
        "major_components": ["auth", "store"], "architectural_style": "modules", "key_abstractions": ["Token"],
        "component_boundaries": { "auth": ["src/auth"], "store": ["src/store"] },
        "confidence": 0.9, "verified_by_files": ["Cargo.toml", "src/main.rs"],
    })
}

pub(super) fn summary(id: &str) -> Value {
    json!({
        "component_id": id, "component_name": id, "root_path": format!("src/{id}"), "responsibility": format!("Decides for the shop who passes through {id}."),
        "key_files": [format!("src/{id}/mod.rs")], "confidence": 0.8, "explored_files": [format!("src/{id}/mod.rs")],
    })
}

fn file(id: &str) -> Value {
    json!({
        "file_path": format!("src/{id}/mod.rs"), "responsibility": "Answers the questions of its callers.", "layer": "domain",
        "component": id, "confidence": 0.8,
    })
}

fn concern() -> Value {
    json!({
        "concern_id": "errors", "concern_name": "Errors", "concern_type": "error_handling", "description": "Functions answer with a truth value, and nothing else can fail.",
        "implementation_pattern": "bool", "files_involved": ["src/auth/mod.rs"], "components_affected": ["auth"],
        "confidence": 0.6,
    })
}

/// Returns the content of the last user message of a request.
pub(super) fn last_word(request: &ChatRequest) -> &Message {
    request.messages.last().expect("messages")
}

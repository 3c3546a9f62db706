//! Debates with scripted models, in memory.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use stategraph::definition::Definition;
use stategraph::engine::{
    Clock, CompiledGraph, Event, EventKind, EventKinds, Outcome, RunError, RunRequest, ThreadId,
};
use stategraph::llm::{ChatRequest, Prompts, Scripted, SharedModel};
use stategraph::store::MemoryStore;
use stategraph::workflows::ard::input::Idea;
use stategraph::workflows::ard::input::settings::{DebateSettings, Overrides};
use stategraph::workflows::ard::registry;
use stategraph::workflows::ard::services::{DebateServices, PROMPTS};
use stategraph::workflows::ard::state::Debate;

/// An idea for tests that do not depend on it.
pub(super) const IDEA: &str = "A shop that sells bread.";

/// The graph of debates.
pub(super) type Graph = CompiledGraph<Debate, DebateServices>;

/// The parts of a debate: an idea, settings, a store and a folder.
pub(super) struct Kit {
    pub(super) folder: tempfile::TempDir,
    pub(super) store: MemoryStore,
    pub(super) settings: DebateSettings,
    pub(super) idea: String,
}

impl Kit {
    /// Makes a debate with at most `max_iterations` revisions.
    pub(super) fn new(max_iterations: u32) -> Self {
        let overrides = Overrides {
            architect_model: Some("test/architect".to_owned()),
            reviewer_model: Some("test/reviewer".to_owned()),
            max_iterations: Some(max_iterations),
            output_path: Some("out/spec.md".into()),
        };
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            store: MemoryStore::new(),
            settings: DebateSettings::without_file(overrides),
            idea: IDEA.to_owned(),
        }
    }

    /// Changes the settings.
    pub(super) fn set(mut self, change: impl FnOnce(&mut DebateSettings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// Compiles the graph with one model for both agents.
    pub(super) fn graph(&self, model: &Arc<Scripted>) -> Graph {
        let model: SharedModel = model.clone();
        self.graph_of(model.clone(), model)
    }

    /// Compiles the graph with a model for each agent.
    pub(super) fn graph_of(&self, architect: SharedModel, reviewer: SharedModel) -> Graph {
        let prompts = Prompts::new(PROMPTS).expect("prompts");
        let services = DebateServices::new(architect, reviewer, prompts).with_folder(self.folder.path());
        let file = include_str!("../../../graphs/ard.yaml");
        let graph = Definition::parse(file, "graphs/ard.yaml").expect("it parses").build(&registry());
        let graph = graph.expect("it builds").compile_with(services).expect("it compiles");
        graph.with_store(Arc::new(self.store.clone())).with_clock(Clock::fixed(1_700_000_000_000))
    }

    /// Returns the state at the start.
    pub(super) fn state(&self) -> Debate {
        Debate::new(Idea::parse(&self.idea).expect("an idea"), self.settings.clone())
    }

    /// Runs a script from the start.
    pub(super) async fn run(&self, model: &Arc<Scripted>) -> Result<Outcome<Debate>, RunError> {
        self.graph(model).run(self.state()).thread(thread()).await
    }

    /// Runs a script that must end without an error.
    pub(super) async fn done(&self, model: &Arc<Scripted>) -> Debate {
        self.run(model).await.expect("the debate ends").state
    }

    /// Returns the path of the specification.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("out/spec.md")
    }

    /// Reads the specification.
    pub(super) fn spec(&self) -> String {
        std::fs::read_to_string(self.path()).expect("it is written")
    }
}

/// Returns the thread id of all debates.
pub(super) fn thread() -> ThreadId {
    ThreadId::new("debate").expect("an id")
}

/// Makes a model that gives these answers in order.
pub(super) fn script(answers: impl IntoIterator<Item = Value>) -> Arc<Scripted> {
    let answers = distinct(answers).into_iter().map(|answer| answer.to_string());
    Arc::new(answers.fold(Scripted::new("test/model"), Scripted::answer))
}

/// Adds a remark to each draft that repeats an earlier one, because repeated drafts end a debate.
pub(super) fn distinct(answers: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut seen: Vec<Value> = Vec::new();
    let distinct = answers.into_iter().map(|mut answer| {
        let components = answer["components"].clone();
        if seen.contains(&components)
            && let Some(Value::String(purpose)) = answer.pointer_mut("/components/0/purpose")
        {
            write!(purpose, " Draft {}.", seen.len() + 1).expect("a string takes it");
        }
        seen.extend(components.is_array().then_some(components));
        answer
    });
    distinct.collect()
}

/// Returns a draft of these components whose rationale answers `challenges` challenges.
pub(super) fn draft(names: &[&str], challenges: usize) -> Value {
    let component = |name: &&str| json!({ "name": name, "type": "Subsystem", "purpose": format!("Sells what {name} bakes.") });
    let mut rationale = String::new();
    for id in 1..=challenges {
        writeln!(rationale, "Challenge {id}: dealt with.").expect("a string takes it");
    }
    let components: Vec<_> = names.iter().map(component).collect();
    json!({ "components": components, "design_rationale": rationale })
}

/// Returns a review that passes.
pub(super) fn verified() -> Value {
    json!({ "status": "verified", "challenges": [] })
}

/// Returns a review with these challenges.
pub(super) fn challenged(challenges: &[(&str, &str)]) -> Value {
    let numbered = (1..).zip(challenges);
    let challenge = |(id, (category, text)): (u32, &(&str, &str))| json!({ "id": id, "category": category, "description": text });
    let challenges: Vec<_> = numbered.map(challenge).collect();
    json!({ "status": "needs_revision", "challenges": challenges })
}

/// Returns `passes` drafts and as many reviews that all ask for a revision.
pub(super) fn endless(passes: usize) -> Vec<Value> {
    let pass = |number: usize| {
        [
            draft(&["Shop"], usize::from(number > 0)),
            challenged(&[("completeness", &format!("Objection {}.", number + 1))]),
        ]
    };
    distinct((0..passes).flat_map(pass))
}

/// Returns the answers of a debate of two rounds that ends verified.
pub(super) fn two_rounds() -> Vec<Value> {
    vec![
        draft(&["Shop"], 0),
        challenged(&[("completeness", "Where is the oven?"), ("consistency", "Who mills?")]),
        draft(&["Shop", "Oven"], 2),
        verified(),
    ]
}

/// Returns the labels of the requests to a script, in order.
pub(super) fn labels(model: &Scripted) -> Vec<String> {
    model.requests().into_iter().map(|request| request.label).collect()
}

/// Returns the last message of a request: the task, or the objection to an answer.
pub(super) fn last_message(request: &ChatRequest) -> &str {
    &request.messages.last().expect("messages").content
}

/// Runs a debate and collects its events.
pub(super) async fn watched(
    request: RunRequest<Debate, DebateServices>,
    kinds: EventKinds,
) -> (Vec<Event>, Outcome<Debate>) {
    let mut stream = request.stream(kinds).await.expect("it starts");
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event);
    }
    let outcome = stream.outcome().expect("the stream has ended").expect("the debate ends");
    (events, outcome)
}

/// Returns the finished nodes, in order.
pub(super) fn nodes(events: &[Event]) -> Vec<&str> {
    let finished = events.iter().filter_map(|event| match &event.kind {
        EventKind::TaskFinished { node, .. } => Some(node.as_str()),
        _ => None,
    });
    finished.collect()
}

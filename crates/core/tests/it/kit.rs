//! The state that most tests of the engine run on, nodes for it, and short ways to do what every test does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use stategraph_core::store::MemoryStore;
use stategraph_core::{
    CheckpointStore, CompiledGraph, Cx, Event, EventKind, Frozen, HistoryQuery, NodeError, NodeResult,
    Outcome, RunError, RunStream, State, StateGraph, Status, ThreadId,
};

/// Who ran in which order, and one channel of each common kind.
#[derive(State, Clone, Default, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trail {
    #[state(append)]
    pub log: Vec<String>,
    #[state(add)]
    pub sum: i64,
    pub last: String,
    pub turns: u32,
    #[state(append, ephemeral)]
    pub(crate) seen: Vec<String>,
}

impl Trail {
    pub(crate) fn log(&self) -> Vec<&str> {
        self.log.iter().map(String::as_str).collect()
    }
}

pub(crate) type Builder<D = ()> = StateGraph<Trail, D>;
pub(crate) type Graph<D = ()> = CompiledGraph<Trail, D>;

/// A node that appends its own name.
pub(crate) fn says(name: &'static str) -> impl Fn(Frozen<Trail>) -> std::future::Ready<TrailUpdate> {
    move |_| std::future::ready(Trail::update().log(name))
}

/// Adds edges, written `a b`, and joins, written `a+b c`.
pub(crate) fn wired<D: Send + Sync + 'static>(graph: Builder<D>, edges: &[&str]) -> Builder<D> {
    edges.iter().fold(graph, |graph, edge| {
        let (from, to) = edge.split_once(' ').unwrap();
        if from.contains('+') { graph.join(from.split('+'), to) } else { graph.edge(from, to) }
    })
}

/// A graph whose nodes only say their names.
pub(crate) fn saying(names: &[&'static str], edges: &[&str]) -> Builder {
    wired(names.iter().fold(Builder::new("saying"), |graph, name| graph.node(*name, says(name))), edges)
}

/// A node that counts its runs and appends its name.
pub(crate) async fn say(_: &Trail, cx: &Cx<Calls>) -> TrailUpdate {
    cx.services().count(cx.node());
    Trail::update().log(cx.node())
}

/// A node that fails when it runs for the first time.
pub(crate) async fn fail_once(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    match cx.services().count(cx.node()) {
        0 => Err(NodeError::msg("not yet")),
        _ => Ok(Trail::update().log(cx.node())),
    }
}

/// A node that asks `<node>?` and appends `<node>=<answer>`.
pub(crate) async fn ask(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    cx.services().count(cx.node());
    let answer: String = cx.interrupt(&format!("{}?", cx.node())).await?;
    Ok(Trail::update().log(format!("{}={answer}", cx.node())))
}

pub(crate) fn empty() -> Trail {
    Trail::default()
}

pub(crate) fn thread(name: &str) -> ThreadId {
    ThreadId::new(name).unwrap()
}

pub(crate) fn memory() -> Arc<dyn CheckpointStore> {
    Arc::new(MemoryStore::new())
}

/// The log of a run that must end well.
pub(crate) async fn trail_of(graph: &Graph) -> Vec<String> {
    graph.run(empty()).await.unwrap().state.log
}

/// How often things happened, shared by nodes and test.
#[derive(Clone, Default)]
pub(crate) struct Calls(Arc<Mutex<BTreeMap<String, u32>>>);

impl Calls {
    /// Counts one; gives how often it was before.
    pub(crate) fn count(&self, what: &str) -> u32 {
        let mut calls = self.0.lock().unwrap();
        let count = calls.entry(what.to_owned()).or_default();
        *count += 1;
        *count - 1
    }

    pub(crate) fn of(&self, what: &str) -> u32 {
        self.0.lock().unwrap().get(what).copied().unwrap_or(0)
    }
}

/// The ids and payloads of the questions that an outcome waits with.
pub(crate) fn asked(outcome: &Outcome<Trail>) -> Vec<(String, String)> {
    let Status::Waiting(questions) = &outcome.status else { panic!("{:?}", outcome.status) };
    questions.iter().map(|q| (q.id.to_string(), q.payload.get().to_owned())).collect()
}

/// All events of a run, and how it ended.
pub(crate) async fn played<S>(mut run: RunStream<S>) -> (Vec<Event>, Result<Outcome<S>, RunError>) {
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        events.push(event);
    }
    (events, run.outcome().expect("the stream has ended"))
}

/// An event as a short line: its step, what it is, and about what.
pub(crate) fn line(event: &Event) -> String {
    let about = match &event.kind {
        EventKind::RunStarted { graph, .. } => format!("run started {graph}"),
        EventKind::TaskStarted { node, task, attempt, .. } => format!("started {node} {task} #{attempt}"),
        EventKind::TaskRetried { node, attempt, error, .. } => format!("retried {node} #{attempt}: {error}"),
        EventKind::TaskFinished { node, task, .. } => format!("finished {node} {task}"),
        EventKind::TaskCached { node, task, .. } => format!("cached {node} {task}"),
        EventKind::TaskCaught { node, error, .. } => format!("caught {node}: {error}"),
        EventKind::TaskFailed { node, error, .. } => format!("failed {node}: {error}"),
        EventKind::Updates { node, update, .. } => {
            format!("updates {node} {}", update.as_ref().map_or("null", |update| update.get()))
        }
        EventKind::Values { state, .. } => {
            let state: Trail = serde_json::from_str(state.get()).unwrap();
            format!("values {:?}", state.log())
        }
        EventKind::Checkpoint { checkpoint, next, .. } => format!("checkpoint {checkpoint} {next:?}"),
        EventKind::InnerCheckpoint { checkpoint, next, .. } => {
            format!("inner checkpoint {checkpoint} {next:?}")
        }
        EventKind::Message { node, text, .. } => format!("message {node} {text}"),
        EventKind::Custom { node, name, data, .. } => format!("custom {node} {name} {data}"),
        EventKind::Asked { question, payload, .. } => format!("asked {question} {payload}"),
        EventKind::QuestionDropped { node, question, payload, .. } => {
            format!("dropped {question} of {node} {payload}")
        }
        EventKind::RunFinished { status, .. } => format!("run {status}"),
        other => unreachable!("an event that this version does not know: {other:?}"),
    };
    format!("{} {about}", event.step)
}

/// The states of all checkpoints of a thread, oldest first, each read on its own.
pub(crate) async fn replayed<S: State, D: Send + Sync + 'static>(
    graph: &CompiledGraph<S, D>,
    thread: &ThreadId,
) -> Vec<(u64, S)> {
    let history = graph.history(thread, &HistoryQuery::default()).await.unwrap();
    let mut states = Vec::new();
    for entry in history.iter().rev() {
        let at = graph.state(thread, Some(entry.checkpoint.seq)).await.unwrap();
        states.push((entry.checkpoint.seq.0, at.state));
    }
    states
}

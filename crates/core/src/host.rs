//! A compiled graph with its types erased to JSON: for the command line and the server, which know no state type.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;
use serde_json::value::RawValue;

use super::contract::{HistoryEntry, HistoryQuery, Pruned, Retention};
use super::error::RunError;
use super::event::EventKinds;
use super::fit::ThreadFit;
use super::graph::CompiledGraph;
use super::id::{CheckpointId, QuestionId, Seq, ThreadId};
use super::request::{RunRequest, RunStream};
use super::state::State;
use super::stop::Stop;
use super::task_log::Durability;
use super::threads::Snapshot;
use super::topology::Topology;

/// A run asked for in JSON.
#[non_exhaustive]
pub struct HostRequest {
    /// What it starts from.
    pub start: HostStart,
    /// Answers to open questions.
    pub answers: Vec<(QuestionId, Value)>,
    /// When checkpoints must be durable.
    pub durability: Durability,
    /// The most supersteps; the engine's default when none.
    pub step_limit: Option<u64>,
    /// The most tasks at once; the engine's default when none.
    pub max_concurrency: Option<usize>,
    /// Stops the run.
    pub stop: Stop,
    /// What to stream.
    pub events: EventKinds,
}

/// What a [`HostRequest`] starts from.
#[non_exhaustive]
pub enum HostStart {
    /// A state as JSON, on this thread or a new one.
    Input {
        /// The state.
        state: Value,
        /// The thread.
        thread: Option<ThreadId>,
    },
    /// The state of a thread that exists, with an update as JSON; see [`CompiledGraph::continue_with`].
    Continue {
        /// The thread.
        thread: ThreadId,
        /// The update.
        update: Value,
    },
    /// Wherever the thread, or one of its checkpoints, stands.
    Resume {
        /// The thread.
        thread: ThreadId,
        /// The checkpoint; the newest when none.
        at: Option<Seq>,
    },
}

impl HostRequest {
    /// Asks for a run with the engine's defaults and no events but those of the run.
    pub fn new(start: HostStart) -> Self {
        Self {
            start,
            answers: Vec::new(),
            durability: Durability::default(),
            step_limit: None,
            max_concurrency: None,
            stop: Stop::new(),
            events: EventKinds::RUN,
        }
    }

    /// Answers an open question of the thread.
    #[must_use]
    pub fn answer(mut self, question: QuestionId, answer: Value) -> Self {
        self.answers.push((question, answer));
        self
    }

    /// Says when checkpoints must be durable.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Sets the most supersteps.
    #[must_use]
    pub fn step_limit(mut self, limit: u64) -> Self {
        self.step_limit = Some(limit);
        self
    }

    /// Sets the most tasks at once.
    #[must_use]
    pub fn max_concurrency(mut self, tasks: usize) -> Self {
        self.max_concurrency = Some(tasks);
        self
    }

    /// Lets the run be stopped from outside.
    #[must_use]
    pub fn stop(mut self, stop: &Stop) -> Self {
        self.stop = stop.clone();
        self
    }

    /// Chooses the events of the stream.
    #[must_use]
    pub fn events(mut self, kinds: EventKinds) -> Self {
        self.events = kinds;
        self
    }
}

/// A graph of any state, run in JSON. The loop below it is the same.
pub trait Host: Send + Sync {
    /// The graph's name.
    fn name(&self) -> &str;

    /// Its shape.
    fn topology(&self) -> &Topology;

    /// Runs, giving out events; the outcome's state is JSON. An input that is no state of this graph is an error, and so is what
    /// [`RunRequest::stream`] refuses before the first event.
    fn stream(&self, request: HostRequest) -> BoxFuture<'static, Result<RunStream<Box<RawValue>>, RunError>>;

    /// The state of a thread.
    fn state<'a>(
        &'a self,
        thread: &'a ThreadId,
        at: Option<Seq>,
    ) -> BoxFuture<'a, Result<Snapshot<Box<RawValue>>, RunError>>;

    /// The checkpoints of a thread, newest first.
    fn history<'a>(
        &'a self,
        thread: &'a ThreadId,
        query: &'a HistoryQuery,
    ) -> BoxFuture<'a, Result<Vec<HistoryEntry>, RunError>>;

    /// Writes to the state of a thread; see [`CompiledGraph::update`].
    fn update<'a>(
        &'a self,
        thread: &'a ThreadId,
        update: Value,
        as_node: Option<&'a str>,
    ) -> BoxFuture<'a, Result<CheckpointId, RunError>>;

    /// Makes an older checkpoint the newest; see [`CompiledGraph::fork`].
    fn fork<'a>(&'a self, checkpoint: &'a CheckpointId) -> BoxFuture<'a, Result<CheckpointId, RunError>>;

    /// Compares the graph with a thread; see [`CompiledGraph::fit`].
    fn fit<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<ThreadFit, RunError>>;

    /// Removes old checkpoints; see [`CompiledGraph::prune`].
    fn prune<'a>(&'a self, thread: &'a ThreadId, keep: Retention) -> BoxFuture<'a, Result<Pruned, RunError>>;
}

/// A type-erased graph, shared.
pub type SharedHost = Arc<dyn Host>;

impl<S: State, D: Send + Sync + 'static> Host for CompiledGraph<S, D> {
    fn name(&self) -> &str {
        self.name()
    }

    fn topology(&self) -> &Topology {
        self.topology()
    }

    fn stream(&self, request: HostRequest) -> BoxFuture<'static, Result<RunStream<Box<RawValue>>, RunError>> {
        let events = request.events;
        let run = typed(self, request);
        Box::pin(async move { Ok(run?.stream(events).await?.into_json()) })
    }

    fn state<'a>(
        &'a self,
        thread: &'a ThreadId,
        at: Option<Seq>,
    ) -> BoxFuture<'a, Result<Snapshot<Box<RawValue>>, RunError>> {
        Box::pin(async move { self.state(thread, at).await?.into_json() })
    }

    fn history<'a>(
        &'a self,
        thread: &'a ThreadId,
        query: &'a HistoryQuery,
    ) -> BoxFuture<'a, Result<Vec<HistoryEntry>, RunError>> {
        Box::pin(self.history(thread, query))
    }

    fn update<'a>(
        &'a self,
        thread: &'a ThreadId,
        update: Value,
        as_node: Option<&'a str>,
    ) -> BoxFuture<'a, Result<CheckpointId, RunError>> {
        Box::pin(async move { self.update(thread, parsed("the update", update)?, as_node).await })
    }

    fn fork<'a>(&'a self, checkpoint: &'a CheckpointId) -> BoxFuture<'a, Result<CheckpointId, RunError>> {
        Box::pin(self.fork(checkpoint))
    }

    fn fit<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<ThreadFit, RunError>> {
        Box::pin(self.fit(thread))
    }

    fn prune<'a>(&'a self, thread: &'a ThreadId, keep: Retention) -> BoxFuture<'a, Result<Pruned, RunError>> {
        Box::pin(self.prune(thread, keep))
    }
}

fn typed<S: State, D: Send + Sync + 'static>(
    graph: &CompiledGraph<S, D>,
    request: HostRequest,
) -> Result<RunRequest<S, D>, RunError> {
    let mut run = match request.start {
        HostStart::Input { state, thread } => {
            let mut state: S = parsed("the input", state)?;
            if let Some(prototype) = &graph.definition.reading.prototype {
                state.adopt(prototype);
            }
            let run = graph.run(state);
            match thread {
                Some(thread) => run.thread(thread),
                None => run,
            }
        }
        HostStart::Continue { thread, update } => graph.continue_with(&thread, parsed("the update", update)?),
        HostStart::Resume { thread, at: None } => graph.resume(&thread),
        HostStart::Resume { thread, at: Some(seq) } => graph.resume_at(&CheckpointId { thread, seq }),
    };
    run = run.durability(request.durability).stop(&request.stop);
    if let Some(limit) = request.step_limit {
        run = run.step_limit(limit);
    }
    if let Some(tasks) = request.max_concurrency {
        run = run.max_concurrency(tasks);
    }
    Ok(request.answers.into_iter().fold(run, |run, (question, answer)| run.answer(question, &answer)))
}

fn parsed<T: serde::de::DeserializeOwned>(what: &str, value: Value) -> Result<T, RunError> {
    serde_json::from_value(value)
        .map_err(|error| RunError::Encoding { what: what.to_owned(), detail: error.to_string() })
}

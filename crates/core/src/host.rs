//! A compiled graph with its types erased to JSON, for the command line and servers, which know no state type.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;
use serde_json::value::RawValue;

use super::breakpoints::Breakpoints;
use super::contract::{HistoryEntry, HistoryQuery, Pruned, Retention};
use super::error::RunError;
use super::event::EventKinds;
use super::fit::ThreadFit;
use super::graph::CompiledGraph;
use super::id::{CheckpointId, QuestionId, Seq, ThreadId};
use super::request::RunRequest;
use super::run_stream::RunStream;
use super::state::State;
use super::stop::Stop;
use super::task_log::Durability;
use super::threads::Snapshot;
use super::topology::Topology;

/// A request for a run of a [`Host`], with state, update and answers as JSON.
#[non_exhaustive]
pub struct HostRequest {
    /// The start of the run.
    pub start: HostStart,
    /// Answers to open questions.
    pub answers: Vec<(QuestionId, Value)>,
    /// The moment at which checkpoints must be durable; [`Durability::Sync`] by default.
    pub durability: Durability,
    /// Maximum number of supersteps; [`STEP_LIMIT`](super::STEP_LIMIT) by default.
    pub step_limit: Option<u64>,
    /// Maximum number of concurrent tasks; [`MAX_CONCURRENCY`](super::MAX_CONCURRENCY) by default.
    pub max_concurrency: Option<usize>,
    /// Breakpoints of this run; those of the graph by default.
    pub breakpoints: Option<Breakpoints>,
    /// The handle that stops the run.
    pub stop: Stop,
    /// The events to stream; those of the run by default.
    pub events: EventKinds,
}

/// The start of a [`HostRequest`].
#[non_exhaustive]
pub enum HostStart {
    /// A state as JSON, on this thread or a new one.
    Input {
        /// The state.
        state: Value,
        /// The thread; a new one by default.
        thread: Option<ThreadId>,
    },
    /// The state of a thread that exists, with an update as JSON; see [`CompiledGraph::continue_with`].
    Continue {
        /// The thread.
        thread: ThreadId,
        /// The update.
        update: Value,
    },
    /// The newest checkpoint of a thread, or an older one.
    Resume {
        /// The thread.
        thread: ThreadId,
        /// The checkpoint; the newest by default.
        at: Option<Seq>,
    },
}

impl HostRequest {
    /// Makes a request with all defaults.
    pub fn new(start: HostStart) -> Self {
        Self {
            start,
            answers: Vec::new(),
            durability: Durability::default(),
            step_limit: None,
            max_concurrency: None,
            breakpoints: None,
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

    /// Sets when checkpoints must be durable.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Sets the maximum number of supersteps.
    #[must_use]
    pub fn step_limit(mut self, limit: u64) -> Self {
        self.step_limit = Some(limit);
        self
    }

    /// Sets the maximum number of concurrent tasks.
    #[must_use]
    pub fn max_concurrency(mut self, tasks: usize) -> Self {
        self.max_concurrency = Some(tasks);
        self
    }

    /// Sets breakpoints for this run, instead of those of the graph.
    #[must_use]
    pub fn breakpoints(mut self, breakpoints: Breakpoints) -> Self {
        self.breakpoints = Some(breakpoints);
        self
    }

    /// Sets the handle that stops the run.
    #[must_use]
    pub fn stop(mut self, stop: &Stop) -> Self {
        self.stop = stop.clone();
        self
    }

    /// Sets the kinds of events that the stream contains.
    #[must_use]
    pub fn events(mut self, kinds: EventKinds) -> Self {
        self.events = kinds;
        self
    }
}

/// A compiled graph of any state type whose states and updates are JSON. Runs use the same loop as typed
/// ones.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
///
/// use futures_util::StreamExt;
/// use serde_json::json;
///
/// # fn main() { show(async {
/// let host: SharedHost = Arc::new(counter().compile()?);
/// let start = HostStart::Input { state: json!({ "n": 1 }), thread: None };
/// let mut run = host.stream(HostRequest::new(start)).await?;
/// while run.next().await.is_some() {}
/// let done = run.outcome().ok_or("the stream has ended")??;
/// assert_eq!(done.state.get(), r#"{"n":3}"#);
/// # Ok(()) }) }
/// ```
pub trait Host: Send + Sync {
    /// Returns the graph's name.
    fn name(&self) -> &str;

    /// Returns the shape of the graph.
    fn topology(&self) -> &Topology;

    /// Starts a run and returns the stream of its events; the state of the outcome is JSON. Fails when the input is no state of this graph,
    /// and with the errors of [`RunRequest::stream`] before the first event.
    fn stream(&self, request: HostRequest) -> BoxFuture<'static, Result<RunStream<Box<RawValue>>, RunError>>;

    /// Returns the state of a thread; see [`CompiledGraph::state`].
    fn state<'a>(
        &'a self,
        thread: &'a ThreadId,
        at: Option<Seq>,
    ) -> BoxFuture<'a, Result<Snapshot<Box<RawValue>>, RunError>>;

    /// Returns the checkpoints of a thread, newest first.
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

    /// Fails when a JSON value is no update of this graph's state. Reads no thread.
    fn check_update(&self, update: &Value) -> Result<(), RunError>;

    /// Writes a new checkpoint that continues an older one; see [`CompiledGraph::fork`].
    fn fork<'a>(&'a self, checkpoint: &'a CheckpointId) -> BoxFuture<'a, Result<CheckpointId, RunError>>;

    /// Writes a new checkpoint that continues an older one, with an update of its state; see
    /// [`CompiledGraph::fork_with`].
    fn fork_with<'a>(
        &'a self,
        checkpoint: &'a CheckpointId,
        update: Value,
    ) -> BoxFuture<'a, Result<CheckpointId, RunError>>;

    /// Compares the graph with a thread; see [`CompiledGraph::fit`].
    fn fit<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<ThreadFit, RunError>>;

    /// Removes old checkpoints; see [`CompiledGraph::prune`].
    fn prune<'a>(&'a self, thread: &'a ThreadId, keep: Retention) -> BoxFuture<'a, Result<Pruned, RunError>>;
}

/// A shared type-erased graph.
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
        let run = typed_request(self, request);
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
        Box::pin(async move { self.update(thread, parse("the update", update)?, as_node).await })
    }

    fn check_update(&self, update: &Value) -> Result<(), RunError> {
        parse::<S::Update>("the update", update.clone()).map(drop)
    }

    fn fork<'a>(&'a self, checkpoint: &'a CheckpointId) -> BoxFuture<'a, Result<CheckpointId, RunError>> {
        Box::pin(self.fork(checkpoint))
    }

    fn fork_with<'a>(
        &'a self,
        checkpoint: &'a CheckpointId,
        update: Value,
    ) -> BoxFuture<'a, Result<CheckpointId, RunError>> {
        Box::pin(async move { self.fork_with(checkpoint, parse("the update", update)?).await })
    }

    fn fit<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<ThreadFit, RunError>> {
        Box::pin(self.fit(thread))
    }

    fn prune<'a>(&'a self, thread: &'a ThreadId, keep: Retention) -> BoxFuture<'a, Result<Pruned, RunError>> {
        Box::pin(self.prune(thread, keep))
    }
}

/// Turns a request in JSON into one for `graph`. Fails when the JSON is no state or update of the graph.
fn typed_request<S: State, D: Send + Sync + 'static>(
    graph: &CompiledGraph<S, D>,
    request: HostRequest,
) -> Result<RunRequest<S, D>, RunError> {
    let mut run = match request.start {
        HostStart::Input { state, thread } => {
            let mut state: S = parse("the input", state)?;
            if let Some(prototype) = &graph.definition.state_reader.prototype {
                state.adopt(prototype);
            }
            let run = graph.run(state);
            match thread {
                Some(thread) => run.thread(thread),
                None => run,
            }
        }
        HostStart::Continue { thread, update } => graph.continue_with(&thread, parse("the update", update)?),
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
    if let Some(breakpoints) = request.breakpoints {
        run = run.breakpoints(breakpoints);
    }
    Ok(request.answers.into_iter().fold(run, |run, (question, answer)| run.answer(question, &answer)))
}

fn parse<T: serde::de::DeserializeOwned>(what: &str, value: Value) -> Result<T, RunError> {
    serde_json::from_value(value)
        .map_err(|error| RunError::Encoding { what: what.to_owned(), detail: error.to_string() })
}

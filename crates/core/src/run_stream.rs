//! The stream of a run: its events as they happen, then its outcome. Starts nothing; see `request.rs`.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;
use futures_util::future::BoxFuture;
use serde_json::value::RawValue;
use tokio::sync::mpsc::UnboundedReceiver;

use super::error::RunError;
use super::event::Event;
use super::event_queue::PendingEvents;
use super::outcome::Outcome;
use super::state::State;

/// A run and the stream of its events. It makes progress only while it is polled.
///
/// # A slow reader
///
/// A run does not begin the next superstep before its events are read. Within a superstep, tasks on other threads go on, and their events
/// wait. At most [`QUEUED_EVENTS`](super::QUEUED_EVENTS) do, or as many as [`RunRequest::queued_events`](super::RunRequest::queued_events)
/// says, and at most 32 MiB of them: at that limit further pieces of messages and events of [`Cx::emit`](super::Cx::emit) are dropped and
/// [counted](Self::dropped_events), and graphs inside tasks wait before their next superstep. Events about tasks, updates, values and
/// checkpoints are never dropped.
///
/// # Dropping it
///
/// Dropping the stream, or a [`RunRequest`](super::RunRequest) that runs, ends the run like a kill of the process, but in good order: no
/// node starts or goes on afterwards, except that a node which blocks its thread runs to its next `.await`. Committed supersteps and
/// journaled results ([`Cx::once`](super::Cx::once)) stay, the thread is free for another run, and a
/// [resume](super::CompiledGraph::resume) continues it. No `run_finished` event and no hook tells of the end. To end a run with an outcome
/// use a [`Stop`](super::Stop).
///
/// ```
/// use std::sync::Arc;
///
/// use futures_util::StreamExt;
/// use serde::{Deserialize, Serialize};
/// use stategraph_core::store::MemoryStore;
/// use stategraph_core::{END, EventKind, EventKinds, START, State, StateGraph, ThreadId};
///
/// #[derive(State, Clone, Default, Serialize, Deserialize)]
/// struct Count {
///     n: u32,
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let graph = StateGraph::<Count>::new("count")
///     .node("add", async |count: &Count| Count::update().n(count.n + 1))
///     .edge(START, "add")
///     .branch("add", |count: &Count| count.n < 9, [(true, "add"), (false, END)])
///     .compile()?
///     .with_store(Arc::new(MemoryStore::new()));
/// let thread = ThreadId::new("counter")?;
/// let mut run = graph.run(Count::default()).thread(thread.clone()).stream(EventKinds::CHECKPOINTS).await?;
/// while let Some(event) = run.next().await {
///     if matches!(event.kind, EventKind::Checkpoint { .. }) && event.step == 2 {
///         break;
///     }
/// }
/// drop(run);
/// assert_eq!(graph.state(&thread, None).await?.state.n, 2);
/// assert_eq!(graph.resume(&thread).await?.state.n, 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[must_use = "a run makes progress while its stream is polled"]
pub struct RunStream<S> {
    run: Option<BoxFuture<'static, Result<Outcome<S>, RunError>>>,
    events: UnboundedReceiver<Event>,
    queue: Arc<PendingEvents>,
    outcome: Option<Result<Outcome<S>, RunError>>,
}

impl<S> RunStream<S> {
    pub(crate) fn new(
        run: BoxFuture<'static, Result<Outcome<S>, RunError>>,
        events: UnboundedReceiver<Event>,
        queue: Arc<PendingEvents>,
    ) -> Self {
        Self { run: Some(run), events, queue, outcome: None }
    }

    /// Returns the outcome of the run; `None` before the stream has ended.
    pub fn outcome(self) -> Option<Result<Outcome<S>, RunError>> {
        self.outcome
    }

    /// Returns the number of events that were dropped so far because too many waited already: pieces of messages and events of
    /// [`Cx::emit`](super::Cx::emit). Whole messages are in the state.
    pub fn dropped_events(&self) -> u64 {
        self.queue.dropped()
    }

    /// Polls the channel for the next event, and removes that event from the counts of waiting events. `None`
    /// when the run has ended and all events are read.
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let polled = self.events.poll_recv(cx);
        if let Poll::Ready(Some(event)) = &polled {
            self.queue.take(event);
        }
        polled
    }
}

impl<S: State> RunStream<S> {
    /// Returns the same stream, whose outcome has its state as JSON.
    pub(crate) fn into_json(self) -> RunStream<Box<RawValue>> {
        let run = self.run.map(|run| -> BoxFuture<'static, Result<Outcome<Box<RawValue>>, RunError>> {
            Box::pin(async move { run.await?.into_json() })
        });
        RunStream { run, events: self.events, queue: self.queue, outcome: None }
    }
}

impl<S> Unpin for RunStream<S> {}

impl<S> Stream for RunStream<S> {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        if let Poll::Ready(Some(event)) = self.poll_event(cx) {
            return Poll::Ready(Some(event));
        }
        if let Some(run) = &mut self.run
            && let Poll::Ready(outcome) = run.as_mut().poll(cx)
        {
            self.outcome = Some(outcome);
            self.run = None;
        }
        // That poll may have sent events; after the end of the run the channel closes.
        self.poll_event(cx)
    }
}

//! The request for a run: its start and its limits. `.await` runs it to the end, `.stream()` also gives out its events.

use std::collections::BTreeSet;
use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tracing::Instrument;
use tracing::field::{Empty, display};

use super::answering::accept_answers;
use super::breakpoints::Breakpoints;
use super::command::Command;
use super::error::RunError;
use super::event::{Event, EventKinds};
use super::event_sink::{EventBacklog, EventSink};
use super::graph::CompiledGraph;
use super::id::{CheckpointId, QuestionId, ThreadId};
use super::outcome::Outcome;
use super::run_config::RunOptions;
use super::run_loop::RunLoop;
use super::start::StartFrom;
use super::state::State;
use super::stop::Stop;
use super::task_log::Durability;

/// A request for a run. Nothing happens before it is awaited or streamed.
pub struct RunRequest<S: State, D: Send + Sync + 'static> {
    graph: CompiledGraph<S, D>,
    from: StartFrom<S>,
    options: RunOptions,
    answers: Vec<(QuestionId, Result<Box<RawValue>, String>)>,
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// Runs the graph on this state. With a store the run has a thread, a new one unless [`RunRequest::thread`] names it. On an existing
    /// thread it starts over and keeps the history.
    pub fn run(&self, state: S) -> RunRequest<S, D> {
        self.request(StartFrom::State(state))
    }

    /// Runs the graph again from `START` on the state that a thread has, with an update (LangGraph: a second `invoke`).
    /// Unfinished tasks and open questions of the earlier run are dropped (F57); [`Outcome::dropped`](super::Outcome::dropped) and
    /// [`EventKind::QuestionDropped`](super::EventKind::QuestionDropped) name the questions.
    pub fn continue_with(&self, thread: &ThreadId, update: S::Update) -> RunRequest<S, D> {
        self.request(StartFrom::Update(update)).thread(thread.clone())
    }

    /// Starts a thread, or continues it with an input (LangGraph's `invoke`): where the thread exists, this is
    /// [`continue_with`](Self::continue_with); else the run starts from the default state, or the graph's
    /// [`prototype`](super::StateGraph::prototype), with the input. Which of the two it is, is decided while the thread is claimed.
    pub fn invoke(&self, thread: &ThreadId, input: S::Update) -> RunRequest<S, D>
    where
        S: Default,
    {
        let mut fresh = self.definition.state_reader.prototype.clone().unwrap_or_default();
        fresh.fold(input.clone());
        let from = StartFrom::Input { update: input, fresh: Box::new(fresh) };
        self.request(from).thread(thread.clone())
    }

    /// Continues a thread at its newest checkpoint. A thread that is done runs nothing.
    pub fn resume(&self, thread: &ThreadId) -> RunRequest<S, D> {
        self.request(StartFrom::Thread(None)).thread(thread.clone())
    }

    /// Continues a thread with a command from outside (LangGraph F24): folds its update; a command with `goto` or dispatch replaces the
    /// planned tasks by its targets, which need no declaration.
    pub fn command(&self, thread: &ThreadId, command: Command<S>) -> RunRequest<S, D> {
        self.request(StartFrom::Command(command)).thread(thread.clone())
    }

    /// Continues a thread at a checkpoint, and stops at breakpoints again: also at one right after the checkpoint, unless that is the newest
    /// and the thread stopped there. An older checkpoint is forked: a new checkpoint continues it, everything after it runs again, and the
    /// old checkpoints stay in the history (F49).
    pub fn resume_at(&self, checkpoint: &CheckpointId) -> RunRequest<S, D> {
        self.request(StartFrom::Thread(Some(checkpoint.seq))).thread(checkpoint.thread.clone())
    }

    fn request(&self, from: StartFrom<S>) -> RunRequest<S, D> {
        RunRequest { graph: self.clone(), from, options: RunOptions::default(), answers: Vec::new() }
    }
}

impl<S: State, D: Send + Sync + 'static> RunRequest<S, D> {
    /// Sets the thread. By default a run with a store starts a new one.
    #[must_use]
    pub fn thread(mut self, thread: ThreadId) -> Self {
        self.options.thread = Some(thread);
        self
    }

    /// Sets when checkpoints must be durable; [`Durability::Sync`] by default.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.options.durability = durability;
        self
    }

    /// Sets the maximum number of supersteps of this run: a graph that ends after `n` passes with `n` (D3).
    /// [`STEP_LIMIT`](super::STEP_LIMIT) by default.
    #[must_use]
    pub fn step_limit(mut self, limit: u64) -> Self {
        self.options.step_limit = limit;
        self
    }

    /// Sets the maximum number of concurrent tasks, at least 1. [`MAX_CONCURRENCY`](super::MAX_CONCURRENCY) by default.
    #[must_use]
    pub fn max_concurrency(mut self, tasks: usize) -> Self {
        self.options.max_concurrency = tasks.max(1);
        self
    }

    /// Sets the handle that stops the run.
    #[must_use]
    pub fn stop(mut self, stop: &Stop) -> Self {
        self.options.stop = Some(stop.clone());
        self
    }

    /// Limits the duration of each superstep (F36); unlimited by default. The results of tasks that finished in time are kept.
    #[must_use]
    pub fn step_timeout(mut self, limit: Duration) -> Self {
        self.options.step_timeout = Some(limit);
        self
    }

    /// Sets breakpoints for this run, instead of those of the graph (F56). The next run has those of the graph again.
    #[must_use]
    pub fn breakpoints(mut self, breakpoints: Breakpoints) -> Self {
        self.options.breakpoints = Some(breakpoints);
        self
    }

    /// Answers a question of the thread that is resumed.
    #[must_use]
    pub fn answer(mut self, question: QuestionId, answer: &(impl Serialize + ?Sized)) -> Self {
        let answer = serde_json::value::to_raw_value(answer).map_err(|error| error.to_string());
        self.answers.push((question, answer));
        self
    }

    /// Starts the run and streams its events. [`RunStream::outcome`] has the outcome when the stream has ended.
    ///
    /// Errors before the first superstep are errors of this call: an unknown thread or checkpoint, a thread that another
    /// run holds ([`StoreError::Busy`]), an answer to a question that is not open, a conflict of writers. A service can answer 404 or
    /// 409 to them ([`RunError::is_not_found`], [`RunError::is_conflict`]) before it sends the first event.
    ///
    /// [`StoreError::Busy`]: super::StoreError::Busy
    pub async fn stream(mut self, kinds: EventKinds) -> Result<RunStream<S>, RunError> {
        let span = self.named_span();
        let (to, events) = unbounded_channel();
        let sink = EventSink::new(to, kinds, self.options.thread.clone());
        let backlog = sink.backlog();
        let begun = Box::pin(self.begin(Some(sink))).instrument(span.clone()).await;
        let run = begun.inspect_err(|error| record_failure(&span, error))?;
        let ended = span.clone();
        let run = async move {
            finish(run)
                .await
                .inspect(|outcome| record_outcome(&ended, outcome))
                .inspect_err(|error| record_failure(&ended, error))
        };
        Ok(RunStream { run: Some(Box::pin(run.instrument(span))), events, backlog, outcome: None })
    }

    async fn execute(mut self) -> Result<Outcome<S>, RunError> {
        let span = self.named_span();
        let run = async { finish(self.begin(None).await?).await };
        let ended = run.instrument(span.clone()).await;
        ended
            .inspect(|outcome| record_outcome(&span, outcome))
            .inspect_err(|error| record_failure(&span, error))
    }

    /// Returns the span of the run. A run with a store and without a thread gets a new thread.
    fn named_span(&mut self) -> tracing::Span {
        let span = tracing::info_span!(
            "run",
            graph = self.graph.name(),
            thread = Empty,
            outcome = Empty,
            steps = Empty,
            checkpoint = Empty,
            error = Empty,
        );
        if self.graph.store.is_some() {
            let thread = self.options.thread.get_or_insert_with(ThreadId::random);
            span.record("thread", display(thread));
        }
        span
    }

    /// Claims the thread, determines the start point, records the answers, and saves the start.
    async fn begin(self, events: Option<EventSink>) -> Result<RunLoop<S, D>, RunError> {
        let Self { graph, from, mut options, answers } = self;
        let answers = check_answers(answers)?;
        let writer = match (&graph.store, &options.thread) {
            (Some(store), Some(thread)) => Some(store.claim(thread).await?),
            _ => None,
        };
        if writer.is_none() {
            options.thread = None;
        }
        let head = writer.as_ref().and_then(|writer| writer.head());
        let mut start = graph.start_point(from, &options, head).await?;
        let config = graph.run_config(&start, options, writer.as_ref(), events);
        accept_answers(&mut start.state.records, &config.log, answers).await?;
        let mut run = RunLoop::new(graph, config, start, writer);
        run.begin().await?;
        Ok(run)
    }
}

/// Records the end of a run in its span. A span without an outcome belongs to a run that was dropped.
fn record_outcome<S>(span: &tracing::Span, outcome: &Outcome<S>) {
    span.record("outcome", outcome.status.label());
    span.record("steps", i64::try_from(outcome.steps).unwrap_or(i64::MAX));
    if let Some(checkpoint) = &outcome.checkpoint {
        span.record("checkpoint", display(checkpoint));
    }
}

fn record_failure(span: &tracing::Span, error: &RunError) {
    let outcome = if matches!(error, RunError::Cancelled { .. }) { "cancelled" } else { "failed" };
    span.record("outcome", outcome).record("error", display(error));
}

/// Runs a run that has begun to its end.
async fn finish<S: State, D: Send + Sync + 'static>(mut run: RunLoop<S, D>) -> Result<Outcome<S>, RunError> {
    let status = run.run().await?;
    Ok(Outcome {
        status,
        checkpoint: run.checkpoint_id(),
        thread: run.config.thread().cloned(),
        steps: run.state.base.step,
        dropped: run.opening.dropped,
        state: Arc::unwrap_or_clone(run.state.values),
    })
}

/// Returns the answers. Fails when a question is answered twice, or an answer is no JSON.
fn check_answers(
    answers: Vec<(QuestionId, Result<Box<RawValue>, String>)>,
) -> Result<Vec<(QuestionId, Box<RawValue>)>, RunError> {
    let mut seen = BTreeSet::new();
    answers
        .into_iter()
        .map(|(question, answer)| {
            if !seen.insert(question) {
                return Err(RunError::AnsweredTwice { question });
            }
            let what = format!("the answer to question {question}");
            Ok((question, answer.map_err(|detail| RunError::Encoding { what, detail })?))
        })
        .collect()
}

impl<S: State, D: Send + Sync + 'static> IntoFuture for RunRequest<S, D> {
    type Output = Result<Outcome<S>, RunError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.execute())
    }
}

/// A run and the stream of its events. It makes progress only while it is polled.
pub struct RunStream<S> {
    run: Option<BoxFuture<'static, Result<Outcome<S>, RunError>>>,
    events: UnboundedReceiver<Event>,
    backlog: Arc<EventBacklog>,
    outcome: Option<Result<Outcome<S>, RunError>>,
}

impl<S> RunStream<S> {
    /// Returns the outcome of the run; `None` before the stream has ended.
    pub fn outcome(self) -> Option<Result<Outcome<S>, RunError>> {
        self.outcome
    }

    /// Returns the number of events that were dropped so far, because 32 MiB of events waited already. Only pieces of messages and emitted
    /// events are dropped; the whole messages are in the state.
    pub fn dropped_events(&self) -> u64 {
        self.backlog.dropped()
    }

    /// Returns the next event that waits.
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let polled = self.events.poll_recv(cx);
        if let Poll::Ready(Some(event)) = &polled {
            self.backlog.take(event);
        }
        polled
    }
}

impl<S: State> RunStream<S> {
    /// Converts the state of the outcome to JSON.
    pub(crate) fn into_json(self) -> RunStream<Box<RawValue>> {
        let run = self.run.map(|run| -> BoxFuture<'static, Result<Outcome<Box<RawValue>>, RunError>> {
            Box::pin(async move { run.await?.into_json() })
        });
        RunStream { run, events: self.events, backlog: self.backlog, outcome: None }
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

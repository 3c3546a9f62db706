//! The request for a run: its start and its limits. `.await` runs it to the end, `.stream()` also gives out its events.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc::unbounded_channel;
use tracing::Instrument;
use tracing::field::{Empty, display};

use super::answering::accept_answers;
use super::breakpoints::Breakpoints;
use super::command::Command;
use super::error::RunError;
use super::event::EventKinds;
use super::event_queue::{EventSink, QUEUED_EVENTS};
use super::graph::CompiledGraph;
use super::id::{CheckpointId, QuestionId, ThreadId};
use super::outcome::Outcome;
use super::run_config::RunOptions;
use super::run_loop::RunLoop;
use super::run_stream::RunStream;
use super::start::StartFrom;
use super::state::State;
use super::stop::Stop;
use super::task_log::Durability;

/// A request for a run. Nothing happens before it is awaited or streamed. It is a future of the [`Outcome`], so that it can be spawned as a
/// task of the runtime, and dropping it ends the run (see [`RunStream`]).
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use stategraph_core::{END, START, State, StateGraph};
///
/// #[derive(State, Clone, Default, Serialize, Deserialize)]
/// struct Count {
///     n: u32,
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let graph = StateGraph::<Count>::new("count")
///     .node("add", async |count: &Count| Count::update().n(count.n + 1))
///     .sequence([START, "add", END])
///     .compile()?;
/// let runs = [1, 2].map(|n| tokio::spawn(graph.run(Count { n }).step_limit(5)));
/// for (run, n) in runs.into_iter().zip([2, 3]) {
///     assert_eq!(run.await??.state.n, n);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[must_use = "a run begins when it is awaited or streamed"]
pub struct RunRequest<S: State, D: Send + Sync + 'static> {
    /// `None` once the run has begun.
    settings: Option<RunSettings<S, D>>,
    /// `None` before the first poll and after the last.
    running: Option<BoxFuture<'static, Result<Outcome<S>, RunError>>>,
}

/// The settings of a run that has not begun.
struct RunSettings<S: State, D: Send + Sync + 'static> {
    graph: CompiledGraph<S, D>,
    from: StartFrom<S>,
    options: RunOptions,
    answers: Vec<(QuestionId, Result<Box<RawValue>, String>)>,
    queued_events: usize,
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

    /// Continues a thread at its newest checkpoint. On a thread without planned tasks nothing runs.
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
        let (options, answers, queued_events) = (RunOptions::default(), Vec::new(), QUEUED_EVENTS);
        let settings = RunSettings { graph: self.clone(), from, options, answers, queued_events };
        RunRequest { settings: Some(settings), running: None }
    }
}

impl<S: State, D: Send + Sync + 'static> RunRequest<S, D> {
    /// Sets the thread that the run writes to. By default a run with a store starts a new one.
    pub fn thread(self, thread: ThreadId) -> Self {
        self.set(|run| run.options.thread = Some(thread))
    }

    /// Sets when checkpoints must be durable; [`Durability::Sync`] by default.
    pub fn durability(self, durability: Durability) -> Self {
        self.set(|run| run.options.durability = durability)
    }

    /// Sets the maximum number of supersteps of this run: a graph that ends after `n` passes with `n` (D3).
    /// [`STEP_LIMIT`](super::STEP_LIMIT) by default.
    pub fn step_limit(self, limit: u64) -> Self {
        self.set(|run| run.options.step_limit = limit)
    }

    /// Sets the maximum number of concurrent tasks, at least 1. [`MAX_CONCURRENCY`](super::MAX_CONCURRENCY) by default.
    pub fn max_concurrency(self, tasks: usize) -> Self {
        self.set(|run| run.options.max_concurrency = tasks.max(1))
    }

    /// Sets the handle that stops the run.
    pub fn stop(self, stop: &Stop) -> Self {
        self.set(|run| run.options.stop = Some(stop.clone()))
    }

    /// Limits the duration of each superstep (F36); unlimited by default. The results of tasks that finished in time are kept.
    pub fn step_timeout(self, limit: Duration) -> Self {
        self.set(|run| run.options.step_timeout = Some(limit))
    }

    /// Sets breakpoints for this run, instead of those of the graph (F56). The next run has those of the graph again.
    pub fn breakpoints(self, breakpoints: Breakpoints) -> Self {
        self.set(|run| run.options.breakpoints = Some(breakpoints))
    }

    /// Answers a question of the thread that is resumed.
    pub fn answer(self, question: QuestionId, answer: &(impl Serialize + ?Sized)) -> Self {
        let answer = serde_json::value::to_raw_value(answer).map_err(|error| error.to_string());
        self.set(|run| run.answers.push((question, answer)))
    }

    /// Sets the maximum number of events that wait for the reader of the stream; [`QUEUED_EVENTS`] by default, at least 1. See
    /// [`RunStream`] for what happens at the limit.
    pub fn queued_events(self, limit: usize) -> Self {
        self.set(|run| run.queued_events = limit.max(1))
    }

    /// Applies `set` to the settings. Does nothing once the run has begun.
    fn set(mut self, set: impl FnOnce(&mut RunSettings<S, D>)) -> Self {
        if let Some(settings) = &mut self.settings {
            set(settings);
        }
        self
    }

    /// Starts the run and streams its events. [`RunStream::outcome`] has the outcome when the stream has ended.
    ///
    /// Errors before the first superstep are errors of this call: an unknown thread or checkpoint, a thread that another
    /// run holds ([`StoreError::Busy`]), an answer to a question that is not open, a conflict of writers. A service can answer 404 or
    /// 409 to them ([`RunError::is_not_found`], [`RunError::is_conflict`]) before it sends the first event.
    ///
    /// [`StoreError::Busy`]: super::StoreError::Busy
    ///
    /// # Panics
    /// Panics when the request has been polled as a future before.
    pub async fn stream(self, kinds: EventKinds) -> Result<RunStream<S>, RunError> {
        let mut settings = self.settings.expect("a request is awaited or streamed, not both");
        let span = settings.named_span();
        let (to, events) = unbounded_channel();
        let sink = EventSink::new(to, kinds, settings.options.thread.clone(), settings.queued_events);
        let queue = sink.queue();
        let begun = Box::pin(settings.begin(Some(sink))).instrument(span.clone()).await;
        let run = begun.inspect_err(|error| record_failure(&span, error))?;
        let ended = span.clone();
        let run = async move {
            finish(run)
                .await
                .inspect(|outcome| record_outcome(&ended, outcome))
                .inspect_err(|error| record_failure(&ended, error))
        };
        Ok(RunStream::new(Box::pin(run.instrument(span)), events, queue))
    }
}

impl<S: State, D: Send + Sync + 'static> RunSettings<S, D> {
    async fn execute(mut self) -> Result<Outcome<S>, RunError> {
        let span = self.named_span();
        let run = async { finish(self.begin(None).await?).await };
        let ended = run.instrument(span.clone()).await;
        ended
            .inspect(|outcome| record_outcome(&span, outcome))
            .inspect_err(|error| record_failure(&span, error))
    }

    /// Returns the tracing span of the run. Sets a new random thread id for a run with a store and without a
    /// thread.
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

    /// Claims the thread, determines the start point, records the answers and saves the start. Returns the
    /// loop, which has not run a superstep yet.
    async fn begin(self, events: Option<EventSink>) -> Result<RunLoop<S, D>, RunError> {
        let Self { graph, from, mut options, answers, queued_events: _ } = self;
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

/// Records the outcome of a run in its tracing span. A span without an outcome belongs to a run that was
/// dropped.
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

/// Executes the supersteps of a run that has begun, and returns its outcome.
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

/// Returns the answers as JSON. Fails when a question is answered twice, or an answer could not be written as
/// JSON.
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

impl<S: State, D: Send + Sync + 'static> Unpin for RunRequest<S, D> {}

impl<S: State, D: Send + Sync + 'static> Future for RunRequest<S, D> {
    type Output = Result<Outcome<S>, RunError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(settings) = self.settings.take() {
            self.running = Some(Box::pin(settings.execute()));
        }
        let running = self.running.as_mut().expect("a future is not polled after its end");
        let polled = running.as_mut().poll(cx);
        if polled.is_ready() {
            self.running = None;
        }
        polled
    }
}

//! Asking for a run: what to start from and under which limits. `.await` it, or `.stream()` it.

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

use super::begin::begin;
use super::breakpoints::Breakpoints;
use super::command::Command;
use super::drive::Driver;
use super::error::RunError;
use super::event::{Event, EventKinds, EventSink};
use super::graph::CompiledGraph;
use super::id::{CheckpointId, QuestionId, Seq, ThreadId};
use super::outcome::Outcome;
use super::recorder::Durability;
use super::state::State;
use super::stop::Stop;

/// The most supersteps of a run when none is said: a run-away loop ends here (ENG-4).
pub const STEP_LIMIT: u64 = 10_000;

/// The most tasks under way at once when none is said.
pub const MAX_CONCURRENCY: usize = 64;

/// A run that has been asked for. Nothing happens before it is awaited or streamed.
pub struct RunRequest<S: State, D: Send + Sync + 'static> {
    pub(crate) graph: CompiledGraph<S, D>,
    pub(crate) from: Begin<S>,
    pub(crate) options: RunOptions,
    answers: Vec<(QuestionId, Result<Box<RawValue>, String>)>,
}

/// What a run starts from.
pub(crate) enum Begin<S: State> {
    /// This state, at `START`.
    State(S),
    /// The thread's state with this update, at `START`.
    Update(S::Update),
    /// The same; `fresh`, which has the update already, where the thread does not exist.
    Input { update: S::Update, fresh: Box<S> },
    /// Wherever the thread, or this checkpoint of it, stands.
    Thread(Option<Seq>),
    /// Wherever the thread stands, with this command.
    Command(Command<S>),
}

/// Limits and names of a run.
#[derive(Clone)]
pub(crate) struct RunOptions {
    pub(crate) thread: Option<ThreadId>,
    pub(crate) durability: Durability,
    pub(crate) step_limit: u64,
    pub(crate) max_concurrency: usize,
    pub(crate) stop: Option<Stop>,
    pub(crate) step_timeout: Option<Duration>,
    /// Instead of the graph's.
    pub(crate) breakpoints: Option<Breakpoints>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            thread: None,
            durability: Durability::default(),
            step_limit: STEP_LIMIT,
            max_concurrency: MAX_CONCURRENCY,
            stop: None,
            step_timeout: None,
            breakpoints: None,
        }
    }
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// Runs the graph on this state. With a store the run has a thread, a new one unless [`RunRequest::thread`] names it; on a
    /// thread that exists already it starts over, keeping the history.
    pub fn run(&self, state: S) -> RunRequest<S, D> {
        self.request(Begin::State(state))
    }

    /// Runs the graph again from `START` on the state that a thread has, with an update (LangGraph: a second `invoke`).
    /// Unfinished tasks and open questions of the earlier run are dropped (F57); [`Outcome::dropped`](super::Outcome::dropped) and
    /// [`EventKind::QuestionDropped`](super::EventKind::QuestionDropped) name the questions.
    pub fn continue_with(&self, thread: &ThreadId, update: S::Update) -> RunRequest<S, D> {
        self.request(Begin::Update(update)).thread(thread.clone())
    }

    /// Starts a thread, or continues it with an input (LangGraph's `invoke`): where the thread exists, this is
    /// [`continue_with`](Self::continue_with); else the run starts from the default state, or the graph's
    /// [`prototype`](super::StateGraph::prototype), with the input. Which of the two it is, is decided while the thread is claimed.
    pub fn invoke(&self, thread: &ThreadId, input: S::Update) -> RunRequest<S, D>
    where
        S: Default,
    {
        let mut fresh = self.inner.reading.prototype.clone().unwrap_or_default();
        fresh.fold(input.clone());
        let begin = Begin::Input { update: input, fresh: Box::new(fresh) };
        self.request(begin).thread(thread.clone())
    }

    /// Goes on where a thread stands. A thread that is done stays so.
    pub fn resume(&self, thread: &ThreadId) -> RunRequest<S, D> {
        self.request(Begin::Thread(None)).thread(thread.clone())
    }

    /// Goes on where a thread stands, with a command from outside (LangGraph F24): its update is written, and where it goes
    /// somewhere, by `goto` or dispatch, that runs next and nothing else. Nothing has to be declared for that.
    pub fn command(&self, thread: &ThreadId, command: Command<S>) -> RunRequest<S, D> {
        self.request(Begin::Command(command)).thread(thread.clone())
    }

    /// Goes on from a checkpoint, and stops at breakpoints as if it had never passed them: also at one right after the checkpoint, unless
    /// that is the newest and stands there. If it is not the newest of its thread, this is a fork: it becomes the newest one, everything
    /// after it runs again, and what was there stays in the history (F49).
    pub fn resume_at(&self, checkpoint: &CheckpointId) -> RunRequest<S, D> {
        self.request(Begin::Thread(Some(checkpoint.seq))).thread(checkpoint.thread.clone())
    }

    fn request(&self, from: Begin<S>) -> RunRequest<S, D> {
        RunRequest { graph: self.clone(), from, options: RunOptions::default(), answers: Vec::new() }
    }
}

impl<S: State, D: Send + Sync + 'static> RunRequest<S, D> {
    /// Names the thread.
    #[must_use]
    pub fn thread(mut self, thread: ThreadId) -> Self {
        self.options.thread = Some(thread);
        self
    }

    /// Says when checkpoints must be durable; [`Durability::Sync`] unless said.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.options.durability = durability;
        self
    }

    /// Sets the most supersteps of this run: a graph that ends after `n` passes with `n` (D3). [`STEP_LIMIT`] unless said.
    #[must_use]
    pub fn step_limit(mut self, limit: u64) -> Self {
        self.options.step_limit = limit;
        self
    }

    /// Sets the most tasks under way at once, at least 1. [`MAX_CONCURRENCY`] unless said.
    #[must_use]
    pub fn max_concurrency(mut self, tasks: usize) -> Self {
        self.options.max_concurrency = tasks.max(1);
        self
    }

    /// Lets the run be stopped from outside.
    #[must_use]
    pub fn stop(mut self, stop: &Stop) -> Self {
        self.options.stop = Some(stop.clone());
        self
    }

    /// Limits the time of each superstep (F36). What finished when it is over is kept.
    #[must_use]
    pub fn step_timeout(mut self, limit: Duration) -> Self {
        self.options.step_timeout = Some(limit);
        self
    }

    /// Says where this run stops, instead of where the graph says (F56). Not remembered: another run has the graph's again.
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

    /// Starts the run and gives out what happens in it. The outcome is in [`RunStream::outcome`] when the stream has ended.
    ///
    /// Errors that come before the first superstep are errors of this call: an unknown thread or checkpoint, a thread that another
    /// run holds ([`StoreError::Busy`]), an answer to a question that is not open, a conflict of writers. A service can answer 404 or
    /// 409 to them ([`RunError::is_not_found`], [`RunError::is_conflict`]) before it sends the first event.
    ///
    /// [`StoreError::Busy`]: super::StoreError::Busy
    pub async fn stream(mut self, kinds: EventKinds) -> Result<RunStream<S>, RunError> {
        let span = self.named_span();
        let (to, events) = unbounded_channel();
        let sink = EventSink::new(to, kinds, self.options.thread.clone());
        let driver = Box::pin(self.start(Some(sink))).instrument(span.clone()).await?;
        Ok(RunStream { run: Some(Box::pin(finish(driver).instrument(span))), events, outcome: None })
    }

    pub(crate) async fn execute(mut self, events: Option<EventSink>) -> Result<Outcome<S>, RunError> {
        let span = self.named_span();
        let run = async { finish(self.start(events).await?).await };
        run.instrument(span).await
    }

    /// The span of the run. A run that has a store and no thread gets a new thread.
    fn named_span(&mut self) -> tracing::Span {
        let span = tracing::info_span!("run", graph = self.graph.name(), thread = tracing::field::Empty);
        if self.graph.store.is_some() {
            let thread = self.options.thread.get_or_insert_with(ThreadId::random);
            span.record("thread", tracing::field::display(thread));
        }
        span
    }

    /// Claims the thread, takes the answers, and saves what the run starts from.
    async fn start(self, events: Option<EventSink>) -> Result<Driver<S, D>, RunError> {
        let answers = checked(self.answers)?;
        let (thread, writer) = match (&self.graph.store, &self.options.thread) {
            (Some(store), Some(thread)) => (Some(thread.clone()), Some(store.claim(thread).await?)),
            _ => (None, None),
        };
        let shared = self.graph.shared(&self.options, thread, writer.as_ref(), events);
        let mut driver = begin(self.graph, self.from, answers, &self.options, shared, writer).await?;
        driver.start().await?;
        Ok(driver)
    }
}

/// Runs to the end.
async fn finish<S: State, D: Send + Sync + 'static>(
    mut driver: Driver<S, D>,
) -> Result<Outcome<S>, RunError> {
    let status = driver.run().await?;
    let checkpoint = driver.checkpoint_id();
    let state = Arc::try_unwrap(driver.state).unwrap_or_else(|shared| (*shared).clone());
    Ok(Outcome {
        status,
        state,
        thread: driver.shared.thread.clone(),
        checkpoint,
        steps: driver.base.step,
        dropped: driver.dropped,
    })
}

/// The answers, each question once and each answer as JSON.
fn checked(
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
        Box::pin(self.execute(None))
    }
}

/// A run that gives out its events as they happen. It makes progress only while it is polled.
pub struct RunStream<S> {
    run: Option<BoxFuture<'static, Result<Outcome<S>, RunError>>>,
    events: UnboundedReceiver<Event>,
    outcome: Option<Result<Outcome<S>, RunError>>,
}

impl<S> RunStream<S> {
    /// How the run ended; `None` while events are still to come.
    pub fn outcome(self) -> Option<Result<Outcome<S>, RunError>> {
        self.outcome
    }
}

impl<S: State> RunStream<S> {
    /// The same stream with an outcome whose state is JSON.
    pub(crate) fn into_json(self) -> RunStream<Box<RawValue>> {
        let run = self.run.map(|run| -> BoxFuture<'static, Result<Outcome<Box<RawValue>>, RunError>> {
            Box::pin(async move { run.await?.into_json() })
        });
        RunStream { run, events: self.events, outcome: None }
    }
}

impl<S> Unpin for RunStream<S> {}

impl<S> Stream for RunStream<S> {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        if let Poll::Ready(Some(event)) = self.events.poll_recv(cx) {
            return Poll::Ready(Some(event));
        }
        if let Some(run) = &mut self.run
            && let Poll::Ready(outcome) = run.as_mut().poll(cx)
        {
            self.outcome = Some(outcome);
            self.run = None;
        }
        // The run may have said something in that poll; after its end the channel closes.
        self.events.poll_recv(cx)
    }
}

//! Runs one task to its end: attempts, waits between them, limits of time, panics. Folds nothing, writes no checkpoint.
//!
//! The parts that few tasks need are boxed, because every task would otherwise pay for moving their large futures.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tracing::Instrument;

use super::bad_route::BadRoute;
use super::checkpoint::{AskedQuestion, Edges, TaskEntry};
use super::closure::{UserClosure, catch_panic};
use super::command::{Command, Route};
use super::context::Cx;
use super::contract::Flush;
use super::dispatch::Dispatch;
use super::draft::END;
use super::event::{EventKind, EventKinds};
use super::graph::GraphDefinition;
use super::handler::{FailedNode, HandlerPanic};
use super::node_error::{NodeError, NodePanic, NodeResult, NodeTimeout};
use super::outcome::Stopped;
use super::panicked::panic_message;
use super::plan::{NodeIx, ReadyTask, ResolvedRoute};
use super::policy::{IdleLimit, NodePolicy};
use super::pulse::ActivityTimer;
use super::run_config::RunConfig;
use super::state::State;
use super::store_error::StoreError;

/// The way in which a task of a superstep ended: with a result, open questions, a stop or a failure. The
/// superstep merges the ends of all its tasks.
pub(crate) enum TaskEnd<S: State> {
    Finished(TaskOutput<S>),
    /// The task waits for answers to these questions.
    Asked(Vec<AskedQuestion>),
    /// A graph inside the task stopped.
    Stopped(Stopped),
    /// The task failed for good after this number of attempts.
    Failed {
        error: NodeError,
        attempts: u32,
    },
}

impl<S: State> TaskEnd<S> {
    /// Returns the result of a finished task; `None` for other ends.
    pub(crate) fn into_output(self) -> Option<TaskOutput<S>> {
        match self {
            Self::Finished(output) => Some(output),
            Self::Asked(_) | Self::Stopped(_) | Self::Failed { .. } => None,
        }
    }
}

/// The result of a finished task: its update, which is folded into the state, and its route.
pub(crate) struct TaskOutput<S: State> {
    pub(crate) update: Option<S::Update>,
    /// The targets that the task chose itself; `None` for most tasks.
    pub(crate) route: Option<Box<ResolvedRoute>>,
}

/// Runs a task, with all attempts, until it finishes, waits for an answer, stops or fails for good. After the
/// last failed attempt the error handler of its node runs, if there is one.
pub(crate) async fn run_task<S: State, D: Send + Sync + 'static>(
    graph: &GraphDefinition<S, D>,
    state: &Arc<S>,
    cx: &mut Cx<D>,
) -> TaskEnd<S> {
    let node = graph.node(cx.task.node);
    if cx.failure.is_none() {
        let error = match run_attempts(graph, state, cx, AttemptRole::Node).await {
            Ok(end) => return end,
            Err(error) => error,
        };
        let attempts = cx.task.attempt;
        let Some(handler) = &node.on_error else { return TaskEnd::Failed { error, attempts } };
        if let Err(error) = Box::pin(record_caught(cx, &error, handler.kind())).await {
            return TaskEnd::Failed { error: error.into(), attempts };
        }
    }
    cx.task.attempt = 1;
    cx.journal().begin_handler();
    match Box::pin(run_attempts(graph, state, cx, AttemptRole::Handler)).await {
        Ok(end) => end,
        Err(error) => {
            let failure = cx.failure.take().expect("a handler runs for a failure");
            TaskEnd::Failed { attempts: failure.attempts, error: failure.into_handler_error(error) }
        }
    }
}

/// The role of the code that a task runs: the node, or its error handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttemptRole {
    Node,
    /// The error handler of the node.
    Handler,
}

/// Records that the error handler takes over, so that a resume runs the handler and not the node. Sends the
/// event, and sets the failure in the context.
async fn record_caught<D>(
    cx: &mut Cx<D>,
    error: &NodeError,
    handler: Option<&str>,
) -> Result<(), StoreError> {
    let (text, attempts) = (error.to_string(), cx.task.attempt);
    if let Some(events) = &cx.run.events {
        events.send(EventKinds::TASKS, cx.step(), || EventKind::TaskCaught {
            node: cx.node().to_owned(),
            task: cx.task(),
            error: text.clone(),
            attempts,
            handler: handler.map(str::to_owned),
        });
    }
    let entry = TaskEntry::Caught { error: text.clone(), attempts };
    cx.run.log.record(cx.task.id, entry, Flush::Synced).await?;
    cx.failure = Some(FailedNode { node: cx.node().to_owned(), error: text, attempts });
    Ok(())
}

/// Makes attempts until one finishes or pauses, and waits between them as the retry policy says. Returns the
/// error of the last attempt when the policy allows no other.
async fn run_attempts<S: State, D: Send + Sync + 'static>(
    graph: &GraphDefinition<S, D>,
    state: &Arc<S>,
    cx: &mut Cx<D>,
    role: AttemptRole,
) -> NodeResult<TaskEnd<S>> {
    let node = graph.node(cx.task.node);
    let policy = if role == AttemptRole::Node { &node.policy } else { &graph.defaults };
    loop {
        let error = match attempt(graph, state, cx, role, policy).await {
            Ok(Some(Command { update, mut route })) => {
                if let Some(route) = &mut route {
                    replace_edges_for_handler(role, route);
                }
                if let Some(remembered) = cx.take_remembered_calls() {
                    route.get_or_insert_default().remember = Some(remembered);
                }
                match resolve_route(graph, &cx.run, cx.task.node, route) {
                    Ok(route) => return Ok(TaskEnd::Finished(TaskOutput { update, route })),
                    Err(bad) => NodeError::from(bad).permanent(),
                }
            }
            Ok(None) => return Ok(end_of_pause(cx)),
            Err(error) if role == AttemptRole::Handler => HandlerPanic::replace_node_panic(error),
            Err(error) => error,
        };
        let closure = || UserClosure::RetryFilter { node: node.name.as_ref().to_owned() };
        let wait = catch_panic(|| policy.wait(cx.task.attempt, &error, cx.jitter_seed()), closure);
        let Some(wait) = wait.map_err(|panic| NodeError::from(*panic).permanent())? else {
            return Err(error);
        };
        cx.tell_retry(None, cx.attempt(), &error, wait);
        Box::pin(tokio::time::sleep(wait)).await;
        cx.task.attempt += 1;
    }
}

/// Makes the `goto` targets of an error handler replace the edges of its node, because the node itself
/// failed. Does nothing for the route of a node.
fn replace_edges_for_handler(role: AttemptRole, route: &mut Route) {
    if role == AttemptRole::Handler && !route.goto.is_empty() {
        route.edges = Edges::Replaced;
    }
}

/// Returns the end of a task whose attempt paused: its questions, or the reason why a graph inside it stopped.
fn end_of_pause<S: State, D>(cx: &Cx<D>) -> TaskEnd<S> {
    let mut journal = cx.journal();
    match journal.stopped.take() {
        Some(stopped) => TaskEnd::Stopped(stopped),
        None => TaskEnd::Asked(journal.take_asked()),
    }
}

/// Makes one attempt under the time limits of `policy`. Returns `None` when it paused: the node waits for an
/// answer, or a graph inside it stopped.
async fn attempt<S: State, D: Send + Sync + 'static>(
    graph: &GraphDefinition<S, D>,
    state: &Arc<S>,
    cx: &mut Cx<D>,
    role: AttemptRole,
    policy: &NodePolicy,
) -> NodeResult<Option<Command<S>>> {
    let node = graph.node(cx.task.node);
    let run = match role {
        AttemptRole::Node => &node.run,
        AttemptRole::Handler => {
            node.on_error.as_ref().expect("a task is caught only where there is a handler")
        }
    };
    if cx.task.attempt > 1 || *cx.paused.get_mut() {
        cx.journal().begin_attempt();
        cx.paused.store(false, Ordering::Release);
    }
    tell_started(cx);
    cx.activity = policy.idle.map(|idle| Arc::new(ActivityTimer::new(idle.signs)));
    let activity = cx.activity.clone();
    let cx = &*cx;
    let running = Attempt { future: run.call(state, cx), paused: &cx.paused };
    let is_traced = tracing::span_enabled!(tracing::Level::INFO);
    if policy.timeout.is_none() && policy.idle.is_none() {
        // Without a subscriber the span is not built, because it costs more than the rest of a small task.
        if !is_traced {
            return running.await;
        }
        return Box::pin(in_span(span(cx), running)).await;
    }
    let bounded = async {
        tokio::select! {
            biased;
            ended = running => ended,
            timeout = run_timeout(policy.timeout) => Err(timeout.into()),
            timeout = idle_timeout(policy.idle, activity) => Err(timeout.into()),
        }
    };
    Box::pin(in_span(span(cx), bounded)).await
}

/// Waits for `limit` and returns the timeout error. Never returns without a limit.
async fn run_timeout(limit: Option<Duration>) -> NodeTimeout {
    let Some(limit) = limit else { return std::future::pending().await };
    tokio::time::sleep(limit).await;
    NodeTimeout::Run { limit }
}

/// Waits until the attempt has shown no activity for the limit, and returns the timeout error. Never returns
/// without a limit.
async fn idle_timeout(idle: Option<IdleLimit>, activity: Option<Arc<ActivityTimer>>) -> NodeTimeout {
    let (Some(IdleLimit { limit, .. }), Some(activity)) = (idle, activity) else {
        return std::future::pending().await;
    };
    activity.wait_until_idle(limit).await;
    NodeTimeout::Idle { limit }
}

/// The future of an attempt. It wraps the future of the node, and also ends with `None` when the node has
/// paused, and with an error when the node panicked.
struct Attempt<'a, T> {
    future: BoxFuture<'a, NodeResult<T>>,
    /// The node's context sets it when the node asks.
    paused: &'a AtomicBool,
}

impl<T> Future for Attempt<'_, T> {
    type Output = NodeResult<Option<T>>;

    fn poll(mut self: Pin<&mut Self>, waker: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.future.as_mut();
        match catch_unwind(AssertUnwindSafe(|| future.poll(waker))) {
            Ok(Poll::Ready(ended)) => Poll::Ready(ended.map(Some)),
            Ok(Poll::Pending) if self.paused.load(Ordering::Acquire) => Poll::Ready(Ok(None)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(panic) => Poll::Ready(Err(NodePanic { message: panic_message(panic.as_ref()) }.into())),
        }
    }
}

/// Turns the names of a route into node indexes. Fails for a target that the node did not declare, and for an
/// item of a type that its target does not take.
fn resolve_route<S: State, D>(
    graph: &GraphDefinition<S, D>,
    run: &RunConfig,
    node: NodeIx,
    route: Option<Box<Route>>,
) -> Result<Option<Box<ResolvedRoute>>, BadRoute> {
    let Some(route) = route else { return Ok(None) };
    let declared = graph.node(node);
    let known = match route.edges {
        Edges::Followed => &declared.goto,
        Edges::Replaced => &declared.instead,
    };
    let goto = route.goto.into_iter().map(|target| match known.contains(&target) {
        true if target == END => Ok(None),
        true => Ok(graph.planner.node(&target)),
        false => Err(BadRoute::UndeclaredGoto { target, known: known.clone() }),
    });
    let goto = goto.collect::<Result<_, _>>()?;
    let dispatch = route.dispatch.into_iter().map(|Dispatch { node: target, item }| {
        if !declared.dispatch.contains(&target) {
            return Err(BadRoute::UndeclaredDispatch { target, known: declared.dispatch.clone() });
        }
        let node =
            graph.planner.node(&target).expect("declared targets exist, or the graph does not compile");
        let accepted =
            graph.node(node).takes.expect("a dispatch target takes items, or the graph does not compile");
        match accepted.mismatch(&item) {
            Some(sent) => Err(BadRoute::ItemType { target, sent, taken: accepted.name() }),
            None => Ok(ReadyTask { node, item: Some(item) }),
        }
    });
    let dispatch = dispatch.collect::<Result<_, _>>()?;
    let parent = route.parent.into_iter().map(|target| match declared.parent.contains(&target) {
        _ if run.namespace().is_root() => Err(BadRoute::NoParent { target }),
        true => Ok(target.into()),
        false => Err(BadRoute::UndeclaredParent { target, known: declared.parent.clone() }),
    });
    let parent = parent.collect::<Result<_, _>>()?;
    Ok(Some(Box::new(ResolvedRoute { goto, dispatch, edges: route.edges, parent, remember: route.remember })))
}

/// Returns the tracing span of an attempt. Its numbers are `i64`, because layers for OpenTelemetry send `u64`
/// as text.
fn span<D>(cx: &Cx<D>) -> tracing::Span {
    let step = i64::try_from(cx.step()).unwrap_or(i64::MAX);
    let (outcome, error) = (tracing::field::Empty, tracing::field::Empty);
    tracing::info_span!("node", name = cx.node(), step, attempt = i64::from(cx.attempt()), outcome, error)
}

/// Awaits an attempt in its tracing span, and records its end in the span. A span without an outcome belongs
/// to an attempt that was dropped.
async fn in_span<T>(
    span: tracing::Span,
    running: impl Future<Output = NodeResult<Option<T>>>,
) -> NodeResult<Option<T>> {
    let ended = running.instrument(span.clone()).await;
    match &ended {
        Ok(Some(_)) => span.record("outcome", "ok"),
        Ok(None) => span.record("outcome", "paused"),
        Err(error) => span.record("outcome", "failed").record("error", tracing::field::display(error)),
    };
    ended
}

/// Sends the event that an attempt starts.
fn tell_started<D>(cx: &Cx<D>) {
    if let Some(events) = &cx.run.events {
        events.send(EventKinds::TASKS, cx.step(), || EventKind::TaskStarted {
            node: cx.node().to_owned(),
            task: cx.task(),
            attempt: cx.attempt(),
            // An item that cannot be JSON is left out here, because its reader or the checkpoint reports it.
            item: cx.item.as_ref().and_then(|item| item.to_json().ok()),
        });
    }
}

impl<D> Cx<D> {
    /// Logs a warning and sends the event that an attempt of the node, or of one `part` of it, failed with
    /// `error` and is repeated after `wait`. `attempt` is the number of the failed attempt.
    pub(super) fn tell_retry(&self, part: Option<&str>, attempt: u32, error: &NodeError, wait: Duration) {
        tracing::warn!(node = self.node(), part, attempt, %error, ?wait, "the node is tried again");
        if let Some(events) = &self.run.events {
            events.send(EventKinds::TASKS, self.step(), || EventKind::TaskRetried {
                node: self.node().to_owned(),
                task: self.task(),
                part: part.map(str::to_owned),
                attempt,
                error: error.to_string(),
                wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            });
        }
    }
}

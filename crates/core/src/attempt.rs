//! Runs one task to its end: attempts, waits between them, limits of time, panics. Folds nothing, writes no checkpoint.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tracing::Instrument;

use super::checkpoint::{Asked, Edges, TaskEntry};
use super::closure::{UserClosure, guarded};
use super::command::{BadRoute, Command, Route};
use super::context::Cx;
use super::contract::Flush;
use super::dispatch::Dispatch;
use super::draft::END;
use super::event::{EventKind, EventKinds};
use super::graph::Inner;
use super::handler::{FailedNode, HandlerPanic};
use super::node_error::{NodeError, NodePanic, NodeResult, NodeTimeout};
use super::outcome::Stopped;
use super::panicked::panic_message;
use super::plan::{NodeIx, Onward, Planned};
use super::policy::{IdleLimit, NodePolicy};
use super::pulse::Pulse;
use super::recorder::RunShared;
use super::state::State;
use super::store_error::StoreError;

/// How a task ended.
pub(crate) enum TaskEnd<S: State> {
    /// With an update, and where it goes by itself.
    Finished { update: Option<S::Update>, onward: Option<Box<Onward>> },
    /// With questions.
    Asked(Vec<Asked>),
    /// Not at all: a graph inside it stopped.
    Stopped(Stopped),
    /// With an error, after so many attempts.
    Failed { error: NodeError, attempts: u32 },
}

/// Whether the node has no policy and nobody traces: then [`run_plain`] does the same as [`run_task`] in a fraction of the time.
pub(crate) fn is_plain<S: State, D>(graph: &Inner<S, D>, node: NodeIx) -> bool {
    graph.node(node).plain && !tracing::enabled!(tracing::Level::INFO)
}

/// Runs a task whose node [`is_plain`]; `None` when it waits for an answer. What comes of it is up to [`plain_end`].
pub(crate) async fn run_plain<S: State, D: Send + Sync + 'static>(
    graph: &Inner<S, D>,
    state: &Arc<S>,
    cx: &mut Cx<D>,
) -> NodeResult<Option<Command<S>>> {
    if cx.run.events.is_some() {
        started(cx);
    }
    let cx = &*cx;
    Attempt { future: graph.node(cx.task.node).run.call(state, cx), paused: &cx.paused }.await
}

/// How a task ended that [`run_plain`] ran.
pub(crate) fn plain_end<S: State, D>(
    graph: &Inner<S, D>,
    cx: &Cx<D>,
    ended: NodeResult<Option<Command<S>>>,
) -> TaskEnd<S> {
    let ended = ended.and_then(|command| {
        let Some(command) = command else { return Ok(None) };
        Ok(Some((resolved(graph, &cx.run, cx.task.node, command.route)?, command.update)))
    });
    match ended {
        Ok(Some((onward, update))) => TaskEnd::Finished { update, onward },
        Ok(None) => paused_end(cx),
        Err(error) => TaskEnd::Failed { error, attempts: 1 },
    }
}

/// Runs a task until it finishes, asks, or fails for good; then its error handler, if it has one.
pub(crate) async fn run_task<S: State, D: Send + Sync + 'static>(
    graph: &Inner<S, D>,
    state: &Arc<S>,
    cx: &mut Cx<D>,
) -> TaskEnd<S> {
    let node = graph.node(cx.task.node);
    if cx.failure.is_none() {
        let error = match tries(graph, state, cx, Role::Node).await {
            Ok(end) => return end,
            Err(error) => error,
        };
        let attempts = cx.task.attempt;
        let Some(handler) = &node.on_error else { return TaskEnd::Failed { error, attempts } };
        if let Err(error) = caught(cx, &error, handler.kind()).await {
            return TaskEnd::Failed { error: error.into(), attempts };
        }
    }
    cx.task.attempt = 1;
    cx.journal().begin_handler();
    match tries(graph, state, cx, Role::Handler).await {
        Ok(end) => end,
        Err(error) => {
            let failure = cx.failure.take().expect("a handler runs for a failure");
            TaskEnd::Failed { attempts: failure.attempts, error: failure.handler_failed(error) }
        }
    }
}

/// As what a task runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Node,
    /// The error handler of its node.
    Handler,
}

/// Notes that the error handler takes over, so that it does after a crash as well.
async fn caught<D>(cx: &mut Cx<D>, error: &NodeError, handler: Option<&str>) -> Result<(), StoreError> {
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
    cx.run.task(cx.task.id, entry, Flush::Synced).await?;
    cx.failure = Some(FailedNode { node: cx.node().to_owned(), error: text, attempts });
    Ok(())
}

/// Attempts until one finishes or asks, or the last has failed.
async fn tries<S: State, D: Send + Sync + 'static>(
    graph: &Inner<S, D>,
    state: &Arc<S>,
    cx: &mut Cx<D>,
    role: Role,
) -> NodeResult<TaskEnd<S>> {
    let node = graph.node(cx.task.node);
    let policy = if role == Role::Node { &node.policy } else { &graph.defaults };
    loop {
        let error = match attempt(graph, state, cx, role, policy).await {
            Ok(Some(command)) => {
                let mut route = command.route;
                if let Some(route) = &mut route {
                    by(role, route);
                }
                match resolved(graph, &cx.run, cx.task.node, route) {
                    Ok(onward) => return Ok(TaskEnd::Finished { update: command.update, onward }),
                    Err(bad) => NodeError::from(bad).permanent(),
                }
            }
            Ok(None) => return Ok(paused_end(cx)),
            Err(error) if role == Role::Handler => HandlerPanic::instead_of_node(error),
            Err(error) => error,
        };
        let name = || UserClosure::RetryFilter { node: node.name.as_ref().to_owned() };
        let wait = guarded(|| policy.wait(cx.task.attempt, &error, cx.jitter_seed()), name);
        let Some(wait) = wait.map_err(|panic| NodeError::from(*panic).permanent())? else {
            return Err(error);
        };
        cx.tell_retry(None, cx.attempt(), &error, wait);
        tokio::time::sleep(wait).await;
        cx.task.attempt += 1;
    }
}

/// Where a handler goes, it goes instead of along the edges of its node.
fn by(role: Role, route: &mut Route) {
    if role == Role::Handler && !route.goto.is_empty() {
        route.edges = Edges::Replaced;
    }
}

/// How a task ended that paused.
fn paused_end<S: State, D>(cx: &Cx<D>) -> TaskEnd<S> {
    let mut journal = cx.journal();
    match journal.stopped.take() {
        Some(stopped) => TaskEnd::Stopped(stopped),
        None => TaskEnd::Asked(journal.take_asked()),
    }
}

/// One attempt; `None` when the node waits for an answer.
async fn attempt<S: State, D: Send + Sync + 'static>(
    graph: &Inner<S, D>,
    state: &Arc<S>,
    cx: &mut Cx<D>,
    role: Role,
    policy: &NodePolicy,
) -> NodeResult<Option<Command<S>>> {
    let node = graph.node(cx.task.node);
    let run = match role {
        Role::Node => &node.run,
        Role::Handler => node.on_error.as_ref().expect("a task is caught only where there is a handler"),
    };
    if cx.task.attempt > 1 || *cx.paused.get_mut() {
        cx.journal().begin_attempt();
        cx.paused.store(false, Ordering::Release);
    }
    started(cx);
    cx.pulse = policy.idle.map(|idle| Arc::new(Pulse::new(idle.signs)));
    let pulse = cx.pulse.clone();
    let cx = &*cx;
    let running = Attempt { future: run.call(state, cx), paused: &cx.paused };
    if policy.timeout.is_none() && policy.idle.is_none() {
        if tracing::enabled!(tracing::Level::INFO) {
            return running.instrument(span(cx)).await;
        }
        return running.await;
    }
    let bounded = async {
        tokio::select! {
            biased;
            ended = running => ended,
            timeout = too_long(policy.timeout) => Err(timeout.into()),
            timeout = too_quiet(policy.idle, pulse) => Err(timeout.into()),
        }
    };
    bounded.instrument(span(cx)).await
}

async fn too_long(limit: Option<Duration>) -> NodeTimeout {
    let Some(limit) = limit else { return std::future::pending().await };
    tokio::time::sleep(limit).await;
    NodeTimeout::Run { limit }
}

async fn too_quiet(idle: Option<IdleLimit>, pulse: Option<Arc<Pulse>>) -> NodeTimeout {
    let (Some(IdleLimit { limit, .. }), Some(pulse)) = (idle, pulse) else {
        return std::future::pending().await;
    };
    pulse.stops_for(limit).await;
    NodeTimeout::Idle { limit }
}

/// A node's future that also ends when the node asked a question, or panicked.
struct Attempt<'a, T> {
    future: BoxFuture<'a, NodeResult<T>>,
    /// Set by the node when it asks.
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

/// Where a route leads, if the node may go there.
fn resolved<S: State, D>(
    graph: &Inner<S, D>,
    run: &RunShared,
    node: NodeIx,
    route: Option<Box<Route>>,
) -> Result<Option<Box<Onward>>, BadRoute> {
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
    let sent = route.dispatch.into_iter().map(|Dispatch { node: target, item }| {
        if !declared.dispatch.contains(&target) {
            return Err(BadRoute::UndeclaredDispatch { target, known: declared.dispatch.clone() });
        }
        let node =
            graph.planner.node(&target).expect("declared targets exist, or the graph does not compile");
        let taken =
            graph.node(node).takes.expect("what is dispatched to takes items, or the graph does not compile");
        match taken.refuses(&item) {
            Some(sent) => Err(BadRoute::ItemType { target, sent, taken: taken.name() }),
            None => Ok(Planned { node, item: Some(item) }),
        }
    });
    let dispatch = sent.collect::<Result<_, _>>()?;
    let parent = route.parent.into_iter().map(|target| match declared.parent.contains(&target) {
        _ if run.namespace.is_root() => Err(BadRoute::NoParent { target }),
        true => Ok(target.into()),
        false => Err(BadRoute::UndeclaredParent { target, known: declared.parent.clone() }),
    });
    let parent = parent.collect::<Result<_, _>>()?;
    Ok(Some(Box::new(Onward { goto, dispatch, edges: route.edges, parent, remember: route.remember })))
}

fn span<D>(cx: &Cx<D>) -> tracing::Span {
    tracing::info_span!("node", name = cx.node(), step = cx.step(), attempt = cx.attempt())
}

fn started<D>(cx: &Cx<D>) {
    if let Some(events) = &cx.run.events {
        events.send(EventKinds::TASKS, cx.step(), || EventKind::TaskStarted {
            node: cx.node().to_owned(),
            task: cx.task(),
            attempt: cx.attempt(),
            // One that cannot be JSON is the error of who reads it, or of the checkpoint that has to hold it.
            item: cx.item.as_ref().and_then(|item| item.json().ok()),
        });
    }
}

impl<D> Cx<D> {
    /// Tells that an attempt of the node, or of one part of it, failed and is made again after a wait.
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

//! The return values of nodes: an update, and optionally a route.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::checkpoint::Edges;
use super::dispatch::Dispatch;
use super::node_error::{NodeError, NodeResult};
use super::state::State;

/// The result of a node: an update together with the nodes to run next (LangGraph F22).
///
/// A node that returns a route declares its targets with [`StateGraph::goto`](super::StateGraph::goto) or
/// [`StateGraph::dispatches`](super::StateGraph::dispatches), and has no edges (D2).
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use stategraph_core::{Command, State};
/// # #[derive(State, Clone, Default, Serialize, Deserialize)]
/// # struct Job { tries: u32 }
/// async fn attempt(job: &Job) -> Command<Job> {
///     Command::update(Job::update().tries(job.tries + 1)).goto(if job.tries < 3 { "attempt" } else { "END" })
/// }
/// ```
///
/// A command can also dispatch items (F21). Each item becomes a task of the next superstep, after the tasks of nodes that edges and `goto`
/// led to. The updates are folded in the order of dispatch.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use stategraph_core::{Command, State};
/// # #[derive(State, Clone, Default, Serialize, Deserialize)]
/// # struct Text { chapters: Vec<String> }
/// async fn split(text: &Text) -> Command<Text> {
///     text.chapters.iter().fold(Command::none(), |command, chapter| command.dispatch("summarise", chapter.clone()))
/// }
/// ```
pub struct Command<S: State> {
    pub(crate) update: Option<S::Update>,
    /// Boxed, because most commands have no route.
    pub(crate) route: Option<Box<Route>>,
}

/// The part of a [`Command`] that chooses the next nodes, by name. The engine checks the names against the
/// declared targets and turns them into a `ResolvedRoute`.
#[derive(Default)]
pub(crate) struct Route {
    pub(crate) goto: Vec<String>,
    pub(crate) dispatch: Vec<Dispatch>,
    /// The nodes of the outer graph to run next, from [`Command::goto_parent`].
    pub(crate) parent: Vec<String>,
    /// Tells if the route replaces the edges of the node. A route that does is checked against the targets of error handlers and sub-graphs
    /// (`DraftNode::instead`), any other against the declared `goto` targets.
    pub(crate) edges: Edges,
    /// The state that the node's sub-graph starts the next call with.
    pub(crate) remember: Option<Box<RawValue>>,
}

impl<S: State> Command<S> {
    /// Makes a command that folds this update into the state.
    pub fn update(update: S::Update) -> Self {
        Self { update: Some(update), route: None }
    }

    /// Makes a command that changes nothing.
    pub fn none() -> Self {
        Self { update: None, route: None }
    }

    /// Adds a node to run next.
    #[must_use]
    pub fn goto(mut self, node: impl Into<String>) -> Self {
        self.route.get_or_insert_default().goto.push(node.into());
        self
    }

    /// Ends this sub-graph after the superstep and runs a node of the outer graph next, instead of the targets of the sub-graph's edges
    /// (LangGraph F23). Declare it with [`StateGraph::goto_parent`](super::StateGraph::goto_parent). The update is folded in this graph,
    /// and the outer graph gets the updates of the whole sub-graph as usual.
    #[must_use]
    pub fn goto_parent(mut self, node: impl Into<String>) -> Self {
        self.route.get_or_insert_default().parent.push(node.into());
        self
    }

    /// Adds a task for this item: `node` runs for it in the next superstep. Each call adds another task, also for the same node.
    #[must_use]
    pub fn dispatch<T>(self, node: impl Into<String>, item: T) -> Self
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        self.dispatch_all([Dispatch::new(node, item)])
    }

    /// Adds a task for each of these items.
    #[must_use]
    pub fn dispatch_all(mut self, sent: impl IntoIterator<Item = Dispatch>) -> Self {
        self.route.get_or_insert_default().dispatch.extend(sent);
        self
    }
}

/// A value that a node may return: `()`, an update, a [`Command`], or a `Result` of one of these.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// let graph = StateGraph::<Count>::new("returns")
///     .node("nothing", async |_: &Count| {})
///     .node("update", async |_: &Count| Count::update().n(1))
///     .node("result", async |_: &Count| NodeResult::Ok(Count::update().n(2)))
///     .node("command", async |_: &Count| Command::<Count>::none().goto(END))
///     .sequence([START, "nothing", "update", "result", "command"])
///     .goto("command", [END])
///     .compile()?;
/// assert_eq!(graph.run(Count::default()).await?.state.n, 2);
/// # Ok(()) }) }
/// ```
#[diagnostic::on_unimplemented(
    message = "a node cannot return `{Self}`",
    note = "a node returns `()`, the update of its state `{S}`, a `Command<{S}>`, or a `Result` of one of these",
    note = "the error of such a `Result` is a `NodeError`, or implements `std::error::Error + Send + Sync + 'static`; \
            `NodeError::msg` makes one of a text"
)]
pub trait IntoCommand<S: State> {
    /// Converts the value to a command.
    fn into_command(self) -> NodeResult<Command<S>>;
}

impl<S: State> IntoCommand<S> for () {
    fn into_command(self) -> NodeResult<Command<S>> {
        Ok(Command::none())
    }
}

impl<S: State> IntoCommand<S> for Command<S> {
    fn into_command(self) -> NodeResult<Command<S>> {
        Ok(self)
    }
}

// Not recommended, so that the message is about the return value and not about the type that its update should be.
#[diagnostic::do_not_recommend]
impl<S: State<Update = U>, U: super::state::Update> IntoCommand<S> for U {
    fn into_command(self) -> NodeResult<Command<S>> {
        Ok(Command::update(self))
    }
}

impl<S: State, T: IntoCommand<S>, E: Into<NodeError>> IntoCommand<S> for Result<T, E> {
    fn into_command(self) -> NodeResult<Command<S>> {
        self.map_err(Into::into)?.into_command()
    }
}

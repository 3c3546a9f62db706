//! What a node returns: an update, and perhaps where to go.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::checkpoint::Edges;
use super::dispatch::Dispatch;
use super::node_error::{NodeError, NodeResult};
use super::state::State;

/// An update together with where to go next (LangGraph F22). A node that goes somewhere declares its targets when it is added
/// to the graph, and has no edges besides (D2).
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
/// It may send items as well (F21): each becomes a task of its own, run in the next superstep after the nodes that edges and
/// `goto` led to. Their updates are folded in the order of dispatch.
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
    /// Most commands go nowhere.
    pub(crate) route: Option<Box<Route>>,
}

/// Where a command goes, in names.
#[derive(Default)]
pub(crate) struct Route {
    pub(crate) goto: Vec<String>,
    pub(crate) dispatch: Vec<Dispatch>,
    /// Where the graph around this one goes.
    pub(crate) parent: Vec<String>,
    /// Whether the edges of the node count as well; if not, `goto` is held against other declarations.
    pub(crate) edges: Edges,
    /// The state that the node's sub-graph starts with the next time.
    pub(crate) remember: Option<Box<RawValue>>,
}

impl<S: State> Command<S> {
    /// Changes the state.
    pub fn update(update: S::Update) -> Self {
        Self { update: Some(update), route: None }
    }

    /// Changes nothing.
    pub fn none() -> Self {
        Self { update: None, route: None }
    }

    /// Runs this node next; called again, that one as well.
    #[must_use]
    pub fn goto(mut self, node: impl Into<String>) -> Self {
        self.route.get_or_insert_default().goto.push(node.into());
        self
    }

    /// Ends the graph after this superstep, and runs this node of the graph around it next, instead of where the edges of the
    /// sub-graph lead (LangGraph F23). Declared by [`StateGraph::goto_parent`](super::StateGraph::goto_parent). The update is
    /// written here as ever, and handed to the graph around as all that this one wrote.
    #[must_use]
    pub fn goto_parent(mut self, node: impl Into<String>) -> Self {
        self.route.get_or_insert_default().parent.push(node.into());
        self
    }

    /// Runs this node for this item in the next superstep; called again, once more.
    #[must_use]
    pub fn dispatch<T>(self, node: impl Into<String>, item: T) -> Self
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        self.dispatch_all([Dispatch::new(node, item)])
    }

    /// Runs a node for each of these.
    #[must_use]
    pub fn dispatch_all(mut self, sent: impl IntoIterator<Item = Dispatch>) -> Self {
        self.route.get_or_insert_default().dispatch.extend(sent);
        self
    }
}

/// What a node may return: `()`, an update, a [`Command`], or a `Result` of one of these.
#[diagnostic::on_unimplemented(
    message = "a node cannot return `{Self}`",
    note = "a node returns `()`, the update of its state `{S}`, a `Command<{S}>`, or a `Result` of one of these"
)]
pub trait IntoCommand<S: State> {
    /// As a command.
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

//! What a node returns: an update, and perhaps where to go.

use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::nearest;

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

/// A node went somewhere that it may not go.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadRoute {
    /// `goto` named a node that the node did not declare.
    #[error("it went to `{target}`, which is not among its declared targets: {}", declared(.known))]
    UndeclaredGoto {
        /// Where it went.
        target: String,
        /// What it declared.
        known: Vec<String>,
    },
    /// `dispatch` named a node that the node did not declare.
    #[error("it dispatched to `{target}`, which is not among its declared targets: {}", declared(.known))]
    UndeclaredDispatch {
        /// Where it sent an item.
        target: String,
        /// What it declared.
        known: Vec<String>,
    },
    /// `goto_parent` named a node that the node did not declare.
    #[error("it sent the graph around to `{target}`, which is not among its declared targets: {}", declared(.known))]
    UndeclaredParent {
        /// Where it went.
        target: String,
        /// What it declared.
        known: Vec<String>,
    },
    /// `goto_parent` in a graph that runs by itself.
    #[error("it sent the graph around to `{target}`, and there is none")]
    NoParent {
        /// Where it went.
        target: String,
    },
    /// The item is of another type than the node takes.
    #[error("it dispatched an item of type `{sent}` to `{target}`, which takes `{taken}`")]
    ItemType {
        /// Where it sent an item.
        target: String,
        /// The type of the item.
        sent: &'static str,
        /// The type that the node takes.
        taken: &'static str,
    },
}

impl BadRoute {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::UndeclaredGoto { target, known } => undeclared("goto", target, known),
            Self::UndeclaredDispatch { target, known } => undeclared("dispatch", target, known),
            Self::UndeclaredParent { target, known } => undeclared("parent", target, known),
            Self::NoParent { .. } => "run the graph as a node of another, or go to END".to_owned(),
            Self::ItemType { taken, .. } => format!("send a `{taken}`, or let the node take another type"),
        }
    }
}

fn undeclared(kind: &str, target: &str, known: &[String]) -> String {
    match nearest(target, known.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`? Else declare `{target}` as a {kind} target"),
        None => format!("declare `{target}` as a {kind} target"),
    }
}

fn declared(known: &[String]) -> impl Display + '_ {
    if known.is_empty() { "it declared none".to_owned() } else { known.join(", ") }
}

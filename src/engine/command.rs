//! What a node returns: an update, and perhaps where to go.

use std::fmt::Display;

use super::node_error::{NodeError, NodeResult};
use super::state::State;

/// An update together with where to go next (LangGraph F22). A node that goes somewhere declares its targets when it is added
/// to the graph, and has no edges besides (D2).
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use stategraph::engine::{Command, State};
/// # #[derive(State, Clone, Default, Serialize, Deserialize)]
/// # struct Job { tries: u32 }
/// async fn attempt(job: &Job) -> Command<Job> {
///     Command::update(Job::update().tries(job.tries + 1)).goto(if job.tries < 3 { "attempt" } else { "END" })
/// }
/// ```
pub struct Command<S: State> {
    pub(crate) update: Option<S::Update>,
    pub(crate) goto: Vec<String>,
}

impl<S: State> Command<S> {
    /// Changes the state.
    pub fn update(update: S::Update) -> Self {
        Self { update: Some(update), goto: Vec::new() }
    }

    /// Changes nothing.
    pub fn none() -> Self {
        Self { update: None, goto: Vec::new() }
    }

    /// Runs this node next; called again, that one as well.
    #[must_use]
    pub fn goto(mut self, node: impl Into<String>) -> Self {
        self.goto.push(node.into());
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

/// `goto` named a node that the node did not declare.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it went to `{target}`, which is not among its declared targets: {}", declared(.known))]
pub struct UndeclaredGoto {
    /// Where it went.
    pub target: String,
    /// What it declared.
    pub known: Vec<String>,
}

fn declared(known: &[String]) -> impl Display + '_ {
    if known.is_empty() { "it declared none".to_owned() } else { known.join(", ") }
}

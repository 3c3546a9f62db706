//! The failures that error handlers handle: a handler runs in the same superstep after the last attempt of its node has failed (LangGraph
//! F33). `attempt.rs` runs them.

use super::bad_route::BadRoute;
use super::checkpoint::{TaskEntry, TaskRecord};
use super::error::NodeFailure;
use super::node_error::{NodeError, NodePanic};

/// The failure of a node, for its error handler. It has only the text of the error, because the handler may run in another process than the
/// node did.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// async fn handler(_: &Count, cx: &Cx) -> CountUpdate {
///     assert!(cx.failure().is_some_and(|failed| failed.error == "no"));
///     Count::update().n(42)
/// }
/// let graph = StateGraph::new("handled")
///     .node("fails", async |_: &Count| NodeResult::<CountUpdate>::Err(NodeError::msg("no")))
///     .on_error("fails", handler, [""; 0])
///     .sequence([START, "fails", END])
///     .compile()?;
/// assert_eq!(graph.run(Count::default()).await?.state.n, 42);
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedNode {
    /// The node.
    pub node: String,
    /// Its error, as shown to the user.
    pub error: String,
    /// Number of attempts.
    pub attempts: u32,
}

/// The error of a task whose node and error handler both failed.
#[derive(Debug, thiserror::Error)]
#[error("its error handler failed; the node itself had failed with: {node_error}")]
#[non_exhaustive]
pub struct HandlerFailed {
    /// The error of the node.
    pub node_error: String,
    /// The error of the handler.
    #[source]
    pub handler: NodeFailure,
}

/// The error of a handler that panicked. The panic is a bug of the handler; the thread that ran it continues.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the error handler panicked: {message}")]
pub struct HandlerPanic {
    /// The message of the panic.
    pub message: String,
}

impl HandlerPanic {
    /// Turns the panic error of a node into that of a handler, because the code that panicked was a handler;
    /// returns other errors unchanged.
    pub(crate) fn replace_node_panic(error: NodeError) -> NodeError {
        match error.downcast_ref::<NodePanic>() {
            Some(NodePanic { message }) => Self { message: message.clone() }.into(),
            None => error,
        }
    }
}

impl FailedNode {
    /// Returns the failure for the error handler of `node` that an earlier run recorded; `None` when the
    /// handler had not taken over.
    pub(crate) fn from_records(node: &str, records: &[TaskRecord]) -> Option<Self> {
        records.iter().rev().find_map(|record| match &record.entry {
            TaskEntry::Caught { error, attempts } => {
                Some(Self { node: node.to_owned(), error: error.clone(), attempts: *attempts })
            }
            _ => None,
        })
    }

    /// Returns the error of a task whose handler failed with `error`: it has both errors, is permanent, and
    /// keeps the hint of the handler.
    pub(crate) fn into_handler_error(self, error: NodeError) -> NodeError {
        let handler = NodeFailure::from(error);
        let known = handler.hint.clone();
        let hint = known.or_else(|| Some(handler.downcast_ref::<BadRoute>()?.hint()));
        let both = HandlerFailed { node_error: self.error, handler };
        let both = NodeError::from(both).permanent();
        match hint {
            Some(hint) => both.with_hint(hint),
            None => both,
        }
    }
}

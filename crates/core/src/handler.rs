//! Error handlers: nodes that run in place of one that failed for good, in the same superstep (LangGraph F33). What is known of the
//! failure, and how it is kept; `attempt.rs` runs them.

use super::bad_route::BadRoute;
use super::checkpoint::{TaskEntry, TaskRecord};
use super::error::NodeFailure;
use super::node_error::{NodeError, NodePanic};

/// A node that failed for good, as its error handler sees it. Only the text of the error is known: the handler may run in another
/// process than the node did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedNode {
    /// The node.
    pub node: String,
    /// Its error, as shown to the user.
    pub error: String,
    /// How many attempts were made.
    pub attempts: u32,
}

/// A node and its error handler both failed.
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

/// An error handler panicked. That is a bug of the handler; its thread goes on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the error handler panicked: {message}")]
pub struct HandlerPanic {
    /// The message of the panic.
    pub message: String,
}

impl HandlerPanic {
    /// The error of a handler, in which a panic is the handler's.
    pub(crate) fn instead_of_node(error: NodeError) -> NodeError {
        match error.downcast_ref::<NodePanic>() {
            Some(NodePanic { message }) => Self { message: message.clone() }.into(),
            None => error,
        }
    }
}

impl FailedNode {
    /// The failure that the handler of a node was called for in an earlier run.
    pub(crate) fn left(node: &str, records: &[TaskRecord]) -> Option<Self> {
        records.iter().rev().find_map(|record| match &record.entry {
            TaskEntry::Caught { error, attempts } => {
                Some(Self { node: node.to_owned(), error: error.clone(), attempts: *attempts })
            }
            _ => None,
        })
    }

    /// The error of a task whose handler failed.
    pub(crate) fn handler_failed(self, error: NodeError) -> NodeError {
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

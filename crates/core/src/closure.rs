//! The closures of the graph's user, besides nodes: a panic becomes an error that names the closure. `attempt.rs` catches panics of nodes
//! and error handlers.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::panicked::panic_message;

/// A closure that the user gave to a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UserClosure {
    /// The choice of a conditional edge.
    Branch {
        /// The node that the edge comes from, or `START`.
        from: String,
    },
    /// The items of a fan-out.
    FanOut {
        /// The node that the fan-out comes from, or `START`.
        from: String,
        /// The node that runs for each item.
        to: String,
    },
    /// A reducer, while it folded an update.
    Reducer {
        /// The node that wrote the update; `START` for a write from outside.
        node: String,
        /// The folded channels of the update; the reducer of one of them panicked.
        channels: Vec<String>,
    },
    /// The filter of a retry policy.
    RetryFilter {
        /// The node with the policy.
        node: String,
    },
    /// A method of [`Hooks`](super::Hooks).
    Hook {
        /// The name of the method.
        name: &'static str,
    },
    /// Code that belongs to the values of a task, such as an implementation of `Serialize` or `Drop`.
    Values,
}

impl fmt::Display for UserClosure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branch { from } => write!(f, "the branch after `{from}`"),
            Self::FanOut { from, to } => write!(f, "the fan-out from `{from}` to `{to}`"),
            Self::Reducer { node, channels } if channels.is_empty() => {
                write!(f, "a reducer, on the update of `{node}`,")
            }
            Self::Reducer { node, channels } => {
                write!(f, "the reducer of `{}`, on the update of `{node}`,", channels.join("` or `"))
            }
            Self::RetryFilter { node } => write!(f, "the retry filter of `{node}`"),
            Self::Hook { name } => write!(f, "the hook `{name}`"),
            Self::Values => f.write_str("code of a value that a task wrote"),
        }
    }
}

/// The error of a closure that panicked, which is a bug of the closure. The superstep is not committed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{closure} panicked: {message}")]
pub struct ClosurePanic {
    /// The closure.
    pub closure: UserClosure,
    /// The message of the panic.
    pub message: String,
}

/// Runs a closure of the user. A panic becomes an error with the closure that `name` returns; `name` is
/// called only then.
#[inline]
pub(crate) fn catch_panic<T>(
    run: impl FnOnce() -> T,
    name: impl FnOnce() -> UserClosure,
) -> Result<T, Box<ClosurePanic>> {
    // A half-changed state is safe here, because the run ends and never commits it.
    catch_unwind(AssertUnwindSafe(run))
        .map_err(|panic| Box::new(ClosurePanic { closure: name(), message: panic_message(panic.as_ref()) }))
}

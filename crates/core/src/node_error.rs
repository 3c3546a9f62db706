//! The error of a node: any error, with advice for the user and the effect on retries. The engine adds the name of the node.

use std::error::Error;
use std::fmt;
use std::time::Duration;

/// The result of a node: a value or a [`NodeError`].
pub type NodeResult<T> = Result<T, NodeError>;

/// The error of a node. `?` makes it from any error. Like `anyhow::Error` it does not implement `Error` itself.
///
/// A plain error is retried as the node's policy says. [`permanent`](Self::permanent) excludes further attempts; [`temporary`](Self::temporary)
/// marks failures that go away by themselves; [`with_hint`](Self::with_hint) adds advice.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// async fn parse(_: &Count) -> NodeResult<CountUpdate> {
///     let n = "x".parse::<u32>().map_err(|error| NodeError::from(error).permanent().with_hint("write digits"))?;
///     Ok(Count::update().n(n))
/// }
/// let graph = StateGraph::new("parse").node("parse", parse).sequence([START, "parse", END]).compile()?;
/// let error = graph.run(Count::default()).await.err().ok_or("x is no number")?;
/// assert_eq!(error.hint().as_deref(), Some("write digits"));
/// # Ok(()) }) }
/// ```
pub struct NodeError {
    source: Box<dyn Error + Send + Sync>,
    retry: Retryable,
    hint: Option<String>,
}

/// The effect of an error on retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retryable {
    /// The retry policy of the node decides.
    ByPolicy,
    /// The retry policy of the node decides, and the failure is temporary: an overloaded server, a dropped connection. Policies can require
    /// this with [`NodeError::is_temporary`].
    Temporary {
        /// Minimum wait before another attempt, as the server requested; `None` leaves the wait to the policy. No further attempt is made
        /// when the policy's longest wait is shorter.
        after: Option<Duration>,
    },
    /// No further attempt is made, because it would fail again.
    Never,
}

impl NodeError {
    /// Makes an error from a text.
    pub fn msg(text: impl fmt::Display) -> Self {
        Self { source: text.to_string().into(), retry: Retryable::ByPolicy, hint: None }
    }

    /// Excludes further attempts; the retry policy is not asked.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.retry = Retryable::Never;
        self
    }

    /// Sets the effect on retries, for errors that wrap another one.
    #[must_use]
    pub fn with_retryable(mut self, retry: Retryable) -> Self {
        self.retry = retry;
        self
    }

    /// Marks the failure as temporary, with a minimum wait before another attempt.
    #[must_use]
    pub fn temporary(mut self, after: Option<Duration>) -> Self {
        self.retry = Retryable::Temporary { after };
        self
    }

    /// Returns true for a temporary failure. For [`RetryPolicy::only_if`](super::RetryPolicy::only_if).
    pub fn is_temporary(&self) -> bool {
        matches!(self.retry, Retryable::Temporary { .. })
    }

    /// Sets the advice for the user.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the effect on retries.
    pub fn retryable(&self) -> Retryable {
        self.retry
    }

    /// Returns the advice for the user.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns the wrapped error.
    pub fn source(&self) -> &(dyn Error + Send + Sync + 'static) {
        self.source.as_ref()
    }

    /// Returns the wrapped error if it is an `E`.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.source.downcast_ref()
    }

    /// Returns the wrapped error, owned.
    pub fn into_source(self) -> Box<dyn Error + Send + Sync> {
        self.source
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for NodeError {
    fn from(error: E) -> Self {
        Self { source: Box::new(error), retry: Retryable::ByPolicy, hint: None }
    }
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl fmt::Debug for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

/// The error of a node that exceeded a time limit of its policy (LangGraph F35). It may be retried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeTimeout {
    /// An attempt took longer than the timeout.
    #[error("the node ran longer than {limit:?}")]
    Run {
        /// The limit.
        limit: Duration,
    },
    /// An attempt gave no sign of life for longer than the idle limit.
    #[error("the node gave no sign of life for {limit:?}")]
    Idle {
        /// The limit.
        limit: Duration,
    },
}

/// The error of a node that panicked. The panic is a bug of the node; the thread that ran it continues.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the node panicked: {message}")]
pub struct NodePanic {
    /// The message of the panic.
    pub message: String,
}

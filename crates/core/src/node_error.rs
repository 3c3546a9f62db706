//! The error of a node: any error, with what the engine must know about it. Which node it was, is added by the engine.

use std::error::Error;
use std::fmt;
use std::time::Duration;

/// What a node returns.
pub type NodeResult<T> = Result<T, NodeError>;

/// Why a node failed. Made from any error by `?`; like `anyhow::Error` it does not implement `Error` itself.
pub struct NodeError {
    source: Box<dyn Error + Send + Sync>,
    retry: Retryable,
    hint: Option<String>,
}

/// Whether another attempt can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retryable {
    /// The retry policy of the node decides.
    ByPolicy,
    /// The retry policy of the node decides, and the failure is of a kind that passes by itself: an overloaded server, a dropped
    /// connection. Policies can ask for this with [`NodeError::is_passing`].
    Passing {
        /// The least wait before another attempt, as the other side asked for; `None` leaves it to the policy. A policy whose
        /// longest wait is shorter makes no further attempt.
        after: Option<Duration>,
    },
    /// Never: the same would happen again.
    Never,
}

impl NodeError {
    /// An error that is only a text.
    pub fn msg(text: impl fmt::Display) -> Self {
        Self { source: text.to_string().into(), retry: Retryable::ByPolicy, hint: None }
    }

    /// Says that another attempt cannot help: the retry policy is not asked.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.retry = Retryable::Never;
        self
    }

    /// Says whether another attempt can help, as another error did.
    #[must_use]
    pub fn retried_as(mut self, retry: Retryable) -> Self {
        self.retry = retry;
        self
    }

    /// Says that the failure passes by itself, and how long another attempt has to wait at least.
    #[must_use]
    pub fn passing(mut self, after: Option<Duration>) -> Self {
        self.retry = Retryable::Passing { after };
        self
    }

    /// Returns whether the failure passes by itself: for [`RetryPolicy::only_if`](super::RetryPolicy::only_if).
    pub fn is_passing(&self) -> bool {
        matches!(self.retry, Retryable::Passing { .. })
    }

    /// Says what the user can do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Whether another attempt can help.
    pub fn retryable(&self) -> Retryable {
        self.retry
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The error itself.
    pub fn source(&self) -> &(dyn Error + Send + Sync + 'static) {
        self.source.as_ref()
    }

    /// The error itself, if it is of this type.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.source.downcast_ref()
    }

    /// Gives the error away, for a chain of causes.
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

/// The node took more time than its policy allows (LangGraph F35). Another attempt can help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeTimeout {
    /// It ran too long.
    #[error("the node ran longer than {limit:?}")]
    Run {
        /// The limit.
        limit: Duration,
    },
    /// It gave no sign of life for too long.
    #[error("the node gave no sign of life for {limit:?}")]
    Idle {
        /// The limit.
        limit: Duration,
    },
}

/// The node panicked. That is a bug of the node; its thread goes on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the node panicked: {message}")]
pub struct NodePanic {
    /// What it said.
    pub message: String,
}

//! Errors of nodes that several workflows share.

use crate::engine::{NodeError, RunError, StoreError};
use crate::llm::{ModelErrorKind, PromptError};

/// Converts the error of a prompt to a permanent error, because a retry would render the same prompt.
pub(crate) fn prompt_error(error: PromptError) -> NodeError {
    let hint = error.hint();
    let error = NodeError::from(error).permanent();
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// Makes the error of a node that runs with services that only allow looking at threads.
pub(crate) fn viewer_error() -> NodeError {
    NodeError::msg("these services are for looking at threads").permanent()
}

/// Returns true for an error after which no agent of a run can continue: the store failed, or a replay
/// has no recorded answer.
pub(crate) fn ends_the_run(error: &NodeError) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error.source());
    while let Some(error) = cause {
        let is_tape = error
            .downcast_ref::<ModelErrorKind>()
            .is_some_and(|kind| matches!(kind, ModelErrorKind::Replay { .. }));
        let is_store = matches!(error.downcast_ref::<RunError>(), Some(RunError::Store(_)));
        if is_tape || is_store || error.is::<StoreError>() {
            return true;
        }
        cause = error.source();
    }
    false
}

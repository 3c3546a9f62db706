//! Errors of nodes that several workflows share.

use crate::engine::NodeError;
use crate::llm::PromptError;

/// Makes a permanent error of a prompt, because a retry would render the same.
pub(crate) fn prompt_error(error: PromptError) -> NodeError {
    let hint = error.hint();
    let error = NodeError::from(error).permanent();
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// Makes the error of a node that runs with the services of a viewer.
pub(crate) fn viewer_error() -> NodeError {
    NodeError::msg("these services are for looking at threads").permanent()
}

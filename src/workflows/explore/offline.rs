//! Exploration without a model: no network, and the same result for the same repository. The answers
//! are those of `rules`; they call the same tools under the same limits.

use crate::llm::Offline;

/// Returns the model for the name `offline`. It is never asked: `rules` answer instead, because they
/// need the repository.
pub fn placeholder() -> Offline {
    Offline::builder().build()
}

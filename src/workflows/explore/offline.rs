//! The exploration without a model: no network, the same result for the same repository. The answers are those of `rules`; they call the
//! same tools, under the same limits.

use crate::llm::Offline;

/// Returns the model behind the name `offline`. It is never asked: rules answer in its place, because they need the repository.
pub fn placeholder() -> Offline {
    Offline::builder().build()
}

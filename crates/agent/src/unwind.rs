//! Turns a panic of a tool or of middleware into its message; a panic of theirs must not end a run.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use stategraph_core::panic_message;

/// Returns the output of the future, or the message of its panic. The future is made inside, because making it may panic too.
pub(super) async fn caught<F: Future>(make: impl FnOnce() -> F) -> Result<F::Output, String> {
    // What the future held is dropped with it; tools that share state across calls guard it with locks, which poison.
    AssertUnwindSafe(async { make().await })
        .catch_unwind()
        .await
        .map_err(|panic| panic_message(panic.as_ref()))
}

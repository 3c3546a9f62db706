//! Turns a panic of a tool or of middleware into its message; a panic of theirs must not end a run.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use stategraph_core::panic_message;

/// Runs the future that `make` returns. Returns its output, or the message of a panic. A panic inside `make`
/// itself is caught too.
pub(super) async fn caught<F: Future>(make: impl FnOnce() -> F) -> Result<F::Output, String> {
    // What the future held is dropped with it; tools that share state across calls guard it with locks, which poison.
    AssertUnwindSafe(async { make().await })
        .catch_unwind()
        .await
        .map_err(|panic| panic_message(panic.as_ref()))
}

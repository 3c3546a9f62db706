//! Turns a panic of a tool or of middleware into its message; a panic of theirs must not end a run.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

/// The future's output, or what it said when it panicked. The future is made inside, so that making it may panic too.
pub(super) async fn caught<F: Future>(make: impl FnOnce() -> F) -> Result<F::Output, String> {
    // What the future held is dropped with it; tools that share state across calls guard it with locks, which poison.
    AssertUnwindSafe(async { make().await }).catch_unwind().await.map_err(|panic| said(panic.as_ref()))
}

/// The message of a panic.
pub(super) fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

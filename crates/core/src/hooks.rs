//! The hooks of a graph: calls at the start, resume, interrupt and end of each run (LangGraph F38). A hook cannot change a run; events tell
//! of the inside of one. `announce.rs` calls the hooks.

use super::breakpoints::Breakpoint;
use super::id::{CheckpointId, Namespace, ThreadId};
use super::outcome::Question;

/// An observer of a graph's runs. The run's own task calls it, so it must not take long. A panic of a hook ends the run with
/// [`RunError::ClosurePanic`](super::RunError::ClosurePanic); the checkpoints of the run stay.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
///
/// # fn main() { show(async {
/// #[derive(Default)]
/// struct Ends(AtomicUsize);
/// impl Hooks for Ends {
///     fn on_end(&self, _: &RunInfo<'_>, status: &str) {
///         assert_eq!(status, "done");
///         self.0.fetch_add(1, Relaxed);
///     }
/// }
/// let ends = Arc::new(Ends::default());
/// counter().compile()?.with_hooks(ends.clone()).run(Count::default()).await?;
/// assert_eq!(ends.0.load(Relaxed), 1);
/// # Ok(()) }) }
/// ```
pub trait Hooks: Send + Sync + 'static {
    /// Is called when a run starts at `START`.
    fn on_start(&self, _: &RunInfo<'_>) {}

    /// Is called, instead of [`on_start`](Self::on_start), when a run continues a thread at a checkpoint.
    fn on_resume(&self, _: &RunInfo<'_>) {}

    /// Is called when a run stops to wait for answers or at a breakpoint, before [`on_end`](Self::on_end).
    fn on_interrupt(&self, _: &RunInfo<'_>, _: Interrupt<'_>) {}

    /// Is called when a run has ended. The status is `done`, `waiting`, `paused`, `drained`, `cancelled` or
    /// `failed`.
    fn on_end(&self, _: &RunInfo<'_>, _status: &'static str) {}
}

/// The reason why a run stopped and can be resumed.
#[derive(Debug, Clone, Copy)]
pub enum Interrupt<'a> {
    /// These questions wait for an answer.
    Questions(&'a [Question]),
    /// The run stopped at a breakpoint.
    Breakpoint(&'a Breakpoint),
}

/// The facts about the run that a hook is called for.
#[derive(Debug, Clone)]
pub struct RunInfo<'a> {
    /// The name of the graph.
    pub graph: &'a str,
    /// The place of the graph among nested graphs; the root for the outermost.
    pub namespace: &'a Namespace,
    /// The thread; `None` in a run without a store.
    pub thread: Option<&'a ThreadId>,
    /// The number of the run among those of its thread, from 1.
    pub run: u64,
    /// The newest checkpoint that is saved; `None` without a store, and in a graph inside a task.
    pub checkpoint: Option<CheckpointId>,
}

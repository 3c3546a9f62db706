//! What somebody outside is told of the life of runs: start, resume, interrupt, end (LangGraph F38). Told, not asked: a hook cannot
//! change a run; events are for what happens inside one.

use super::breakpoints::Breakpoint;
use super::id::{CheckpointId, Namespace, ThreadId};
use super::outcome::Question;

/// Is told of the life of a graph's runs. Called in the run's own task: what takes long belongs elsewhere.
pub trait Hooks: Send + Sync + 'static {
    /// A run starts.
    fn on_start(&self, _: &RunInfo<'_>) {}

    /// A run goes on where a thread stood.
    fn on_resume(&self, _: &RunInfo<'_>) {}

    /// A run stops to be resumed: it waits for answers, or stands at a breakpoint.
    fn on_interrupt(&self, _: &RunInfo<'_>, _: Interrupt<'_>) {}

    /// A run ended: `done`, `waiting`, `paused`, `drained`, `cancelled` or `failed`.
    fn on_end(&self, _: &RunInfo<'_>, _status: &'static str) {}
}

/// Why a run stopped to be resumed.
#[derive(Debug, Clone, Copy)]
pub enum Interrupt<'a> {
    /// These questions wait for an answer.
    Questions(&'a [Question]),
    /// It stands at a breakpoint.
    Breakpoint(&'a Breakpoint),
}

/// Which run.
#[derive(Debug, Clone)]
pub struct RunInfo<'a> {
    /// The graph.
    pub graph: &'a str,
    /// Where in the nesting of sub-graphs.
    pub namespace: &'a Namespace,
    /// The thread, if the run has one.
    pub thread: Option<&'a ThreadId>,
    /// Which run of the thread, from 1.
    pub run: u64,
    /// The newest checkpoint, if there is one.
    pub checkpoint: Option<CheckpointId>,
}

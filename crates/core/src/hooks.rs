//! What somebody outside is told of the life of runs: start, resume, interrupt, end (LangGraph F38). Told, not asked: a hook cannot
//! change a run; events are for what happens inside one.

use super::breakpoints::Breakpoint;
use super::closure::{UserClosure, guarded};
use super::drive::{Driver, Resumed};
use super::error::RunError;
use super::event::{EventKind, EventKinds, RunFailure};
use super::id::{CheckpointId, Namespace, ThreadId};
use super::outcome::{Question, Status};
use super::state::State;

/// Is told of the life of a graph's runs. Called in the run's own task: what takes long belongs elsewhere. A hook that panics makes the run end
/// with [`RunError::ClosurePanic`]; what the run saved stands.
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

impl<S: State, D: Send + Sync + 'static> Driver<S, D> {
    /// Tells that the run starts or goes on. A graph inside a task is no run of its own to those who watch events.
    pub(super) fn begun(&self) -> Result<(), RunError> {
        if self.shared.namespace.is_root() {
            let (graph, run) = (self.graph.name().to_owned(), self.origin.run);
            self.tell(EventKinds::RUN, || EventKind::RunStarted { graph, run });
            for Question { id, node, payload, .. } in &self.dropped {
                self.tell(EventKinds::RUN, || EventKind::QuestionDropped {
                    node: node.clone(),
                    question: *id,
                    payload: payload.clone(),
                });
            }
        }
        match (&self.graph.hooks, self.resumed) {
            (None, _) => Ok(()),
            (Some(hooks), Resumed::Yes) => told("on_resume", || hooks.on_resume(&self.info())),
            (Some(hooks), Resumed::No) => told("on_start", || hooks.on_start(&self.info())),
        }
    }

    /// Tells how the run ended. Every hook is told, also after one that panicked.
    pub(super) fn ended(&self, ended: &Result<Status, RunError>) -> Result<(), RunError> {
        let status = match ended {
            Ok(status) => status.label(),
            Err(RunError::Cancelled { .. }) => "cancelled",
            Err(_) => "failed",
        };
        if self.shared.namespace.is_root() {
            let error = ended.as_ref().err().map(RunFailure::from);
            self.tell(EventKinds::RUN, || EventKind::RunFinished {
                status: status.into(),
                error,
                spent: self.state.spent(),
            });
        }
        let Some(hooks) = &self.graph.hooks else { return Ok(()) };
        let interrupted = match ended {
            Ok(Status::Waiting(questions)) => Some(Interrupt::Questions(questions)),
            Ok(Status::Paused(at)) => Some(Interrupt::Breakpoint(at)),
            _ => None,
        };
        let interrupt =
            interrupted.map_or(Ok(()), |by| told("on_interrupt", || hooks.on_interrupt(&self.info(), by)));
        interrupt.and(told("on_end", || hooks.on_end(&self.info(), status)))
    }

    pub(super) fn info(&self) -> RunInfo<'_> {
        RunInfo {
            graph: self.graph.name(),
            namespace: &self.shared.namespace,
            thread: self.shared.thread.as_ref(),
            run: self.origin.run,
            checkpoint: self.checkpoint_id(),
        }
    }
}

fn told(name: &'static str, tell: impl FnOnce()) -> Result<(), RunError> {
    Ok(guarded(tell, || UserClosure::Hook { name })?)
}

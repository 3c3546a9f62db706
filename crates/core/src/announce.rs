//! Tells subscribers and hooks how a run begins, goes on and ends. Changes nothing.

use super::breakpoints::Breakpoint;
use super::closure::{UserClosure, catch_panic};
use super::commit::encode;
use super::error::RunError;
use super::event::{EventKind, EventKinds, RunFailure};
use super::hooks::{Interrupt, RunInfo};
use super::outcome::{Question, Status};
use super::run_loop::RunLoop;
use super::spending::sum_spent;
use super::state::State;

impl<S: State, D: Send + Sync + 'static> RunLoop<S, D> {
    /// Sends the event that the run starts or continues and one for each dropped question, and calls the
    /// hook. A graph inside a task only calls its hook, because for subscribers it is no run. Fails when the
    /// hook panics.
    pub(super) fn announce_start(&self) -> Result<(), RunError> {
        if self.config.namespace().is_root() {
            let (graph, run) = (self.graph.name().to_owned(), self.config.origin.run);
            self.tell(EventKinds::RUN, || EventKind::RunStarted { graph, run });
            for Question { id, node, payload, .. } in &self.opening.dropped {
                self.tell(EventKinds::RUN, || EventKind::QuestionDropped {
                    node: node.clone(),
                    question: *id,
                    payload: payload.clone(),
                });
            }
        }
        match &self.graph.hooks {
            None => Ok(()),
            Some(hooks) if self.opening.is_resumed => {
                call_hook("on_resume", || hooks.on_resume(&self.info()))
            }
            Some(hooks) => call_hook("on_start", || hooks.on_start(&self.info())),
        }
    }

    /// Sends the event of the end of the run, and calls the hooks for it: `on_end` even after `on_interrupt`
    /// panicked. Fails with the first panic of a hook.
    pub(super) fn announce_end(&self, ended: &Result<Status, RunError>) -> Result<(), RunError> {
        let status = match ended {
            Ok(status) => status.label(),
            Err(RunError::Cancelled { .. }) => "cancelled",
            Err(_) => "failed",
        };
        if self.config.namespace().is_root() {
            let error = ended.as_ref().err().map(RunFailure::from);
            let breakpoint = match ended {
                Ok(Status::Paused(at)) => Some(at.clone()),
                _ => None,
            };
            self.tell_at(self.last_step(ended), EventKinds::RUN, || EventKind::RunFinished {
                status: status.into(),
                error,
                dropped: self.config.events.as_ref().map_or(0, |events| events.queue().dropped()),
                breakpoint,
                spent: sum_spent(self.state.values.spent().into_iter().chain(self.config.unfolded())),
            });
        }
        let Some(hooks) = &self.graph.hooks else { return Ok(()) };
        let interrupt = match ended {
            Ok(Status::Waiting(questions)) => Some(Interrupt::Questions(questions)),
            Ok(Status::Paused(at)) => Some(Interrupt::Breakpoint(at)),
            _ => None,
        };
        let called = interrupt.map_or(Ok(()), |interrupt| {
            call_hook("on_interrupt", || hooks.on_interrupt(&self.info(), interrupt))
        });
        called.and(call_hook("on_end", || hooks.on_end(&self.info(), status)))
    }

    /// Returns the superstep in which the run ended: the one under way, else the last.
    fn last_step(&self, ended: &Result<Status, RunError>) -> u64 {
        let is_inside = |at: &Breakpoint| at.before.iter().chain(&at.after).any(|node| node.contains('/'));
        match ended {
            Ok(Status::Waiting(_)) => self.state.base.step + 1,
            Ok(Status::Paused(at)) if is_inside(at) => self.state.base.step + 1,
            Err(
                RunError::Node { step, .. }
                | RunError::WriteConflict { step, .. }
                | RunError::StepTimeout { step, .. }
                | RunError::Cancelled { step, .. },
            ) => *step,
            _ => self.state.base.step,
        }
    }

    fn info(&self) -> RunInfo<'_> {
        RunInfo {
            graph: self.graph.name(),
            namespace: self.config.namespace(),
            thread: self.config.thread(),
            run: self.config.origin.run,
            checkpoint: self.checkpoint_id(),
        }
    }

    /// Sends the event that `build` makes, with the number of the superstep that ended last, to a subscriber
    /// of the kind `group`.
    pub(crate) fn tell(&self, group: EventKinds, build: impl FnOnce() -> EventKind) {
        self.tell_at(self.state.base.step, group, build);
    }

    /// Sends the event that `build` makes, with the superstep `step`, to a subscriber of the kind `group`.
    pub(crate) fn tell_at(&self, step: u64, group: EventKinds, build: impl FnOnce() -> EventKind) {
        if let Some(events) = &self.config.events {
            events.send(group, step, build);
        }
    }

    /// Sends the state as JSON to a subscriber of [`EventKinds::VALUES`].
    pub(super) fn tell_values(&self) -> Result<(), RunError> {
        let wants_values = |kinds: EventKinds| kinds.contains(EventKinds::VALUES);
        if self.config.events.as_ref().is_some_and(|events| wants_values(events.kinds)) {
            let state = encode("the state", &*self.state.values)?;
            self.tell(EventKinds::VALUES, || EventKind::Values { state });
        }
        Ok(())
    }
}

fn call_hook(name: &'static str, call: impl FnOnce()) -> Result<(), RunError> {
    Ok(catch_panic(call, || UserClosure::Hook { name })?)
}

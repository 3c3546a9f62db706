//! What begins and ends a run around its supersteps: who is told, and what stops it before its end: a limit, a wish from outside, a
//! breakpoint, time. Runs no node, folds nothing; see `drive.rs`.

use std::time::Duration;

use super::checkpoint::{Flush, TaskEntry};
use super::drive::{Driver, Passing, Resumed};
use super::error::RunError;
use super::event::{EventKind, EventKinds};
use super::hooks::{Interrupt, RunInfo};
use super::id::TaskId;
use super::outcome::{Status, Stopped};
use super::state::State;
use super::stop::{Stop, StopWish};

impl<S: State, D: Send + Sync + 'static> Driver<S, D> {
    /// Tells that the run starts or goes on. A graph inside a task is no run of its own to those who watch events.
    pub(super) fn begun(&self) {
        if self.shared.namespace.is_root() {
            let graph = self.graph.name().to_owned();
            self.tell(EventKinds::RUN, || EventKind::RunStarted { graph });
        }
        match (&self.graph.hooks, self.resumed) {
            (None, _) => {}
            (Some(hooks), Resumed::Yes) => hooks.on_resume(&self.info()),
            (Some(hooks), Resumed::No) => hooks.on_start(&self.info()),
        }
    }

    /// Tells how the run ended.
    pub(super) fn ended(&self, ended: &Result<Status, RunError>) {
        let status = match ended {
            Ok(status) => status.label(),
            Err(RunError::Cancelled { .. }) => "cancelled",
            Err(_) => "failed",
        };
        if self.shared.namespace.is_root() {
            self.tell(EventKinds::RUN, || EventKind::RunFinished { status });
        }
        let Some(hooks) = &self.graph.hooks else { return };
        match ended {
            Ok(Status::Waiting(questions)) => {
                hooks.on_interrupt(&self.info(), Interrupt::Questions(questions));
            }
            Ok(Status::Paused(at)) => hooks.on_interrupt(&self.info(), Interrupt::Breakpoint(at)),
            _ => {}
        }
        hooks.on_end(&self.info(), status);
    }

    pub(super) fn info(&self) -> RunInfo<'_> {
        RunInfo {
            graph: self.graph.name(),
            namespace: &self.shared.namespace,
            thread: self.shared.thread.as_ref(),
            run: self.run_number,
            checkpoint: self.checkpoint_id(),
        }
    }

    /// Whether the run stops before the next superstep.
    pub(super) fn is_stopped(&mut self) -> Result<Option<Stopped>, RunError> {
        match self.shared.stop.as_ref().map_or(StopWish::None, Stop::wish) {
            StopWish::None => {}
            StopWish::Drain => return Ok(Some(Stopped::Drained)),
            StopWish::Cancel => return Err(self.cancelled()),
        }
        let passing = std::mem::replace(&mut self.passing, Passing::No);
        let Some(stops) = self.stops.as_ref().filter(|_| passing == Passing::No) else { return Ok(None) };
        let at = stops.between(&self.ran, &self.next, self.graph.inner.planner.names());
        Ok(at.map(Stopped::Paused))
    }

    /// Stops there. That it stood at a breakpoint is noted, so that only a resume passes it, and not a run that crashed before.
    pub(super) async fn stop(&mut self, stopped: Stopped) -> Result<Status, RunError> {
        if let Stopped::Paused(_) = &stopped {
            let first = TaskId { base: self.base.seq, index: 0 };
            self.shared.task(first, TaskEntry::Paused, Flush::Synced).await?;
        }
        Ok(stopped.into())
    }

    /// Ends early, dropping the work, when the run is cancelled or the superstep takes too long.
    pub(crate) async fn or_cancelled<T>(&self, work: impl Future<Output = T>) -> Result<T, RunError> {
        if self.shared.stop.is_none() && self.step_timeout.is_none() {
            return Ok(work.await);
        }
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = cancelled(self.shared.stop.as_ref()) => Err(self.cancelled()),
            limit = elapsed(self.step_timeout) => Err(RunError::StepTimeout {
                step: self.base.step + 1,
                limit,
                checkpoint: self.checkpoint_id(),
            }),
        }
    }

    pub(crate) fn cancelled(&self) -> RunError {
        RunError::Cancelled { step: self.base.step + 1, checkpoint: self.checkpoint_id() }
    }

    pub(super) fn limit_reached(&self) -> RunError {
        RunError::StepLimit {
            limit: self.limit,
            next: self.names_of(&self.next),
            checkpoint: self.checkpoint_id(),
        }
    }
}

async fn cancelled(stop: Option<&Stop>) {
    match stop {
        Some(stop) => stop.wait_for(StopWish::Cancel).await,
        None => std::future::pending().await,
    }
}

async fn elapsed(limit: Option<Duration>) -> Duration {
    let Some(limit) = limit else { return std::future::pending().await };
    tokio::time::sleep(limit).await;
    limit
}

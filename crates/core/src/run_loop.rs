//! The loop of a run: execute the planned tasks, fold their updates, plan the next tasks, write a checkpoint. Run, stream, resume, the
//! type-erased host and graphs inside tasks all use it. `superstep.rs` executes tasks, `save.rs` writes; `plan.rs` and `fold.rs` are pure.

use std::sync::Arc;
use std::time::Duration;

use smallvec::SmallVec;

use super::attempt::TaskOutput;
use super::breakpoints::ActiveBreakpoints;
use super::checkpoint::{Source, TaskEntry};
use super::context::TaskPlace;
use super::contract::{Ack, Flush, ThreadWriter};
use super::error::RunError;
use super::fold::{FoldError, fold_step, reject_fault};
use super::graph::CompiledGraph;
use super::id::{CheckpointId, TaskId};
use super::outcome::{Question, Status, Stopped};
use super::plan::{NodeIx, ReadyTask, ResolvedRoute};
use super::pulse::ActivityKind;
use super::run_config::RunConfig;
use super::run_log::RunLog;
use super::run_state::{RememberedState, RunState};
use super::start::{RunOpening, StartPoint};
use super::state::State;
use super::stop::{Stop, StopWish};
use super::update_buffer::UpdateBuffer;

/// One run of a graph, from its start point to its end. Dropping it aborts its tasks.
pub(crate) struct RunLoop<S: State, D: Send + Sync + 'static> {
    pub(crate) graph: CompiledGraph<S, D>,
    pub(crate) config: Arc<RunConfig>,
    pub(crate) log: RunLog,
    pub(crate) state: RunState<S>,
    /// The breakpoints of the run; `None` when it has none.
    pub(crate) breakpoints: Option<ActiveBreakpoints>,
    /// In a graph inside a task: the sum of all updates that it has written, which the outer graph gets.
    pub(crate) delta: Option<S::Update>,
    pub(crate) opening: RunOpening,
    /// The updates of the superstep that is being committed, as JSON. A buffer that every superstep uses again.
    pub(crate) updates: UpdateBuffer,
}

/// The results of the tasks of a superstep, in task order.
pub(crate) type StepOutputs<S> = SmallVec<[TaskOutput<S>; 1]>;

/// The way in which the tasks of a superstep ended, if none failed. The loop commits, waits or stops
/// accordingly.
pub(crate) enum StepEnd<S: State> {
    /// All tasks finished; their results in task order.
    Finished(StepOutputs<S>),
    Waiting(Vec<Question>),
    /// A graph inside a task stopped.
    Stopped(Stopped),
}

impl<S: State, D: Send + Sync + 'static> RunLoop<S, D> {
    pub(crate) fn new(
        graph: CompiledGraph<S, D>,
        config: Arc<RunConfig>,
        start: StartPoint<S>,
        writer: Option<Arc<dyn ThreadWriter>>,
    ) -> Self {
        let breakpoints = config.options.breakpoints.as_ref().unwrap_or(&graph.definition.breakpoints);
        let is_paused = start.state.records.iter().any(|record| matches!(record.entry, TaskEntry::Paused));
        Self {
            breakpoints: breakpoints.activate(&graph.definition.planner, is_paused),
            log: RunLog::new(config.clone(), writer, start.lineage.as_ref()),
            config,
            state: start.state,
            delta: None,
            opening: start.opening,
            updates: UpdateBuffer::default(),
            graph,
        }
    }

    /// Announces the run and saves its start point. After an error here the run has not begun.
    pub(crate) async fn begin(&mut self) -> Result<(), RunError> {
        let announced = self.announce_start();
        let ended = match (self.save_start().await, announced) {
            (Ok(()), Ok(())) => return Ok(()),
            // The panic of a hook ends the run, but its thread exists.
            (Ok(()), Err(panic)) => self.save_end(Err(panic)).await,
            (Err(error), _) => Err(error),
        };
        self.announce(ended).map(|_| ())
    }

    /// Runs to the end, after [`begin`](Self::begin). Saves the state whatever the end is.
    pub(crate) async fn run(&mut self) -> Result<Status, RunError> {
        let ended = self.run_supersteps().await;
        let ended = self.save_end(ended).await;
        self.announce(ended)
    }

    /// Announces the end of the run to subscribers and hooks, and returns `ended`, or the panic of a hook
    /// when the run itself has no error.
    fn announce(&self, ended: Result<Status, RunError>) -> Result<Status, RunError> {
        let announced = self.announce_end(&ended);
        ended.and_then(|status| announced.map(|()| status))
    }

    /// Returns the newest checkpoint that the store has; `None` without a store, and in a graph inside a task.
    pub(crate) fn checkpoint_id(&self) -> Option<CheckpointId> {
        let thread = self.config.thread().filter(|_| self.config.namespace().is_root())?;
        let base = &self.state.base;
        let seq = if base.is_saved { base.seq } else { base.parent? };
        Some(CheckpointId { thread: thread.clone(), seq })
    }

    async fn save_start(&mut self) -> Result<(), RunError> {
        self.tell_values()?;
        if !self.state.base.is_saved && self.log.writes_steps() {
            let input = self.opening.input.take();
            self.save(input.as_slice()).await?;
        }
        Ok(())
    }

    /// Completes the log after the run ended with `ended`: with `Durability::Exit` writes the only
    /// checkpoint, then waits until all writes are durable. Returns `ended`, whose error then names the
    /// newest checkpoint.
    async fn save_end(&mut self, mut ended: Result<Status, RunError>) -> Result<Status, RunError> {
        // Where every step is written, an unsaved base is one that the store refused, and the state here lacks a part of it.
        let is_late = !self.state.base.is_saved && self.log.is_on() && !self.log.writes_steps();
        if is_late && ended.as_ref().err().is_some_and(RunError::spoils_state) {
            // The records of tasks belong to a checkpoint that is never written.
            self.config.log.drop_held_back();
        } else if is_late {
            self.save(&[]).await?;
            ended = ended.map_err(|error| error.with_checkpoint(self.checkpoint_id()));
        }
        self.log.settle().await?;
        ended
    }

    async fn run_supersteps(&mut self) -> Result<Status, RunError> {
        while !self.state.next.is_empty() {
            if let Some(events) = &self.config.events {
                events.wait_for_room().await;
                // The reader of a stream gets the events of each superstep before the next begins, even where nothing had to wait.
                tokio::task::yield_now().await;
            }
            if let Some(stopped) = self.requested_stop()? {
                return Box::pin(self.stop(stopped)).await;
            }
            if self.state.base.step >= self.config.last_step() {
                return Err(self.step_limit_error());
            }
            match self.run_superstep().await? {
                StepEnd::Finished(outputs) => {
                    self.encode_updates(&outputs)?;
                    if let Err(error) = self.fold_outputs(outputs) {
                        return Err(Box::pin(self.refuse_writers(error)).await?);
                    }
                    if let Ack::Pending(ack) = self.commit()? {
                        ack.await?;
                        self.mark_saved();
                    }
                }
                StepEnd::Waiting(questions) => return Ok(Status::Waiting(questions)),
                StepEnd::Stopped(stopped) => return Ok(stopped.into()),
            }
        }
        Box::pin(self.finish()).await
    }

    /// Ends a run without further tasks. A graph inside a task first stops at a breakpoint after its last node, because the outer graph goes
    /// on; one without a log does not, because it would stop there at every resume.
    async fn finish(&mut self) -> Result<Status, RunError> {
        let may_stop = !self.config.namespace().is_root() && self.log.is_on();
        if may_stop && let Some(stopped) = self.breakpoint() {
            return self.stop(stopped).await;
        }
        Ok(Status::Done)
    }

    /// Returns the reason to stop before the next superstep, a drain or a breakpoint; `None` to go on. Fails
    /// when the run was cancelled.
    fn requested_stop(&mut self) -> Result<Option<Stopped>, RunError> {
        match self.config.options.stop.as_ref().map_or(StopWish::None, Stop::wish) {
            StopWish::None => {}
            StopWish::Drain => return Ok(Some(Stopped::Drained)),
            StopWish::Cancel => return Err(self.cancelled_error()),
        }
        Ok(self.breakpoint())
    }

    /// Returns the stop at a breakpoint after the last superstep or before the next; `None` without one.
    fn breakpoint(&mut self) -> Option<Stopped> {
        let names = self.graph.definition.planner.names();
        let at = self.breakpoints.as_mut()?.next_stop(&self.state.next, names)?;
        Some(Stopped::Paused(at))
    }

    /// Returns the status of a run that stops between two supersteps. A breakpoint is recorded first, so that
    /// a resume passes it; a run that crashed before it stops there again.
    async fn stop(&mut self, stopped: Stopped) -> Result<Status, RunError> {
        if let Stopped::Paused(_) = &stopped {
            let first = TaskId { base: self.state.base.seq, index: 0 };
            self.config.log.record(first, TaskEntry::Paused, Flush::Synced).await?;
        }
        Ok(stopped.into())
    }

    /// Folds the updates of a superstep into the state, plans the next tasks, and counts the superstep. After
    /// an error the superstep is not committed.
    fn fold_outputs(&mut self, mut outputs: StepOutputs<S>) -> Result<(), FoldError> {
        if let Some(activity) = &self.config.activity {
            activity.note(ActivityKind::All);
        }
        let updates = outputs.iter_mut().enumerate();
        let updates = updates.filter_map(|(index, output)| Some((index, output.update.take()?))).collect();
        fold_step(Arc::make_mut(&mut self.state.values), updates, self.delta.as_mut())?;
        let RunState { values, next, arrivals, .. } = &mut self.state;
        let ended =
            next.iter().map(|task| task.node).zip(outputs.iter().map(|output| output.route.as_deref()));
        let decisions = self.graph.definition.decisions_on(&**values);
        let planned = self.graph.definition.planner.plan_next(ended, &decisions, arrivals);
        decisions.into_result().map_err(FoldError::Decision)?;
        let ran = std::mem::replace(next, planned);
        for (task, output) in ran.iter().zip(&outputs) {
            if let Some(route) = &output.route {
                self.leave_graph(task.node, route);
            }
        }
        if let Some(breakpoints) = &mut self.breakpoints {
            breakpoints.set_last(&ran);
        }
        self.state.records.clear();
        self.state.base.step += 1;
        self.state.base.source = Source::Loop;
        self.state.base.schema = self.graph.definition.schema;
        Ok(())
    }

    /// Checks the folded state, sends it to subscribers, and makes it the base of the next superstep. Returns
    /// the acknowledgement of its checkpoint to wait for.
    fn commit(&mut self) -> Result<Ack, RunError> {
        reject_fault(&*self.state.values)?;
        self.tell_values()?;
        self.advance_base()
    }

    /// Applies the parts of a task's route that concern other graphs: stores the state for the next call of
    /// the node's sub-graph, and collects the nodes of the outer graph that the task chose. If there are such
    /// nodes, nothing is left to run in this graph.
    fn leave_graph(&mut self, node: NodeIx, route: &ResolvedRoute) {
        let RunState { remembered, leaves_to, next, arrivals, .. } = &mut self.state;
        if let Some(state) = &route.remember {
            remembered.insert(node, RememberedState { state: state.clone(), is_saved: false });
        }
        if !route.parent.is_empty() {
            leaves_to.extend(route.parent.iter().cloned());
            leaves_to.sort_unstable();
            leaves_to.dedup();
        }
        if !leaves_to.is_empty() {
            next.clear();
            *arrivals = self.graph.definition.planner.no_arrivals();
        }
    }

    /// Returns the identity of the task at `index` in `next`, for its first attempt.
    pub(crate) fn place(&self, index: usize, node: NodeIx) -> TaskPlace {
        let index = u32::try_from(index).expect("a superstep has fewer than 2^32 tasks");
        let id = TaskId { base: self.state.base.seq, index };
        TaskPlace { id, node, step: self.state.base.step + 1, attempt: 1 }
    }

    /// Returns true when the run has a `Stop` or a step timeout, so that it may end in the middle of a
    /// superstep.
    pub(crate) fn can_be_cancelled(&self) -> bool {
        self.config.options.stop.is_some() || self.config.options.step_timeout.is_some()
    }

    /// Awaits `work`, the tasks of a superstep. Drops it and fails when the run is cancelled or the superstep
    /// takes too long.
    pub(crate) async fn or_cancelled<T>(&self, work: impl Future<Output = T>) -> Result<T, RunError> {
        let options = &self.config.options;
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = cancellation(options.stop.as_ref()) => Err(self.cancelled_error()),
            limit = step_timeout(options.step_timeout) => Err(RunError::StepTimeout {
                step: self.state.base.step + 1,
                limit,
                checkpoint: self.checkpoint_id(),
            }),
        }
    }

    fn cancelled_error(&self) -> RunError {
        RunError::Cancelled { step: self.state.base.step + 1, checkpoint: self.checkpoint_id() }
    }

    fn step_limit_error(&self) -> RunError {
        RunError::StepLimit {
            limit: self.config.options.step_limit,
            next: self.names_of(&self.state.next),
            checkpoint: self.checkpoint_id(),
        }
    }

    pub(crate) fn names_of(&self, tasks: &[ReadyTask]) -> Vec<String> {
        let names = &self.config.names;
        tasks.iter().map(|task| names[task.node.at()].as_ref().to_owned()).collect()
    }
}

/// Waits until the run is cancelled. Never returns without a `Stop`.
async fn cancellation(stop: Option<&Stop>) {
    match stop {
        Some(stop) => stop.wait_for(StopWish::Cancel).await,
        None => std::future::pending().await,
    }
}

/// Waits for `limit` and returns it. Never returns without a limit.
async fn step_timeout(limit: Option<Duration>) -> Duration {
    let Some(limit) = limit else { return std::future::pending().await };
    tokio::time::sleep(limit).await;
    limit
}

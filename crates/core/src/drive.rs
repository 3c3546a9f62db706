//! The loop: run the planned tasks, fold what they wrote, plan the next, save. The only one; run, stream, resume and the
//! type-erased host all end here. Decides nothing itself: `plan.rs` and `fold.rs` are pure, `attempt.rs` runs a task,
//! `parallel.rs` runs many at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use super::attempt::{TaskEnd, is_plain, plain_end, run_plain, run_task};
use super::breakpoints::{Breakpoint, Stops};
use super::checkpoint::{Source, TaskEntry, TaskRecord, Write};
use super::command::Command;
use super::commit::{Origin, WriteRef, encode};
use super::context::{Cx, TaskPlace};
use super::contract::{Ack, Flush};
use super::error::RunError;
use super::event::{EventKind, EventKinds, tell_finished};
use super::fold::{FoldError, fold_step, fold_update, sound};
use super::graph::CompiledGraph;
use super::id::{CheckpointId, Digest, Seq, TaskId};
use super::outcome::{Question, Status, Stopped};
use super::plan::{Arrivals, NodeIx, Onward, Planned};
use super::pulse::Signs;
use super::recorder::{Recorder, RunShared};
use super::state::State;
use super::stop::{Stop, StopWish};
use super::written::Written;

/// One run of a graph, from wherever it starts to wherever it ends.
pub(crate) struct Driver<S: State, D: Send + Sync + 'static> {
    pub(crate) graph: CompiledGraph<S, D>,
    pub(crate) shared: Arc<RunShared>,
    pub(crate) recorder: Recorder,
    pub(crate) state: Arc<S>,
    pub(crate) base: Base,
    pub(crate) next: Vec<Planned>,
    pub(crate) arrivals: Arrivals,
    /// What the tasks in `next` left in an earlier run.
    pub(crate) records: Vec<TaskRecord>,
    /// Supersteps done since the run was started or resumed.
    pub(crate) steps: u64,
    /// The most supersteps (D3: exact).
    pub(crate) limit: u64,
    pub(crate) max_concurrency: usize,
    pub(crate) saved: Saved,
    /// What a continued thread got as input.
    pub(crate) input: Option<Write>,
    /// What the superstep that is being committed wrote.
    pub(crate) written: Written,
    /// Of a graph inside a task: all that it has written.
    pub(crate) total: Option<S::Update>,
    /// The states that sub-graphs start with the next time, and those of them that no checkpoint has yet.
    pub(crate) remembered: BTreeMap<NodeIx, Box<RawValue>>,
    pub(crate) ended_inside: BTreeSet<NodeIx>,
    /// Of a graph inside a task that has ended: where it sends the graph around it.
    pub(crate) leaves_to: Vec<Arc<str>>,
    /// Where it stops to be looked at, what has just run, and whether it goes on from such a place.
    pub(crate) stops: Option<Arc<Stops>>,
    pub(crate) ran: Vec<NodeIx>,
    pub(crate) passing: Passing,
    /// How long a superstep may take (F36).
    pub(crate) step_timeout: Option<Duration>,
    /// What its checkpoints have in common.
    pub(crate) origin: Arc<Origin>,
    /// Whether it goes on where a thread stood.
    pub(crate) resumed: Resumed,
    /// The questions of the thread that this run dropped.
    pub(crate) dropped: Vec<Question>,
    /// The schema of the checkpoint that planned the tasks in `next`.
    pub(crate) base_schema: Digest,
}

/// Whether the next breakpoint is the one that the run was resumed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passing {
    Yes,
    No,
}

/// Whether a run goes on where a thread stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resumed {
    Yes,
    No,
}

/// The checkpoint that planned the tasks in `next`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Base {
    pub(crate) seq: Seq,
    pub(crate) parent: Option<Seq>,
    pub(crate) step: u64,
    pub(crate) source: Source,
}

/// Whether the base is in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Saved {
    Yes,
    No,
}

/// A finished task: its node, what it wrote, where it went.
pub(crate) struct Finished<S: State> {
    pub(crate) node: NodeIx,
    pub(crate) update: Option<S::Update>,
    pub(crate) onward: Option<Box<Onward>>,
}

/// A task that finished in an earlier run: what it wrote, where it went.
pub(crate) struct FinishedBefore<S: State> {
    pub(crate) update: Option<S::Update>,
    pub(crate) onward: Option<Box<Onward>>,
}

/// How a superstep ended.
pub(crate) enum StepEnd<S: State> {
    Finished(Vec<Finished<S>>),
    Waiting(Vec<Question>),
    /// A graph inside a task stopped.
    Stopped(Stopped),
}

impl<S: State, D: Send + Sync + 'static> Driver<S, D> {
    /// Announces the run and saves what it starts from. An error here is one of a run that never began.
    pub(crate) async fn start(&mut self) -> Result<(), RunError> {
        let begun = self.begun();
        let ended = match (self.save_start().await, begun) {
            (Ok(()), Ok(())) => return Ok(()),
            // A hook that panics keeps the thread from running, not from being there.
            (Ok(()), Err(panic)) => self.save_end(Err(panic)).await,
            (Err(error), _) => Err(error),
        };
        self.tell_end(ended).map(|_| ())
    }

    /// Runs to the end, after [`start`](Self::start); whatever the end is, it is saved.
    pub(crate) async fn run(&mut self) -> Result<Status, RunError> {
        let ended = self.supersteps().await;
        let ended = self.save_end(ended).await;
        self.tell_end(ended)
    }

    /// Tells how the run ended. The error of the run says more than the panic of a hook that was told of it.
    fn tell_end(&self, ended: Result<Status, RunError>) -> Result<Status, RunError> {
        let told = self.ended(&ended);
        ended.and_then(|status| told.map(|()| status))
    }

    /// The newest checkpoint, if the run has a store and has written one.
    pub(crate) fn checkpoint_id(&self) -> Option<CheckpointId> {
        // The checkpoints inside a task are not the thread's.
        let thread = self.shared.thread.clone().filter(|_| self.shared.namespace.is_root())?;
        let seq = match self.saved {
            Saved::Yes => self.base.seq,
            Saved::No => self.base.parent?,
        };
        Some(CheckpointId { thread, seq })
    }

    async fn save_start(&mut self) -> Result<(), RunError> {
        self.tell_values()?;
        if self.saved == Saved::No && self.recorder.writes_steps() {
            let input = self.input.take();
            let written: Vec<WriteRef<'_>> = input.iter().map(WriteRef::from).collect();
            self.save(&written).await?;
        }
        Ok(())
    }

    /// Saves what a run that ended so has not saved yet.
    async fn save_end(&mut self, mut ended: Result<Status, RunError>) -> Result<Status, RunError> {
        // Where every step is written, an unsaved base is one that the store refused: what is left of it here is not all of it.
        let is_late = self.saved == Saved::No && self.recorder.is_on() && !self.recorder.writes_steps();
        if is_late && ended.as_ref().err().is_some_and(RunError::spoils_state) {
            // What the tasks left belongs to a checkpoint that is never written.
            self.shared.held.lock().expect("no holder panics").clear();
        } else if is_late {
            self.save(&[]).await?;
            ended = ended.map_err(|error| error.saved_at(self.checkpoint_id()));
        }
        self.recorder.settle().await?;
        ended
    }

    async fn supersteps(&mut self) -> Result<Status, RunError> {
        let inner = self.graph.inner.clone();
        let mut cx = Cx::new(self.shared.clone(), self.graph.services.clone());
        let watched = self.shared.events.is_some();
        let unsaved = !self.recorder.is_on();
        let guarded = self.shared.stop.is_some() || self.stops.is_some() || self.step_timeout.is_some();
        while !self.next.is_empty() {
            if watched {
                // Whoever watches sees a superstep before the next one begins, also where nothing in it had to be waited for.
                tokio::task::yield_now().await;
            }
            if guarded && let Some(stopped) = self.is_stopped()? {
                return Box::pin(self.stop(stopped)).await;
            }
            if self.steps == self.limit {
                return Err(self.limit_reached());
            }
            let end = match (&self.next[..], self.records.is_empty()) {
                ([Planned { node, item: None }], true) => {
                    let node = *node;
                    cx.task = self.place(0, node);
                    if !self.remembered.is_empty() {
                        cx.remembered = self.remembered.get(&node).cloned();
                    }
                    let end = if !guarded && is_plain(&inner, node) {
                        match run_plain(&inner, &self.state, &mut cx).await {
                            Ok(Some(Command { update, route: None })) => {
                                cx.end_task();
                                if unsaved && !watched {
                                    self.fold_one(node, update, None)?;
                                    sound(&*self.state)?;
                                    continue;
                                }
                                if let Ack::Pending(ack) = self.commit_one(cx.task, update, None)? {
                                    ack.await?;
                                    self.base_is_saved();
                                }
                                continue;
                            }
                            ended => plain_end(&inner, &cx, ended),
                        }
                    } else {
                        // Boxed, so that what few runs need does not make the future of every run large.
                        Box::pin(self.or_cancelled(run_task(&inner, &self.state, &mut cx))).await?
                    };
                    cx.end_task();
                    match end {
                        TaskEnd::Finished { update, onward } => {
                            if self.stops.is_some() {
                                self.ran = vec![node];
                            }
                            let committed = self.commit_one(cx.task, update, onward.as_deref())?;
                            self.acknowledged(committed).await?;
                            continue;
                        }
                        end => Box::pin(self.settle_tasks(vec![(cx.task, end)])).await?,
                    }
                }
                _ => Box::pin(self.superstep_of_many()).await?,
            };
            match end {
                StepEnd::Waiting(questions) => return Ok(Status::Waiting(questions)),
                StepEnd::Stopped(stopped) => return Ok(stopped.into()),
                StepEnd::Finished(all) => Box::pin(self.commit_many(all)).await?,
            }
        }
        Box::pin(self.done()).await
    }

    /// Ends a run that has nothing left to run. A graph inside a task stops at a breakpoint after its last node first, since the graph
    /// around it goes on; one without a log does not, because it would stop there at every resume.
    async fn done(&mut self) -> Result<Status, RunError> {
        let may_stop = !self.shared.namespace.is_root() && self.recorder.is_on();
        if may_stop && let Some(at) = self.breakpoint() {
            return self.stop(Stopped::Paused(at)).await;
        }
        Ok(Status::Done)
    }

    /// Whether the run stops before the next superstep.
    fn is_stopped(&mut self) -> Result<Option<Stopped>, RunError> {
        match self.shared.stop.as_ref().map_or(StopWish::None, Stop::wish) {
            StopWish::None => {}
            StopWish::Drain => return Ok(Some(Stopped::Drained)),
            StopWish::Cancel => return Err(self.cancelled()),
        }
        Ok(self.breakpoint().map(Stopped::Paused))
    }

    /// The breakpoint between the superstep that has just ended and the next, unless the run goes on from there.
    fn breakpoint(&mut self) -> Option<Breakpoint> {
        let passing = std::mem::replace(&mut self.passing, Passing::No);
        let stops = self.stops.as_ref().filter(|_| passing == Passing::No)?;
        stops.between(&self.ran, &self.next, self.graph.inner.planner.names())
    }

    /// Stops there. That it stood at a breakpoint is noted, so that only a resume passes it, and not a run that crashed before.
    async fn stop(&mut self, stopped: Stopped) -> Result<Status, RunError> {
        if let Stopped::Paused(_) = &stopped {
            let first = TaskId { base: self.base.seq, index: 0 };
            self.shared.task(first, TaskEntry::Paused, Flush::Synced).await?;
        }
        Ok(stopped.into())
    }

    /// Folds, plans, saves: the end of a superstep of one task. What it gives back is to be [`acknowledged`](Self::acknowledged).
    fn commit_one(
        &mut self,
        place: TaskPlace,
        update: Option<S::Update>,
        onward: Option<&Onward>,
    ) -> Result<Ack, RunError> {
        let watched = self.shared.events.is_some();
        if watched {
            tell_finished(&self.shared, place, update.as_ref())?;
        }
        self.note_writes([(place.node, update.as_ref())])?;
        self.fold_one(place.node, update, onward)?;
        sound(&*self.state)?;
        if watched {
            self.tell_values()?;
        }
        self.advance_base()
    }

    /// The same for any number of tasks.
    async fn commit_many(&mut self, tasks: Vec<Finished<S>>) -> Result<(), RunError> {
        if self.stops.is_some() {
            self.ran = tasks.iter().map(|task| task.node).collect();
        }
        self.note_writes(tasks.iter().map(|task| (task.node, task.update.as_ref())))?;
        match self.fold_many(tasks)? {
            Ok(()) => {}
            Err(FoldError::Conflict(conflict)) => return Err(self.refuse(&conflict).await?),
            Err(FoldError::Panic { index, panic }) => {
                let error = panic.by(&self.graph.inner.node(self.next[index].node).name);
                self.refuse_writer(index, &error).await?;
                return Err(error);
            }
        }
        sound(&*self.state)?;
        self.tell_values()?;
        let committed = self.advance_base()?;
        self.acknowledged(committed).await
    }

    #[inline]
    fn fold_one(
        &mut self,
        node: NodeIx,
        update: Option<S::Update>,
        onward: Option<&Onward>,
    ) -> Result<(), RunError> {
        let state = Arc::make_mut(&mut self.state);
        if let Some(total) = &mut self.total {
            state.expire(total);
            if let Some(pulse) = &self.shared.pulse {
                pulse.beat(Signs::All);
            }
        }
        state.begin_step();
        if let Some(update) = update {
            fold_update(state, update, self.total.as_mut())
                .map_err(|panic| panic.by(&self.graph.inner.node(node).name))?;
        }
        let inner = &self.graph.inner;
        let decide = inner.on(&*self.state);
        inner.planner.advance_one(node, onward, &decide, &mut self.arrivals, &mut self.next);
        decide.sound()?;
        if let Some(onward) = onward {
            self.leave(node, onward);
        }
        self.after_fold();
        Ok(())
    }

    /// Folds and plans; an error inside leaves the superstep to be refused.
    fn fold_many(&mut self, mut tasks: Vec<Finished<S>>) -> Result<Result<(), FoldError>, RunError> {
        let updates = tasks.iter_mut().enumerate();
        let taken = updates.filter_map(|(index, task)| Some((index, task.update.take()?))).collect();
        if let Err(error) = fold_step(Arc::make_mut(&mut self.state), taken, self.total.as_mut()) {
            return Ok(Err(error));
        }
        let inner = &self.graph.inner;
        let decide = inner.on(&*self.state);
        let ended = tasks.iter().map(|task| (task.node, task.onward.as_deref()));
        inner.planner.advance(ended, &decide, &mut self.arrivals, &mut self.next);
        decide.sound()?;
        for task in &tasks {
            if let Some(onward) = &task.onward {
                self.leave(task.node, onward);
            }
        }
        self.after_fold();
        Ok(Ok(()))
    }

    /// Notes what a task says to the graphs around its own and inside it.
    fn leave(&mut self, node: NodeIx, onward: &Onward) {
        if let Some(state) = &onward.remember {
            self.remembered.insert(node, state.clone());
            self.ended_inside.insert(node);
        }
        if !onward.parent.is_empty() {
            self.leaves_to.extend(onward.parent.iter().cloned());
            self.leaves_to.sort_unstable();
            self.leaves_to.dedup();
        }
        if !self.leaves_to.is_empty() {
            self.next.clear();
            self.arrivals = self.graph.inner.planner.no_arrivals();
        }
    }

    fn after_fold(&mut self) {
        self.records.clear();
        self.steps += 1;
        self.base.step += 1;
        self.base.source = Source::Loop;
        self.base_schema = self.graph.inner.schema;
    }

    /// Where the task of this index among the planned ones stands.
    pub(crate) fn place(&self, index: usize, node: NodeIx) -> TaskPlace {
        let index = u32::try_from(index).expect("a superstep has fewer than 2^32 tasks");
        let id = TaskId { base: self.base.seq, index };
        TaskPlace { id, node, step: self.base.step + 1, attempt: 1 }
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

    fn limit_reached(&self) -> RunError {
        RunError::StepLimit {
            limit: self.limit,
            next: self.names_of(&self.next),
            checkpoint: self.checkpoint_id(),
        }
    }

    pub(crate) fn names_of(&self, tasks: &[Planned]) -> Vec<String> {
        tasks.iter().map(|task| self.graph.inner.node(task.node).name.as_ref().to_owned()).collect()
    }

    pub(crate) fn tell(&self, group: EventKinds, build: impl FnOnce() -> EventKind) {
        self.tell_at(self.base.step, group, build);
    }

    pub(crate) fn tell_at(&self, step: u64, group: EventKinds, build: impl FnOnce() -> EventKind) {
        if let Some(events) = &self.shared.events {
            events.send(group, step, build);
        }
    }

    fn tell_values(&self) -> Result<(), RunError> {
        let wanted = |kinds: EventKinds| kinds.contains(EventKinds::VALUES);
        if self.shared.events.as_ref().is_some_and(|events| wanted(events.kinds)) {
            let state = encode("the state", self.state.as_ref())?;
            self.tell(EventKinds::VALUES, || EventKind::Values { state });
        }
        Ok(())
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

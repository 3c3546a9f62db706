//! Runs the tasks of one superstep at once. Folds nothing, decides nothing; `parallel.rs` says which tasks, and what comes of them.
//!
//! A few lanes, one a worker thread of the runtime, take the tasks in order. A task is polled where it is: one that computes is
//! then done, at the price of its own work. Only one that has to wait for something is spawned, so that it waits beside the others.
//! So a thousand small tasks need no thousand spawns, and two that compute use two cores.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tracing::Instrument;

use super::attempt::{TaskEnd, is_plain, plain_end, run_plain, run_task};
use super::checkpoint::TaskRecord;
use super::closure::{ClosurePanic, UserClosure};
use super::commit::encode_update;
use super::context::{Cx, TaskPlace};
use super::contract::Flush;
use super::dispatch::Item;
use super::error::RunError;
use super::event::tell_finished;
use super::graph::Inner;
use super::handler::FailedNode;
use super::id::Digest;
use super::journal::TaskJournal;
use super::panicked::panic_message;
use super::queue::TaskQueue;
use super::recorder::RunShared;
use super::state::State;

/// A task and how it ended.
pub(crate) type Ended<S> = (TaskPlace, TaskEnd<S>);

/// A task that has to run.
pub(crate) struct Job {
    pub(crate) place: TaskPlace,
    pub(crate) item: Option<Item>,
    pub(crate) remembered: Option<Box<RawValue>>,
    /// What it left in an earlier run.
    pub(crate) left: Vec<TaskRecord>,
}

/// What the tasks of a superstep share while they run.
pub(crate) struct Crew<S: State, D: Send + Sync + 'static> {
    pub(crate) graph: Arc<Inner<S, D>>,
    pub(crate) state: Arc<S>,
    pub(crate) shared: Arc<RunShared>,
    pub(crate) services: Arc<D>,
    /// Whether the log gets a note of each task that finished.
    pub(crate) notes: Notes,
    pub(crate) max_concurrency: usize,
    /// The schema of the checkpoint that planned them.
    pub(crate) planned_with: Digest,
}

/// Whether what finished is noted before its superstep is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notes {
    /// It is not run again, whatever happens to its siblings.
    Kept,
    /// The checkpoint of the superstep says it all.
    Needless,
}

/// The tasks of one superstep while they run. When it is dropped, those under way are aborted and no other starts.
pub(crate) struct Shift<S: State, D: Send + Sync + 'static>(Arc<Work<S, D>>);

struct Work<S: State, D: Send + Sync + 'static> {
    crew: Crew<S, D>,
    /// The tasks that have not started; the lanes but the first, and the tasks that wait for something.
    queue: TaskQueue<Job, JoinSet<Result<(), RunError>>>,
    /// How many tasks may still start; none where all may.
    permits: Option<Arc<Semaphore>>,
    ended: Mutex<Vec<Ended<S>>>,
}

impl<S: State, D: Send + Sync + 'static> Crew<S, D> {
    /// Makes ready to run these tasks.
    pub(crate) fn shift(self, jobs: VecDeque<Job>) -> Shift<S, D> {
        let limited = jobs.len() > self.max_concurrency;
        Shift(Arc::new(Work {
            permits: limited.then(|| Arc::new(Semaphore::new(self.max_concurrency))),
            queue: TaskQueue::new(jobs, self.max_concurrency, JoinSet::new()),
            crew: self,
            ended: Mutex::default(),
        }))
    }

    /// Runs one task, and notes what it left.
    pub(crate) async fn task(&self, job: Job) -> Result<Ended<S>, RunError> {
        let place = job.place;
        let mut cx = Cx {
            failure: FailedNode::left(&self.graph.node(place.node).name, &job.left),
            journal: TaskJournal::of(place.id, &job.left).into(),
            task: place,
            item: job.item,
            remembered: job.remembered,
            ..self.context()
        };
        let end = run_task(&self.graph, &self.state, &mut cx).await;
        self.keep(place, &end).await?;
        Ok((place, end))
    }

    /// Whether a task [`is_plain`] and nobody is to be told of it: then a [`Seat`] does.
    fn is_plain(&self, job: &Job) -> bool {
        job.left.is_empty()
            && self.notes == Notes::Needless
            && self.shared.events.is_none()
            && is_plain(&self.graph, job.place.node)
    }

    fn context(&self) -> Cx<D> {
        Cx::new(self.shared.clone(), self.services.clone())
    }

    async fn keep(&self, place: TaskPlace, end: &TaskEnd<S>) -> Result<(), RunError> {
        let TaskEnd::Finished { update, onward } = end else { return Ok(()) };
        tell_finished(&self.shared, place, update.as_ref())?;
        if self.notes == Notes::Needless {
            return Ok(());
        }
        let what = || format!("the update of `{}`", self.graph.node(place.node).name);
        let update = update.as_ref().map(|update| encode_update::<S>(&what(), update)).transpose()?;
        let entry = self.graph.finished(update, onward.as_deref(), self.planned_with)?;
        Ok(self.shared.task(place.id, entry, Flush::Lazy).await?)
    }
}

impl<S: State, D: Send + Sync + 'static> Work<S, D> {
    /// Takes tasks until there are no more.
    async fn lane(self: &Arc<Self>) -> Result<(), RunError> {
        let mut ended = Vec::new();
        let done = self.take_tasks(&mut ended).await;
        locked(&self.ended).append(&mut ended);
        done
    }

    async fn take_tasks(self: &Arc<Self>, ended: &mut Vec<Ended<S>>) -> Result<(), RunError> {
        let (mut permit, mut seat) = (None, None);
        loop {
            if let (Some(permits), None) = (&self.permits, &permit) {
                permit = permits.clone().acquire_owned().await.ok();
            }
            let Some(job) = self.queue.take() else { return Ok(()) };
            if self.crew.is_plain(&job) {
                let taken =
                    seat.take().unwrap_or_else(|| Seat { cx: self.crew.context(), work: self.clone() });
                let mut running = Box::pin(taken.run(job));
                match futures_util::poll!(running.as_mut()) {
                    Poll::Ready((left, end)) => {
                        seat = Some(left);
                        ended.push(end);
                    }
                    Poll::Pending => self.wait_for(async move { Ok(running.await.1) }, permit.take()),
                }
            } else {
                let work = self.clone();
                let mut running = Box::pin(async move { Ok(work.finished(work.crew.task(job).await?)) });
                match futures_util::poll!(running.as_mut()) {
                    Poll::Ready(end) => ended.push(end?),
                    Poll::Pending => self.wait_for(running, permit.take()),
                }
            }
            // Other tasks of the runtime want their turn as well.
            tokio::task::coop::consume_budget().await;
        }
    }

    /// Lets a task wait on its own; drops it when the run has been dropped meanwhile.
    fn wait_for(
        self: &Arc<Self>,
        running: impl Future<Output = Result<Ended<S>, RunError>> + Send + 'static,
        permit: Option<OwnedSemaphorePermit>,
    ) {
        let work = self.clone();
        let waiting = async move {
            let end = running.await?;
            locked(&work.ended).push(end);
            drop(permit);
            Ok(())
        };
        // What is not let in is dropped here, outside the lock.
        let _ = self.queue.wait(waiting.in_current_span(), |set, task| drop(set.spawn(task)));
    }

    /// Starts no further task, and aborts those under way.
    fn close(&self) {
        drop(self.queue.close(JoinSet::abort_all));
    }

    fn finished(&self, ended: Ended<S>) -> Ended<S> {
        if matches!(ended.1, TaskEnd::Failed { .. }) {
            self.queue.fail();
        }
        ended
    }
}

/// Where plain tasks run, one after the other: what each needs is made once.
struct Seat<S: State, D: Send + Sync + 'static> {
    cx: Cx<D>,
    work: Arc<Work<S, D>>,
}

impl<S: State, D: Send + Sync + 'static> Seat<S, D> {
    /// Runs a task, and leaves the seat.
    async fn run(mut self, job: Job) -> (Self, Ended<S>) {
        self.cx.end_task();
        (self.cx.task, self.cx.item, self.cx.remembered) = (job.place, job.item, job.remembered);
        let Crew { graph, state, .. } = &self.work.crew;
        let ended = run_plain(graph, state, &mut self.cx).await;
        let end = plain_end(graph, &self.cx, ended);
        let ended = self.work.finished((self.cx.task, end));
        (self, ended)
    }
}

impl<S: State, D: Send + Sync + 'static> Shift<S, D> {
    /// Runs the tasks, as many at a time as allowed. After a failure no further task starts; those under way finish (D16).
    pub(crate) async fn run(&self) -> Result<Vec<Ended<S>>, RunError> {
        let work = &self.0;
        let lanes = Handle::current().metrics().num_workers();
        let lanes = lanes.min(work.crew.max_concurrency).min(work.queue.len());
        for _ in 1..lanes {
            let lane = work.clone();
            let lane = async move { lane.lane().await }.in_current_span();
            let _ = work.queue.wait(lane, |set, lane| drop(set.spawn(lane)));
        }
        work.lane().await?;
        while let Some(done) = self.joined().await {
            done?;
        }
        Ok(std::mem::take(&mut *locked(&work.ended)))
    }

    /// Aborts what is under way, and returns when nothing is.
    pub(crate) async fn shut_down(&self) {
        self.0.close();
        while self.joined().await.is_some() {}
    }

    /// The end of something under way; of what was aborted, nothing is told.
    async fn joined(&self) -> Option<Result<(), RunError>> {
        let joined = poll_fn(|cx| self.0.queue.with_waiting(|set| set.poll_join_next(cx))).await?;
        Some(joined.unwrap_or_else(|ended| {
            match ended.try_into_panic() {
                Ok(panic) => Err(Box::new(ClosurePanic {
                    closure: UserClosure::Values,
                    message: panic_message(panic.as_ref()),
                })
                .into()),
                Err(_) => Ok(()),
            }
        }))
    }
}

impl<S: State, D: Send + Sync + 'static> Drop for Shift<S, D> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Locks. What is guarded here is right after every single change.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Runs the tasks of one superstep: one task in place, several as tasks of the runtime. Folds nothing; `superstep.rs` chooses the tasks and
//! merges their ends.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::task::JoinSet;
use tracing::Instrument;

use super::attempt::{TaskEnd, TaskOutput, run_task};
use super::checkpoint::TaskRecord;
use super::closure::{ClosurePanic, UserClosure};
use super::commit::{encode, encode_update};
use super::context::{Cx, TaskPlace};
use super::contract::Flush;
use super::dispatch::DispatchItem;
use super::error::RunError;
use super::event::{EventKind, EventKinds};
use super::graph::CompiledGraph;
use super::handler::FailedNode;
use super::id::Digest;
use super::journal::TaskJournal;
use super::panicked::panic_message;
use super::run_config::RunConfig;
use super::spending::spent_entry;
use super::state::State;

/// A task of a superstep that has ended, with its end.
pub(crate) type EndedTask<S> = (TaskPlace, TaskEnd<S>);

/// A task that has to run, with the data for its context.
pub(crate) struct TaskStart {
    pub(crate) place: TaskPlace,
    pub(crate) item: Option<DispatchItem>,
    /// The state that the sub-graph of the node starts with.
    pub(crate) remembered: Option<Box<RawValue>>,
    /// The records that the task left in an earlier run.
    pub(crate) records: Vec<TaskRecord>,
}

/// The moment at which the log gets the update of a finished task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recording {
    /// The end of the task, so that it does not run again after a sibling failed.
    EachTask,
    /// The checkpoint of the superstep.
    WithSuperstep,
}

/// The runner of the tasks of one superstep: the facts that they share.
#[derive(Clone, Copy)]
pub(crate) struct TaskRunner<'a, S: State, D: Send + Sync + 'static> {
    pub(crate) graph: &'a CompiledGraph<S, D>,
    pub(crate) config: &'a Arc<RunConfig>,
    pub(crate) state: &'a Arc<S>,
    pub(crate) recording: Recording,
    /// The schema of the checkpoint that planned the tasks.
    pub(crate) schema: Digest,
}

impl<S: State, D: Send + Sync + 'static> TaskRunner<'_, S, D> {
    /// Runs one task to its end, sends its events, and writes its update to the log if `recording` asks for
    /// that. Of an unfinished task, records the resources that it has spent.
    pub(crate) async fn run(self, task: TaskStart) -> Result<EndedTask<S>, RunError> {
        let TaskStart { place, item, remembered, records } = task;
        let graph = &self.graph.definition;
        let mut cx = Cx::new(self.config.clone(), self.graph.services.clone(), place);
        (cx.item, cx.remembered) = (item, remembered);
        if !records.is_empty() {
            cx.failure = FailedNode::from_records(&graph.node(place.node).name, &records);
            *cx.journal() = TaskJournal::of(place.id, &records);
        }
        let end = run_task(graph, self.state, &mut cx).await;
        if let TaskEnd::Finished(output) = &end {
            tell_finished(self.config, place, output.update.as_ref())?;
            if self.recording == Recording::EachTask {
                Box::pin(self.record(place, output)).await?;
            }
        } else if let Some(spent) = cx.spent() {
            Box::pin(self.record_spent(place, spent)).await?;
        }
        Ok((place, end))
    }

    /// Writes the resources, such as tokens, that an unfinished task has spent to the log, and stores them
    /// for the event at the end of the run.
    async fn record_spent(self, place: TaskPlace, spent: Value) -> Result<(), RunError> {
        if let Some(entry) = spent_entry(&spent) {
            self.config.log.record(place.id, entry, Flush::Lazy).await?;
        }
        self.config.note_unfolded(place.id, spent);
        Ok(())
    }

    async fn record(self, place: TaskPlace, output: &TaskOutput<S>) -> Result<(), RunError> {
        let graph = &self.graph.definition;
        let what = || format!("the update of `{}`", graph.node(place.node).name);
        let update = output.update.as_ref().map(|update| encode_update::<S>(&what(), update)).transpose()?;
        let entry = graph.finished_entry(update, output.route.as_deref(), self.schema)?;
        Ok(self.config.log.record(place.id, entry, Flush::Lazy).await?)
    }

    fn into_owned(self) -> OwnedTaskRunner<S, D> {
        OwnedTaskRunner {
            graph: self.graph.clone(),
            config: self.config.clone(),
            state: self.state.clone(),
            recording: self.recording,
            schema: self.schema,
        }
    }
}

/// A [`TaskRunner`] for tasks of the runtime, which cannot borrow.
struct OwnedTaskRunner<S: State, D: Send + Sync + 'static> {
    graph: CompiledGraph<S, D>,
    config: Arc<RunConfig>,
    state: Arc<S>,
    recording: Recording,
    schema: Digest,
}

impl<S: State, D: Send + Sync + 'static> OwnedTaskRunner<S, D> {
    fn as_runner(&self) -> TaskRunner<'_, S, D> {
        TaskRunner {
            graph: &self.graph,
            config: &self.config,
            state: &self.state,
            recording: self.recording,
            schema: self.schema,
        }
    }
}

/// The tasks of one superstep under way on the runtime. Dropping it aborts them, and no other task starts.
pub(crate) struct TaskPool<S: State>(JoinSet<Result<EndedTask<S>, RunError>>);

impl<S: State> TaskPool<S> {
    pub(crate) fn new() -> Self {
        Self(JoinSet::new())
    }

    /// Runs the tasks, in order, as many at a time as the run allows. After a failure no further task starts; those under way finish (D16).
    pub(crate) async fn run<D: Send + Sync + 'static>(
        &mut self,
        runner: TaskRunner<'_, S, D>,
        tasks: Vec<TaskStart>,
    ) -> Result<Vec<EndedTask<S>>, RunError> {
        let runner = Arc::new(runner.into_owned());
        let mut ended = Vec::with_capacity(tasks.len());
        let mut tasks = tasks.into_iter().map(|task| {
            let runner = runner.clone();
            async move { runner.as_runner().run(task).await }.in_current_span()
        });
        let max_concurrency = runner.config.options.max_concurrency.min(runner.graph.max_concurrency);
        for task in tasks.by_ref().take(max_concurrency) {
            self.0.spawn(task);
        }
        let mut has_failed = false;
        while let Some(joined) = self.0.join_next().await {
            let (place, end) = joined.map_err(value_panic)??;
            has_failed |= matches!(end, TaskEnd::Failed { .. });
            ended.push((place, end));
            if !has_failed && let Some(task) = tasks.next() {
                self.0.spawn(task);
            }
        }
        Ok(ended)
    }

    /// Aborts the tasks under way, and returns when each has stopped.
    pub(crate) async fn shut_down(&mut self) {
        self.0.shutdown().await;
    }
}

/// Returns the run's error for a runtime task that ended without a result. Panics of nodes are caught before,
/// so this one comes from code of a value, such as its `Drop`. Without a panic the runtime is shutting down.
fn value_panic(error: tokio::task::JoinError) -> RunError {
    let message = match error.try_into_panic() {
        Ok(panic) => panic_message(panic.as_ref()),
        Err(error) => error.to_string(),
    };
    Box::new(ClosurePanic { closure: UserClosure::Values, message }).into()
}

/// Sends the event that a task finished, and the event with its update as JSON.
fn tell_finished(
    config: &RunConfig,
    place: TaskPlace,
    update: Option<&impl Serialize>,
) -> Result<(), RunError> {
    let Some(events) = &config.events else { return Ok(()) };
    let name = || config.names[place.node.at()].as_ref().to_owned();
    events.send(EventKinds::TASKS, place.step, || EventKind::TaskFinished { node: name(), task: place.id });
    if events.kinds.contains(EventKinds::UPDATES) {
        let update = update.map(|update| encode("an update", update)).transpose()?;
        events.send(EventKinds::UPDATES, place.step, || EventKind::Updates {
            node: name(),
            task: place.id,
            update,
        });
    }
    Ok(())
}

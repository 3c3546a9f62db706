//! Looks into the graphs that run inside tasks, and goes back inside them: nested snapshots, forks from an inner checkpoint
//! (LangGraph F61). Runs no node.

use super::checkpoint::{PlannedTask, Record, TaskEntry, TaskRecord};
use super::commit::encode;
use super::contract::{Flush, Lineage};
use super::error::RunError;
use super::graph::{CompiledGraph, GraphDefinition};
use super::id::{CheckpointId, Namespace, Seq, TaskId, ThreadId};
use super::inner_graph::{InnerPlace, InnerSnapshot};
use super::inner_log::{ancestry, inner_calls, inner_log};
use super::state::State;

/// A checkpoint of a graph that ran inside a task, given by the path to it from the outermost graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerCheckpoint {
    /// The checkpoint of the outermost graph that planned the task.
    pub outer: CheckpointId,
    /// The tasks on the path, each with the checkpoint in the log of the graph inside it; at least one.
    pub path: Vec<InnerStep>,
}

/// One level of the path to an [`InnerCheckpoint`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerStep {
    /// The task.
    pub task: TaskId,
    /// Distinguishes several graphs inside one task; empty for a node that is a sub-graph.
    pub key: String,
    /// The checkpoint in the log of the graph inside the task.
    pub checkpoint: Seq,
}

/// Returns the state and the next nodes of a graph inside a task, read from its log, with the graphs inside
/// its tasks; `None` when the log has no checkpoint.
pub(crate) fn look<C: State, E: Send + Sync + 'static>(
    graph: &CompiledGraph<C, E>,
    log: &[Record],
    at: InnerPlace<'_>,
) -> Result<Option<InnerSnapshot>, RunError> {
    let Some(lineage) = Lineage::of_log(log) else { return Ok(None) };
    let mut seen = untyped_snapshot(&lineage, at);
    let mut state = graph.load_state(&lineage, at.thread)?;
    let ended = graph.fold_finished(&mut state, &lineage.tasks, at.thread, lineage.tip().schema)?;
    let mut index = 0;
    seen.next.retain(|_| {
        index += 1;
        ended.iter().all(|task| task.index + 1 != index)
    });
    seen.state = Some(encode("the state", &state)?);
    seen.inner =
        inner_snapshots(&graph.definition, &lineage.tip().next, &lineage.tasks, at.thread, &seen.namespace)?;
    Ok(Some(seen))
}

/// Returns the snapshot at the end of a lineage without its state, which needs the type of the state, and
/// without inner graphs.
fn untyped_snapshot(lineage: &Lineage, at: InnerPlace<'_>) -> InnerSnapshot {
    let tip = lineage.tip();
    InnerSnapshot {
        namespace: at.namespace.child(at.node, at.task, at.key),
        task: at.task,
        node: at.node.to_owned(),
        key: at.key.to_owned(),
        checkpoint: tip.seq,
        step: tip.step,
        state: None,
        next: tip.next.iter().map(|task| task.node.as_ref().to_owned()).collect(),
        inner: Vec::new(),
    }
}

/// Returns the snapshots of the graphs that ran inside tasks of a checkpoint, in task order. `planned` are
/// the tasks of the checkpoint and `records` their records. The state is left out for a graph that only the
/// code of a node knows.
pub(crate) fn inner_snapshots<S: State, D>(
    graph: &GraphDefinition<S, D>,
    planned: &[PlannedTask],
    records: &[TaskRecord],
    thread: &ThreadId,
    namespace: &Namespace,
) -> Result<Vec<InnerSnapshot>, RunError> {
    let mut seen = Vec::new();
    for (task, key) in inner_calls(records) {
        let Some(node) = planned.get(task.index as usize).map(|task| task.node.as_ref()) else { continue };
        let log = inner_log(records, task, &key);
        let at = InnerPlace { thread, namespace, task, node, key: &key };
        let known = graph.planner.node(node).and_then(|node| graph.node(node).run.inner());
        match known.filter(|inner| inner.owns(&key)) {
            Some(inner) => seen.extend(inner.look(&log, at)?),
            None => seen.extend(Lineage::of_log(&log).map(|lineage| untyped_snapshot(&lineage, at))),
        }
    }
    Ok(seen)
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// Returns the snapshot of this graph inside a task, according to its log there; `None` when the log is empty. For nodes that run it by
    /// [`Cx::subgraph`](super::Cx::subgraph) and return it by [`ErasedNode::inner`](super::ErasedNode::inner).
    pub fn look_inside(&self, log: &[Record], at: InnerPlace<'_>) -> Result<Option<InnerSnapshot>, RunError> {
        look(self, log, at)
    }

    /// Goes back to a checkpoint of a graph that ran inside a task, without running anything: forks the outer checkpoint and copies the inner
    /// log up to that checkpoint. A resume continues there (F61).
    pub async fn fork_inside(&self, target: &InnerCheckpoint) -> Result<CheckpointId, RunError> {
        let thread = &target.outer.thread;
        let writer = self.store()?.claim(thread).await?;
        let lineage = self.load_lineage(thread, Some(target.outer.seq)).await?;
        let head = writer.head().unwrap_or(target.outer.seq);
        let nothing = || RunError::NothingInside { checkpoint: target.outer.clone() };
        let log = log_until(&lineage.tasks, &target.path).ok_or_else(nothing)?;
        let first = target.path.first().ok_or_else(nothing)?;
        let start = self.start_at(lineage, thread)?.fork_after(head);
        let forked = self.save_alone(thread, writer.clone(), start, Vec::new()).await?;
        let task = TaskId { base: forked.seq, index: first.task.index };
        let count = log.len();
        for (at, record) in log.into_iter().enumerate() {
            let entry = TaskEntry::Inner { key: first.key.as_str().into(), record: Box::new(record) };
            let flush = if at + 1 == count { Flush::Synced } else { Flush::Lazy };
            writer.append(Record::Task(TaskRecord { task, entry }), flush)?.wait().await?;
        }
        Ok(forked)
    }
}

/// Returns a copy of the log of the graph in the first step of `path`, cut off behind the checkpoint that the
/// step names, with the cut logs of the deeper steps; `None` when a checkpoint does not exist.
fn log_until(records: &[TaskRecord], path: &[InnerStep]) -> Option<Vec<Record>> {
    let (step, deeper) = path.split_first()?;
    let log = inner_log(records, step.task, &step.key);
    let kept = ancestry(&log, step.checkpoint);
    kept.last()?;
    let mut until: Vec<Record> = kept.into_iter().map(Record::Checkpoint).collect();
    if let Some(next) = deeper.first() {
        let tasks = log.into_iter().filter_map(|record| match record {
            Record::Task(record) => Some(record),
            Record::Checkpoint(_) => None,
        });
        let inner = log_until(&tasks.collect::<Vec<_>>(), deeper)?;
        until.extend(inner.into_iter().map(|record| {
            let entry = TaskEntry::Inner { key: next.key.as_str().into(), record: Box::new(record) };
            Record::Task(TaskRecord { task: next.task, entry })
        }));
    }
    Some(until)
}

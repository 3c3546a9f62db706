//! Looking at threads, and pruning them: state, history. Runs no node; `outside.rs` writes to them.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;

use super::checkpoint::{Checkpoint, Source, TaskEntry, TaskRecord, last_ends, open_asked};
use super::commit::{encode, encode_state};
use super::contract::{HistoryEntry, HistoryQuery, Pruned, Retention, Whole};
use super::drive::FinishedBefore;
use super::error::RunError;
use super::fold::fold_some;
use super::graph::CompiledGraph;
use super::id::{CheckpointId, Digest, Namespace, QuestionId, Seq, ThreadId};
use super::inside::{InnerSnapshot, inner_snapshots};
use super::outcome::Question;
use super::plan::Onward;
use super::rebuild::rebuild;
use super::state::State;
use super::store_error::StoreError;

/// How many checkpoints are read at a time where only some are wanted.
const HISTORY_PAGE: usize = 256;

/// The state of a thread at a checkpoint, with what is known about what runs next (LangGraph F45).
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Snapshot<S> {
    /// The checkpoint.
    pub checkpoint: CheckpointId,
    /// The one before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<CheckpointId>,
    /// The superstep: 0 for the input.
    pub step: u64,
    /// What made it.
    pub source: Source,
    /// When, in milliseconds since 1970 (UTC).
    pub at_ms: u64,
    /// The state. Of the newest checkpoint: with what finished tasks of the superstep under way wrote already.
    pub state: S,
    /// The nodes that run next; of the newest checkpoint: those that have not finished already.
    pub next: Vec<String>,
    /// Questions that wait for an answer.
    pub questions: Vec<OpenQuestion>,
    /// Errors that ended tasks of the superstep under way.
    pub errors: Vec<TaskError>,
    /// The graphs inside the tasks of the superstep under way, or of the one that followed the checkpoint.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<InnerSnapshot>,
}

/// A question that waits for an answer.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct OpenQuestion {
    /// The id to answer to.
    pub id: QuestionId,
    /// The node that asks.
    pub node: String,
    /// What it asks.
    pub payload: Box<RawValue>,
    /// The JSON Schema of the answer, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Box<RawValue>>,
}

/// An error that ended a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TaskError {
    /// The node.
    pub node: String,
    /// The error.
    pub error: String,
    /// How many attempts were made.
    pub attempts: u32,
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// The state of a thread now, or at one of its checkpoints. Needs no claim: the thread may be running.
    pub async fn state(&self, thread: &ThreadId, at: Option<Seq>) -> Result<Snapshot<S>, RunError> {
        let lineage = self.lineage(thread, at).await?;
        let mut state: S = self.state_at(&lineage, thread)?;
        let tip = lineage.tip();
        let records = if at.is_none() { &lineage.tasks[..] } else { &[] };
        let ended = self.fold_finished(&mut state, records, thread, tip.schema)?;
        let unfinished = |index: usize| ended.iter().all(|task| task.index != index);
        let next = tip.next.iter().enumerate().filter(|(index, _)| unfinished(*index));
        let id = |seq| CheckpointId { thread: thread.clone(), seq };
        Ok(Snapshot {
            checkpoint: id(tip.seq),
            parent: tip.parent.map(id),
            step: tip.step,
            source: tip.source,
            at_ms: tip.at_ms,
            state,
            next: next.map(|(_, task)| task.node.as_ref().to_owned()).collect(),
            questions: questions_of(tip, records),
            errors: errors_of(tip, records),
            inner: inner_snapshots(&self.inner, &tip.next, &lineage.tasks, thread, &Namespace::ROOT)?,
        })
    }

    /// The checkpoints of a thread, newest first, without their states; those come from [`state`](Self::state) one by one.
    pub async fn history(
        &self,
        thread: &ThreadId,
        query: &HistoryQuery,
    ) -> Result<Vec<HistoryEntry>, RunError> {
        self.lineage(thread, None).await?;
        Ok(self.store()?.history(thread, query).await?)
    }

    /// The checkpoints of a thread that a filter takes, newest first, `query.limit` of them at most (F46).
    pub async fn history_where(
        &self,
        thread: &ThreadId,
        query: &HistoryQuery,
        takes: impl Fn(&HistoryEntry) -> bool,
    ) -> Result<Vec<HistoryEntry>, RunError> {
        let (mut found, mut before) = (Vec::new(), query.before);
        let wanted = query.limit.unwrap_or(usize::MAX);
        while found.len() < wanted {
            let page = self.history(thread, &HistoryQuery { before, limit: Some(HISTORY_PAGE) }).await?;
            let Some(oldest) = page.last() else { break };
            before = Some(oldest.checkpoint.seq);
            found.extend(page.into_iter().filter(&takes));
        }
        found.truncate(wanted);
        Ok(found)
    }

    /// Removes all but the newest checkpoints of a thread, and gives their space back.
    pub async fn prune(&self, thread: &ThreadId, keep: Retention) -> Result<Pruned, RunError> {
        self.lineage(thread, None).await?;
        Ok(self.store()?.prune(thread, keep, &|chain| self.snapshot_of(thread, chain)).await?)
    }

    /// Removes the checkpoints of one run of a thread, and gives their space back (F50). The newest run stays: it is where the
    /// thread stands.
    pub async fn delete_run(&self, thread: &ThreadId, run: u64) -> Result<Pruned, RunError> {
        self.lineage(thread, None).await?;
        Ok(self.store()?.delete_run(thread, run, &|chain| self.snapshot_of(thread, chain)).await?)
    }

    fn snapshot_of(&self, thread: &ThreadId, chain: &[Arc<Checkpoint>]) -> Result<Whole, StoreError> {
        let encoding = |detail: String| StoreError::Encoding { thread: thread.as_str().to_owned(), detail };
        let reading = &self.inner.reading;
        let earlier = reading.in_its_version(chain).map_err(|error| encoding(error.to_string()))?;
        if let Some((state, schema)) = earlier {
            return Ok(Whole { state, schema });
        }
        let state: S = rebuild(chain, reading).map_err(|error| encoding(error.to_string()))?;
        let state = encode_state(&state).map_err(|error| encoding(error.to_string()))?;
        Ok(Whole { state, schema: self.inner.schema })
    }

    /// Folds what finished tasks of the superstep under way wrote, in task order; gives the tasks.
    pub(crate) fn fold_finished(
        &self,
        state: &mut S,
        records: &[TaskRecord],
        thread: &ThreadId,
        schema: Digest,
    ) -> Result<Vec<Ended>, RunError> {
        let (mut ended, mut updates) = (Vec::new(), Vec::new());
        for (task, entry) in last_ends(records) {
            let Some(FinishedBefore { update, onward }) = self.finished(task, entry, thread, schema)? else {
                continue;
            };
            let index = task.index as usize;
            updates.extend(update.map(|update| (index, update)));
            ended.push(Ended { index, onward });
        }
        if updates.is_empty() {
            return Ok(ended);
        }
        let mut folded = state.clone();
        // Writers that contradict each other, or whose update makes a reducer panic, have run for nothing: a resume says so and runs
        // them again.
        Ok(fold_some(&mut folded, updates).map_or_else(
            |_| Vec::new(),
            |()| {
                *state = folded;
                ended
            },
        ))
    }
}

/// A finished task of the superstep under way: its index among the planned ones, and where it went.
pub(crate) struct Ended {
    pub(crate) index: usize,
    pub(crate) onward: Option<Box<Onward>>,
}

impl<S: State> Snapshot<S> {
    /// The same with the state as JSON.
    pub(crate) fn into_json(self) -> Result<Snapshot<Box<RawValue>>, RunError> {
        let Self { checkpoint, parent, step, source, at_ms, state, next, questions, errors, inner } = self;
        let state = encode("the state", &state)?;
        Ok(Snapshot { checkpoint, parent, step, source, at_ms, state, next, questions, errors, inner })
    }
}

fn node_of(tip: &Checkpoint, index: u32) -> String {
    tip.next.get(index as usize).map_or_else(String::new, |task| task.node.as_ref().to_owned())
}

/// The open questions among the records of a checkpoint's tasks.
pub(crate) fn questions_of(tip: &Checkpoint, records: &[TaskRecord]) -> Vec<OpenQuestion> {
    open_asked(records)
        .into_iter()
        .map(|(id, asked)| OpenQuestion {
            id,
            node: node_of(tip, id.task.index),
            payload: asked.question.clone(),
            schema: asked.schema.clone(),
        })
        .collect()
}

fn errors_of(tip: &Checkpoint, records: &[TaskRecord]) -> Vec<TaskError> {
    let ends = last_ends(records);
    let failed = ends.iter().filter_map(|(task, entry)| match entry {
        TaskEntry::Failed { error, attempts } => {
            Some(TaskError { node: node_of(tip, task.index), error: error.clone(), attempts: *attempts })
        }
        _ => None,
    });
    failed.collect()
}

impl From<OpenQuestion> for Question {
    fn from(open: OpenQuestion) -> Self {
        Self { id: open.id, node: open.node, payload: open.payload, schema: open.schema }
    }
}

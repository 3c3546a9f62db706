//! Reads the state and the history of threads, and prunes them. Runs no node; `thread_update.rs` writes to threads.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;

use super::checkpoint::{Checkpoint, Source, TaskEntry, TaskRecord, last_end_records};
use super::commit::{encode, encode_state};
use super::contract::{HistoryEntry, HistoryQuery, Pruned, Retention, WholeState};
use super::error::RunError;
use super::graph::CompiledGraph;
use super::id::{CheckpointId, Namespace, Seq, ThreadId};
use super::inner_graph::InnerSnapshot;
use super::inner_view::inner_snapshots;
use super::outcome::OpenQuestion;
use super::rebuild::rebuild;
use super::state::State;
use super::store_error::StoreError;
use super::stored::{open_questions_of, planned_node};

/// Number of checkpoints that a filtered history reads at a time.
const HISTORY_PAGE: usize = 256;

/// The state of a thread at a checkpoint, with its next nodes, questions and errors (LangGraph F45).
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use stategraph_core::store::MemoryStore;
///
/// # fn main() { show(async {
/// let graph = counter().compile()?.with_store(Arc::new(MemoryStore::new()));
/// let thread = ThreadId::new("t")?;
/// graph.run(Count::default()).thread(thread.clone()).step_limit(2).await.err().ok_or("it stops in the middle")?;
/// let now = graph.state(&thread, None).await?;
/// assert_eq!((now.state.n, now.step, now.next.join(" ")), (2, 2, "add".to_owned()));
/// let earlier = graph.state(&thread, now.parent.map(|parent| parent.seq)).await?;
/// assert_eq!(earlier.state.n, 1);
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Snapshot<S> {
    /// The checkpoint.
    pub checkpoint: CheckpointId,
    /// The checkpoint that it continues; `None` for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<CheckpointId>,
    /// Number of supersteps since the input; 0 for the input.
    pub step: u64,
    /// The cause of the checkpoint.
    pub source: Source,
    /// Time of the checkpoint, in milliseconds since 1970 (UTC).
    pub at_ms: u64,
    /// The state. At the newest checkpoint it includes the updates of finished tasks of the superstep under way.
    pub state: S,
    /// The nodes that run next. At the newest checkpoint without those that have finished already.
    pub next: Vec<String>,
    /// The open questions.
    pub questions: Vec<OpenQuestion>,
    /// The errors of failed tasks of the superstep under way.
    pub errors: Vec<TaskError>,
    /// The graphs inside the tasks of the superstep under way or, at an older checkpoint, of the superstep that followed it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<InnerSnapshot>,
}

/// The error of a failed task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TaskError {
    /// The node of the task.
    pub node: String,
    /// The error, as shown to the user.
    pub error: String,
    /// Number of attempts.
    pub attempts: u32,
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// Returns the state of a thread now, or at one of its checkpoints. Needs no claim, so the thread may be running.
    pub async fn state(&self, thread: &ThreadId, at: Option<Seq>) -> Result<Snapshot<S>, RunError> {
        let lineage = self.load_lineage(thread, at).await?;
        let mut state: S = self.load_state(&lineage, thread)?;
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
            questions: open_questions_of(tip, records),
            errors: errors_of(tip, records),
            inner: inner_snapshots(&self.definition, &tip.next, &lineage.tasks, thread, &Namespace::ROOT)?,
        })
    }

    /// Returns the checkpoints of a thread, newest first, without their states; [`state`](Self::state) returns those one by one.
    pub async fn history(
        &self,
        thread: &ThreadId,
        query: &HistoryQuery,
    ) -> Result<Vec<HistoryEntry>, RunError> {
        self.load_lineage(thread, None).await?;
        Ok(self.store()?.history(thread, query).await?)
    }

    /// Returns the checkpoints of a thread that pass the filter `takes`, newest first, at most `query.limit` (F46).
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

    /// Removes all but the newest checkpoints of a thread, and frees their space.
    pub async fn prune(&self, thread: &ThreadId, keep: Retention) -> Result<Pruned, RunError> {
        self.load_lineage(thread, None).await?;
        Ok(self.store()?.prune(thread, keep, &|chain| self.snapshot_of(thread, chain)).await?)
    }

    /// Removes the checkpoints of one run of a thread, and frees their space (F50). The newest run stays, because it holds the state of the
    /// thread.
    pub async fn delete_run(&self, thread: &ThreadId, run: u64) -> Result<Pruned, RunError> {
        self.load_lineage(thread, None).await?;
        Ok(self.store()?.delete_run(thread, run, &|chain| self.snapshot_of(thread, chain)).await?)
    }

    fn snapshot_of(&self, thread: &ThreadId, chain: &[Arc<Checkpoint>]) -> Result<WholeState, StoreError> {
        let encoding = |detail: String| StoreError::Encoding { thread: thread.as_str().to_owned(), detail };
        let reading = &self.definition.state_reader;
        let earlier = reading.fold_in_own_version(chain).map_err(|error| encoding(error.to_string()))?;
        if let Some((state, schema)) = earlier {
            return Ok(WholeState { state, schema });
        }
        let state: S = rebuild(chain, reading).map_err(|error| encoding(error.to_string()))?;
        let state = encode_state(&state).map_err(|error| encoding(error.to_string()))?;
        Ok(WholeState { state, schema: self.definition.schema })
    }
}

impl<S: State> Snapshot<S> {
    /// Returns the same snapshot with its state as JSON.
    pub(crate) fn into_json(self) -> Result<Snapshot<Box<RawValue>>, RunError> {
        let Self { checkpoint, parent, step, source, at_ms, state, next, questions, errors, inner } = self;
        let state = encode("the state", &state)?;
        Ok(Snapshot { checkpoint, parent, step, source, at_ms, state, next, questions, errors, inner })
    }
}

fn errors_of(tip: &Checkpoint, records: &[TaskRecord]) -> Vec<TaskError> {
    let ends = last_end_records(records);
    let failed = ends.iter().filter_map(|(task, entry)| match entry {
        TaskEntry::Failed { error, attempts } => {
            Some(TaskError { node: planned_node(tip, task.index), error: error.clone(), attempts: *attempts })
        }
        _ => None,
    });
    failed.collect()
}

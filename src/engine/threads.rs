//! Looking at threads and changing them from outside: state, history, update, fork, prune. Runs no node.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;

use super::begin::Start;
use super::checkpoint::{
    Checkpoint, Flush, HistoryEntry, HistoryQuery, Pruned, Retention, Source, TaskEntry, TaskRecord,
    ThreadWriter, Write, last_ends,
};
use super::commit::{WriteRef, encode};
use super::draft::{END, START};
use super::drive::{Base, FinishedBefore, Passing, Saved};
use super::error::RunError;
use super::fold::{fold_some, sound};
use super::graph::CompiledGraph;
use super::id::{CheckpointId, Namespace, QuestionId, Seq, TaskId, ThreadId};
use super::inside::{InnerSnapshot, inner_snapshots};
use super::outcome::Question;
use super::plan::{NodeIx, Onward, Planned};
use super::rebuild::rebuild;
use super::request::RunOptions;
use super::state::State;
use super::store_error::StoreError;

/// The state of a thread at a checkpoint, with what is known about what runs next (LangGraph F45).
#[derive(Debug, Clone, Serialize)]
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
        let ended = self.fold_finished(&mut state, records, thread)?;
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

    /// Writes to the state of a thread from outside (LangGraph F47). With `as_node` the update counts as written by that node:
    /// what follows it runs next, besides what was planned already; `START` starts over, `END` leaves nothing to run.
    /// Without, what was planned stays planned.
    ///
    /// What tasks of the superstep under way finished is kept and followed; those that wait or failed begin anew, so that their
    /// questions and journaled calls are dropped.
    pub async fn update(
        &self,
        thread: &ThreadId,
        update: S::Update,
        as_node: Option<&str>,
    ) -> Result<CheckpointId, RunError> {
        let writer = self.store()?.claim(thread).await?;
        let mut start = self.continued_from(thread, None, writer.head()).await?;
        let author = as_node.map(|name| self.author(name)).transpose()?;
        let write = Write { node: as_node.unwrap_or(START).into(), update: encode("the update", &update)? };
        let records = std::mem::take(&mut start.records);
        let ended = self.fold_finished(&mut start.state, &records, thread)?;
        if author.is_none() {
            // What was looked at at a breakpoint, and changed, goes on from there.
            start
                .records
                .extend(records.iter().find(|record| matches!(record.entry, TaskEntry::Paused)).cloned());
        }
        for task in &ended {
            let remember = task.onward.as_ref().and_then(|onward| onward.remember.clone());
            start.remembered.extend(remember.map(|state| (start.next[task.index].node, state)));
        }
        if author.is_some() {
            start.state.begin_step();
        }
        start.state.fold(update);
        self.plan_after(&ended, author.as_ref(), &mut start);
        sound(&start.state)?;
        start.base = Base {
            seq: start.base.seq.next(),
            parent: Some(start.base.seq),
            step: start.base.step,
            source: Source::Update,
        };
        start.saved = Saved::No;
        self.save_alone(thread, writer, start, vec![write]).await
    }

    /// Makes an older checkpoint the newest of its thread without running anything (F49). What was there stays in the history.
    pub async fn fork(&self, checkpoint: &CheckpointId) -> Result<CheckpointId, RunError> {
        let thread = &checkpoint.thread;
        let writer = self.store()?.claim(thread).await?;
        let start = self.continued_from(thread, Some(checkpoint.seq), writer.head()).await?;
        if start.saved == Saved::Yes {
            return Ok(checkpoint.clone());
        }
        self.save_alone(thread, writer, start, Vec::new()).await
    }

    /// Writes one checkpoint, runs nothing.
    pub(crate) async fn save_alone(
        &self,
        thread: &ThreadId,
        writer: Arc<dyn ThreadWriter>,
        start: Start<S>,
        written: Vec<Write>,
    ) -> Result<CheckpointId, RunError> {
        let options = RunOptions::default();
        let shared = self.shared(&options, Some(thread.clone()), Some(&writer), None);
        let mut driver = self.clone().driver(start, &options, shared, Some(writer));
        let borrowed: Vec<WriteRef<'_>> = written.iter().map(WriteRef::from).collect();
        driver.save(&borrowed).await?;
        if driver.passing == Passing::Yes {
            let task = TaskId { base: driver.base.seq, index: 0 };
            driver.shared.task(task, TaskEntry::Paused, Flush::Synced).await?;
        }
        Ok(driver.checkpoint_id().expect("it was just written"))
    }

    /// Removes all but the newest checkpoints of a thread, and gives their space back.
    pub async fn prune(&self, thread: &ThreadId, keep: Retention) -> Result<Pruned, RunError> {
        let make_snapshot = |chain: &[Arc<Checkpoint>]| {
            let encoding =
                |detail: String| StoreError::Encoding { thread: thread.as_str().to_owned(), detail };
            let state: S =
                rebuild(chain, self.inner.prototype.as_ref()).map_err(|error| encoding(error.to_string()))?;
            encode("the state", &state).map_err(|error| encoding(error.to_string()))
        };
        self.lineage(thread, None).await?;
        Ok(self.store()?.prune(thread, keep, &make_snapshot).await?)
    }

    /// Folds what finished tasks of the superstep under way wrote, in task order; gives the tasks.
    pub(crate) fn fold_finished(
        &self,
        state: &mut S,
        records: &[TaskRecord],
        thread: &ThreadId,
    ) -> Result<Vec<Ended>, RunError> {
        let (mut ended, mut updates) = (Vec::new(), Vec::new());
        for (task, entry) in last_ends(records) {
            let Some(FinishedBefore { update, onward }) = self.finished(task, entry, thread)? else {
                continue;
            };
            let index = task.index as usize;
            updates.extend(update.map(|update| (index, update)));
            ended.push(Ended { index, onward });
        }
        // Writers that contradict each other have run for nothing: a resume says so and runs them again.
        Ok(fold_some(state, updates).map_or_else(|_| Vec::new(), |()| ended))
    }

    fn author(&self, name: &str) -> Result<Author, RunError> {
        let planner = &self.inner.planner;
        match name {
            START => Ok(Author::Start),
            END => Ok(Author::End),
            name => planner.node(name).map(Author::Node).ok_or_else(|| self.no_node(name)),
        }
    }

    /// Plans what follows the tasks that have ended and the author of an update, besides what is planned and has not ended.
    fn plan_after(&self, ended: &[Ended], author: Option<&Author>, start: &mut Start<S>) {
        let planner = &self.inner.planner;
        let decide = self.inner.on(&start.state);
        let mut followed: Vec<(NodeIx, Option<&Onward>)> =
            ended.iter().map(|task| (start.next[task.index].node, task.onward.as_deref())).collect();
        let mut as_node = None;
        match author {
            Some(Author::End) => {
                start.arrivals = planner.no_arrivals();
                return start.next.clear();
            }
            Some(Author::Start) => return planner.start(&decide, &mut start.arrivals, &mut start.next),
            Some(Author::Node(node)) => {
                as_node = Some(*node);
                followed.push((*node, None));
            }
            None => {}
        }
        let mut led = planner.lead(followed, &decide, &mut start.arrivals);
        let done = |(index, task): &(usize, Planned)| {
            ended.iter().any(|task| task.index == *index)
                || (task.item.is_none() && Some(task.node) == as_node)
        };
        let before = std::mem::take(&mut start.next).into_iter().enumerate();
        led.add(before.filter(|task| !done(task)).map(|(_, task)| task));
        planner.plan(led, &mut start.arrivals, &mut start.next);
    }
}

/// A finished task of the superstep under way: its index among the planned ones, and where it went.
pub(crate) struct Ended {
    pub(crate) index: usize,
    onward: Option<Box<Onward>>,
}

/// As whom an update from outside is written.
enum Author {
    Start,
    End,
    Node(NodeIx),
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
fn questions_of(tip: &Checkpoint, records: &[TaskRecord]) -> Vec<OpenQuestion> {
    let open = super::checkpoint::open_questions(records);
    let asked = records.iter().filter_map(|record| match &record.entry {
        TaskEntry::Asked(asked) => Some((QuestionId { task: record.task, call: asked.call }, asked)),
        _ => None,
    });
    asked
        .filter(|(id, _)| open.contains(id))
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

//! Reads the log of a graph inside a task out of the records of the task. Pure; runs nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::value::RawValue;

use super::checkpoint::{Checkpoint, Record, TaskEntry, TaskRecord};
use super::contract::Lineage;
use super::error::RunError;
use super::id::{QuestionId, Seq, TaskId, ThreadId};
use super::migrate::StateReader;
use super::state::State;

/// The logs of the graphs that ran inside one task, by key.
#[derive(Clone, Default)]
pub(crate) struct InnerLogs(Arc<Mutex<BTreeMap<Arc<str>, Vec<Record>>>>);

impl InnerLogs {
    pub(crate) fn push(&self, key: &Arc<str>, record: Record) {
        let mut logs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        logs.entry(key.clone()).or_default().push(record);
    }

    pub(crate) fn of(&self, key: &str) -> Vec<Record> {
        let logs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        logs.get(key).cloned().unwrap_or_default()
    }

    /// Returns the answer that a graph dropped when it asked this question last, because the question had changed.
    pub(crate) fn dropped_answer(&self, key: &str, question: QuestionId) -> Option<Box<RawValue>> {
        let logs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = logs.get(key)?.iter().rev().find_map(|record| match record {
            Record::Task(TaskRecord { task, entry: TaskEntry::Asked(asked) })
                if (*task, asked.call) == (question.task, question.call) =>
            {
                Some(asked)
            }
            _ => None,
        });
        asked?.dropped_answer.clone()
    }
}

/// Returns the log of the graph that ran inside a task under this key, out of the records of the checkpoint that planned the task.
pub fn inner_log(records: &[TaskRecord], task: TaskId, key: &str) -> Vec<Record> {
    let of_task = records.iter().filter(|record| record.task == task);
    let inner = of_task.filter_map(|record| match &record.entry {
        TaskEntry::Inner { key: found, record } if **found == *key => Some(record.as_ref().clone()),
        _ => None,
    });
    inner.collect()
}

/// Returns the tasks inside which graphs ran, with the keys of those graphs, in task order.
pub fn inner_calls(records: &[TaskRecord]) -> Vec<(TaskId, Arc<str>)> {
    let mut calls: Vec<(TaskId, Arc<str>)> = Vec::new();
    for record in records {
        if let TaskEntry::Inner { key, .. } = &record.entry {
            let call = (record.task, key.clone());
            if !calls.contains(&call) {
                calls.push(call);
            }
        }
    }
    calls.sort();
    calls
}

/// Returns the checkpoints of a log.
pub(crate) fn checkpoints(log: &[Record]) -> impl DoubleEndedIterator<Item = &Arc<Checkpoint>> {
    log.iter().filter_map(|record| match record {
        Record::Checkpoint(checkpoint) => Some(checkpoint),
        Record::Task(_) => None,
    })
}

/// Returns the checkpoints from the first to `tip`, each the parent of the next.
pub(crate) fn ancestry(log: &[Record], tip: Seq) -> Vec<Arc<Checkpoint>> {
    let by_seq: BTreeMap<Seq, &Arc<Checkpoint>> = checkpoints(log).map(|found| (found.seq, found)).collect();
    let mut found = Vec::new();
    let mut at = Some(tip);
    while let Some(checkpoint) = at.and_then(|seq| by_seq.get(&seq)) {
        found.push((*checkpoint).clone());
        // A parent is always older. The check keeps damaged data from making this loop endless.
        at = checkpoint.parent.filter(|parent| *parent < checkpoint.seq);
    }
    found.reverse();
    found
}

impl Lineage {
    /// Returns the lineage of the newest checkpoint of a log; `None` when there is no checkpoint.
    pub(crate) fn of_log(log: &[Record]) -> Option<Self> {
        let tip = checkpoints(log).next_back()?.seq;
        Self::of_log_at(log, tip)
    }

    /// Returns the lineage of this checkpoint of a log; `None` when the log has no snapshot up to it.
    pub(crate) fn of_log_at(log: &[Record], tip: Seq) -> Option<Self> {
        let mut chain = ancestry(log, tip);
        let first = chain.iter().rposition(|checkpoint| checkpoint.snapshot.is_some())?;
        chain.drain(..first);
        let tasks = log.iter().filter_map(|record| match record {
            Record::Task(record) if record.task.base == tip => Some(record.clone()),
            _ => None,
        });
        Some(Self { tasks: tasks.collect(), chain })
    }
}

/// Returns the sum of all updates that a graph has written according to its log.
pub(crate) fn delta_of<C: State>(
    state: &C,
    log: &[Record],
    thread: &ThreadId,
    graph: &str,
    reading: &StateReader<C>,
) -> Result<C::Update, RunError> {
    let mut delta = C::Update::default();
    let Some(tip) = checkpoints(log).next_back() else { return Ok(delta) };
    for checkpoint in ancestry(log, tip.seq) {
        state.expire(&mut delta);
        for write in &checkpoint.writes {
            let update = reading.read_update(&write.update, checkpoint.schema).map_err(|error| {
                RunError::StateMismatch {
                    checkpoint: checkpoint.id(thread),
                    graph: graph.to_owned(),
                    detail: format!("the update of `{}`: {error}", write.node),
                    authoring: C::AUTHORING,
                }
            })?;
            state.compose(&mut delta, update);
        }
    }
    Ok(delta)
}

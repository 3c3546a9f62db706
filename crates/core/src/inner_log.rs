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

/// The logs of the graphs that ran inside one task, by key: a copy in memory, which the next attempt of the
/// task continues from. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct InnerLogs(Arc<Mutex<BTreeMap<Arc<str>, Vec<Record>>>>);

impl InnerLogs {
    /// Appends a record to the log under `key`, and removes the records that it makes superfluous.
    pub(crate) fn push(&self, key: &Arc<str>, record: Record) {
        let mut logs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let log = logs.entry(key.clone()).or_default();
        remove_settled(log, &record);
        log.push(record);
    }

    /// Removes the logs under these keys, because the task has journaled a result that stands for them.
    pub(crate) fn remove(&self, keys: &[Arc<str>]) {
        let mut logs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        logs.retain(|key, _| !keys.contains(key));
    }

    pub(crate) fn of(&self, key: &str) -> Vec<Record> {
        let logs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        logs.get(key).cloned().unwrap_or_default()
    }

    /// Returns the answer that the graph under `key` dropped when it asked this question last, because the
    /// question had changed; `None` when it dropped none.
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

/// Removes the records of `log` that no later attempt reads once `newest` is appended: those of tasks before
/// a new checkpoint of their graph, and those of graphs inside work that has its result now. Without this a
/// graph that calls itself would keep the logs of all of its calls in memory.
fn remove_settled(log: &mut Vec<Record>, newest: &Record) {
    let (path, newest) = unwrap_record(newest);
    match newest {
        Record::Checkpoint(_) => log.retain(|record| !matches!(below(record, &path), Some(Record::Task(_)))),
        Record::Task(TaskRecord { task, entry: TaskEntry::Once { inner, .. } }) if !inner.is_empty() => {
            log.retain(|record| match below(record, &path) {
                Some(Record::Task(TaskRecord { task: of, entry: TaskEntry::Inner { key, .. } })) => {
                    of != task || !inner.contains(key)
                }
                _ => true,
            });
        }
        Record::Task(_) => {}
    }
}

/// Takes a record out of its `Inner` wrappers. Returns the task and key of each wrapper, from the outside,
/// and the record itself.
fn unwrap_record(record: &Record) -> (Vec<(TaskId, &Arc<str>)>, &Record) {
    let (mut path, mut at) = (Vec::new(), record);
    while let Record::Task(TaskRecord { task, entry: TaskEntry::Inner { key, record } }) = at {
        path.push((*task, key));
        at = record;
    }
    (path, at)
}

/// Returns the record without the `Inner` wrappers of the graphs along `path`; `None` when it does not belong
/// to the graph at the end of the path or to one inside it.
fn below<'r>(record: &'r Record, path: &[(TaskId, &Arc<str>)]) -> Option<&'r Record> {
    path.iter().try_fold(record, |record, around| match record {
        Record::Task(TaskRecord { task, entry: TaskEntry::Inner { key, record } })
            if (*task, key) == *around =>
        {
            Some(record.as_ref())
        }
        _ => None,
    })
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

/// Returns the checkpoints of a log, in log order; task records are left out.
pub(crate) fn checkpoints(log: &[Record]) -> impl DoubleEndedIterator<Item = &Arc<Checkpoint>> {
    log.iter().filter_map(|record| match record {
        Record::Checkpoint(checkpoint) => Some(checkpoint),
        Record::Task(_) => None,
    })
}

/// Returns the checkpoints from the first ancestor in the log to `tip`, each the parent of the next; empty
/// when the log has no `tip`.
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

/// Returns all updates that a graph has written up to the newest checkpoint of its log, merged into one.
/// `state` merges them, `graph` is the name for errors.
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn checkpoint(seq: u64) -> Value {
        let digest = "0".repeat(16);
        json!({ "checkpoint": { "format": 1, "seq": seq, "step": 0, "source": "loop", "at_ms": 0, "name": "g", "graph": digest, "schema": digest } })
    }

    fn once(task: &str, key: &str, inner: &[&str]) -> Value {
        let entry = if inner.is_empty() {
            json!({ "once": { "key": key, "value": 1 } })
        } else {
            json!({ "once": { "key": key, "value": 1, "inner": inner } })
        };
        json!({ "task": { "task": task, "entry": entry } })
    }

    fn inside(task: &str, key: &str, record: &Value) -> Value {
        json!({ "task": { "task": task, "entry": { "inner": { "key": key, "record": record } } } })
    }

    /// Appends records to one log, and returns the positions of those that are left.
    fn left(records: &[Value]) -> Vec<usize> {
        let logs = InnerLogs::default();
        let key: Arc<str> = "k".into();
        let read = |record: &Value| serde_json::from_value::<Record>(record.clone()).expect("a record");
        let text = |record: &Record| serde_json::to_string(record).expect("text");
        records.iter().for_each(|record| logs.push(&key, read(record)));
        let texts: Vec<String> = records.iter().map(|record| text(&read(record))).collect();
        let kept = logs.of("k");
        let place = |record: &Record| texts.iter().position(|known| *known == text(record));
        kept.iter().map(|record| place(record).expect("it was appended")).collect()
    }

    #[test]
    fn a_checkpoint_removes_the_records_of_tasks_before_it_in_its_graph_alone() {
        let own = [checkpoint(0), once("0.0", "a", &[]), inside("0.1", "x", &checkpoint(0)), checkpoint(1)];
        assert_eq!(left(&own), [0, 3]);
        let of_x = |record: &Value| inside("0.1", "x", record);
        let deeper = [
            checkpoint(0),
            of_x(&checkpoint(0)),
            of_x(&once("0.0", "a", &[])),
            of_x(&inside("0.2", "y", &checkpoint(0))),
            inside("0.1", "other", &once("0.0", "a", &[])),
            of_x(&checkpoint(1)),
            of_x(&once("1.0", "b", &[])),
        ];
        assert_eq!(left(&deeper), [0, 1, 4, 5, 6]);
    }

    #[test]
    fn the_result_of_work_removes_the_logs_of_the_graphs_inside_it() {
        let of_x = |record: &Value| inside("0.1", "x", record);
        let records = [
            checkpoint(0),
            of_x(&checkpoint(0)),
            of_x(&inside("0.2", "done", &checkpoint(0))),
            of_x(&inside("0.2", "open", &checkpoint(0))),
            of_x(&inside("0.3", "done", &checkpoint(0))),
            inside("0.2", "done", &checkpoint(0)),
            of_x(&once("0.2", "call", &["done"])),
        ];
        assert_eq!(left(&records), [0, 1, 3, 4, 5, 6]);
    }
}

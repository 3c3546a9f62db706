//! What a task must not do twice: results of `cx.once` and answers to `cx.interrupt`, read back from a thread's log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::checkpoint::{Asked, Record, TaskEntry, TaskRecord};
use super::id::{QuestionId, TaskId};
use super::inner_log::InnerLogs;
use super::outcome::Stopped;

/// An answer for a graph inside a task: to which question of it, by which call.
pub(crate) type InnerAnswer = (QuestionId, u32, Box<RawValue>);

/// The journal of one task.
#[derive(Default)]
pub(crate) struct TaskJournal {
    results: BTreeMap<Arc<str>, Box<RawValue>>,
    /// The keys that this attempt has used.
    used: BTreeSet<Arc<str>>,
    /// The texts of the task's own questions, as they were asked last.
    questions: BTreeMap<u32, Box<RawValue>>,
    answers: BTreeMap<u32, Box<RawValue>>,
    pub(crate) asked: Vec<Asked>,
    calls: u32,
    /// The logs of the graphs inside the task, and the task's questions that stand for theirs.
    inner_logs: Option<InnerLogs>,
    inner_calls: BTreeMap<(Arc<str>, QuestionId), u32>,
    /// Why a graph inside the task stopped.
    pub(crate) stopped: Option<Stopped>,
    /// Where the questions of this attempt are counted from.
    first_call: u32,
}

/// The questions of an error handler are counted from here, so that they do not mix with those of its node.
const HANDLER_CALLS: u32 = 1 << 15;

/// The questions of graphs that a node runs by itself are counted from here, so that they do not mix with its own.
const INNER_CALLS: u32 = 1 << 16;

/// A node asked a question in a run that cannot be resumed (D5).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the node asks a question, and the run has no checkpoint store to wait in")]
pub struct QuestionWithoutStore;

/// A node called [`once`](super::Cx::once) twice with one key in one attempt. The second call would get the result of the first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`once` was called twice with the key `{key}` in one attempt of the task")]
pub struct RepeatedKey {
    /// The key.
    pub key: String,
}

/// An answer cannot be read as the type that the question wants; the question is open again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the answer to question {call} of this task does not fit: {reason}")]
#[non_exhaustive]
pub struct AnswerMismatch {
    /// Which of the task's questions.
    pub call: u32,
    /// Why it does not fit.
    pub reason: String,
}

impl TaskJournal {
    /// What the log says about a task.
    pub(crate) fn of(task: TaskId, records: &[TaskRecord]) -> Self {
        let mut journal = Self::default();
        for record in records.iter().filter(|record| record.task == task) {
            match &record.entry {
                TaskEntry::Once { key, value } => {
                    journal.results.insert(key.clone(), value.clone());
                }
                TaskEntry::Answered { call, answer } => {
                    journal.answers.insert(*call, answer.clone());
                }
                TaskEntry::Rejected { call } => {
                    journal.answers.remove(call);
                }
                TaskEntry::Asked(Asked { call, inner, question, .. }) => {
                    // Asked again after an answer, the question has changed.
                    journal.answers.remove(call);
                    match inner {
                        Some(inner) => drop(journal.inner_calls.insert((inner.key.clone(), inner.id), *call)),
                        None => drop(journal.questions.insert(*call, question.clone())),
                    }
                }
                TaskEntry::Inner { key, record } => journal.inner_logs().push(key, record.as_ref().clone()),
                TaskEntry::Finished { .. }
                | TaskEntry::Failed { .. }
                | TaskEntry::Caught { .. }
                | TaskEntry::Paused => {}
            }
        }
        journal
    }

    /// Begins a piece of work; gives its result if it was done before.
    pub(crate) fn begin_once(&mut self, key: &Arc<str>) -> Result<Option<Box<RawValue>>, RepeatedKey> {
        if !self.used.insert(key.clone()) {
            return Err(RepeatedKey { key: key.as_ref().to_owned() });
        }
        Ok(self.results.get(key).cloned())
    }

    /// Lets a piece of work be begun again in this attempt: it came to no result.
    pub(crate) fn give_up_once(&mut self, key: &str) {
        if !self.results.contains_key(key) {
            self.used.remove(key);
        }
    }

    /// Lets a part of the task, whose keys begin with `part`, use its keys again: it is tried again within the attempt.
    pub(crate) fn begin_part(&mut self, part: &str) {
        self.used.retain(|key| !key.starts_with(part));
    }

    /// Keeps a result for the next attempt.
    pub(crate) fn keep(&mut self, key: Arc<str>, value: Box<RawValue>) {
        self.results.insert(key, value);
    }

    /// Numbers a question, and gives its answer if there is one; else it is noted as asked. The answer to a question that has changed
    /// since is dropped.
    pub(crate) fn next_question(&mut self, question: &OwnQuestion) -> (u32, Option<Box<RawValue>>) {
        let call = self.calls;
        self.calls += 1;
        let same = self.questions.get(&call).is_none_or(|known| same_json(known, &question.payload));
        if same && let Some(answer) = self.answers.get(&call) {
            return (call, Some(answer.clone()));
        }
        let dropped_answer = self.answers.remove(&call);
        self.questions.insert(call, question.payload.clone());
        self.asked.push(Asked { dropped_answer, ..question.asked(call) });
        (call, None)
    }

    /// What is known of a graph inside the task: its log, and the answers to its questions with the calls that stand for them.
    pub(crate) fn inner(&mut self, key: &str) -> (Vec<Record>, Vec<InnerAnswer>) {
        let log = self.inner_logs().of(key);
        let mine = self.inner_calls.iter().filter(|((found, _), _)| **found == *key);
        let answered = mine.filter_map(|((_, id), call)| Some((*id, *call, self.answers.get(call)?.clone())));
        (log, answered.collect())
    }

    pub(crate) fn inner_logs(&mut self) -> InnerLogs {
        self.inner_logs.get_or_insert_default().clone()
    }

    /// The call that stands for a question of a graph inside the task.
    pub(crate) fn inner_call(&mut self, key: &str, id: QuestionId) -> u32 {
        let least = if key.is_empty() { 0 } else { INNER_CALLS };
        let used = self.inner_calls.values().filter(|call| **call >= least).max();
        let next = used.map_or(least, |used| used + 1);
        *self.inner_calls.entry((key.into(), id)).or_insert(next)
    }

    /// Opens a question again whose answer does not fit.
    pub(crate) fn reject(&mut self, call: u32, question: &OwnQuestion) {
        self.answers.remove(&call);
        self.asked.push(question.asked(call));
    }

    /// Begins an attempt: questions are counted from 0 again.
    pub(crate) fn begin_attempt(&mut self) {
        self.calls = self.first_call;
        self.asked.clear();
        self.used.clear();
        self.stopped = None;
    }

    /// Begins an attempt of the error handler.
    pub(crate) fn begin_handler(&mut self) {
        self.first_call = HANDLER_CALLS;
        self.begin_attempt();
    }

    /// The questions that this attempt asked in vain.
    pub(crate) fn take_asked(&mut self) -> Vec<Asked> {
        self.asked.sort_by_key(|asked| asked.call);
        std::mem::take(&mut self.asked)
    }
}

/// A question of the node itself.
pub(crate) struct OwnQuestion {
    pub(crate) payload: Box<RawValue>,
    pub(crate) schema: Option<Box<RawValue>>,
}

impl OwnQuestion {
    fn asked(&self, call: u32) -> Asked {
        Asked {
            call,
            question: self.payload.clone(),
            schema: self.schema.clone(),
            dropped_answer: None,
            inner: None,
        }
    }
}

/// Returns true when both texts are the same JSON value; the order of an object's keys does not count.
pub(crate) fn same_json(a: &RawValue, b: &RawValue) -> bool {
    let value = |text: &RawValue| serde_json::from_str::<serde_json::Value>(text.get()).ok();
    a.get() == b.get() || value(a) == value(b)
}

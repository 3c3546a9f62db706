//! The journal of a task: results of `cx.once` and answers to `cx.interrupt`, which must not happen twice. Read from a thread's log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::checkpoint::{AskedQuestion, Record, TaskEntry, TaskRecord};
use super::id::{QuestionId, TaskId};
use super::inner_log::InnerLogs;
use super::outcome::Stopped;

/// An answer for a graph inside a task: the id of the question in that graph, the number of the task's
/// question that was asked in its place, and the answer as JSON.
pub(crate) type InnerAnswer = (QuestionId, u32, Box<RawValue>);

/// The journal of one task: results of `once`, questions, answers, and the logs of graphs inside the task. It
/// is read from the log when the task continues; all attempts of the task share it through the context.
#[derive(Default)]
pub(crate) struct TaskJournal {
    results: BTreeMap<Arc<str>, Box<RawValue>>,
    /// The keys that this attempt has used.
    used: BTreeSet<Arc<str>>,
    /// The task's own questions as they were asked last, by call.
    questions: BTreeMap<u32, Box<RawValue>>,
    answers: BTreeMap<u32, Box<RawValue>>,
    pub(crate) asked: Vec<AskedQuestion>,
    calls: u32,
    /// The logs of the graphs inside the task, and the task's questions that stand for theirs.
    inner_logs: Option<InnerLogs>,
    inner_calls: BTreeMap<(Arc<str>, QuestionId), u32>,
    /// The reason why a graph inside the task stopped.
    pub(crate) stopped: Option<Stopped>,
    /// The resources that the attempt has spent so far; `None` if it told none.
    pub(crate) spent: Option<Value>,
    /// The resources that unfinished graphs inside the task have spent, by key.
    pub(crate) spent_inside: BTreeMap<Arc<str>, Value>,
    /// The number of the first question of this attempt.
    first_call: u32,
    /// The states that graphs with a memory ended with in this attempt, by key.
    pub(crate) remembered_calls: BTreeMap<Arc<str>, Box<RawValue>>,
}

/// The number of the first question of an error handler, so that its questions do not mix with those of its node.
const HANDLER_CALLS: u32 = 1 << 15;

/// The number of the first question of graphs that a node's own code runs, so that they do not mix with the questions of the node.
const INNER_CALLS: u32 = 1 << 16;

/// The error of a node that asked a question in a run without a store, which cannot be resumed (D5).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the node asks a question, and the run has no checkpoint store to wait in")]
pub struct QuestionWithoutStore;

/// The error of a node that called [`once`](super::Cx::once) twice with one key in one attempt. The second call would get the result of the
/// first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`once` was called twice with the key `{key}` in one attempt of the task")]
pub struct RepeatedKey {
    /// The repeated key.
    pub key: String,
}

/// The error of an answer that cannot be read as the type that the question wants. The question is open again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the answer to question {call} of this task does not fit: {reason}")]
#[non_exhaustive]
pub struct AnswerMismatch {
    /// The number of the question within the task.
    pub call: u32,
    /// The reason why it does not fit.
    pub reason: String,
}

impl TaskJournal {
    /// Reads the journal of a task from its records.
    pub(crate) fn of(task: TaskId, records: &[TaskRecord]) -> Self {
        let mut journal = Self::default();
        for record in records.iter().filter(|record| record.task == task) {
            match &record.entry {
                TaskEntry::Once { key, value, inner } => {
                    journal.results.insert(key.clone(), value.clone());
                    if !inner.is_empty() {
                        journal.inner_logs().remove(inner);
                    }
                }
                TaskEntry::Answered { call, answer } => {
                    journal.answers.insert(*call, answer.clone());
                }
                TaskEntry::Rejected { call } => {
                    journal.answers.remove(call);
                }
                TaskEntry::Asked(AskedQuestion { call, inner, question, .. }) => {
                    // A question that is asked again after an answer has changed, so the answer is dropped.
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

    /// Marks a key of [`once`](super::Cx::once) as used in this attempt. Returns the result of its work if it
    /// was done before, else `None`. Fails when this attempt has used the key already.
    pub(crate) fn begin_once(&mut self, key: &Arc<str>) -> Result<Option<Box<RawValue>>, RepeatedKey> {
        if !self.used.insert(key.clone()) {
            return Err(RepeatedKey { key: key.as_ref().to_owned() });
        }
        Ok(self.results.get(key).cloned())
    }

    /// Lets this attempt use the key again, unless its work has a result.
    pub(crate) fn give_up_once(&mut self, key: &str) {
        if !self.results.contains_key(key) {
            self.used.remove(key);
        }
    }

    /// Lets this attempt use all keys again that begin with `part`, because that part of the task is retried
    /// within the attempt.
    pub(crate) fn begin_part(&mut self, part: &str) {
        self.used.retain(|key| !key.starts_with(part));
    }

    /// Stores a result for the next attempt.
    pub(crate) fn store_result(&mut self, key: Arc<str>, value: Box<RawValue>) {
        self.results.insert(key, value);
    }

    /// Gives the next question of the node its number, and returns the number with the known answer. Without
    /// an answer the question is noted as asked, and `None` returned. An answer to another question that had
    /// this number before is dropped.
    pub(crate) fn next_question(&mut self, question: &OwnQuestion) -> (u32, Option<Box<RawValue>>) {
        let call = self.calls;
        self.calls += 1;
        let same = self.questions.get(&call).is_none_or(|known| same_json(known, &question.payload));
        if same && let Some(answer) = self.answers.get(&call) {
            return (call, Some(answer.clone()));
        }
        let dropped_answer = self.answers.remove(&call);
        self.questions.insert(call, question.payload.clone());
        self.asked.push(AskedQuestion { dropped_answer, ..question.to_asked(call) });
        (call, None)
    }

    /// Returns the log of the graph under this key inside the task, and the answers to its questions.
    pub(crate) fn inner_log_and_answers(&mut self, key: &str) -> (Vec<Record>, Vec<InnerAnswer>) {
        let log = self.inner_logs().of(key);
        let mine = self.inner_calls.iter().filter(|((found, _), _)| **found == *key);
        let answered = mine.filter_map(|((_, id), call)| Some((*id, *call, self.answers.get(call)?.clone())));
        (log, answered.collect())
    }

    pub(crate) fn inner_logs(&mut self) -> InnerLogs {
        self.inner_logs.get_or_insert_default().clone()
    }

    /// Returns the number of the task's question that is asked in the place of question `id` of the graph
    /// under `key`; assigns the next free number at the first call.
    pub(crate) fn inner_call(&mut self, key: &str, id: QuestionId) -> u32 {
        let least = if key.is_empty() { 0 } else { INNER_CALLS };
        let used = self.inner_calls.values().filter(|call| **call >= least).max();
        let next = used.map_or(least, |used| used + 1);
        *self.inner_calls.entry((key.into(), id)).or_insert(next)
    }

    /// Removes the answer to question `call` because it does not fit, and notes the question as asked again.
    pub(crate) fn reject(&mut self, call: u32, question: &OwnQuestion) {
        self.answers.remove(&call);
        self.asked.push(question.to_asked(call));
    }

    /// Prepares the journal for another attempt: questions are numbered from the first again and keys may be
    /// used again. Results and answers stay.
    pub(crate) fn begin_attempt(&mut self) {
        self.calls = self.first_call;
        self.asked.clear();
        self.used.clear();
        self.remembered_calls.clear();
        self.stopped = None;
    }

    /// Begins an attempt of the error handler. Its questions have numbers of their own.
    pub(crate) fn begin_handler(&mut self) {
        self.first_call = HANDLER_CALLS;
        self.begin_attempt();
    }

    /// Takes the questions of this attempt that have no answer.
    pub(crate) fn take_asked(&mut self) -> Vec<AskedQuestion> {
        self.asked.sort_by_key(|asked| asked.call);
        std::mem::take(&mut self.asked)
    }
}

/// A question that the node itself asks, not a graph inside it, with the JSON Schema of its answer.
pub(crate) struct OwnQuestion {
    pub(crate) payload: Box<RawValue>,
    pub(crate) schema: Option<Box<RawValue>>,
}

impl OwnQuestion {
    fn to_asked(&self, call: u32) -> AskedQuestion {
        AskedQuestion {
            call,
            question: self.payload.clone(),
            schema: self.schema.clone(),
            dropped_answer: None,
            inner: None,
        }
    }
}

/// Returns true when both texts are the same JSON value. Space and the order of an object's keys do not
/// count.
pub(crate) fn same_json(a: &RawValue, b: &RawValue) -> bool {
    let value = |text: &RawValue| serde_json::from_str::<serde_json::Value>(text.get()).ok();
    a.get() == b.get() || value(a) == value(b)
}

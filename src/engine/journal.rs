//! What a task must not do twice: results of `cx.once` and answers to `cx.interrupt`, read back from a thread's log.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::checkpoint::{TaskEntry, TaskRecord};
use super::id::TaskId;

/// The journal of one task.
#[derive(Default)]
pub(crate) struct TaskJournal {
    results: BTreeMap<Arc<str>, Box<RawValue>>,
    answers: BTreeMap<u32, Box<RawValue>>,
    asked: Vec<(u32, Box<RawValue>)>,
    calls: u32,
}

/// A node asked a question in a run that cannot be resumed (D5).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the node asks a question, and the run has no checkpoint store to wait in")]
pub struct QuestionWithoutStore;

/// An answer cannot be read as the type that the question wants; the question is open again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the answer to question {call} of this task does not fit: {reason}")]
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
                TaskEntry::Asked { .. } | TaskEntry::Finished { .. } | TaskEntry::Failed { .. } => {}
            }
        }
        journal
    }

    /// Whether the task did anything with it. Most do not.
    pub(crate) fn is_used(&self) -> bool {
        self.calls > 0 || !self.results.is_empty()
    }

    /// The result of a piece of work that was done before.
    pub(crate) fn result(&self, key: &str) -> Option<Box<RawValue>> {
        self.results.get(key).cloned()
    }

    /// Keeps a result for the next attempt.
    pub(crate) fn keep(&mut self, key: Arc<str>, value: Box<RawValue>) {
        self.results.insert(key, value);
    }

    /// Numbers a question, and gives its answer if there is one; else it is noted as asked.
    pub(crate) fn next_question(&mut self, question: &RawValue) -> (u32, Option<Box<RawValue>>) {
        let call = self.calls;
        self.calls += 1;
        let answer = self.answers.get(&call).cloned();
        if answer.is_none() {
            self.asked.push((call, question.to_owned()));
        }
        (call, answer)
    }

    /// Opens a question again whose answer does not fit.
    pub(crate) fn reject(&mut self, call: u32, question: Box<RawValue>) {
        self.answers.remove(&call);
        self.asked.push((call, question));
    }

    /// Begins an attempt: questions are counted from 0 again.
    pub(crate) fn begin_attempt(&mut self) {
        self.calls = 0;
        self.asked.clear();
    }

    /// The questions that this attempt asked in vain.
    pub(crate) fn take_asked(&mut self) -> Vec<(u32, Box<RawValue>)> {
        self.asked.sort_by_key(|(call, _)| *call);
        std::mem::take(&mut self.asked)
    }
}

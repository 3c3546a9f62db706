//! Accepts answers to the open questions of a thread. Runs nothing.

use serde_json::value::RawValue;

use super::checkpoint::{TaskEntry, TaskRecord, open_questions};
use super::contract::Flush;
use super::error::RunError;
use super::id::QuestionId;
use super::task_log::TaskLog;

/// Writes the answers to the log and appends them to `records`, before anything runs, so that they count
/// whatever happens next. Records none and fails when a question is not open, or an answer does not match the
/// schema of its question.
pub(crate) async fn accept_answers(
    records: &mut Vec<TaskRecord>,
    log: &TaskLog,
    answers: Vec<(QuestionId, Box<RawValue>)>,
) -> Result<(), RunError> {
    let open = open_questions(records);
    if let Some((question, _)) = answers.iter().find(|(question, _)| !open.contains(question)) {
        return Err(RunError::NotAsked { question: *question, open });
    }
    #[cfg(feature = "answers")]
    for (question, answer) in &answers {
        if let Some(reason) = schema_violation(records, *question, answer) {
            return Err(RunError::AnswerRefused { question: *question, reason });
        }
    }
    for (QuestionId { task, call }, answer) in answers {
        let entry = TaskEntry::Answered { call, answer };
        log.record(task, entry.clone(), Flush::Synced).await?;
        records.push(TaskRecord { task, entry });
    }
    Ok(())
}

/// Returns the reason why an answer does not fit the schema of its question; `None` when it fits or there is no schema.
#[cfg(feature = "answers")]
fn schema_violation(records: &[TaskRecord], question: QuestionId, answer: &RawValue) -> Option<String> {
    let asked = records.iter().rev().find_map(|record| match &record.entry {
        TaskEntry::Asked(asked) if (record.task, asked.call) == (question.task, question.call) => Some(asked),
        _ => None,
    });
    super::answers::find_mismatch(asked?.schema.as_ref()?, answer)
}

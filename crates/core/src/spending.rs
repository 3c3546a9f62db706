//! The resources that a run has spent, such as tokens: those in its state, and those of tasks whose updates are not folded yet. Counts
//! nothing itself; states and nodes do.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::checkpoint::{TaskEntry, TaskRecord};
use super::context::Cx;
use super::id::TaskId;
use super::json_text::to_raw_value;

/// The key in the journal of a task under which it keeps the resources that it has spent without finishing.
const SPENT_KEY: &str = "$spent";

/// Adds the resources `more` to `sum`: unsigned integers are added and maps merged entry by entry; any other
/// value replaces the one in `sum`.
pub fn merge_spent(sum: &mut Map<String, Value>, more: Map<String, Value>) {
    for (name, more) in more {
        match (sum.get_mut(&name), more) {
            (Some(Value::Object(sum)), Value::Object(more)) => merge_spent(sum, more),
            (Some(sum), more) if sum.is_u64() && more.is_u64() => {
                let total =
                    sum.as_u64().unwrap_or_default().saturating_add(more.as_u64().unwrap_or_default());
                *sum = total.into();
            }
            (_, more) => drop(sum.insert(name, more)),
        }
    }
}

/// Returns the sum of several maps of resources; `None` without any.
pub(crate) fn sum_spent(parts: impl IntoIterator<Item = Value>) -> Option<Value> {
    parts.into_iter().reduce(|sum, more| match (sum, more) {
        (Value::Object(mut sum), Value::Object(more)) => {
            merge_spent(&mut sum, more);
            Value::Object(sum)
        }
        (sum, _) => sum,
    })
}

/// Returns the record that keeps the resources of an unfinished task in its journal; `None` when they cannot
/// be JSON.
pub(crate) fn spent_entry(spent: &Value) -> Option<TaskEntry> {
    let value: Box<RawValue> = to_raw_value(spent).ok()?;
    Some(TaskEntry::Once { key: SPENT_KEY.into(), value, inner: Vec::new() })
}

/// Returns the resources that a task has spent in earlier runs, from its newest record of them; `None`
/// without one.
pub(crate) fn recorded_spent(task: TaskId, records: &[TaskRecord]) -> Option<Value> {
    records.iter().rev().filter(|record| record.task == task).find_map(|record| match &record.entry {
        TaskEntry::Once { key, value, .. } if **key == *SPENT_KEY => serde_json::from_str(value.get()).ok(),
        _ => None,
    })
}

impl<D: Send + Sync + 'static> Cx<D> {
    /// Sets the resources, such as tokens, that the task has spent so far in this attempt: a map of numbers,
    /// or of such maps. Each call replaces the last. They count in the event at the end of a run in which the
    /// task does not finish; those of a task that finishes are part of its update. See
    /// [`State::spent`](super::State::spent).
    pub fn tell_spent(&self, total: Map<String, Value>) {
        self.journal().spent = Some(Value::Object(total));
    }

    /// Returns the resources that the task has spent, with those of graphs inside it; `None` if it told none.
    pub(crate) fn spent(&self) -> Option<Value> {
        let journal = self.journal.get()?.lock().ok()?;
        sum_spent(journal.spent.iter().chain(journal.spent_inside.values()).cloned())
    }
}

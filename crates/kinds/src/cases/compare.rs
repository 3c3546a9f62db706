//! Compares the outcome of a case with its expectations. Runs nothing.

use serde_json::{Map, Value};

use super::CaseOutcome;
use stategraph_files::Expected;

/// A difference between the outcome of a test case and its expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Position in the expectations: `state.queue`, `ran`, `status`.
    pub place: String,
    /// Expected value.
    pub expected: String,
    /// Actual value.
    pub actual: String,
}

/// A list of mismatches that grows during the comparison.
#[derive(Default)]
pub(super) struct Mismatches {
    pub(super) list: Vec<Mismatch>,
}

impl Mismatches {
    /// Adds a mismatch.
    pub(super) fn push(&mut self, place: &str, expected: &str, actual: &str) {
        let (place, expected, actual) = (place.to_owned(), expected.to_owned(), actual.to_owned());
        self.list.push(Mismatch { place, expected, actual });
    }
}

/// Compares an outcome with all expectations of the case and adds the differences to `mismatches`.
pub(super) fn compare(expected: &Expected, ending: &CaseOutcome, mismatches: &mut Mismatches) {
    compare_status(expected, ending, mismatches);
    let state: Map<String, Value> =
        ending.state.as_ref().and_then(|state| serde_json::from_str(state.get()).ok()).unwrap_or_default();
    for (channel, value) in &expected.state {
        compare_values(
            &format!("state.{channel}"),
            value,
            state.get(channel).unwrap_or(&Value::Null),
            mismatches,
        );
    }
    compare_ran(expected, ending, mismatches);
    compare_questions(expected, ending, mismatches);
    compare_events(expected, ending, mismatches);
    if ending.unused_answers > 0 {
        let actual = format!("{} not asked for", ending.unused_answers);
        mismatches.push("answers", "every answer asked for", &actual);
    }
}

/// Compares the list of nodes that ran. Nodes of sub-graphs (`outer/inner`) count only if the case names one.
fn compare_ran(expected: &Expected, ending: &CaseOutcome, mismatches: &mut Mismatches) {
    let Some(wanted) = &expected.ran else { return };
    let is_inner = |node: &String| node.contains('/');
    let names_inner = wanted.iter().any(is_inner);
    let actual: Vec<&String> = ending.ran.iter().filter(|node| names_inner || !is_inner(node)).collect();
    if !wanted.iter().eq(actual.iter().copied()) {
        let actual: Vec<&str> = actual.into_iter().map(String::as_str).collect();
        mismatches.push("ran", &wanted.join(", "), &actual.join(", "));
    }
}

/// Compares the status. If it is equal, also checks that the error contains the expected text.
fn compare_status(expected: &Expected, ending: &CaseOutcome, mismatches: &mut Mismatches) {
    if expected.status != ending.status {
        let error = ending.error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
        let open: Vec<String> = ending.questions.iter().map(|question| format!(": {question}")).collect();
        let actual = format!("{}{error}{}", ending.status.name(), open.concat());
        return mismatches.push("status", expected.status.name(), &actual);
    }
    match (&expected.error, &ending.error) {
        (Some(part), Some(error)) if !error.contains(part) => mismatches.push("error", part, error),
        _ => {}
    }
}

/// Compares the number of open questions, and each question by its expected entries.
fn compare_questions(expected: &Expected, ending: &CaseOutcome, mismatches: &mut Mismatches) {
    let Some(questions) = &expected.questions else { return };
    if questions.len() != ending.questions.len() {
        let count = |list: &[Value]| format!("{} open", list.len());
        mismatches.push("questions", &count(questions), &count(&ending.questions));
    }
    for (at, (wanted, asked)) in questions.iter().zip(&ending.questions).enumerate() {
        if !contains(wanted, asked) {
            mismatches.push(&format!("questions[{at}]"), &wanted.to_string(), &asked.to_string());
        }
    }
}

/// Checks that the expected events occurred in this order, with any others between. Reports only the first
/// missing one.
fn compare_events(expected: &Expected, ending: &CaseOutcome, mismatches: &mut Mismatches) {
    let mut events = ending.events.iter();
    for (at, wanted) in expected.events.iter().enumerate() {
        if !events.any(|event| contains(wanted, event)) {
            let kind = wanted.get("event");
            let of_kind = |event: &&Value| kind.is_none() || event.get("event") == kind;
            let near: Vec<String> = ending.events.iter().filter(of_kind).map(Value::to_string).collect();
            let actual = if near.is_empty() { "no such event".to_owned() } else { near.join("\n") };
            return mismatches.push(&format!("events[{at}]"), &wanted.to_string(), &actual);
        }
    }
}

/// Returns true if `actual` equals `wanted`; maps in it may have further entries, and numbers compare by
/// value.
fn contains(wanted: &Value, actual: &Value) -> bool {
    match (wanted, actual) {
        (Value::Object(wanted), Value::Object(actual)) => {
            wanted.iter().all(|(key, value)| actual.get(key).is_some_and(|actual| contains(value, actual)))
        }
        (Value::Number(wanted), Value::Number(actual)) => wanted.as_f64() == actual.as_f64(),
        (wanted, actual) => wanted == actual,
    }
}

/// Adds a mismatch for each innermost position at which two values differ. Here maps must have the same
/// entries.
fn compare_values(place: &str, wanted: &Value, actual: &Value, mismatches: &mut Mismatches) {
    match (wanted, actual) {
        (Value::Object(a), Value::Object(b)) if !a.is_empty() => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            for key in keys {
                let null = Value::Null;
                let (a, b) = (a.get(key).unwrap_or(&null), b.get(key).unwrap_or(&null));
                compare_values(&format!("{place}.{key}"), a, b, mismatches);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                compare_values(&format!("{place}[{at}]"), a, b, mismatches);
            }
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => {}
        (wanted, actual) if wanted == actual => {}
        (wanted, actual) => mismatches.push(place, &wanted.to_string(), &actual.to_string()),
    }
}

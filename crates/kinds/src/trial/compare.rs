//! Compares the outcome of a case with its expectations. Runs nothing.

use serde_json::{Map, Value};

use super::Ending;
use stategraph_files::Expected;

/// A difference between an outcome and its expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Position: `state.queue`, `ran`, `status`.
    pub place: String,
    /// Expected value.
    pub expected: String,
    /// Actual value.
    pub actual: String,
}

/// A collector of mismatches.
#[derive(Default)]
pub(super) struct Problems {
    pub(super) list: Vec<Problem>,
}

impl Problems {
    pub(super) fn push(&mut self, place: &str, expected: &str, actual: &str) {
        let (place, expected, actual) = (place.to_owned(), expected.to_owned(), actual.to_owned());
        self.list.push(Problem { place, expected, actual });
    }
}

/// Compares everything that the case expects.
pub(super) fn compare(expected: &Expected, ending: &Ending, problems: &mut Problems) {
    status(expected, ending, problems);
    let state: Map<String, Value> =
        ending.state.as_ref().and_then(|state| serde_json::from_str(state.get()).ok()).unwrap_or_default();
    for (channel, value) in &expected.state {
        differences(&format!("state.{channel}"), value, state.get(channel).unwrap_or(&Value::Null), problems);
    }
    ran(expected, ending, problems);
    questions(expected, ending, problems);
    events(expected, ending, problems);
    if ending.unasked > 0 {
        let actual = format!("{} not asked for", ending.unasked);
        problems.push("answers", "every answer asked for", &actual);
    }
}

/// Compares the nodes that ran. Nodes of sub-graphs count only if the case names some.
fn ran(expected: &Expected, ending: &Ending, problems: &mut Problems) {
    let Some(wanted) = &expected.ran else { return };
    let is_inner = |node: &String| node.contains('/');
    let names_inner = wanted.iter().any(is_inner);
    let actual: Vec<&String> = ending.ran.iter().filter(|node| names_inner || !is_inner(node)).collect();
    if !wanted.iter().eq(actual.iter().copied()) {
        let actual: Vec<&str> = actual.into_iter().map(String::as_str).collect();
        problems.push("ran", &wanted.join(", "), &actual.join(", "));
    }
}

fn status(expected: &Expected, ending: &Ending, problems: &mut Problems) {
    if expected.status != ending.status {
        let error = ending.error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
        let open: Vec<String> = ending.questions.iter().map(|question| format!(": {question}")).collect();
        let actual = format!("{}{error}{}", ending.status.name(), open.concat());
        return problems.push("status", expected.status.name(), &actual);
    }
    match (&expected.error, &ending.error) {
        (Some(part), Some(error)) if !error.contains(part) => problems.push("error", part, error),
        _ => {}
    }
}

fn questions(expected: &Expected, ending: &Ending, problems: &mut Problems) {
    let Some(questions) = &expected.questions else { return };
    if questions.len() != ending.questions.len() {
        let count = |list: &[Value]| format!("{} open", list.len());
        problems.push("questions", &count(questions), &count(&ending.questions));
    }
    for (at, (wanted, asked)) in questions.iter().zip(&ending.questions).enumerate() {
        if !holds(wanted, asked) {
            problems.push(&format!("questions[{at}]"), &wanted.to_string(), &asked.to_string());
        }
    }
}

fn events(expected: &Expected, ending: &Ending, problems: &mut Problems) {
    let mut events = ending.events.iter();
    for (at, wanted) in expected.events.iter().enumerate() {
        if !events.any(|event| holds(wanted, event)) {
            let kind = wanted.get("event");
            let of_kind = |event: &&Value| kind.is_none() || event.get("event") == kind;
            let near: Vec<String> = ending.events.iter().filter(of_kind).map(Value::to_string).collect();
            let actual = if near.is_empty() { "no such event".to_owned() } else { near.join("\n") };
            return problems.push(&format!("events[{at}]"), &wanted.to_string(), &actual);
        }
    }
}

/// Returns true if `actual` contains `wanted`; its maps may have further entries.
fn holds(wanted: &Value, actual: &Value) -> bool {
    match (wanted, actual) {
        (Value::Object(wanted), Value::Object(actual)) => {
            wanted.iter().all(|(key, value)| actual.get(key).is_some_and(|actual| holds(value, actual)))
        }
        (Value::Number(wanted), Value::Number(actual)) => wanted.as_f64() == actual.as_f64(),
        (wanted, actual) => wanted == actual,
    }
}

/// Reports the innermost positions at which two values differ.
fn differences(place: &str, wanted: &Value, actual: &Value, problems: &mut Problems) {
    match (wanted, actual) {
        (Value::Object(a), Value::Object(b)) if !a.is_empty() => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            for key in keys {
                let null = Value::Null;
                let (a, b) = (a.get(key).unwrap_or(&null), b.get(key).unwrap_or(&null));
                differences(&format!("{place}.{key}"), a, b, problems);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{place}[{at}]"), a, b, problems);
            }
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => {}
        (wanted, actual) if wanted == actual => {}
        (wanted, actual) => problems.push(place, &wanted.to_string(), &actual.to_string()),
    }
}

//! Finds the JSON in a model's text: past reasoning, preambles and code fences (ARD-40). Repairs nothing.

use serde_json::{Deserializer, Value};

/// The first JSON value in `text`, or why there is none, worded for the model.
pub(super) fn json(text: &str) -> Result<Value, String> {
    let text = after_reasoning(text).trim();
    if text.is_empty() {
        return Err("the answer is empty".into());
    }
    if let Ok(value) = serde_json::from_str(unfenced(text)) {
        return Ok(value);
    }
    let mut from = 0;
    let mut first_problem = None;
    while let Some(start) = text[from..].find(['{', '[']).map(|offset| from + offset) {
        let candidate = &text[start..];
        match Deserializer::from_str(candidate).into_iter::<Value>().next() {
            Some(Ok(value)) => return Ok(value),
            Some(Err(error)) => {
                // What lies inside the broken value is no answer of its own.
                from = (start + offset_of(candidate, &error)).max(start + 1);
                first_problem.get_or_insert_with(|| format!("the JSON is broken: {error}"));
            }
            None => break,
        }
    }
    Err(first_problem.unwrap_or_else(|| "the answer holds no JSON".into()))
}

fn after_reasoning(text: &str) -> &str {
    match text.trim_start().strip_prefix("<think>") {
        Some(thought) => thought.split_once("</think>").map_or("", |(_, answer)| answer),
        None => text,
    }
}

/// The inside of a fence that is the whole text.
fn unfenced(text: &str) -> &str {
    let inside = text.strip_prefix("```").and_then(|rest| rest.trim_end().strip_suffix("```"));
    inside.and_then(|inside| inside.split_once('\n')).map_or(text, |(_, body)| body)
}

/// Where in `text` the parser stopped, in bytes.
fn offset_of(text: &str, error: &serde_json::Error) -> usize {
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let offset = (before + error.column()).min(text.len());
    (offset..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

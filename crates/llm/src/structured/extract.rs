//! Extracts JSON from a model's text: skips reasoning, preambles and code fences (ARD-40). Repairs nothing.

use serde_json::{Deserializer, Value};

/// The JSON values found in a text of a model.
pub(super) struct ExtractedJson {
    /// Objects and lists that are not inside another, longest first, because examples and footnotes are
    /// shorter than answers.
    pub(super) values: Vec<Value>,
    /// Syntax error of the first value that does not parse, worded for the model; `None` if all parse.
    pub(super) broken: Option<String>,
}

/// Returns the JSON values in `text`, or the reason why there are none, worded for the model. Skips a leading
/// `<think>` block and a code fence around the whole text.
pub(super) fn json(text: &str) -> Result<ExtractedJson, String> {
    let text = after_reasoning(text).trim();
    if text.is_empty() {
        return Err("the answer is empty".into());
    }
    if let Ok(value) = serde_json::from_str(strip_fence(text)) {
        return Ok(ExtractedJson { values: vec![value], broken: None });
    }
    let found = scan(text);
    if found.values.is_empty() {
        return Err(found.broken.unwrap_or_else(|| "the answer holds no JSON".into()));
    }
    Ok(found)
}

/// Finds objects and lists from left to right, reading each byte once. The text up to a syntax error is
/// skipped, so that values inside a broken one do not count.
fn scan(text: &str) -> ExtractedJson {
    let (mut sized, mut broken, mut from) = (Vec::new(), None, 0);
    while let Some(start) = text[from..].find(['{', '[']).map(|offset| from + offset) {
        let candidate = &text[start..];
        let mut parser = Deserializer::from_str(candidate).into_iter::<Value>();
        match parser.next() {
            Some(Ok(value)) => {
                sized.push((parser.byte_offset(), value));
                from = start + parser.byte_offset();
            }
            Some(Err(error)) => {
                from = (start + offset_of(candidate, &error)).max(start + 1);
                broken.get_or_insert_with(|| format!("the JSON is broken: {error}"));
            }
            None => break,
        }
    }
    sized.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    ExtractedJson { values: sized.into_iter().map(|(_, value)| value).collect(), broken }
}

/// Returns the text behind a leading `<think>` block; empty if the block is not closed.
fn after_reasoning(text: &str) -> &str {
    match text.trim_start().strip_prefix("<think>") {
        Some(thought) => thought.split_once("</think>").map_or("", |(_, answer)| answer),
        None => text,
    }
}

/// Returns the content of a code fence if the fence is the whole text, otherwise the text.
fn strip_fence(text: &str) -> &str {
    let inside = text.strip_prefix("```").and_then(|rest| rest.trim_end().strip_suffix("```"));
    inside.and_then(|inside| inside.split_once('\n')).map_or(text, |(_, body)| body)
}

/// Returns the byte offset in `text` at which the parser stopped, rounded up to a character boundary.
fn offset_of(text: &str, error: &serde_json::Error) -> usize {
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let offset = (before + error.column()).min(text.len());
    (offset..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

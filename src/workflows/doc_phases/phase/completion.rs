//! Reads the end of a phase out of an answer (DOC-25, 31, 34, 35). Decides nothing about what follows.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Phase;
use crate::agent::xml::blocks;

/// What a phase found, as its model says (DOC-34).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    /// What was found.
    pub findings_summary: String,
    /// How sure the model is, from 0 to 1.
    pub confidence: f64,
    /// Whether the next phase may begin (DOC-35).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_for_next_phase: Option<bool>,
}

/// A completion as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedCompletion {
    /// What it says; where it is no JSON, its text is the summary and the confidence 0.
    pub completion: Completion,
    /// Why it could not be read as it should (DOC-31).
    pub problem: Option<String>,
}

/// The completion in an answer; the last, where there are several. `phase_complete` ends any phase, `doc_generation_complete` the
/// last one (DOC-35).
pub fn parse_completion(phase: Phase, answer: &str) -> Option<ParsedCompletion> {
    let of_the_last = match phase {
        Phase::DocumentationGeneration => blocks(answer, "doc_generation_complete"),
        _ => Vec::new(),
    };
    let block = of_the_last.last().copied().or_else(|| blocks(answer, "phase_complete").last().copied());
    block.map(parse_block)
}

fn parse_block(block: &str) -> ParsedCompletion {
    match serde_json::from_str::<Map<String, Value>>(strip_fence(block)) {
        Ok(said) => from_fields(&said),
        Err(error) => ParsedCompletion {
            completion: Completion { findings_summary: block.to_owned(), ..Completion::default() },
            problem: Some(format!("the completion is no JSON object: {error}")),
        },
    }
}

fn from_fields(said: &Map<String, Value>) -> ParsedCompletion {
    let mut problems = Vec::new();
    let summary = said.get("findings_summary").or_else(|| said.get("summary"));
    let findings_summary = match summary {
        Some(Value::String(summary)) => summary.clone(),
        Some(other) => other.to_string(),
        None => {
            problems.push("it has no `findings_summary`".to_owned());
            String::new()
        }
    };
    let confidence =
        said.get("confidence").and_then(parse_number).filter(|found| (0.0..=1.0).contains(found));
    if confidence.is_none() {
        problems.push("it has no `confidence` from 0 to 1".to_owned());
    }
    let ready_for_next_phase = said.get("ready_for_next_phase").and_then(parse_bool);
    ParsedCompletion {
        completion: Completion {
            findings_summary,
            confidence: confidence.unwrap_or_default(),
            ready_for_next_phase,
        },
        problem: (!problems.is_empty())
            .then(|| format!("the completion is not whole: {}", problems.join("; "))),
    }
}

/// Models write numbers and truths as text, too (DOC-36).
fn parse_number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn parse_bool(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| value.as_str()?.trim().to_ascii_lowercase().parse().ok())
}

/// Without a code fence around it.
fn strip_fence(block: &str) -> &str {
    let inside = block.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.map_or(block, |inside| inside.trim_start_matches("json").trim())
}

impl Completion {
    /// As a model would write it (DOC-34).
    pub fn to_markup(&self, phase: Phase) -> String {
        let tag = match phase {
            Phase::DocumentationGeneration => "doc_generation_complete",
            _ => "phase_complete",
        };
        let json = serde_json::to_string_pretty(self).expect("texts and numbers serialise");
        format!("<{tag}>\n{json}\n</{tag}>")
    }
}

//! Parses the completion of a phase from a model answer (DOC-25, 31, 34, 35). Decides nothing about the next step.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Phase;
use crate::agent::xml::blocks;

/// Declaration of a model, or of the rules, that a phase is complete: summary, confidence and readiness
/// (DOC-34).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    /// Summary of the findings.
    pub findings_summary: String,
    /// Confidence of the model, from 0 to 1.
    pub confidence: f64,
    /// `false` if the model considers the phase unfinished (DOC-35).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_for_next_phase: Option<bool>,
}

/// A completion that was parsed from an answer, with the defect of its text, if any.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedCompletion {
    /// The parsed completion. For text that is not a JSON object, the text is the summary and the confidence is 0.
    pub completion: Completion,
    /// Defect of the completion's text (DOC-31).
    pub problem: Option<String>,
}

/// Parses the last completion block (`<phase_complete>…</phase_complete>`) in a model's answer; `None` if it
/// has none. Phase D looks for `doc_generation_complete` first (DOC-35).
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

/// Converts the completion that a model passes as an argument of a tool call. An object gives the fields, a
/// string the summary with confidence 0, any other value the empty default.
pub fn completion_from_value(said: &Value) -> Completion {
    match said {
        Value::Object(fields) => from_fields(fields).completion,
        Value::String(summary) => Completion { findings_summary: summary.clone(), ..Completion::default() },
        _ => Completion::default(),
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

/// Returns a number, also if it is written as text (`"0.8"`), as models do (DOC-36).
fn parse_number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn parse_bool(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| value.as_str()?.trim().to_ascii_lowercase().parse().ok())
}

/// Returns the text inside the code fence (```` ```json ````) around the block, or the block if it has none.
fn strip_fence(block: &str) -> &str {
    let inside = block.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.map_or(block, |inside| inside.trim_start_matches("json").trim())
}

impl Completion {
    /// Formats the completion as a model writes it: JSON between the tags of the phase, such as
    /// `<phase_complete>` (DOC-34).
    pub fn to_markup(&self, phase: Phase) -> String {
        let tag = match phase {
            Phase::DocumentationGeneration => "doc_generation_complete",
            _ => "phase_complete",
        };
        let json = serde_json::to_string_pretty(self).expect("texts and numbers serialise");
        format!("<{tag}>\n{json}\n</{tag}>")
    }
}

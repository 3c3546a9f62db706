//! Rules that answer for an agent in place of a model: notes from the facts about its scope,
//! delegations by structure, a summary. Pure: the facts are read once a run, and equal views give equal
//! answers.
//!
//! Reading order: `finding` (a finding and its place), `index` (all findings of a repository),
//! `findings` (a file for each area), `delegate` (the parts of a scope), `select` (the findings of an
//! agent), `components` (the dependencies between parts), `summary`; `contents` and `structure` (data
//! for the sections of a document).

mod components;
mod contents;
mod delegate;
mod finding;
mod findings;
mod index;
mod select;
mod structure;
mod summary;

use serde_json::{Value, json};

use super::agents::AgentView;
use crate::llm::ToolCall;

pub use contents::FileSymbol;
pub use finding::RuleFinding;
pub use index::FindingIndex;

/// Answer of the rules in the form of a model's answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RulesAnswer {
    /// Text beside the calls; usually empty.
    pub text: String,
    /// Calls of the tools `write_notepad`, `delegate` and `finish`.
    pub calls: Vec<ToolCall>,
}

/// Maximum number of notes of an answer.
const TOGETHER: usize = 30;

/// Returns the next answer of an agent: its notes, in answers of up to `TOGETHER`, then all delegations
/// in one answer, then `finish`.
pub fn next_answer(view: &AgentView<'_>) -> RulesAnswer {
    // Children exist only after the delegations, which lowered the number of agents that decided about the notes.
    let calls = if view.children.is_empty() { next_calls(view) } else { Vec::new() };
    let calls =
        if calls.is_empty() { vec![("finish", json!({ "summary": summary::summary(view) }))] } else { calls };
    RulesAnswer { text: String::new(), calls: number(view.round, calls) }
}

/// Returns the calls of an agent that has not delegated; empty if only `finish` remains.
fn next_calls(view: &AgentView<'_>) -> Vec<Call> {
    let parts = delegate::parts_of(view);
    let notes = notes(view, &parts);
    let answers = notes.len().div_ceil(TOGETHER);
    let before = view.round.saturating_sub(1) as usize;
    match before {
        _ if before < answers => notes.into_iter().skip(before * TOGETHER).take(TOGETHER).collect(),
        _ if before == answers => delegations(view, &parts),
        _ => Vec::new(),
    }
}

type Call = (&'static str, Value);

/// Returns all findings of an agent as calls of `write_notepad`, by topic.
fn notes(view: &AgentView<'_>, parts: &[delegate::ScopePart]) -> Vec<Call> {
    let mut found = components::dependencies(view, parts);
    found.extend(select::findings_of(view, parts));
    select::order(&mut found);
    let note = |finding: RuleFinding| {
        ("write_notepad", json!({ "topic": finding.topic, "content": finding.content }))
    };
    found.into_iter().map(note).collect()
}

/// Returns a call of `delegate` for each part.
fn delegations(view: &AgentView<'_>, parts: &[delegate::ScopePart]) -> Vec<Call> {
    let delegation = |part: &delegate::ScopePart| {
        let purpose = summary::purpose_of(view, part);
        let context = summary::packet_of(view, part, parts);
        ("delegate", json!({ "target": part.path, "purpose": purpose, "context": context }))
    };
    parts.iter().map(delegation).collect()
}

/// Gives the calls ids that are unique in the conversation: `r{round}_{number}`.
fn number(round: u32, calls: Vec<Call>) -> Vec<ToolCall> {
    let numbered = (1..).zip(calls);
    let call = |(number, (name, arguments)): (usize, Call)| ToolCall {
        id: format!("r{round}_{number}"),
        name: name.to_owned(),
        arguments: arguments.to_string(),
    };
    numbered.map(call).collect()
}

//! The YAML block at the top: what a program wants to know of the document.

use std::fmt::Write as _;

use super::{AgentUse, Author, Outcome, SpecInput, title};

/// The block with its fences. Texts are JSON strings, which YAML reads as they are.
pub(super) fn render(input: &SpecInput) -> String {
    let status = match input.outcome {
        Outcome::Verified => "verified",
        Outcome::MaxIterationsReached => "max_iterations_reached",
    };
    let mut lines = vec![
        "---".to_owned(),
        format!("title: {}", string(&title::plain(&input.rough_idea))),
        format!("status: {status}"),
        format!("rounds: {}", input.rounds.len()),
        format!("components: {}", input.draft.components.len()),
        format!("thread: {}", string(&input.thread)),
    ];
    lines.extend(agent("architect", &input.architect));
    lines.extend(agent("reviewer", &input.reviewer));
    lines.push("---".to_owned());
    lines.join("\n")
}

fn agent(role: &str, agent: &AgentUse) -> Vec<String> {
    let author = match agent.author {
        Author::Model => "model",
        Author::Rules(_) => "rules",
    };
    let mut lines = vec![
        format!("{role}:"),
        format!("  model: {}", string(&agent.model)),
        format!("  written_by: {author}"),
        format!("  prompt_tokens: {}", agent.prompt_tokens),
        format!("  completion_tokens: {}", agent.completion_tokens),
    ];
    lines.extend(agent.cost.map(|cost| format!("  cost_usd: {:.6}", cost.in_dollars())));
    lines
}

/// A double-quoted scalar: JSON's escapes are YAML's; what YAML forbids unescaped is escaped too.
fn string(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let mut quoted = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') {
            write!(quoted, "\\u{:04x}", u32::from(c)).expect("a string takes all that is written");
        } else {
            quoted.push(c);
        }
    }
    quoted
}

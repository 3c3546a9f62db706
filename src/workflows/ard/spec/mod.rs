//! The document that a debate ends in (ARD-55 to ARD-60): `spec.md`. Rendering is pure, so that equal debates give
//! equal bytes (ARD-74); [`write`] is the one effect. Knows no model and no graph.

mod components;
mod debate;
mod diagram;
mod escape;
mod front_matter;
mod title;
mod write;

use serde::{Deserialize, Serialize};

pub use self::escape::{block, inline};
pub use self::write::{WriteError, write};
use super::{
    exchange::{Draft, Review},
    offline::Coverage,
};

/// Everything a document is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecInput {
    /// The idea, unchanged.
    pub rough_idea: String,
    /// The last draft.
    pub draft: Draft,
    /// The rounds in order, the last review included.
    pub rounds: Vec<Round>,
    /// How the debate ended.
    pub outcome: Outcome,
    /// The thread of the run.
    pub thread: String,
    /// Who drafted.
    pub architect: AgentUse,
    /// Who reviewed.
    pub reviewer: AgentUse,
}

/// One review and what the architect said to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// The review.
    pub review: Review,
    /// The `design_rationale` of the draft that followed; none after the last review.
    pub answer: Option<String>,
}

/// How a debate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The reviewer had no more to say (ARD-56).
    Verified,
    /// The limit came first (ARD-57).
    MaxIterationsReached,
}

/// What one agent was and used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentUse {
    /// The model's name as configured.
    pub model: String,
    /// Tokens of all its prompts.
    pub prompt_tokens: u64,
    /// Tokens of all its answers.
    pub completion_tokens: u64,
    /// Who wrote the answers.
    pub author: Author,
}

/// Who wrote an agent's answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A language model.
    Model,
    /// The rules of [`offline`](super::offline), which read this much of the idea.
    Rules(Coverage),
}

/// Renders the document. Equal input gives equal bytes; whatever the idea and the models say stays text: it opens no
/// heading, fence, comment or list of its own.
pub fn render(input: &SpecInput) -> String {
    let mut sections = vec![front_matter::render(input), format!("# {}", title::heading(&input.rough_idea))];
    sections.extend(note(input));
    sections.push(format!(
        "## Overview\n\nThe idea, in its author's words:\n\n{}",
        escape::quote(&input.rough_idea)
    ));
    sections.push(components::render(&input.draft));
    sections.push(diagram::render(&input.draft));
    sections.push(debate::render(&input.rounds));
    if input.outcome == Outcome::MaxIterationsReached {
        sections.push(debate::trace_log(&input.rounds));
    }
    format!("{}\n", sections.join("\n\n"))
}

/// Says that rules wrote it, if they did.
fn note(input: &SpecInput) -> Option<String> {
    let by_rules = |agent: &AgentUse| matches!(agent.author, Author::Rules(_));
    let who = match (by_rules(&input.architect), by_rules(&input.reviewer)) {
        (true, true) => "drafted and reviewed by fixed rules, without a language model",
        (true, false) => "drafted by fixed rules and reviewed by a language model",
        (false, true) => "drafted by a language model and reviewed by fixed rules",
        (false, false) => return None,
    };
    let unread = unread(input).map(|(read, total)| {
        format!(
            " The rules read the first {read} of {total} bytes of the idea; {} were left out.",
            total - read
        )
    });
    let unread = unread.unwrap_or_default();
    Some(format!(
        "> **Note:** This specification was {who}. The rules take the nouns and verbs of the idea into components and \
         know nothing beyond its words. “(assumed)” marks links that the idea does not state.{unread} Read it as a \
         starting point."
    ))
}

fn unread(input: &SpecInput) -> Option<(usize, usize)> {
    [&input.architect, &input.reviewer].into_iter().find_map(|agent| match agent.author {
        Author::Rules(Coverage { read, total }) if read < total => Some((read, total)),
        _ => None,
    })
}

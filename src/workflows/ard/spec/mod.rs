//! The document that a debate ends in (ARD-55 to ARD-60): `spec.md`. Rendering is pure, so that equal debates give
//! equal bytes (ARD-74); [`write()`] is the one effect. Knows no model and no graph.

mod components;
mod debate;
mod diagram;
mod front_matter;
mod title;
mod write;

use serde::{Deserialize, Serialize};

pub use self::write::{Problem, WriteError, probe, write};
use super::exchange::{Clarification, Coverage, Draft, Review};
use crate::llm::Money;
use crate::workflows::markdown as escape;
pub use crate::workflows::markdown::{block, inline};

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
    /// What the user decided about challenges of this review (ARD-72).
    pub decisions: Vec<Clarification>,
    /// The `design_rationale` of the draft that followed; none after the last review, and none where the revision was refused
    /// and the earlier draft stayed (ARD-41).
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
    /// What it cost, where every price is known (ARD-73).
    pub cost: Option<Money>,
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
    sections.extend(unverified(input));
    sections.extend(note(input));
    sections.push(format!(
        "## Overview\n\nThe idea, in its author's words:\n\n{}",
        escape::quote(&input.rough_idea)
    ));
    sections.push(components::render(&input.draft));
    sections.push(diagram::render(&input.draft));
    sections.push(debate::render(&input.rounds, input.outcome));
    if input.outcome == Outcome::MaxIterationsReached {
        sections.push(debate::trace_log(&input.rounds));
    }
    format!("{}\n", sections.join("\n\n"))
}

/// Says at the top that challenges are open, if some are.
fn unverified(input: &SpecInput) -> Option<String> {
    let open = input.rounds.last().map_or(0, |round| round.review.challenges.len());
    let (challenges, are) = if open == 1 { ("challenge", "is") } else { ("challenges", "are") };
    (input.outcome == Outcome::MaxIterationsReached).then(|| {
        format!(
            "> **Not verified:** the debate reached its limit of rounds; {open} {challenges} {are} open, listed at the end."
        )
    })
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
    let how = if by_rules(&input.architect) {
        "take the nouns and verbs of the idea into components and know nothing beyond its words; “(assumed)” marks \
         links that the idea does not state"
    } else {
        "hold the words of the draft against those of the idea"
    };
    Some(format!(
        "> **Note:** This specification was {who}. The rules {how}.{unread} Read it as a starting point."
    ))
}

fn unread(input: &SpecInput) -> Option<(usize, usize)> {
    [&input.architect, &input.reviewer].into_iter().find_map(|agent| match agent.author {
        Author::Rules(Coverage { read, total }) if read < total => Some((read, total)),
        _ => None,
    })
}

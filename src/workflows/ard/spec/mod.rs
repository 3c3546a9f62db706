//! Specification `spec.md` (ARD-55 to ARD-60). Rendering is pure, so that equal debates give equal
//! bytes (ARD-74); [`write()`] is the only effect. Knows no model and no graph.

mod components;
mod content;
mod debate;
mod design;
mod diagram;
mod front_matter;
mod idea;
mod marks;
mod title;
mod write;

use self::content::Content;
use self::write::SEAL;
pub(super) use self::write::SPEC;
pub use self::write::{SpecWriteError, SpecWriteProblem, probe, write};
use super::analysis::IdeaAnalysis;
use super::exchange::{Clarification, Coverage, DesignDraft, Review};
use super::services::DebateAgent;
use super::state::{DebateRemark, Ending, Fallback, FallbackSource};
use crate::llm::Money;
use crate::workflows::markdown as escape;

/// Content of a specification. The node `write_spec` collects it from the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecInput {
    /// The idea, unchanged.
    pub rough_idea: String,
    /// The last draft.
    pub draft: DesignDraft,
    /// All rounds in order, including the last review.
    pub rounds: Vec<DebateRound>,
    /// Decisions of the user before the first draft (ARD-72).
    pub decisions: Vec<Clarification>,
    /// Remarks of the program.
    pub remarks: Vec<DebateRemark>,
    /// The replacement for an agent whose answers were refused.
    pub fallback: Option<Fallback>,
    /// The reason why the debate ended.
    pub ending: Ending,
    /// Thread id of the run; empty without a thread.
    pub thread: String,
    /// The architect's model and usage.
    pub architect: SpecAgent,
    /// The reviewer's model and usage.
    pub reviewer: SpecAgent,
}

/// Review with the user's decisions about it and the architect's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebateRound {
    /// The review.
    pub review: Review,
    /// Decisions of the user about challenges of this review (ARD-72).
    pub decisions: Vec<Clarification>,
    /// The `design_rationale` of the next draft. `None` after the last review, and for a revision that was refused,
    /// so that the earlier draft stayed (ARD-41).
    pub answer: Option<String>,
}

/// Model of an agent and its usage, as the document reports them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecAgent {
    /// Name of the model as configured.
    pub model: String,
    /// Tokens of all prompts.
    pub prompt_tokens: u64,
    /// Tokens of all answers.
    pub completion_tokens: u64,
    /// Cost of all calls; `None` unless every price is known (ARD-73).
    pub cost: Option<Money>,
    /// Author of the answers.
    pub author: AnswerAuthor,
    /// True if rules took the place of a model whose answers were refused.
    pub is_replaced: bool,
}

/// Author of an agent's answers: a model or rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerAuthor {
    /// A language model.
    Model,
    /// The rules of [`offline`](super::offline), with the share of the idea that they read.
    Rules(Coverage),
}

/// Renders the specification as Markdown. Equal input gives equal bytes. Texts of the idea and the
/// models are escaped, so that they open no heading, fence, comment or list.
pub fn render(input: &SpecInput) -> String {
    let analysis = IdeaAnalysis::of(&input.rough_idea);
    let content = Content::of(input, &analysis);
    let has_draft = !input.draft.components.is_empty();
    let mut sections = vec![
        front_matter::render(input, &content),
        format!("# {}", title::heading(&input.draft.title, &input.rough_idea)),
    ];
    sections.extend(verdict_note(input, &analysis, &content));
    sections.extend(rules_note(input));
    sections.extend(fallback_note(input));
    sections.extend(idea::first_questions(&content));
    sections.push(overview(input, &analysis));
    sections.extend(design::terms(&input.draft));
    sections.extend(idea::render(&content, &analysis));
    if has_draft {
        sections.push(components::render(&input.draft));
        sections.extend(design::external_systems(&input.draft));
        sections.push(diagram::render(&input.draft));
        sections.extend(design::render(&input.draft));
    }
    sections.extend(idea::trace(&content, &analysis, &input.draft));
    sections.extend(idea::further_questions(&content));
    // They speak of terms and requirements, so they follow these.
    sections.extend(reviewer_notes(input));
    if has_draft {
        sections.push(debate::render(input));
    }
    sections.extend(debate::trace_log(&input.rounds, input.ending));
    SEAL.seal(&format!("{}\n", sections.join("\n\n")))
}

/// Renders the overview: that of the draft, the quoted idea with statement numbers, and the author's
/// decisions.
fn overview(input: &SpecInput, analysis: &IdeaAnalysis) -> String {
    let own = match input.draft.overview.trim() {
        "" => String::new(),
        text => format!("{}\n\n", escape::inline(text)),
    };
    let decisions: Vec<_> =
        input.decisions.iter().map(|it| format!("- {}", escape::inline(&it.answer))).collect();
    let decided = match decisions.as_slice() {
        [] => String::new(),
        lines => format!("\n\nThe author has decided:\n\n{}", lines.join("\n")),
    };
    let idea = marks::number_statements(&escape::quote(&input.rough_idea), analysis);
    format!("## Overview\n\n{own}The idea, in its author's words:\n\n{idea}{decided}")
}

/// Renders the notes of the last review; `None` if there are none.
fn reviewer_notes(input: &SpecInput) -> Option<String> {
    let notes = &input.rounds.last()?.review.notes;
    let lines: Vec<_> = notes.iter().map(|note| format!("- {}", escape::inline(note))).collect();
    (!lines.is_empty()).then(|| format!("## Notes of the reviewer\n\n{}", lines.join("\n")))
}

/// Renders a table under a heading; `None` without rows.
fn table(heading: &str, head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Option<String> {
    let rows: Vec<_> = rows.map(|row| format!("| {} |", row.join(" | "))).collect();
    let rule = vec![":---"; head.len()].join(" | ");
    (!rows.is_empty())
        .then(|| format!("{heading}\n\n| {} |\n| {rule} |\n{}", head.join(" | "), rows.join("\n")))
}

/// Returns the note about an agent whose answers were refused; `None` in a debate without one.
fn fallback_note(input: &SpecInput) -> Option<String> {
    let Fallback { agent, source, problems } = input.fallback.as_ref()?;
    let problems = escape::inline(&problems.join("; "));
    Some(match (agent, source) {
        (DebateAgent::Architect, FallbackSource::LastDraft) => format!(
            "> **Fallback:** the last revision of {} was refused twice ({problems}). The draft below is its last accepted one.",
            escape::inline(&input.architect.model)
        ),
        (DebateAgent::Architect, FallbackSource::Rules) => format!(
            "> **Fallback:** {} gave no valid draft ({problems}). The draft below was written by fixed rules, no model took \
             part in it.",
            escape::inline(&input.architect.model)
        ),
        (DebateAgent::Reviewer, _) => format!(
            "> **Fallback:** {} gave no valid review ({problems}). The draft is that of the architect; the last review is \
             by fixed rules.",
            escape::inline(&input.reviewer.model)
        ),
    })
}

/// Returns the verdict at the top of the document; `None` for a verified one without questions.
fn verdict_note(input: &SpecInput, analysis: &IdeaAnalysis, content: &Content) -> Option<String> {
    let open = input.rounds.last().map_or(0, |round| round.review.challenges.len());
    let (challenges, are) = if open == 1 { ("challenge", "is") } else { ("challenges", "are") };
    let left = match open {
        0 => "no challenge is open".to_owned(),
        _ => format!("{open} {challenges} {are} open, listed at the end"),
    };
    let questions = match content.questions.len() {
        0 => String::new(),
        1 => "; 1 question for the author".to_owned(),
        count => format!("; {count} questions for the author"),
    };
    Some(match input.ending {
        Ending::Verified if questions.is_empty() => return None,
        Ending::Verified => format!("> **Verified**{questions}."),
        Ending::Limit => format!("> **Not verified:** the debate reached its limit of rounds; {left}."),
        Ending::Circle => format!("> **Not verified:** the architect repeated an earlier draft; {left}."),
        Ending::Refused => format!("> **Not verified:** the reviewer refused the last draft; {left}."),
        Ending::Fallback => format!("> **Not verified:** an agent gave no valid answer; {left}."),
        Ending::NotJudged => {
            format!("> **Not judged:** {}{questions}.", reason_of_no_judgement(input, analysis))
        }
    })
}

/// Returns the reason for the ending `NotJudged`, as part of a sentence.
fn reason_of_no_judgement(input: &SpecInput, analysis: &IdeaAnalysis) -> &'static str {
    if input.draft.components.is_empty() {
        "the idea says too little for a draft, or not in English"
    } else if analysis.contradictions().next().is_some() {
        "the idea contradicts itself"
    } else if unread_part(input).is_some() {
        "a part of the idea was not read"
    } else {
        "the reviewer works by rules, which find faults and cannot confirm a design"
    }
}

/// Returns the note that rules wrote or reviewed the draft; `None` if models did both.
fn rules_note(input: &SpecInput) -> Option<String> {
    let by_rules = |agent: &SpecAgent| matches!(agent.author, AnswerAuthor::Rules(_));
    let is_drafted_by_rules = by_rules(&input.architect);
    let has_draft = !input.draft.components.is_empty();
    let who = match (is_drafted_by_rules, by_rules(&input.reviewer)) {
        (true, _) if !has_draft => "written by fixed rules, without a language model",
        (true, true) => "drafted and reviewed by fixed rules, without a language model",
        (true, false) => "drafted by fixed rules and reviewed by a language model",
        (false, true) => "drafted by a language model and reviewed by fixed rules",
        (false, false) => return None,
    };
    let unread = unread_part(input).map(|(read, total)| {
        format!(
            " The rules read the first {read} of {total} bytes of the idea; {} were left out.",
            total - read
        )
    });
    let unread = unread.unwrap_or_default();
    let how = if is_drafted_by_rules {
        "take requirements from the sentences of the idea, group them into components by what they are about, and know \
         nothing beyond its words"
    } else {
        "check names, purposes and exclusions, and do not judge the design"
    };
    Some(format!(
        "> **Note:** This specification was {who}. The rules {how}.{unread} Read it as a starting point."
    ))
}

/// Returns the number of bytes that the rules read and the size of the idea, if they did not read all
/// of it.
fn unread_part(input: &SpecInput) -> Option<(usize, usize)> {
    [&input.architect, &input.reviewer].into_iter().find_map(|agent| match agent.author {
        AnswerAuthor::Rules(Coverage { read, total }) if read < total => Some((read, total)),
        _ => None,
    })
}

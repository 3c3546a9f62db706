//! Progress events of the nodes, and their text on the terminal: one line for each draft and review,
//! and the final report.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::analysis::IdeaAnalysis;
use super::exchange::{DesignDraft, Review, ReviewStatus};
use super::services::DebateAgent;
use super::state::{AgentUsage, Debate, DebateStatus, Ending};
use crate::engine::{Event, EventKind};
use crate::llm::{OFFLINE_PROVIDER, RefusedAnswer, Usage, UsageSource};

/// Event that the architect emits for a new draft.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DraftedEvent {
    round: u32,
    model: String,
    usage: Usage,
    components: usize,
    /// The answers to the latest review.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    rationale: String,
}

impl DraftedEvent {
    pub(super) const NAME: &str = "drafted";

    pub(super) fn new(debate: &Debate, draft: &DesignDraft, usage: Usage) -> Self {
        let model = debate.settings.architect_model.clone();
        let rationale = draft.design_rationale.clone();
        Self { round: debate.round(), model, usage, components: draft.components.len(), rationale }
    }
}

/// Event that the architect emits when its revision was refused twice, so that the earlier draft (or
/// one by rules) is used (ARD-41).
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptPreviousEvent {
    round: u32,
    model: String,
    usage: Usage,
    problems: Vec<String>,
    /// True if there was no earlier draft, so that the rules wrote one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    by_rules: bool,
}

impl KeptPreviousEvent {
    pub(super) const NAME: &str = "kept_previous_draft";

    pub(super) fn new(debate: &Debate, refused: RefusedAnswer) -> Self {
        let model = debate.settings.architect_model.clone();
        let by_rules = debate.current_draft.is_none();
        Self { round: debate.round(), model, usage: refused.usage, problems: refused.problems, by_rules }
    }
}

/// Event that the reviewer emits for a new review.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ReviewedEvent {
    round: u32,
    model: String,
    usage: Usage,
    review: Review,
    /// Number of challenges that the gates raised; they are the first in the review.
    #[serde(default, skip_serializing_if = "is_zero")]
    found_by_checks: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl ReviewedEvent {
    pub(super) const NAME: &str = "reviewed";

    pub(super) fn new(debate: &Debate, review: &Review, usage: Usage) -> Self {
        let model = debate.settings.reviewer_model.clone();
        Self { round: debate.round(), model, usage, review: review.clone(), found_by_checks: 0 }
    }

    /// Sets the number of challenges that the gates raised.
    pub(super) fn found_by_checks(self, number: usize) -> Self {
        Self { found_by_checks: number, ..self }
    }

    /// Marks the review as written by rules instead of the model.
    pub(super) fn by_rules(self) -> Self {
        Self { model: OFFLINE_PROVIDER.to_owned(), ..self }
    }
}

/// Event for the written specification.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WrittenEvent {
    /// Path as the user named it.
    pub(super) path: PathBuf,
    /// Size of the document in bytes.
    pub(super) bytes: usize,
    /// Path of the copy of an earlier file that this program did not write; `None` without a copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) kept: Option<PathBuf>,
}

impl WrittenEvent {
    pub(super) const NAME: &str = "written";
}

/// Formats an event as one line; `None` for events that are not shown. A written specification is shown
/// only if an earlier file was copied.
pub(super) fn format_line(event: &Event) -> Option<String> {
    let EventKind::Custom { name, data, .. } = &event.kind else { return None };
    let data = data.get();
    match name.as_str() {
        DraftedEvent::NAME => {
            let DraftedEvent { round, model, usage, components, .. } = serde_json::from_str(data).ok()?;
            Some(format_entry(round, "architect", &model, &format_count(components, "component"), usage))
        }
        KeptPreviousEvent::NAME => {
            let KeptPreviousEvent { round, model, usage, by_rules, .. } = serde_json::from_str(data).ok()?;
            let what = if by_rules { "fixed rules write the draft" } else { "the earlier draft stays" };
            let what = format!("two answers that break the rules: {what}");
            Some(format_entry(round, "architect", &model, &what, usage))
        }
        ReviewedEvent::NAME => {
            let ReviewedEvent { round, model, usage, review, found_by_checks } =
                serde_json::from_str(data).ok()?;
            let found = match review.status {
                ReviewStatus::Verified if model == OFFLINE_PROVIDER => "nothing found".to_owned(),
                ReviewStatus::Verified => "verified".to_owned(),
                ReviewStatus::NeedsRevision => {
                    let count = format_count(review.challenges.len(), "challenge");
                    match found_by_checks {
                        0 => count,
                        by_checks => format!("{count} ({by_checks} by checks)"),
                    }
                }
            };
            Some(format_entry(round, "reviewer", &model, &found, usage))
        }
        WrittenEvent::NAME => {
            let WrittenEvent { path, kept, .. } = serde_json::from_str(data).ok()?;
            let copy = kept?.file_name()?.to_string_lossy().into_owned();
            Some(format!(
                "{} was not written by this program, or was edited; its copy is {copy}",
                path.display()
            ))
        }
        _ => None,
    }
}

/// Returns detail lines of an event: the architect's answers of a draft, or the challenges of a review.
/// Empty for other events.
pub(super) fn format_details(event: &Event) -> Vec<String> {
    let EventKind::Custom { name, data, .. } = &event.kind else { return Vec::new() };
    match name.as_str() {
        DraftedEvent::NAME => {
            let Ok(drafted) = serde_json::from_str::<DraftedEvent>(data.get()) else { return Vec::new() };
            drafted.rationale.lines().map(|line| format!("  {}", line.trim())).collect()
        }
        ReviewedEvent::NAME => {
            let Ok(reviewed) = serde_json::from_str::<ReviewedEvent>(data.get()) else { return Vec::new() };
            let challenges = reviewed.review.challenges.into_iter();
            challenges.map(|it| format!("  {}. {}: {}", it.id, it.category, it.description)).collect()
        }
        _ => Vec::new(),
    }
}

/// Formats the line of a draft or review: round, agent, model, result, tokens.
fn format_entry(round: u32, agent: &str, model: &str, what: &str, usage: Usage) -> String {
    let about = estimate_mark(usage.source);
    format!("round {round}  {agent:<9}  {model}  {what}  {about}{} tokens", usage.total())
}

/// Formats the final report of a debate as lines: verdict, usage of both agents, path of the
/// specification (ARD-28, ARD-73).
pub(super) fn format_report(debate: &Debate) -> Vec<String> {
    let rounds = format_count(debate.challenge_history.len(), "round");
    let open = debate.challenge_history.last().map_or(0, |review| review.challenges.len());
    let left = format_count(open, "challenge");
    let limit = format_count(debate.settings.max_iterations as usize, "iteration");
    let status = match (debate.ending(), debate.status) {
        (Ending::NotJudged, DebateStatus::InProgress) => format!("not finished: {rounds} so far"),
        (Ending::Verified, _) if open > 0 => format!("verified after {rounds}, with {left} noted as minor"),
        (Ending::Verified, _) => format!("verified after {rounds}"),
        (Ending::NotJudged, _) => format!("not judged: {}", reason_of_no_judgement(debate)),
        (Ending::Limit, _) => {
            format!("not verified: the limit of {limit} is reached, {left} left open after {rounds}")
        }
        (Ending::Refused, _) => {
            format!("refused: {left} of the rules left open after {rounds}, the limit is {limit}")
        }
        (Ending::Fallback, _) => {
            format!("not verified: an agent gave no valid answer, {left} left open after {rounds}")
        }
        (Ending::Circle, _) => {
            format!("not verified: the architect repeats an earlier draft, {left} left open after {rounds}")
        }
    };
    let agents = [DebateAgent::Architect, DebateAgent::Reviewer].map(|agent| format_usage(debate, agent));
    let written = debate.written_to.iter().map(|path| format!("specification: {}", path.display()));
    std::iter::once(status).chain(agents).chain(written).collect()
}

/// Returns the reason for the ending `NotJudged`.
pub(super) fn reason_of_no_judgement(debate: &Debate) -> String {
    let analysis = IdeaAnalysis::of(debate.rough_idea.as_str());
    // As in the document: contradictions and the draft's questions, without these those of the rules.
    let own = debate.current_draft.as_ref().map_or(0, |draft| draft.questions.len());
    let count = if own == 0 { analysis.questions.len() } else { analysis.contradictions().count() + own };
    let questions = format_count(count, "question");
    if debate.current_draft.is_none() {
        return format!("the idea says too little for a draft; the document has {questions} for its author");
    }
    if analysis.contradictions().next().is_some() {
        return format!("the idea contradicts itself; the document has {questions} for its author");
    }
    if analysis.unread_bytes > 0 {
        return format!("the rules did not read the last {} bytes of the idea", analysis.unread_bytes);
    }
    format!("rules found nothing wrong, and rules cannot verify; {questions} for the author")
}

/// Formats the usage of an agent's model: calls, tokens, cost.
fn format_usage(debate: &Debate, agent: DebateAgent) -> String {
    let AgentUsage { calls, prompt_tokens, completion_tokens, source, cost } = debate.usage(agent);
    let cost = cost.map(|cost| format!(", {cost}")).unwrap_or_default();
    let (agent, model, about) = (agent.label(), debate.settings.model(agent), estimate_mark(source));
    let calls = format_count(calls as usize, "call");
    format!(
        "{agent} ({model}): {calls}, {about}{prompt_tokens} tokens read, {about}{completion_tokens} written{cost}"
    )
}

/// Returns `~` for an estimated token count, else nothing.
fn estimate_mark(source: UsageSource) -> &'static str {
    match source {
        UsageSource::Reported => "",
        UsageSource::Estimated => "~",
    }
}

fn format_count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

//! Decisions of a debate about its next step and its ending. Pure: no model, no file, no clock.

use super::analysis::IdeaAnalysis;
use super::exchange::{DesignDraft, Review, ReviewStatus, Severity};
use super::gates::GateFinding;
use super::input::settings::{Buildability, DebateSettings, Drafting, OnAmbiguity, SeverityRule};
use super::offline::buildability;
use super::services::offline_model;
use super::state::{Debate, DebateStatus, Ending};
use crate::engine::Choice;
use crate::llm::ChatModel as _;

/// Next step after a review; the names of the arms of the conditional edge in `graphs/ard.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Verdict {
    /// Go to the formatter: no challenge is left (ARD-9).
    Verified,
    /// Go to the formatter with the trace log: the iteration limit is reached (ARD-10).
    Exhausted,
    /// Go back to the architect (ARD-11).
    Revise,
    /// Ask the user first to resolve ambiguities, then go back to the architect (ARD-72).
    Clarify,
}

/// Next step after the architect; the names of the arms of the conditional edge in `graphs/ard.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Drafted {
    /// Review the draft.
    Review,
    /// Write the document: the architect gave no valid draft, and another one took its place.
    Write,
}

/// Returns the next step after the architect; conditional edge of `graphs/ard.yaml`.
pub fn drafted(debate: &Debate) -> Drafted {
    if debate.ending == Some(Ending::Fallback) { Drafted::Write } else { Drafted::Review }
}

/// First step of a debate; the names of the arms of the conditional edge at the start of
/// `graphs/ard.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum DebateStart {
    /// Draft a design.
    Draft,
    /// Write a document of questions: the rules, which are the architect, found nothing to build.
    Ask,
    /// Ask the user which side of a contradiction in the idea holds (ARD-72).
    Clarify,
}

/// Returns the first step of a debate. A model drafts any idea; the rules draft only one in which they
/// find requirements.
pub fn beginning(debate: &Debate) -> DebateStart {
    let analysis = IdeaAnalysis::of(debate.rough_idea.as_str());
    let is_offline = debate.settings.architect_model == offline_model().name().to_string();
    // Models that write one purpose at a time need the components of the rules.
    let needs_rules = is_offline || debate.settings.drafting == Drafting::ByComponent;
    if needs_rules && !analysis.is_buildable() {
        DebateStart::Ask
    } else if debate.settings.on_ambiguity == OnAmbiguity::Ask && has_open_contradiction(debate, &analysis) {
        DebateStart::Clarify
    } else {
        DebateStart::Draft
    }
}

/// Returns true if the idea contradicts itself and the author has not said which side holds.
pub fn has_open_contradiction(debate: &Debate, analysis: &IdeaAnalysis) -> bool {
    let is_answered = |text: &str| debate.clarifications.iter().any(|decided| decided.question == text);
    analysis.contradictions().any(|question| !is_answered(&question.text))
}

/// Returns the next step after a review, from the status and the latest review in the state.
pub fn verdict(debate: &Debate) -> Verdict {
    match (debate.status, debate.challenge_history.last()) {
        (DebateStatus::Verified, _) => Verdict::Verified,
        (DebateStatus::MaxIterationsReached, _) if debate.ending == Some(Ending::NotJudged) => {
            Verdict::Verified
        }
        (DebateStatus::MaxIterationsReached, _) => Verdict::Exhausted,
        (DebateStatus::InProgress, Some(latest)) => revise_or_clarify(latest, &debate.settings),
        (DebateStatus::InProgress, None) => Verdict::Revise,
    }
}

/// Decides the verdict on a review given after `iteration` revisions. `round` is the number of the
/// review, from 1.
///
/// A passing review in the last allowed round counts as verified (ARD-14). The comparison is `>=` so
/// that a state above the limit ends too (ARD-13). A passing review before the minimum number of rounds
/// sends the draft back once more (ARD-71).
pub fn judge(review: &Review, iteration: u32, round: u32, settings: &DebateSettings) -> Verdict {
    let passes = review.status_under(settings.severity) == ReviewStatus::Verified;
    match (passes, iteration >= settings.max_iterations) {
        (true, true) => Verdict::Verified,
        (true, false) if round >= settings.minimum_rounds => Verdict::Verified,
        (false, true) => Verdict::Exhausted,
        _ => revise_or_clarify(review, settings),
    }
}

/// Returns `Clarify` if the settings say that the user is asked and the review has an ambiguity; else
/// `Revise`.
fn revise_or_clarify(review: &Review, settings: &DebateSettings) -> Verdict {
    match settings.on_ambiguity {
        OnAmbiguity::Ask if review.ambiguities().next().is_some() => Verdict::Clarify,
        OnAmbiguity::Ask | OnAmbiguity::Revise => Verdict::Revise,
    }
}

/// Adds the check for buildability (ARD-70) to a review, if the settings ask for it and the review
/// passes. Its challenges come before the minor ones of the reviewer.
pub fn with_buildability(review: Review, draft: &DesignDraft, settings: &DebateSettings) -> Review {
    let passes = review.status_under(settings.severity) == ReviewStatus::Verified;
    if settings.buildability == Buildability::Unchecked || !passes {
        return review;
    }
    let mut combined = buildability(draft);
    if combined.status == ReviewStatus::Verified {
        return review;
    }
    combined.extend(review.challenges);
    Review { notes: review.notes, ..combined }
}

/// Adds the findings of the gates to a review. They come first, count as critical, and make the review
/// ask for a revision.
pub fn with_gates(review: Review, findings: &[GateFinding], settings: &DebateSettings) -> Review {
    if findings.is_empty() {
        return review;
    }
    let mut combined = Review::from_challenges([]);
    combined.status = ReviewStatus::NeedsRevision;
    combined.extend(findings.iter().map(GateFinding::challenge));
    if settings.severity == SeverityRule::CriticalOnly {
        combined.challenges.iter_mut().for_each(|challenge| challenge.severity = Some(Severity::Critical));
    }
    combined.extend(review.challenges);
    Review { notes: review.notes, ..combined }
}

/// Facts that decide, besides the verdict, which [`Ending`] a debate has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement {
    /// True if a model reviewed the draft.
    pub is_by_model: bool,
    /// True if the idea contradicts itself and the author has not answered; see [`has_open_contradiction`].
    pub has_contradiction: bool,
    /// True if an agent works by rules and these did not read the whole idea.
    pub is_read_in_part: bool,
}

/// Returns the ending of a debate with this verdict; `None` if the debate continues.
pub fn ending(verdict: Verdict, judgement: Judgement) -> Option<Ending> {
    match verdict {
        Verdict::Verified
            if judgement.is_by_model && !judgement.has_contradiction && !judgement.is_read_in_part =>
        {
            Some(Ending::Verified)
        }
        Verdict::Verified => Some(Ending::NotJudged),
        Verdict::Exhausted if judgement.is_by_model => Some(Ending::Limit),
        Verdict::Exhausted => Some(Ending::Refused),
        Verdict::Revise | Verdict::Clarify => None,
    }
}

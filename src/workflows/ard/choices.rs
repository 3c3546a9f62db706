//! The decisions of a debate. Pure: no model, no file, no clock.

use super::exchange::{DesignDraft, Review, ReviewStatus};
use super::input::settings::{Buildability, DebateSettings, OnAmbiguity};
use super::offline::buildability;
use super::state::{Debate, DebateStatus};
use crate::engine::Choice;

/// The next step after a review; the arms of the branch in `graphs/ard.yaml`.
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

/// Returns the verdict recorded in the state.
pub fn verdict(debate: &Debate) -> Verdict {
    match (debate.status, debate.challenge_history.last()) {
        (DebateStatus::Verified, _) => Verdict::Verified,
        (DebateStatus::MaxIterationsReached, _) => Verdict::Exhausted,
        (DebateStatus::InProgress, Some(latest)) => revise_or_clarify(latest, &debate.settings),
        (DebateStatus::InProgress, None) => Verdict::Revise,
    }
}

/// Decides the verdict on a review given after `iteration` revisions. `round` is its number, from 1.
///
/// A passing review in the last allowed round counts as verified (ARD-14). The comparison is `>=` so that a state
/// above the limit ends too (ARD-13). A passing review before the minimum number of rounds sends the draft back once
/// more (ARD-71).
pub fn judge(review: &Review, iteration: u32, round: u32, settings: &DebateSettings) -> Verdict {
    let passes = review.status_under(settings.severity) == ReviewStatus::Verified;
    match (passes, iteration >= settings.max_iterations) {
        (true, true) => Verdict::Verified,
        (true, false) if round >= settings.minimum_rounds => Verdict::Verified,
        (false, true) => Verdict::Exhausted,
        _ => revise_or_clarify(review, settings),
    }
}

fn revise_or_clarify(review: &Review, settings: &DebateSettings) -> Verdict {
    match settings.on_ambiguity {
        OnAmbiguity::Ask if review.ambiguities().next().is_some() => Verdict::Clarify,
        OnAmbiguity::Ask | OnAmbiguity::Revise => Verdict::Revise,
    }
}

/// Returns the review that counts. If the settings ask for it, a draft that passes must also be buildable (ARD-70);
/// defects found by that check are listed before the minor challenges of the reviewer.
pub fn with_buildability(review: Review, draft: &DesignDraft, settings: &DebateSettings) -> Review {
    let passes = review.status_under(settings.severity) == ReviewStatus::Verified;
    if settings.buildability == Buildability::Unchecked || !passes {
        return review;
    }
    let mut combined = buildability(draft);
    if combined.status == ReviewStatus::Verified {
        return review;
    }
    combined.challenges.extend(review.challenges);
    // Renumbered, because the ids of a review run from 1 in the order of its list (ARD-50).
    for (id, challenge) in (1..).zip(&mut combined.challenges) {
        challenge.id = id;
    }
    combined
}

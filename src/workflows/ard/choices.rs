//! What the debate decides. Pure: no model, no file, no clock.

use super::exchange::{Draft, Review, ReviewStatus};
use super::input::settings::{Buildability, OnAmbiguity, Settings};
use super::offline::buildability;
use super::state::{Debate, DebateStatus};
use crate::engine::Choice;

/// Where the debate goes after a review; the arms of the branch in `graphs/ard.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Verdict {
    /// To the formatter: nothing is left to challenge (ARD-9).
    Verified,
    /// To the formatter with the trace log: the limit is reached (ARD-10).
    Exhausted,
    /// Back to the architect (ARD-11).
    Revise,
    /// To the user first, who settles what is ambiguous (ARD-72).
    Clarify,
}

/// The verdict that the state holds.
pub fn verdict(debate: &Debate) -> Verdict {
    match (debate.status, debate.challenge_history.last()) {
        (DebateStatus::Verified, _) => Verdict::Verified,
        (DebateStatus::MaxIterationsReached, _) => Verdict::Exhausted,
        (DebateStatus::InProgress, Some(latest)) => revise(latest, &debate.settings),
        (DebateStatus::InProgress, None) => Verdict::Revise,
    }
}

/// Judges a review that was given after `iteration` revisions and as number `round` (from 1).
///
/// A verified review on the last allowed round counts as verified (ARD-14); `>=` ends a state that is above the limit too
/// (ARD-13). Before the minimum of rounds a verified draft goes back once more (ARD-71).
pub fn judge(review: &Review, iteration: u32, round: u32, settings: &Settings) -> Verdict {
    let passes = review.verdict(settings.severity) == ReviewStatus::Verified;
    match (passes, iteration >= settings.max_iterations) {
        (true, true) => Verdict::Verified,
        (true, false) if round >= settings.minimum_rounds => Verdict::Verified,
        (false, true) => Verdict::Exhausted,
        _ => revise(review, settings),
    }
}

fn revise(review: &Review, settings: &Settings) -> Verdict {
    match settings.on_ambiguity {
        OnAmbiguity::Ask if review.ambiguities().next().is_some() => Verdict::Clarify,
        OnAmbiguity::Ask | OnAmbiguity::Revise => Verdict::Revise,
    }
}

/// The review that counts: with the check for buildability a draft that passes has to pass that too (ARD-70). What it finds
/// comes before the notes that the reviewer let pass.
pub fn counted(review: Review, draft: &Draft, settings: &Settings) -> Review {
    let passes = review.verdict(settings.severity) == ReviewStatus::Verified;
    if settings.buildability == Buildability::Unchecked || !passes {
        return review;
    }
    let mut found = buildability(draft);
    if found.status == ReviewStatus::Verified {
        return review;
    }
    found.challenges.extend(review.challenges);
    for (id, challenge) in (1..).zip(&mut found.challenges) {
        challenge.id = id;
    }
    found
}

//! What the debate decides. Pure: no model, no file, no clock.

use super::exchange::{Review, ReviewStatus};
use super::input::settings::{Buildability, Settings};
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
}

/// The verdict that the state holds.
pub fn verdict(debate: &Debate) -> Verdict {
    match debate.status {
        DebateStatus::Verified => Verdict::Verified,
        DebateStatus::MaxIterationsReached => Verdict::Exhausted,
        DebateStatus::InProgress => Verdict::Revise,
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
        _ => Verdict::Revise,
    }
}

/// The review that counts: with the check for buildability a verified draft has to pass that too (ARD-70).
pub fn counted(review: Review, debate: &Debate) -> Review {
    match (&debate.current_draft, debate.settings.buildability) {
        (Some(draft), Buildability::Checked) if review.status == ReviewStatus::Verified => {
            buildability(draft)
        }
        _ => review,
    }
}

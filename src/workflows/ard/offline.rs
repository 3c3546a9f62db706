//! Architect and reviewer as rules: no model, no network, the same answer to the same request. The
//! document states when rules wrote it. The model `offline` registers these functions; they know
//! neither the graph nor the model layer.

mod architect;
mod buildable;
mod decision;
mod reviewer;
mod summary;
mod text;

pub(super) use decision::leaves_out;
pub(super) use reviewer::is_vague;

use super::analysis::IdeaAnalysis;
use super::exchange::{Coverage, DesignDraft, DraftRequest, Review, ReviewRequest, Summary, SummaryRequest};

/// Writes a draft by rules: components for the requirements of the idea on the first pass, answers to the latest review
/// afterwards.
pub fn draft(request: &DraftRequest) -> DesignDraft {
    architect::draft(request)
}

/// Reviews a draft by rules: names without a component, vague purposes, statements that a traced draft leaves out
/// (ARD-48).
pub fn review(request: &ReviewRequest) -> Review {
    reviewer::review(request)
}

/// Reviews the buildability of a verified draft (ARD-70): all components that purposes name exist, and no components
/// depend on one another in a circle. Returns a review that passes, or one with a challenge for each defect.
pub fn buildability(draft: &DesignDraft) -> Review {
    buildable::review(draft)
}

/// Writes a paragraph for earlier rounds by rules (ARD-53).
pub fn summarise(request: &SummaryRequest) -> Summary {
    summary::summarise(request)
}

/// Returns the number of bytes of an idea that the rules read, and its size.
pub fn coverage(idea: &str) -> Coverage {
    Coverage { read: idea.len() - IdeaAnalysis::of(idea).unread_bytes, total: idea.len() }
}

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

/// Makes the first draft from the requirements of the idea, or changes the previous draft to answer the
/// latest review, by rules.
pub fn draft(request: &DraftRequest) -> DesignDraft {
    architect::draft(request)
}

/// Reviews a draft by rules: finds names that no component has, and vague purposes (ARD-48).
pub fn review(request: &ReviewRequest) -> Review {
    reviewer::review(request)
}

/// Checks that a verified draft can be built (ARD-70): all components that purposes name exist, and
/// none depend on one another in a circle. Returns a passing review, or one with a challenge for each
/// defect.
pub fn buildability(draft: &DesignDraft) -> Review {
    buildable::review(draft)
}

/// Condenses earlier rounds to one paragraph by rules (ARD-53).
pub fn summarise(request: &SummaryRequest) -> Summary {
    summary::summarise(request)
}

/// Returns the number of bytes of an idea that the rules read, and its size.
pub fn coverage(idea: &str) -> Coverage {
    Coverage { read: idea.len() - IdeaAnalysis::of(idea).unread_bytes, total: idea.len() }
}

//! The architect and the reviewer as rules: no model, no network, the same answer to the same request. Says so
//! wherever it writes. Knows neither the graph nor the model layer, which registers these functions.

mod architect;
mod buildable;
mod clauses;
mod decision;
mod inflect;
mod lexicon;
mod parts;
mod phrases;
mod reviewer;
mod sentence;
mod sentences;
mod stems;
mod summary;
mod text;
mod whole;
mod wording;
mod words;

use super::exchange::{Coverage, DesignDraft, DraftRequest, Review, ReviewRequest, Summary, SummaryRequest};

/// A draft by rules: parts of the idea on the first pass, answers to the latest review afterwards.
pub fn draft(request: &DraftRequest) -> DesignDraft {
    architect::draft(request)
}

/// A review by rules: completeness, consistency, ambiguity (ARD-48).
pub fn review(request: &ReviewRequest) -> Review {
    reviewer::review(request)
}

/// Reviews the buildability of a verified draft (ARD-70): all components that purposes name exist, and no components depend on one another
/// in a circle. Returns a review that passes, or one with a challenge for each defect.
pub fn buildability(draft: &DesignDraft) -> Review {
    buildable::review(draft)
}

/// A paragraph for earlier rounds, by rules (ARD-53).
pub fn summarise(request: &SummaryRequest) -> Summary {
    summary::summarise(request)
}

/// Returns the part of an idea that the rules read: at most 40 parts, 200 sentences or 64 KiB.
pub fn coverage(idea: &str) -> Coverage {
    Coverage { read: parts::read(idea).bytes_read, total: idea.len() }
}

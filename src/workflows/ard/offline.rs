//! The architect and the reviewer as rules: no model, no network, the same answer to the same request. Says so
//! wherever it writes. Knows neither the graph nor the model layer, which registers these functions.

mod architect;
mod buildable;
mod clauses;
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

use serde::{Deserialize, Serialize};

use super::exchange::{Draft, Recalled, Review, Summary, SummaryRequest};

/// Asks for a draft, as rules and models get it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftRequest {
    /// The idea, unchanged.
    pub rough_idea: String,
    /// The reviews so far.
    pub history: Recalled,
    /// The draft that the latest review is about.
    pub previous: Option<Draft>,
}

/// Asks for a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewRequest {
    /// The idea, against which completeness is judged (ARD-42).
    pub rough_idea: String,
    /// The draft to be judged.
    pub draft: Draft,
    /// Which review this is, from 1.
    pub round: u32,
}

/// A draft by rules: parts of the idea on the first pass, answers to the latest review afterwards.
pub fn draft(request: &DraftRequest) -> Draft {
    architect::draft(request)
}

/// A review by rules: completeness, consistency, ambiguity (ARD-48).
pub fn review(request: &ReviewRequest) -> Review {
    reviewer::review(request)
}

/// Whether a verified draft can be built (ARD-70): what purposes name exists, and no components depend on one another
/// in a circle. A review that passes, or one with a challenge for each defect.
pub fn buildability(draft: &Draft) -> Review {
    buildable::review(draft)
}

/// A paragraph for earlier rounds, by rules (ARD-53).
pub fn summarise(request: &SummaryRequest) -> Summary {
    summary::summarise(request)
}

/// How much of an idea the rules read, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Bytes read.
    pub read: usize,
    /// Bytes there are.
    pub total: usize,
}

/// How much of an idea the rules read: they stop at 40 parts, 200 sentences or 64 KiB.
pub fn coverage(idea: &str) -> Coverage {
    Coverage { read: parts::read(idea).bytes_read, total: idea.len() }
}

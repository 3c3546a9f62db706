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

use serde::{Deserialize, Serialize};

use super::exchange::{Clarification, Draft, Recalled, Review, Summary, SummaryRequest};
use super::input::settings::{OnAmbiguity, SeverityRule};

/// Asks for a draft, as rules and models get it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftRequest {
    /// The idea, unchanged.
    pub rough_idea: String,
    /// The reviews so far.
    pub history: Recalled,
    /// What the user decided so far.
    pub clarifications: Vec<Clarification>,
    /// The draft that the latest review is about.
    pub previous: Option<Draft>,
    /// How many components a model is asked for at most; rules count none.
    pub max_components: Option<u32>,
}

/// Asks for a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewRequest {
    /// The idea, against which completeness is judged (ARD-42).
    pub rough_idea: String,
    /// The draft to be judged.
    pub draft: Draft,
    /// The reviews of earlier drafts (ARD-16).
    pub history: Recalled,
    /// What the user decided so far.
    pub clarifications: Vec<Clarification>,
    /// Which review this is, from 1.
    pub round: u32,
    /// Whether challenges are weighed.
    pub severity: SeverityRule,
    /// Whether an ambiguity comes with options for the user.
    pub on_ambiguity: OnAmbiguity,
    /// How many challenges a model is asked for at most; rules count none.
    pub max_challenges: Option<u32>,
}

impl ReviewRequest {
    /// A review without anything before it and without options.
    pub fn new(rough_idea: impl Into<String>, draft: Draft, round: u32) -> Self {
        Self {
            rough_idea: rough_idea.into(),
            draft,
            history: Recalled::default(),
            clarifications: Vec::new(),
            round,
            severity: SeverityRule::default(),
            on_ambiguity: OnAmbiguity::default(),
            max_challenges: None,
        }
    }
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

//! What the agents are asked, as rules and models get it, and how much of an idea rules read.

use serde::{Deserialize, Serialize};

use super::{Clarification, Draft, Recalled};
use crate::workflows::ard::input::settings::{OnAmbiguity, SeverityRule};

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

/// How much of an idea the rules read, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Bytes read.
    pub read: usize,
    /// Bytes there are.
    pub total: usize,
}

//! The requests to the agents, and the share of an idea that offline rules read.

use serde::{Deserialize, Serialize};

use super::{Clarification, DesignDraft, PromptHistory};
use crate::workflows::ard::input::settings::{OnAmbiguity, SeverityRule};

/// The request for a draft. Prompts are rendered from it; offline rules read it directly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftRequest {
    /// The idea, unchanged.
    pub rough_idea: String,
    /// The reviews so far.
    pub history: PromptHistory,
    /// Decisions of the user so far.
    pub clarifications: Vec<Clarification>,
    /// The draft of the latest review; `None` on the first pass.
    pub previous: Option<DesignDraft>,
    /// Maximum number of components that the prompt asks for; offline rules ignore it.
    pub max_components: Option<u32>,
}

/// The request for a review. Prompts are rendered from it; offline rules read it directly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewRequest {
    /// The idea, which completeness is judged against (ARD-42).
    pub rough_idea: String,
    /// The draft to review.
    pub draft: DesignDraft,
    /// The reviews of earlier drafts (ARD-16).
    pub history: PromptHistory,
    /// Decisions of the user so far.
    pub clarifications: Vec<Clarification>,
    /// Number of this review, from 1.
    pub round: u32,
    /// Challenges get a severity under [`SeverityRule::CriticalOnly`].
    pub severity: SeverityRule,
    /// Ambiguities get options for the user under [`OnAmbiguity::Ask`].
    pub on_ambiguity: OnAmbiguity,
    /// Maximum number of challenges that the prompt asks for; offline rules ignore it.
    pub max_challenges: Option<u32>,
}

impl ReviewRequest {
    /// Makes a request with an empty history and default settings.
    pub fn new(rough_idea: impl Into<String>, draft: DesignDraft, round: u32) -> Self {
        Self {
            rough_idea: rough_idea.into(),
            draft,
            history: PromptHistory::default(),
            clarifications: Vec::new(),
            round,
            severity: SeverityRule::default(),
            on_ambiguity: OnAmbiguity::default(),
            max_challenges: None,
        }
    }
}

/// The share of an idea that offline rules read, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    /// Bytes read.
    pub read: usize,
    /// Size of the idea in bytes.
    pub total: usize,
}

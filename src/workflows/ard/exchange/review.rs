//! What the reviewer answers (ARD-43 to ARD-51). Form is checked by serde and the schema, sense by [`Review::check`].

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workflows::ard::input::settings::SeverityRule;

/// A review of a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// Whether the draft passes.
    pub status: ReviewStatus,
    /// What is wrong with it; empty exactly when it passes.
    pub challenges: Vec<Challenge>,
}

/// The verdict of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStatus {
    /// The draft passes.
    Verified,
    /// The draft has to be revised.
    NeedsRevision,
}

/// One thing wrong with a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Challenge {
    /// Its number in this review, from 1.
    #[schemars(range(min = 1))]
    pub id: u32,
    /// Which of the three checks it failed.
    pub category: Category,
    /// What is wrong, in a sentence or two.
    pub description: String,
    /// How bad it is; only given when the settings ask for it (ARD-51).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
}

/// The three checks of the protocol (ARD-48).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Something of the idea is missing in the draft.
    Completeness,
    /// Something is needed that no component provides.
    Consistency,
    /// A type or purpose is vague.
    Ambiguity,
}

impl Category {
    /// The word of the schema.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completeness => "completeness",
            Self::Consistency => "consistency",
            Self::Ambiguity => "ambiguity",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// How bad a challenge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Has to be resolved.
    Critical,
    /// Worth a note.
    Minor,
}

impl Review {
    /// A passing review.
    pub fn verified() -> Self {
        Self { status: ReviewStatus::Verified, challenges: Vec::new() }
    }

    /// A review of these challenges, numbered from 1; a passing one if there are none.
    pub fn of(challenges: impl IntoIterator<Item = (Category, String)>) -> Self {
        let challenges: Vec<_> = (1..)
            .zip(challenges)
            .map(|(id, (category, description))| Challenge { id, category, description, severity: None })
            .collect();
        let status = if challenges.is_empty() { ReviewStatus::Verified } else { ReviewStatus::NeedsRevision };
        Self { status, challenges }
    }

    /// Everything that is wrong with this review as an answer.
    pub fn check(&self) -> Result<(), Vec<ReviewProblem>> {
        let mut problems = Vec::new();
        match self.status {
            ReviewStatus::Verified if !self.challenges.is_empty() => {
                problems.push(ReviewProblem::VerifiedWithChallenges { count: self.challenges.len() });
            }
            ReviewStatus::NeedsRevision if self.challenges.is_empty() => {
                problems.push(ReviewProblem::RevisionWithoutChallenges);
            }
            _ => {}
        }
        for (expected, challenge) in (1..).zip(&self.challenges) {
            if challenge.id != expected {
                problems.push(ReviewProblem::WrongId { expected, found: challenge.id });
            }
            if challenge.description.trim().is_empty() {
                problems.push(ReviewProblem::BlankDescription { id: challenge.id });
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// The verdict under a rule: with [`SeverityRule::CriticalOnly`] a revision whose challenges are all called minor
    /// passes; one without a severity counts as critical.
    pub fn verdict(&self, rule: SeverityRule) -> ReviewStatus {
        let minor = |challenge: &Challenge| challenge.severity == Some(Severity::Minor);
        match rule {
            SeverityRule::CriticalOnly if self.challenges.iter().all(minor) => ReviewStatus::Verified,
            _ => self.status,
        }
    }
}

/// A rule that a review breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReviewProblem {
    /// ARD-46.
    #[error("`challenges` must be empty when `status` is \"verified\", it holds {count}")]
    VerifiedWithChallenges {
        /// How many there are.
        count: usize,
    },
    /// ARD-46.
    #[error("`challenges` must not be empty when `status` is \"needs_revision\"")]
    RevisionWithoutChallenges,
    /// ARD-50.
    #[error("challenge ids must run 1, 2, 3, …: expected {expected}, found {found}")]
    WrongId {
        /// The id by position.
        expected: u32,
        /// The id given.
        found: u32,
    },
    /// ARD-44.
    #[error("the description of challenge {id} is blank")]
    BlankDescription {
        /// Its id.
        id: u32,
    },
}

//! What the reviewer answers (ARD-43 to ARD-51). Form is checked by serde and the schema, sense by [`Review::check`].

use std::collections::BTreeSet;
use std::fmt;

use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::workflows::ard::input::settings::{OnAmbiguity, SeverityRule};

/// Options of a question to the user at least (ARD-72).
pub const MIN_OPTIONS: usize = 2;
/// Options of a question to the user at most (ARD-72).
pub const MAX_OPTIONS: usize = 4;

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
    /// What could be meant; only given for an ambiguity, when the settings say that the user is asked (ARD-72).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Proposal>,
}

/// A way to settle an ambiguity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// What would be decided, in a sentence.
    pub text: String,
    /// Whether it is the one to take without a wish of one's own; true for exactly one of the options.
    pub recommended: bool,
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
            .map(|(id, (category, description))| Challenge {
                id,
                category,
                description,
                severity: None,
                options: Vec::new(),
            })
            .collect();
        let status = if challenges.is_empty() { ReviewStatus::Verified } else { ReviewStatus::NeedsRevision };
        Self { status, challenges }
    }

    /// The schema of an answer: what the settings do not ask for is not in it, and refused.
    pub fn schema(severity: SeverityRule, on_ambiguity: OnAmbiguity) -> Schema {
        let mut schema = schema_for!(Self);
        let mut leave_out = |field: &str, kind: &str| {
            let definitions = schema.get_mut("$defs").and_then(Value::as_object_mut);
            let definitions = definitions.expect("a review refers to the type of its challenges");
            definitions.shift_remove(kind);
            definitions["Challenge"]["properties"].as_object_mut().map(|fields| fields.shift_remove(field));
        };
        if severity == SeverityRule::Ignored {
            leave_out("severity", "Severity");
        }
        if on_ambiguity == OnAmbiguity::Revise {
            leave_out("options", "Proposal");
        }
        schema
    }

    /// The challenges that the user could settle.
    pub fn ambiguities(&self) -> impl Iterator<Item = &Challenge> {
        self.challenges.iter().filter(|challenge| challenge.category == Category::Ambiguity)
    }

    /// Everything that is wrong with this review as an answer.
    pub fn check(&self, on_ambiguity: OnAmbiguity) -> Result<(), Vec<ReviewProblem>> {
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
            if on_ambiguity == OnAmbiguity::Ask {
                problems.extend(challenge.option_problem());
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

impl Challenge {
    fn option_problem(&self) -> Option<ReviewProblem> {
        let Self { id, category, options, .. } = self;
        let (id, count) = (*id, options.len());
        if *category != Category::Ambiguity {
            return (count > 0).then_some(ReviewProblem::MisplacedOptions { id });
        }
        if !(MIN_OPTIONS..=MAX_OPTIONS).contains(&count) {
            return Some(ReviewProblem::OptionCount { id, count });
        }
        let texts: BTreeSet<_> = options.iter().map(|option| option.text.trim()).collect();
        if texts.len() < count || texts.contains("") {
            return Some(ReviewProblem::SameOptions { id });
        }
        let recommended = options.iter().filter(|option| option.recommended).count();
        (recommended != 1).then_some(ReviewProblem::Recommended { id, count: recommended })
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
    /// ARD-72.
    #[error("challenge {id} has `options`, which only a challenge of category ambiguity may have")]
    MisplacedOptions {
        /// Its id.
        id: u32,
    },
    /// ARD-72.
    #[error("challenge {id} needs {MIN_OPTIONS} to {MAX_OPTIONS} `options`, it has {count}")]
    OptionCount {
        /// Its id.
        id: u32,
        /// How many it has.
        count: usize,
    },
    /// ARD-72.
    #[error("the `options` of challenge {id} must differ from one another and not be blank")]
    SameOptions {
        /// Its id.
        id: u32,
    },
    /// ARD-72.
    #[error("exactly one of the `options` of challenge {id} must be `recommended`, {count} are")]
    Recommended {
        /// Its id.
        id: u32,
        /// How many are.
        count: usize,
    },
}

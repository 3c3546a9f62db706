//! The reviewer's answer (ARD-43 to ARD-51). Serde and the schema check its form, [`Review::check`] its content.

use std::collections::BTreeSet;
use std::fmt;

use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::workflows::ard::input::settings::{OnAmbiguity, SeverityRule};

/// Minimum number of options of a question to the user (ARD-72).
pub const MIN_OPTIONS: usize = 2;
/// Maximum number of options of a question to the user (ARD-72).
pub const MAX_OPTIONS: usize = 4;

/// A review of a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// The verdict on the draft.
    pub status: ReviewStatus,
    /// The defects of the draft; empty exactly when it passes.
    pub challenges: Vec<Challenge>,
    /// Remarks that need no revision, such as risks and questions for the author.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
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

/// A defect of a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Challenge {
    /// Its number in this review, from 1.
    #[schemars(range(min = 1))]
    pub id: u32,
    /// The check that it failed.
    pub category: Category,
    /// The defect, in a sentence or two.
    pub description: String,
    /// The severity of the defect; it decides only when the settings say so (ARD-51).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// The concern behind the defect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aspect: Option<Aspect>,
    /// Names of the components that the defect is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<String>,
    /// Id of an earlier challenge, such as `R1.5`, whose answer no longer holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reopens: Option<String>,
    /// The possible meanings; only given for an ambiguity, when the settings say that the user is asked (ARD-72).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Proposal>,
}

/// A way to settle an ambiguity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// The decision that this option makes, in a sentence.
    pub text: String,
    /// True for the option to take by default; true for exactly one of the options.
    pub recommended: bool,
}

/// The three checks of the protocol (ARD-48).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// A part of the idea is missing in the draft.
    Completeness,
    /// Components do not fit together: one needs something that no component provides, or two contradict each other.
    Consistency,
    /// A type or purpose is vague.
    Ambiguity,
}

impl Category {
    /// Returns the word for the category in JSON, such as `completeness`.
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

/// The severity of a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Has to be resolved.
    Critical,
    /// Worth a note.
    Minor,
}

/// The concern behind a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// The design cannot be built as described.
    Feasibility,
    /// Personal data, secrets or access.
    PrivacyAndSecurity,
    /// Failures of parts and their consequences.
    Failure,
    /// Money or resources.
    Cost,
    /// Deployment, monitoring and maintenance.
    Operation,
}

impl Aspect {
    /// Returns the aspect in words for documents, such as "privacy and security".
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Feasibility => "feasibility",
            Self::PrivacyAndSecurity => "privacy and security",
            Self::Failure => "failure",
            Self::Cost => "cost",
            Self::Operation => "operation",
        }
    }
}

impl Challenge {
    /// Makes a challenge with id, category and description, and nothing else.
    pub fn new(id: u32, category: Category, description: impl Into<String>) -> Self {
        let (description, components, options) = (description.into(), Vec::new(), Vec::new());
        Self { id, category, description, severity: None, aspect: None, components, reopens: None, options }
    }
}

impl Severity {
    /// Returns the word for the severity in JSON: `critical`, `minor`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::Minor => "minor",
        }
    }
}

impl Review {
    /// Makes a review of these challenges, numbered from 1; a passing one if there are none.
    pub fn from_challenges(challenges: impl IntoIterator<Item = (Category, String)>) -> Self {
        let challenges: Vec<_> = (1..)
            .zip(challenges)
            .map(|(id, (category, description))| Challenge::new(id, category, description))
            .collect();
        let status = if challenges.is_empty() { ReviewStatus::Verified } else { ReviewStatus::NeedsRevision };
        Self { status, challenges, notes: Vec::new() }
    }

    /// Adds challenges and numbers all of them anew, because the ids of a review run from 1 in the order of its list
    /// (ARD-50).
    pub fn extend(&mut self, more: impl IntoIterator<Item = Challenge>) {
        self.challenges.extend(more);
        for (id, challenge) in (1..).zip(&mut self.challenges) {
            challenge.id = id;
        }
    }

    /// Returns the schema that answers are validated against. It has no options unless the user is asked, so that these
    /// are refused.
    pub fn answer_schema(on_ambiguity: OnAmbiguity) -> Schema {
        let mut schema = schema_for!(Self);
        if on_ambiguity == OnAmbiguity::Revise {
            let definitions = schema.get_mut("$defs").and_then(Value::as_object_mut);
            let definitions = definitions.expect("a review refers to the type of its challenges");
            definitions.shift_remove("Proposal");
            definitions["Challenge"]["properties"]
                .as_object_mut()
                .map(|fields| fields.shift_remove("options"));
        }
        schema
    }

    /// Returns the challenges of the category ambiguity, which the user can resolve.
    pub fn ambiguities(&self) -> impl Iterator<Item = &Challenge> {
        self.challenges.iter().filter(|challenge| challenge.category == Category::Ambiguity)
    }

    /// Checks the content of this review as an answer: status, ids, descriptions and, if the user is
    /// asked, options. Returns all problems.
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
                problems.extend(challenge.check_options());
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Returns the status under a severity rule. With [`SeverityRule::CriticalOnly`] a revision passes if all
    /// challenges are minor; a challenge without a severity counts as critical.
    pub fn status_under(&self, rule: SeverityRule) -> ReviewStatus {
        let minor = |challenge: &Challenge| challenge.severity == Some(Severity::Minor);
        match rule {
            SeverityRule::CriticalOnly if self.challenges.iter().all(minor) => ReviewStatus::Verified,
            _ => self.status,
        }
    }
}

impl Challenge {
    /// Checks the options of a challenge: 2 to 4 different ones with one recommendation for an
    /// ambiguity, none for other categories. Returns the first problem.
    fn check_options(&self) -> Option<ReviewProblem> {
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

/// Rule that a review breaks; its message is sent to the reviewer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReviewProblem {
    /// A passing review has challenges (ARD-46).
    #[error("`challenges` must be empty when `status` is \"verified\", it holds {count}")]
    VerifiedWithChallenges {
        /// Number of challenges.
        count: usize,
    },
    /// A review that asks for a revision has no challenges (ARD-46).
    #[error("`challenges` must not be empty when `status` is \"needs_revision\"")]
    RevisionWithoutChallenges,
    /// Ids are not numbered from 1 without gaps (ARD-50).
    #[error("challenge ids must run 1, 2, 3, …: expected {expected}, found {found}")]
    WrongId {
        /// Id by position.
        expected: u32,
        /// Id in the answer.
        found: u32,
    },
    /// A challenge has no description (ARD-44).
    #[error("the description of challenge {id} is blank")]
    BlankDescription {
        /// Id of the challenge.
        id: u32,
    },
    /// A challenge of another category has options (ARD-72).
    #[error("challenge {id} has `options`, which only a challenge of category ambiguity may have")]
    MisplacedOptions {
        /// Id of the challenge.
        id: u32,
    },
    /// An ambiguity has too few or too many options (ARD-72).
    #[error("challenge {id} needs {MIN_OPTIONS} to {MAX_OPTIONS} `options`, it has {count}")]
    OptionCount {
        /// Id of the challenge.
        id: u32,
        /// Number of options.
        count: usize,
    },
    /// Two options are equal, or one is blank (ARD-72).
    #[error("the `options` of challenge {id} must differ from one another and not be blank")]
    SameOptions {
        /// Id of the challenge.
        id: u32,
    },
    /// No option is recommended, or several are (ARD-72).
    #[error("exactly one of the `options` of challenge {id} must be `recommended`, {count} are")]
    Recommended {
        /// Id of the challenge.
        id: u32,
        /// Number of recommended options.
        count: usize,
    },
}

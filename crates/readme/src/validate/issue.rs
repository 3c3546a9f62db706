//! Issues of validators, and the verdict that follows from them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Weight of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IssueSeverity {
    /// Noted; does not block.
    Minor,
    /// Blocks.
    Major,
    /// Blocks; the document misleads or breaks.
    Critical,
}

/// Stage of a validator; stages run in this order (SEC-90).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValidationStage {
    /// Headings, parts, fences.
    Structure,
    /// Agreement with the package.
    Accuracy,
    /// Required content.
    Completeness,
    /// Writing.
    Quality,
    /// Unfinished places.
    Placeholders,
    /// Links to the outside.
    Urls,
}

/// Texts that a validator is for (SEC-91).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValidationScope {
    /// One section.
    Section,
    /// The combined document.
    Document,
    /// Both.
    Both,
}

/// Author of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IssueSource {
    /// A rule.
    Static,
    /// A model.
    Llm,
}

/// A fault of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// Rule, such as `structure/level-jump`.
    pub rule: String,
    /// Id of the same rule in markdownlint, such as `MD001`; `None` if it has none.
    pub markdownlint: Option<String>,
    /// Weight.
    pub severity: IssueSeverity,
    /// Stage of the validator, the category in feedback (SEC-70).
    pub category: ValidationStage,
    /// Title of the section; empty before the first.
    pub section: String,
    /// Line in the checked text, from 1; 0 for the whole text.
    pub line: usize,
    /// Fault, in one sentence.
    pub message: String,
    /// Next step for the author.
    pub suggestion: String,
    /// Author.
    pub source: IssueSource,
}

/// State of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// The text was checked.
    Checked,
    /// It was not, for this reason (SEC-99).
    NotChecked(String),
}

/// Verdict of one validator (SEC-98).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validation {
    /// Name of the validator.
    pub validator: String,
    /// False exactly when a critical or major issue exists.
    pub valid: bool,
    /// 0 to 100.
    pub score: u8,
    /// Issues in the order of their lines.
    pub issues: Vec<Issue>,
    /// Verdict, in one line.
    pub summary: String,
    /// State of the check.
    pub state: CheckState,
}

impl Issue {
    /// Returns true for an issue that keeps a text from being accepted (SEC-69).
    pub fn is_blocking(&self) -> bool {
        self.severity >= IssueSeverity::Major
    }
}

impl fmt::Display for IssueSeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Minor => "minor",
            Self::Major => "major",
            Self::Critical => "critical",
        })
    }
}

impl fmt::Display for ValidationStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Structure => "structure",
            Self::Accuracy => "accuracy",
            Self::Completeness => "completeness",
            Self::Quality => "quality",
            Self::Placeholders => "placeholders",
            Self::Urls => "urls",
        })
    }
}

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

/// The stage to which a validator belongs, and with it the category of its issues (SEC-90).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValidationStage {
    /// Headings, sub-sections, code fences.
    Structure,
    /// Agreement with the package.
    Accuracy,
    /// Required content.
    Completeness,
    /// Style of the writing.
    Quality,
    /// Placeholders for missing text.
    Placeholders,
    /// Links to other sites.
    Urls,
}

/// The texts that a validator can check: single sections, whole documents, or both (SEC-91).
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

/// The finder of an issue: a static rule, or a model that was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IssueSource {
    /// A rule of this crate.
    Static,
    /// A model that was asked to check the text.
    Llm,
}

/// A fault of a document or section that a validator found, with its rule, place and remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// Rule, such as `structure/level-jump`.
    pub rule: String,
    /// Id of the same rule in markdownlint, such as `MD001`; `None` if it has none.
    pub markdownlint: Option<String>,
    /// Severity of the fault.
    pub severity: IssueSeverity,
    /// Stage of the validator, which feedback shows as the category (SEC-70).
    pub category: ValidationStage,
    /// Title of the section with the fault; empty before the first.
    pub section: String,
    /// Line in the checked text, from 1; 0 for the whole text.
    pub line: usize,
    /// Description of the fault, in one sentence.
    pub message: String,
    /// Next step for the author.
    pub suggestion: String,
    /// Finder of the issue.
    pub source: IssueSource,
}

/// The state of a validator's check: done, or not done for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// The text was checked.
    Checked,
    /// The text was not checked, for this reason (SEC-99).
    NotChecked(String),
}

/// The result of one validator on one text (SEC-98).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validation {
    /// Name of the validator.
    pub validator: String,
    /// True unless a critical or major issue exists.
    pub valid: bool,
    /// Score of the text, 0 to 100.
    pub score: u8,
    /// Issues in the order of their lines.
    pub issues: Vec<Issue>,
    /// Summary in one line.
    pub summary: String,
    /// State of the check.
    pub state: CheckState,
}

impl Issue {
    /// Returns true for a critical or major issue, which keeps a text from being accepted (SEC-69).
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

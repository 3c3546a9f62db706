//! Conversions of verdicts: issues or the answer of a model to a [`Validation`], and an issue to a line of
//! feedback.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CheckState, Issue, IssueSeverity, IssueSource, Validation, Validator};

/// Answer of a model that checked a text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ModelVerdict {
    /// True if no critical and no major issue exists.
    pub valid: bool,
    /// Score from 0 to 100.
    pub score: u8,
    /// Issues; an empty list if there are none.
    #[serde(default)]
    pub issues: Vec<ModelIssue>,
    /// Verdict in one sentence.
    #[serde(default)]
    pub summary: String,
}

/// Issue that a model found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelIssue {
    /// Weight: critical, major or minor.
    pub severity: IssueSeverity,
    /// Title of the section, or the words at fault.
    #[serde(default)]
    pub location: String,
    /// Fault, in one sentence.
    pub message: String,
    /// Next step for the author.
    #[serde(default)]
    pub suggestion: String,
}

impl Validator {
    /// Converts the answer of a model to a validation. The text is invalid exactly if a critical or major
    /// issue exists (SEC-98); an answer "invalid" without one gets a major issue with the summary as its
    /// message.
    pub fn judge(&self, verdict: ModelVerdict) -> Validation {
        let mut issues: Vec<Issue> = verdict
            .issues
            .into_iter()
            .map(|found| self.model_issue(found.severity, found.location, found.message, found.suggestion))
            .collect();
        if !verdict.valid && !issues.iter().any(Issue::is_blocking) {
            let message = if verdict.summary.trim().is_empty() {
                "the model calls the text invalid and states no reason".to_owned()
            } else {
                verdict.summary.clone()
            };
            issues.push(self.model_issue(IssueSeverity::Major, String::new(), message, String::new()));
        }
        let score = verdict.score.min(100);
        let mut validation = Validation::from_issues(self.name, issues, score);
        if !verdict.summary.trim().is_empty() {
            validation.summary = verdict.summary;
        }
        validation
    }

    /// Returns the validation of a text that the model did not check: valid, with a minor issue that states
    /// the reason (SEC-99). Its score is 0 and must not be averaged.
    pub fn not_checked(&self, reason: &str) -> Validation {
        let message = format!("the model's check did not run: {reason}");
        let suggestion = "run the check again, or read the text yourself".to_owned();
        let warning = self.model_issue(IssueSeverity::Minor, String::new(), message, suggestion);
        let mut validation = Validation::from_issues(self.name, vec![warning], 0);
        validation.summary = format!("not checked: {reason}");
        validation.state = CheckState::NotChecked(reason.to_owned());
        validation
    }

    fn model_issue(
        &self,
        severity: IssueSeverity,
        section: String,
        message: String,
        suggestion: String,
    ) -> Issue {
        Issue {
            rule: format!("{}/model", self.name),
            markdownlint: None,
            severity,
            category: self.stage,
            section,
            line: 0,
            message,
            suggestion,
            source: IssueSource::Llm,
        }
    }
}

impl Validation {
    /// Makes the validation from a validator's issues. They are sorted by line, so those of the whole text
    /// come first.
    pub(super) fn from_issues(validator: &str, mut issues: Vec<Issue>, score: u8) -> Self {
        issues
            .sort_by(|a, b| a.line.cmp(&b.line).then(b.severity.cmp(&a.severity)).then(a.rule.cmp(&b.rule)));
        let summary = summarize(&issues);
        let valid = !issues.iter().any(Issue::is_blocking);
        Self {
            validator: validator.to_owned(),
            valid,
            score: score.min(100),
            issues,
            summary,
            state: CheckState::Checked,
        }
    }
}

/// Returns the numbers of issues by severity, such as "1 critical, 3 minor"; "no issues" without any.
fn summarize(issues: &[Issue]) -> String {
    let counts = [IssueSeverity::Critical, IssueSeverity::Major, IssueSeverity::Minor].map(|severity| {
        let count = issues.iter().filter(|issue| issue.severity == severity).count();
        (count > 0).then(|| format!("{count} {severity}"))
    });
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    if counts.is_empty() { "no issues".to_owned() } else { counts.join(", ") }
}

/// Returns the score of a text with these issues: 100 minus 25 for each critical, 10 for each major and 2
/// for each minor one, at least 0.
pub(super) fn score_by_severity(issues: &[Issue]) -> u8 {
    let cost = issues.iter().map(|issue| match issue.severity {
        IssueSeverity::Critical => 25,
        IssueSeverity::Major => 10,
        IssueSeverity::Minor => 2,
    });
    u8::try_from(100_usize.saturating_sub(cost.sum())).unwrap_or_default()
}

/// Returns an issue as one line for the author: category, severity, rule, place, message, next step
/// (SEC-70).
pub fn feedback_line(issue: &Issue) -> String {
    let id = issue.markdownlint.as_ref().map_or_else(String::new, |id| format!(" ({id})"));
    let line = if issue.line > 0 { format!("line {}", issue.line) } else { String::new() };
    let section =
        if issue.section.is_empty() { String::new() } else { format!("section \"{}\"", issue.section) };
    let places: Vec<String> = [line, section].into_iter().filter(|part| !part.is_empty()).collect();
    let place = if places.is_empty() { "whole text".to_owned() } else { places.join(", ") };
    let fix = if issue.suggestion.is_empty() {
        String::new()
    } else {
        format!(" Fix: {}.", issue.suggestion.trim_end_matches('.'))
    };
    format!(
        "[{} {}] {}{id}, {place}: {}.{fix}",
        issue.category,
        issue.severity,
        issue.rule,
        issue.message.trim_end_matches('.')
    )
}

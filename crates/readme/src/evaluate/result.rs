//! Results of an evaluation as data: one package, or a list of packages in the order of the list. Never reads the clock, a package or a file.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::metrics::{DocumentMetrics, metrics, round};
use crate::package::IntegrationPackage;
use crate::validate::{CheckState, Issue, IssueSeverity, Validation};

/// Delay between the starts of two packages of a batch (SEC-137), because many first requests at once meet
/// the rate limits of models.
pub const START_STAGGER: Duration = Duration::from_millis(500);

/// The numbers of tokens that the model calls for a package or a batch used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TokenCount {
    /// Tokens of the prompts.
    pub prompt: u64,
    /// Tokens of the answers.
    pub completion: u64,
}

impl TokenCount {
    /// Returns the sum of prompt and completion tokens.
    pub fn total(self) -> u64 {
        self.prompt.saturating_add(self.completion)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            prompt: self.prompt.saturating_add(other.prompt),
            completion: self.completion.saturating_add(other.completion),
        }
    }
}

/// The numbers of issues of a document or a batch, by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct IssueCounts {
    /// Critical issues.
    pub critical: usize,
    /// Major issues.
    pub major: usize,
    /// Minor issues.
    pub minor: usize,
}

impl IssueCounts {
    /// Counts the issues by severity.
    pub fn of<'a>(issues: impl IntoIterator<Item = &'a Issue>) -> Self {
        let mut counts = Self::default();
        for issue in issues {
            match issue.severity {
                IssueSeverity::Critical => counts.critical += 1,
                IssueSeverity::Major => counts.major += 1,
                IssueSeverity::Minor => counts.minor += 1,
            }
        }
        counts
    }

    /// Returns the number of issues that block acceptance: the critical and the major ones.
    pub fn blocking(self) -> usize {
        self.critical + self.major
    }
}

/// The result of evaluating one package (SEC-137): the scores and issues of its generated document, or the
/// error that prevented it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EvaluationResult {
    /// Run that made the document.
    pub run_id: String,
    /// Name of the package, as the list of the batch has it.
    pub package: String,
    /// Scores of the generated document; `None` if the package could not be evaluated.
    pub scores: Option<DocumentMetrics>,
    /// Issues of the generated document, in the order of the validators.
    #[serde(default)]
    pub issues: Vec<Issue>,
    /// Validators that did not check the document, each with its reason (SEC-99).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_checked: BTreeMap<String, String>,
    /// Tokens of all model calls; zero without a model.
    #[serde(default)]
    pub tokens: TokenCount,
    /// Cost in US dollars; `None` if a price is unknown.
    #[serde(default)]
    pub cost: Option<f64>,
    /// Trace of the run; `None` without tracing.
    #[serde(default)]
    pub trace_id: Option<String>,
    /// Document before the run; `None` if the package had none.
    #[serde(default)]
    pub original: Option<String>,
    /// Document after the run; `None` with an error.
    #[serde(default)]
    pub generated: Option<String>,
    /// Reason why the package was not evaluated, in one line; `None` if it was.
    #[serde(default)]
    pub error: Option<String>,
}

impl EvaluationResult {
    /// Returns the result of a package whose document was generated: scores, issues, and the validators
    /// that did not check it. Tokens, cost, trace and original document are empty; the caller sets them.
    pub fn of_document(
        run_id: &str,
        name: &str,
        generated: String,
        validations: &[Validation],
        package: Option<&IntegrationPackage>,
    ) -> Self {
        let not_checked = validations.iter().filter_map(|validation| match &validation.state {
            CheckState::Checked => None,
            CheckState::NotChecked(reason) => Some((validation.validator.clone(), reason.clone())),
        });
        Self {
            run_id: run_id.to_owned(),
            package: name.to_owned(),
            scores: Some(metrics(&generated, validations, package)),
            issues: validations.iter().flat_map(|validation| validation.issues.iter().cloned()).collect(),
            not_checked: not_checked.collect(),
            generated: Some(generated),
            ..Self::default()
        }
    }

    /// Returns the result of a package that could not be loaded or generated: it has only this error
    /// (SEC-138).
    pub fn failed(run_id: &str, name: &str, error: impl Into<String>) -> Self {
        Self {
            run_id: run_id.to_owned(),
            package: name.to_owned(),
            error: Some(error.into()),
            ..Self::default()
        }
    }

    /// Returns true if the package was evaluated without an error, and its document has no critical or
    /// major issue.
    pub fn is_accepted(&self) -> bool {
        self.error.is_none() && self.scores.is_some() && !self.issues.iter().any(Issue::is_blocking)
    }
}

/// The sums over all packages of an evaluated batch: numbers of packages, issues, tokens, and the cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BatchTotals {
    /// Packages of the list.
    pub packages: usize,
    /// Packages with scores.
    pub evaluated: usize,
    /// Packages with an error.
    pub failed: usize,
    /// Issues of all documents.
    pub issues: IssueCounts,
    /// Tokens of all packages.
    pub tokens: TokenCount,
    /// Sum of the known costs in US dollars; `None` if no cost is known.
    pub cost: Option<f64>,
    /// Evaluated packages whose cost is unknown.
    pub unpriced: usize,
}

/// The summary of an evaluation of one or more packages: totals, averages, and one result per package in
/// the order of the list (SEC-137).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BatchSummary {
    /// Run of the batch.
    pub run_id: String,
    /// Name of the run for people, such as the model; may be empty.
    #[serde(default)]
    pub label: String,
    /// Start of the run, such as `2024-01-15T10:30:00Z`.
    #[serde(default)]
    pub started: String,
    /// Sums.
    #[serde(default)]
    pub totals: BatchTotals,
    /// Average scores of the evaluated packages; `None` if no package was evaluated.
    #[serde(default)]
    pub averages: Option<DocumentMetrics>,
    /// Results in the order of the list.
    pub entries: Vec<EvaluationResult>,
}

impl BatchSummary {
    /// Builds the summary of a batch: the results in the order of `packages`, whichever order they finished
    /// in. A package without a result gets an entry with an error; a result for a package that is not in
    /// the list is dropped.
    pub fn collect(
        run_id: &str,
        label: &str,
        started: &str,
        packages: &[String],
        results: impl IntoIterator<Item = EvaluationResult>,
    ) -> Self {
        let mut by_name: BTreeMap<String, VecDeque<EvaluationResult>> = BTreeMap::new();
        for result in results {
            by_name.entry(result.package.clone()).or_default().push_back(result);
        }
        let entries: Vec<EvaluationResult> = packages
            .iter()
            .map(|name| {
                by_name.get_mut(name).and_then(VecDeque::pop_front).unwrap_or_else(|| {
                    EvaluationResult::failed(run_id, name, "the run ended before this package")
                })
            })
            .collect();
        Self {
            run_id: run_id.to_owned(),
            label: label.to_owned(),
            started: started.to_owned(),
            totals: totals(&entries),
            averages: DocumentMetrics::average(entries.iter().filter_map(|entry| entry.scores.as_ref())),
            entries,
        }
    }
}

fn totals(entries: &[EvaluationResult]) -> BatchTotals {
    let evaluated = || entries.iter().filter(|entry| entry.scores.is_some());
    let costs: Vec<f64> = entries.iter().filter_map(|entry| entry.cost).collect();
    BatchTotals {
        packages: entries.len(),
        evaluated: evaluated().count(),
        failed: entries.iter().filter(|entry| entry.scores.is_none()).count(),
        issues: IssueCounts::of(entries.iter().flat_map(|entry| &entry.issues)),
        tokens: entries.iter().fold(TokenCount::default(), |sum, entry| sum.plus(entry.tokens)),
        // Millionths of a dollar, because sums of binary fractions end in noise.
        cost: (!costs.is_empty()).then(|| round(costs.iter().sum::<f64>(), 6)),
        unpriced: evaluated().filter(|entry| entry.cost.is_none()).count(),
    }
}

/// Parses a comma-separated list of package names, such as `citrix_adc,nginx`. Spaces around names, empty
/// names and repetitions are dropped.
pub fn parse_package_list(list: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Returns the time, counted from the start of the batch, that the package at index `place` of the list
/// waits before it may start: `place` times [`START_STAGGER`].
pub fn start_delay(place: usize) -> Duration {
    START_STAGGER.saturating_mul(u32::try_from(place).unwrap_or(u32::MAX))
}

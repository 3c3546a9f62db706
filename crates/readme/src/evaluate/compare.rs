//! Compares two runs package by package and metric by metric. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::metrics::{DocumentMetrics, QualityMetric, round};
use super::result::{BatchSummary, EvaluationResult, IssueCounts};

/// The outcome of a package in the second of two evaluation runs, compared with the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunVerdict {
    /// Its composite is higher, or the first run had an error.
    Better,
    /// Its composite is lower, or only the second run has an error.
    Worse,
    /// Its composite is the same to two decimals, or both runs have an error.
    Equal,
    /// The second run does not have the package.
    OnlyFirst,
    /// The first run does not have the package.
    OnlySecond,
}

impl fmt::Display for RunVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Equal => "equal",
            Self::OnlyFirst => "only in the first",
            Self::OnlySecond => "only in the second",
        })
    }
}

/// The scores of one metric in two evaluation runs, with their difference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MetricDifference {
    /// Metric.
    pub metric: QualityMetric,
    /// Score in the first run, 0 to 100.
    pub first: f64,
    /// Score in the second run, 0 to 100.
    pub second: f64,
    /// `second - first`.
    pub difference: f64,
}

/// The comparison of one package's results in two evaluation runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackageComparison {
    /// Name of the package.
    pub package: String,
    /// Outcome.
    pub verdict: RunVerdict,
    /// Differences of all metrics, the composite last; empty unless both runs have scores.
    pub metrics: Vec<MetricDifference>,
    /// Issues in the first run; `None` without scores.
    pub first_issues: Option<IssueCounts>,
    /// Issues in the second run; `None` without scores.
    pub second_issues: Option<IssueCounts>,
    /// Error of the package in the first run; `None` without one.
    pub first_error: Option<String>,
    /// Error of the package in the second run; `None` without one.
    pub second_error: Option<String>,
}

/// The differences between two evaluation runs over lists of packages; [`compare`] returns it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunComparison {
    /// Id of the first run.
    pub first: String,
    /// Id of the second run.
    pub second: String,
    /// Averages of each metric over the packages that both runs evaluated; empty if there are none. A
    /// package that only one run has would shift an average without a change in quality.
    pub averages: Vec<MetricDifference>,
    /// Packages in the order of the first run, then those that only the second has.
    pub packages: Vec<PackageComparison>,
}

impl RunComparison {
    /// Returns the number of packages whose verdict is `verdict`.
    pub fn count(&self, verdict: RunVerdict) -> usize {
        self.packages.iter().filter(|package| package.verdict == verdict).count()
    }
}

/// Compares two evaluation runs: the verdict and the scores of each package, and the averages. Differences
/// are `second` minus `first`.
pub fn compare(first: &BatchSummary, second: &BatchSummary) -> RunComparison {
    let (in_first, in_second) = (by_package(first), by_package(second));
    let mut packages = Vec::new();
    let mut seen = BTreeSet::new();
    let mut common: (Vec<&DocumentMetrics>, Vec<&DocumentMetrics>) = (Vec::new(), Vec::new());
    for entry in first.entries.iter().chain(&second.entries) {
        if !seen.insert(&entry.package) {
            continue;
        }
        let name = entry.package.as_str();
        let (a, b) = (in_first.get(name).copied(), in_second.get(name).copied());
        if let (Some(a), Some(b)) = (scores(a), scores(b)) {
            common.0.push(a);
            common.1.push(b);
        }
        packages.push(compare_package(&entry.package, a, b));
    }
    let averages = match (DocumentMetrics::average(common.0), DocumentMetrics::average(common.1)) {
        (Some(a), Some(b)) => differences(&a, &b),
        _ => Vec::new(),
    };
    RunComparison { first: first.run_id.clone(), second: second.run_id.clone(), averages, packages }
}

/// Returns the results of a run by package name. If the run has a package twice, the first result is
/// returned.
pub(super) fn by_package(run: &BatchSummary) -> BTreeMap<&str, &EvaluationResult> {
    run.entries.iter().rev().map(|entry| (entry.package.as_str(), entry)).collect()
}

fn scores(entry: Option<&EvaluationResult>) -> Option<&DocumentMetrics> {
    entry.and_then(|entry| entry.scores.as_ref())
}

fn compare_package(
    package: &str,
    first: Option<&EvaluationResult>,
    second: Option<&EvaluationResult>,
) -> PackageComparison {
    let metrics = match (scores(first), scores(second)) {
        (Some(a), Some(b)) => differences(a, b),
        _ => Vec::new(),
    };
    let verdict = match (first, second) {
        (_, None) => RunVerdict::OnlyFirst,
        (None, _) => RunVerdict::OnlySecond,
        (Some(a), Some(b)) => judge(a, b, &metrics),
    };
    let issues = |entry: Option<&EvaluationResult>| {
        entry.filter(|entry| entry.scores.is_some()).map(|entry| IssueCounts::of(&entry.issues))
    };
    let error = |entry: Option<&EvaluationResult>| entry.and_then(|entry| entry.error.clone());
    PackageComparison {
        package: package.to_owned(),
        verdict,
        metrics,
        first_issues: issues(first),
        second_issues: issues(second),
        first_error: error(first),
        second_error: error(second),
    }
}

fn judge(first: &EvaluationResult, second: &EvaluationResult, metrics: &[MetricDifference]) -> RunVerdict {
    match (&first.scores, &second.scores, metrics.last()) {
        (Some(_), None, _) => RunVerdict::Worse,
        (None, Some(_), _) => RunVerdict::Better,
        (Some(_), Some(_), Some(composite)) if composite.difference > 0.0 => RunVerdict::Better,
        (Some(_), Some(_), Some(composite)) if composite.difference < 0.0 => RunVerdict::Worse,
        _ => RunVerdict::Equal,
    }
}

fn differences(first: &DocumentMetrics, second: &DocumentMetrics) -> Vec<MetricDifference> {
    QualityMetric::ALL
        .into_iter()
        .map(|metric| {
            // Files of earlier runs are outside data: a score out of range must not reach the arithmetic.
            let (a, b) = (first.score(metric).clamp(0.0, 100.0), second.score(metric).clamp(0.0, 100.0));
            MetricDifference { metric, first: a, second: b, difference: round(b - a, 2) }
        })
        .collect()
}

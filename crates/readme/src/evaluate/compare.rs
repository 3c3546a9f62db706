//! Compares two runs package by package and metric by metric. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::metrics::{DocumentMetrics, QualityMetric, round};
use super::result::{BatchSummary, EvaluationResult, IssueCounts};

/// Outcome of a package in the second run, measured by the first.
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

/// A score in both runs.
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

/// A package in both runs.
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
    /// Error of the first run.
    pub first_error: Option<String>,
    /// Error of the second run.
    pub second_error: Option<String>,
}

/// Differences of two runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunComparison {
    /// Id of the first run.
    pub first: String,
    /// Id of the second run.
    pub second: String,
    /// Differences of the averages over the packages that both runs evaluated; empty if there are none. A package that only one run has
    /// would shift an average without a change in quality.
    pub averages: Vec<MetricDifference>,
    /// Packages in the order of the first run, then those that only the second has.
    pub packages: Vec<PackageComparison>,
}

impl RunComparison {
    /// Returns the number of packages with this outcome.
    pub fn count(&self, verdict: RunVerdict) -> usize {
        self.packages.iter().filter(|package| package.verdict == verdict).count()
    }
}

/// Compares the second run with the first.
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

/// Returns the entries by package, the first if a list has it twice.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: &str, entries: &[(&str, Option<f64>)]) -> BatchSummary {
        let results = entries.iter().map(|(package, score)| EvaluationResult {
            run_id: id.to_owned(),
            package: (*package).to_owned(),
            scores: score.map(|score| DocumentMetrics::of_scores([score; 5])),
            error: score.is_none().then(|| "no manifest".to_owned()),
            ..EvaluationResult::default()
        });
        let packages: Vec<String> = entries.iter().map(|(package, _)| (*package).to_owned()).collect();
        BatchSummary::collect(id, "", "", &packages, results)
    }

    fn verdicts(comparison: &RunComparison) -> Vec<(&str, RunVerdict)> {
        comparison.packages.iter().map(|package| (package.package.as_str(), package.verdict)).collect()
    }

    #[test]
    fn packages_are_better_worse_equal_or_only_in_one_run() {
        let first = run("r1", &[("d", Some(50.0)), ("a", Some(50.0)), ("b", Some(50.0)), ("c", Some(50.0))]);
        let second = run("r2", &[("e", Some(1.0)), ("a", Some(60.0)), ("b", Some(40.0)), ("c", Some(50.0))]);
        let comparison = compare(&first, &second);
        assert_eq!(
            verdicts(&comparison),
            [
                ("d", RunVerdict::OnlyFirst),
                ("a", RunVerdict::Better),
                ("b", RunVerdict::Worse),
                ("c", RunVerdict::Equal),
                ("e", RunVerdict::OnlySecond)
            ]
        );
        assert_eq!(comparison.count(RunVerdict::Better), 1);
    }

    #[test]
    fn an_error_is_worse_than_any_score() {
        let first = run("r1", &[("a", Some(1.0)), ("b", None), ("c", None)]);
        let second = run("r2", &[("a", None), ("b", Some(1.0)), ("c", None)]);
        let comparison = compare(&first, &second);
        assert_eq!(
            verdicts(&comparison),
            [("a", RunVerdict::Worse), ("b", RunVerdict::Better), ("c", RunVerdict::Equal)]
        );
        assert!(comparison.averages.is_empty());
        assert_eq!(comparison.packages[0].second_error.as_deref(), Some("no manifest"));
    }

    #[test]
    fn averages_are_those_of_the_packages_that_both_runs_evaluated() {
        let first = run("r1", &[("a", Some(50.0)), ("b", Some(10.0))]);
        let second = run("r2", &[("a", Some(70.0)), ("c", Some(100.0))]);
        let comparison = compare(&first, &second);
        let composite = comparison.averages.last().map(|average| (average.metric, average.difference));
        assert_eq!(composite, Some((QualityMetric::Composite, 20.0)));
    }

    #[test]
    fn differences_are_exact_to_two_decimals_and_scores_out_of_range_are_clamped() {
        let mut first = run("r1", &[("a", Some(0.1))]);
        let second = run("r2", &[("a", Some(0.3))]);
        assert!(compare(&first, &second).packages[0].metrics.iter().all(|metric| metric.difference == 0.2));
        first.entries[0].scores.as_mut().unwrap().structure = -1e308;
        assert!(compare(&first, &second).packages[0].metrics[0].difference == 0.3);
    }
}

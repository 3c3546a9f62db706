//! Comparisons of two runs.

use stategraph_readme::evaluate::{
    BatchSummary, DocumentMetrics, EvaluationResult, QualityMetric, RunComparison, RunVerdict, compare,
};

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
    let shown = |first: &BatchSummary| -> Vec<String> {
        let comparison = compare(first, &second);
        comparison.packages[0].metrics.iter().map(|metric| metric.difference.to_string()).collect()
    };
    assert_eq!(shown(&first), ["0.2"; 6]);
    first.entries[0].scores.as_mut().unwrap().structure = -1e308;
    assert_eq!(shown(&first)[0], "0.3");
}

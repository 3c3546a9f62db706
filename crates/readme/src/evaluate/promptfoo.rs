//! Exports runs in the format of promptfoo (an evaluation tool), version 3: `promptfoo import` reads it,
//! and its viewer shows runs side by side. A run becomes a prompt column, a package a test case.
//! `tests/real/promptfoo.sh` imports a batch into the program itself.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::compare::by_package;
use super::metrics::{QualityMetric, round};
use super::result::{BatchSummary, EvaluationResult, IssueCounts, TokenCount};
use crate::validate::{Issue, ValidationStage};

/// Name of the provider (model) in the export, for a run without a label.
const PROVIDER: &str = "stategraph";
/// Maximum number of issues that the reason of a score quotes.
const QUOTED_ISSUES: usize = 3;

/// The value of the field `failureReason` in the JSON export for promptfoo: the reason why a package's
/// result did not pass.
#[derive(Clone, Copy)]
enum FailureReason {
    None = 0,
    /// A check failed.
    Assertion = 1,
    /// There is no output.
    Error = 2,
}

/// Returns the runs as the JSON of one promptfoo evaluation. Scores are divided by 100. A package that a
/// run does not have is an error in that run's column, because the viewer shows a missing result as
/// unfinished.
pub fn promptfoo(runs: &[BatchSummary]) -> Value {
    let packages = packages_in_order(runs);
    let columns: Vec<BTreeMap<&str, &EvaluationResult>> = runs.iter().map(by_package).collect();
    let mut results = Vec::new();
    for (test, package) in packages.iter().enumerate() {
        for (column, run) in runs.iter().enumerate() {
            let absent = EvaluationResult::failed(&run.run_id, package, "this run does not have the package");
            let entry = columns[column].get(package).copied().unwrap_or(&absent);
            results.push(result(run, entry, column, test));
        }
    }
    let prompts: Vec<Value> =
        runs.iter().zip(&columns).map(|(run, entries)| prompt(run, entries, &packages)).collect();
    let outcomes: Vec<ColumnCounts> =
        columns.iter().map(|entries| ColumnCounts::of(&packages, entries)).collect();
    let sum = |count: fn(&ColumnCounts) -> usize| outcomes.iter().map(count).sum::<usize>();
    let ids: Vec<&str> = runs.iter().map(|run| run.run_id.as_str()).collect();
    let started = runs.first().map(|run| run.started.as_str()).unwrap_or_default();
    json!({
        "evalId": format!("{PROVIDER}-{}", ids.join("_and_")),
        "results": {
            "version": 3,
            "timestamp": started,
            "prompts": prompts,
            "results": results,
            "stats": {
                "successes": sum(|outcome| outcome.passed),
                "failures": sum(|outcome| outcome.failed),
                "errors": sum(|outcome| outcome.errors),
                "tokenUsage": token_usage(runs.iter().fold(TokenCount::default(), |all, run| all.plus(run.totals.tokens))),
            },
        },
        "config": {
            "description": format!("README documents of {} packages", packages.len()),
            "prompts": runs.iter().map(label).collect::<Vec<_>>(),
            "providers": runs.iter().map(provider).collect::<BTreeSet<_>>(),
            "tests": packages.iter().map(|package| json!({ "vars": { "package": package } })).collect::<Vec<_>>(),
        },
        "shareableUrl": null,
        "metadata": { "evaluationCreatedAt": started, "author": null },
    })
}

/// Returns the names of the packages of all runs, each once: those of the first run in its order, then
/// those that only later runs have.
fn packages_in_order(runs: &[BatchSummary]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let entries = runs.iter().flat_map(|run| &run.entries);
    entries.map(|entry| entry.package.as_str()).filter(|package| seen.insert(*package)).collect()
}

fn label(run: &BatchSummary) -> String {
    if run.label.is_empty() { run.run_id.clone() } else { format!("{} ({})", run.label, run.run_id) }
}

fn provider(run: &BatchSummary) -> String {
    if run.label.is_empty() { PROVIDER.to_owned() } else { run.label.clone() }
}

/// The numbers of packages of one run that passed, failed, or have an error or no result, for the JSON
/// export.
#[derive(Default)]
struct ColumnCounts {
    passed: usize,
    failed: usize,
    errors: usize,
}

impl ColumnCounts {
    fn of(packages: &[&str], entries: &BTreeMap<&str, &EvaluationResult>) -> Self {
        let mut outcome = Self::default();
        for package in packages {
            match entries.get(package) {
                Some(entry) if entry.is_accepted() => outcome.passed += 1,
                Some(entry) if entry.scores.is_some() => outcome.failed += 1,
                _ => outcome.errors += 1,
            }
        }
        outcome
    }
}

/// Returns the promptfoo column of a run, as JSON: its label, its provider, and the sums of its results.
/// `entries` are the run's results by package.
fn prompt(run: &BatchSummary, entries: &BTreeMap<&str, &EvaluationResult>, packages: &[&str]) -> Value {
    let outcome = ColumnCounts::of(packages, entries);
    let scored = || entries.values().filter_map(|entry| entry.scores.as_ref().map(|scores| (entry, scores)));
    let sum = |metric| round(scored().map(|(_, scores)| fraction(scores.score(metric))).sum(), 4);
    let named: Map<String, Value> =
        QualityMetric::ALL.iter().map(|metric| (metric.to_string(), json!(sum(*metric)))).collect();
    let counts: Map<String, Value> =
        QualityMetric::ALL.iter().map(|metric| (metric.to_string(), json!(scored().count()))).collect();
    let checks = || scored().flat_map(|(entry, _)| metric_stages().map(|(_, stage)| passes(entry, stage)));
    json!({
        "raw": "README of {{package}}",
        "label": label(run),
        "provider": provider(run),
        "metrics": {
            "score": sum(QualityMetric::Composite),
            "testPassCount": outcome.passed,
            "testFailCount": outcome.failed,
            "testErrorCount": outcome.errors,
            "assertPassCount": checks().filter(|passes| *passes).count(),
            "assertFailCount": checks().filter(|passes| !*passes).count(),
            "totalLatencyMs": 0,
            "tokenUsage": token_usage(run.totals.tokens),
            "namedScores": named,
            "namedScoresCount": counts,
            "cost": run.totals.cost.unwrap_or_default(),
        },
    })
}

/// Returns the metrics that validators report issues for (all but the composite), each with the stage of
/// those issues.
fn metric_stages() -> impl Iterator<Item = (QualityMetric, ValidationStage)> {
    QualityMetric::ALL.into_iter().filter_map(|metric| Some((metric, metric.stage()?)))
}

fn passes(entry: &EvaluationResult, stage: ValidationStage) -> bool {
    !entry.issues.iter().any(|issue| issue.category == stage && issue.is_blocking())
}

/// Returns the promptfoo result, as JSON, of a package (`entry`) in a run. `column` is the index of the
/// run, `test` that of the package.
fn result(run: &BatchSummary, entry: &EvaluationResult, column: usize, test: usize) -> Value {
    let vars = json!({ "package": entry.package });
    let failure = match (&entry.scores, entry.is_accepted()) {
        (None, _) => FailureReason::Error,
        (Some(_), true) => FailureReason::None,
        (Some(_), false) => FailureReason::Assertion,
    };
    let score = entry.scores.map_or(0.0, |scores| fraction(scores.composite));
    let named: Map<String, Value> = entry.scores.map_or_else(Map::new, |scores| {
        let score = |metric: &QualityMetric| (metric.to_string(), json!(fraction(scores.score(*metric))));
        QualityMetric::ALL.iter().map(score).collect()
    });
    let mut value = json!({
        "promptIdx": column,
        "testIdx": test,
        "testCase": { "vars": vars },
        "promptId": label(run),
        "provider": { "id": provider(run), "label": label(run) },
        "prompt": { "raw": format!("README of {}", entry.package), "label": label(run) },
        "vars": vars,
        "response": { "output": entry.generated.clone().unwrap_or_default(), "tokenUsage": token_usage(entry.tokens) },
        "success": entry.is_accepted(),
        "score": score,
        "latencyMs": 0,
        "namedScores": named,
        "gradingResult": grading(entry, score),
        "cost": entry.cost.unwrap_or_default(),
        "failureReason": failure as u8,
        "metadata": { "runId": entry.run_id, "traceId": entry.trace_id, "original": entry.original },
    });
    if let Some(error) = &entry.error {
        value["error"] = json!(error);
    }
    value
}

/// Returns promptfoo's `gradingResult` of a package, as JSON: a component for each metric, with its score
/// and its gravest issues as the reason. `score` is the composite divided by 100.
fn grading(entry: &EvaluationResult, score: f64) -> Value {
    let Some(scores) = entry.scores else {
        let reason = entry.error.as_deref().unwrap_or("the package was not evaluated");
        return json!({ "pass": false, "score": 0.0, "reason": reason, "componentResults": [] });
    };
    let component = |(metric, stage): (QualityMetric, ValidationStage)| {
        let score = scores.score(metric);
        json!({
            "pass": passes(entry, stage),
            "score": fraction(score),
            "reason": format!("{metric}: {score} of 100{}", quote_issues(entry, stage)),
            "namedScores": { metric.to_string(): fraction(score) },
        })
    };
    let counts = IssueCounts::of(&entry.issues);
    json!({
        "pass": entry.is_accepted(),
        "score": score,
        "reason": format!(
            "composite: {} of 100; issues: {} critical, {} major, {} minor",
            scores.composite, counts.critical, counts.major, counts.minor
        ),
        "componentResults": metric_stages().map(component).collect::<Vec<_>>(),
    })
}

fn quote_issues(entry: &EvaluationResult, stage: ValidationStage) -> String {
    let mut issues: Vec<&Issue> = entry.issues.iter().filter(|issue| issue.category == stage).collect();
    // The order of equal severities is that of the document.
    issues.sort_by_key(|issue| std::cmp::Reverse(issue.severity));
    let quote = |issue: &&Issue| {
        format!("\n{} {} (line {}): {}", issue.severity, issue.rule, issue.line, issue.message)
    };
    let text: String = issues.iter().take(QUOTED_ISSUES).map(quote).collect();
    match issues.len().checked_sub(QUOTED_ISSUES) {
        Some(more @ 1..) => text + &format!("\nand {more} more"),
        _ => text,
    }
}

fn fraction(score: f64) -> f64 {
    round(score.clamp(0.0, 100.0) / 100.0, 4)
}

fn token_usage(tokens: TokenCount) -> Value {
    json!({ "total": tokens.total(), "prompt": tokens.prompt, "completion": tokens.completion, "cached": 0 })
}

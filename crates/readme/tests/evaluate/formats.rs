//! The forms that results are shown in: JSON, promptfoo, tables. `UPDATE=1` rewrites the golden files; `tests/real/promptfoo.sh` imports one
//! of them into promptfoo itself.

use std::path::Path;

use serde_json::Value;
use stategraph_readme::evaluate::{
    BatchSummary, DocumentMetrics, EvaluationResult, TokenCount, compare, comparison_table, promptfoo,
    summary_table,
};
use stategraph_readme::validate::{Issue, IssueSeverity, IssueSource, ValidationStage};

fn issue(
    severity: IssueSeverity,
    rule: &str,
    category: ValidationStage,
    line: usize,
    message: &str,
) -> Issue {
    Issue {
        rule: rule.to_owned(),
        markdownlint: (rule == "structure/level-jump").then(|| "MD001".to_owned()),
        severity,
        category,
        section: "Overview".to_owned(),
        line,
        message: message.to_owned(),
        suggestion: "write the next level".to_owned(),
        source: IssueSource::Static,
    }
}

fn result(run: &str, package: &str, scores: [f64; 5], issues: Vec<Issue>) -> EvaluationResult {
    EvaluationResult {
        run_id: run.to_owned(),
        package: package.to_owned(),
        scores: Some(DocumentMetrics::of_scores(scores)),
        issues,
        tokens: TokenCount { prompt: 12_000, completion: 900 },
        cost: Some(0.0123),
        trace_id: Some("4bf92f3577b34da6a3ce929d0e0e4736".to_owned()),
        original: Some(format!("# {package}\n")),
        generated: Some(format!("# {package} Integration for Elastic\n\n{{{{fields \"log\"}}}}\n")),
        ..EvaluationResult::default()
    }
}

fn run(id: &str, label: &str, packages: &[&str], results: Vec<EvaluationResult>) -> BatchSummary {
    let packages: Vec<String> = packages.iter().map(|package| (*package).to_owned()).collect();
    BatchSummary::collect(id, label, "2024-01-15T10:30:00Z", &packages, results)
}

fn first() -> BatchSummary {
    let jump = issue(
        IssueSeverity::Major,
        "structure/level-jump",
        ValidationStage::Structure,
        7,
        "level 4 follows level 2",
    );
    let vague =
        issue(IssueSeverity::Minor, "quality/vague-word", ValidationStage::Quality, 9, "`some` is vague");
    let results = vec![
        result("run-1", "nginx", [80.0, 100.0, 70.0, 92.0, 95.0], vec![vague.clone(), jump]),
        result("run-1", "apache", [100.0, 100.0, 100.0, 98.0, 100.0], vec![vague]),
        EvaluationResult::failed("run-1", "broken", "manifest.yml: not UTF-8"),
    ];
    run("run-1", "offline", &["nginx", "broken", "apache"], results)
}

fn second() -> BatchSummary {
    let results = vec![
        result("run-2", "nginx", [100.0, 100.0, 90.0, 98.0, 100.0], Vec::new()),
        result("run-2", "zoom", [60.0, 40.0, 30.0, 90.0, 80.0], Vec::new()),
    ];
    run("run-2", "small model", &["nginx", "zoom"], results)
}

#[track_caller]
fn assert_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/evaluate/golden").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{name} changed; UPDATE=1 rewrites it:\n{text}");
}

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

// SEC-137
#[test]
fn a_small_batch_as_json() {
    let summary = first();
    let text = pretty(&summary);
    assert_golden("results.json", &text);
    assert_eq!(serde_json::from_str::<BatchSummary>(&text).unwrap(), summary);
}

#[test]
fn two_runs_as_json_and_on_a_terminal() {
    let comparison = compare(&first(), &second());
    assert_golden("comparison.json", &pretty(&comparison));
    assert_golden("comparison.txt", &comparison_table(&comparison));
    assert_golden("summary.txt", &summary_table(&first()));
}

#[test]
fn two_runs_as_one_evaluation_of_promptfoo() {
    let value = promptfoo(&[first(), second()]);
    assert_golden("promptfoo.json", &pretty(&value));
    let results = value["results"]["results"].as_array().unwrap();
    let prompts = value["results"]["prompts"].as_array().unwrap();
    assert_eq!((prompts.len(), results.len()), (2, 2 * 4));
    let cell = |test: u64, prompt: u64| {
        let is_meant = |result: &&Value| result["testIdx"] == test && result["promptIdx"] == prompt;
        results.iter().find(is_meant).unwrap()
    };
    assert_eq!(cell(0, 0)["vars"]["package"], "nginx");
    assert_eq!((&cell(0, 0)["score"], &cell(0, 0)["success"]), (&Value::from(0.868), &Value::from(false)));
    assert_eq!(cell(0, 0)["namedScores"]["structure"], 0.8);
    assert_eq!(cell(0, 1)["success"], true);
    assert_eq!(cell(1, 0)["error"], "manifest.yml: not UTF-8");
    assert_eq!(cell(3, 0)["error"], "this run does not have the package");
    let stats = &value["results"]["stats"];
    let counts = ["successes", "failures", "errors"].map(|count| stats[count].as_u64().unwrap());
    assert_eq!(counts, [3, 1, 4]);
}

#[test]
fn one_run_without_packages_is_an_empty_evaluation() {
    let value = promptfoo(&[run("run-1", "", &[], Vec::new())]);
    assert_eq!(value["results"]["results"], Value::Array(Vec::new()));
    assert_eq!(value["results"]["prompts"][0]["label"], "run-1");
    assert_eq!(promptfoo(&[])["results"]["prompts"], Value::Array(Vec::new()));
}

#[test]
fn a_hostile_name_neither_controls_the_terminal_nor_widens_the_table() {
    let name = format!("nginx\u{1b}[2J\r\n\u{202e}{}", "x".repeat(500));
    let hostile = run("run-1", "", &[&name], vec![EvaluationResult::failed("run-1", &name, "a\nb\u{7}")]);
    let tables = [summary_table(&hostile), comparison_table(&compare(&hostile, &hostile))];
    for table in tables {
        assert!(table.chars().all(|c| c == '\n' || !c.is_control()), "{table:?}");
        assert!(!table.contains('\u{202e}') && table.contains("error: a b"), "{table}");
        assert!(table.lines().all(|line| line.chars().count() < 200), "{table}");
    }
}

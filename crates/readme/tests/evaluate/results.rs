//! Results of batches.

use std::time::Duration;

use stategraph_readme::evaluate::{
    BatchSummary, BatchTotals, DocumentMetrics, EvaluationResult, TokenCount, parse_package_list, start_delay,
};
use stategraph_readme::validate::{CheckState, Validation};

fn result(package: &str, structure: f64) -> EvaluationResult {
    EvaluationResult {
        run_id: "r1".to_owned(),
        package: package.to_owned(),
        scores: Some(DocumentMetrics::of_scores([structure, 50.0, 50.0, 50.0, 50.0])),
        tokens: TokenCount { prompt: 100, completion: 20 },
        cost: Some(0.1),
        ..EvaluationResult::default()
    }
}

fn list(names: &str) -> Vec<String> {
    parse_package_list(names)
}

// SEC-134
#[test]
fn a_summary_does_not_depend_on_which_package_ends_first() {
    let packages = list("zoom,apache,nginx");
    let early = [result("zoom", 1.0), result("apache", 2.0), result("nginx", 3.0)];
    let mut late = early.to_vec();
    late.reverse();
    let summary = BatchSummary::collect("r1", "", "", &packages, early);
    assert_eq!(summary, BatchSummary::collect("r1", "", "", &packages, late));
    let order: Vec<&str> = summary.entries.iter().map(|entry| entry.package.as_str()).collect();
    assert_eq!(order, ["zoom", "apache", "nginx"]);
}

// SEC-137
#[test]
fn a_summary_has_totals_and_the_average_of_the_evaluated_packages() {
    let results = [result("a", 100.0), EvaluationResult::failed("r1", "b", "no manifest"), result("c", 50.0)];
    let summary = BatchSummary::collect("r1", "", "", &list("a,b,c"), results);
    let totals = &summary.totals;
    assert_eq!((totals.packages, totals.evaluated, totals.failed, totals.unpriced), (3, 2, 1, 0));
    assert_eq!(totals.tokens, TokenCount { prompt: 200, completion: 40 });
    assert_eq!(totals.cost, Some(0.2));
    assert_eq!(summary.averages.map(|averages| averages.structure), Some(75.0));
}

// SEC-138
#[test]
fn a_package_that_cannot_be_loaded_is_an_entry_with_an_error_in_its_place() {
    let results =
        [result("c", 1.0), EvaluationResult::failed("r1", "b", "manifest.yml: not UTF-8"), result("a", 1.0)];
    let summary = BatchSummary::collect("r1", "", "", &list("a,b,c,d"), results);
    let errors: Vec<Option<&str>> = summary.entries.iter().map(|entry| entry.error.as_deref()).collect();
    assert_eq!(
        errors,
        [None, Some("manifest.yml: not UTF-8"), None, Some("the run ended before this package")]
    );
    assert!(!summary.entries[1].is_accepted());
}

#[test]
fn a_batch_of_no_packages_has_no_average() {
    let summary = BatchSummary::collect("r1", "", "", &[], []);
    assert_eq!((summary.averages, summary.totals), (None, BatchTotals::default()));
}

#[test]
fn a_list_of_packages_loses_spaces_empty_names_and_repetitions() {
    assert_eq!(list(" citrix_adc, nginx,,apache ,nginx,"), ["citrix_adc", "nginx", "apache"]);
    assert!(list(" , ").is_empty());
}

// SEC-137
#[test]
fn starts_are_half_a_second_apart() {
    assert_eq!(start_delay(0), Duration::ZERO);
    assert_eq!(start_delay(3), Duration::from_millis(1500));
}

#[test]
fn a_check_that_did_not_happen_is_part_of_the_result() {
    let skipped = Validation {
        validator: "accuracy".to_owned(),
        valid: true,
        score: 0,
        issues: Vec::new(),
        summary: String::new(),
        state: CheckState::NotChecked("the answer was no JSON".to_owned()),
    };
    let result = EvaluationResult::of_document("r1", "a", "# A\n".to_owned(), &[skipped], None);
    assert_eq!(result.not_checked.get("accuracy").map(String::as_str), Some("the answer was no JSON"));
}

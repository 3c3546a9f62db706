//! Evaluation of whole packages: the three invented ones, their documents by rules, and the real validators.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use stategraph_readme::document::{NOT_POPULATED, parse};
use stategraph_readme::evaluate::{
    BatchSummary, DocumentMetrics, EvaluationResult, QualityMetric, metrics, parse_package_list,
    write_results,
};
use stategraph_readme::package::IntegrationPackage;
use stategraph_readme::rules::write_document;
use stategraph_readme::validate::{
    DocumentProfile, Validation, ValidationOptions, ValidationSubject, validate,
};

const NAMES: &str = "borealis_firewall,meridian_shield,tidal_db";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages").join(name)
}

fn check(text: &str, package: &IntegrationPackage) -> Vec<Validation> {
    let options = ValidationOptions::default();
    let subject = ValidationSubject { text, section: None, package: Some(package), options: &options };
    validate(&subject, DocumentProfile::Package)
}

fn measure(text: &str, package: &IntegrationPackage) -> DocumentMetrics {
    metrics(text, &check(text, package), Some(package))
}

/// Returns the files below a folder with their contents.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.append(&mut files(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

// SEC-132
#[test]
fn a_document_by_rules_has_the_parts_of_its_template_and_agrees_with_its_package() {
    for name in parse_package_list(NAMES) {
        let package = IntegrationPackage::load(&folder(&name)).unwrap();
        let scores = measure(&write_document(&package).markdown, &package);
        for metric in [QualityMetric::Structure, QualityMetric::Accuracy] {
            assert!(scores.score(metric) > 99.0, "{name}: {scores:?}");
        }
        assert!(scores.composite > 80.0, "{name}: {scores:?}");
    }
}

// SEC-132
#[test]
fn a_document_without_one_of_its_sections_never_scores_higher() {
    for name in parse_package_list(NAMES) {
        let package = IntegrationPackage::load(&folder(&name)).unwrap();
        let document = parse(&write_document(&package).markdown);
        // Without validators, because these three metrics need none.
        let measure = |text: &str| metrics(text, &[], Some(&package));
        let whole = measure(&document.text());
        for place in 0..document.sections.len() {
            let mut less = document.clone();
            let removed = less.sections.remove(place).title;
            let scores = measure(&less.text());
            assert!(scores.structure < whole.structure, "{name} without {removed}: {scores:?}");
            assert!(scores.accuracy <= whole.accuracy, "{name} without {removed}: {scores:?}");
            assert!(scores.completeness <= whole.completeness, "{name} without {removed}: {scores:?}");
        }
    }
}

// SEC-135
#[test]
fn placeholders_and_unfinished_work_that_validators_find_lower_the_scores() {
    let package = IntegrationPackage::load(&folder("borealis_firewall")).unwrap();
    let text = write_document(&package).markdown;
    let before = measure(&text, &package);
    let marked = text
        .replace("## Troubleshooting", "<<INSERT LINK>> and [TBD]\n\nTODO: say more.\n\n## Troubleshooting");
    let after = measure(&marked, &package);
    let found = |prefix: &str| {
        let count = |text: &str| {
            let verdicts = check(text, &package);
            verdicts
                .iter()
                .flat_map(|verdict| &verdict.issues)
                .filter(|issue| issue.rule.starts_with(prefix))
                .count()
        };
        count(&marked) - count(&text)
    };
    assert!(found("placeholder/") > 0 && found("quality/work-in-progress") > 0);
    let lost = before.placeholders - after.placeholders;
    assert_eq!(lost.to_string(), (5 * found("placeholder/")).to_string());
    assert!(before.quality - after.quality >= 10.0, "{before:?} {after:?}");
}

#[test]
fn an_empty_section_is_not_complete() {
    let package = IntegrationPackage::load(&folder("borealis_firewall")).unwrap();
    let mut document = parse(&write_document(&package).markdown);
    let before = measure(&document.text(), &package);
    let section = document.sections.iter_mut().find(|section| section.title == "Troubleshooting").unwrap();
    section.children.clear();
    section.body = format!("\n{NOT_POPULATED}\n\n");
    let after = measure(&document.text(), &package);
    assert_eq!((before.completeness - after.completeness).to_string(), "15");
}

// SEC-138, 139
#[test]
fn an_evaluation_of_a_batch_reports_a_missing_package_in_its_place_and_changes_no_package() {
    let packages = parse_package_list("tidal_db,no_such_package,borealis_firewall");
    let before = files(&folder(""));
    let evaluate = |name: &String| match IntegrationPackage::load(&folder(name)) {
        Ok(package) => {
            let document = write_document(&package).markdown;
            let verdicts = check(&document, &package);
            let result = EvaluationResult::of_document("run-1", name, document, &verdicts, Some(&package));
            EvaluationResult { original: package.existing.clone(), ..result }
        }
        Err(error) => EvaluationResult::failed("run-1", name, error.to_string()),
    };
    // As if the last of the list had ended first.
    let results: Vec<EvaluationResult> = packages.iter().rev().map(evaluate).collect();
    let summary = BatchSummary::collect("run-1", "rules", "2024-01-15T10:30:00Z", &packages, results);
    let roots: Vec<PathBuf> = packages.iter().map(|name| folder(name)).collect();
    let output = tempfile::tempdir().unwrap();
    write_results(output.path(), &summary, roots.iter().map(PathBuf::as_path)).unwrap();
    assert_eq!(files(&folder("")), before);
    let errors: Vec<bool> = summary.entries.iter().map(|entry| entry.error.is_some()).collect();
    assert_eq!(errors, [false, true, false]);
    assert_eq!(files(&output.path().join("packages")).len(), 5);
    assert!(
        write_results(&folder("tidal_db").join("results"), &summary, roots.iter().map(PathBuf::as_path))
            .is_err()
    );
    assert_eq!(files(&folder("")), before);
}

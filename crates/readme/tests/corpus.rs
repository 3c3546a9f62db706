//! Runs the validators over documents with known issues, and measures precision and recall. The documents were written from the rules
//! before the validators were tried on them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use stategraph_readme::package::IntegrationPackage;
use stategraph_readme::validate::{DocumentProfile, ValidationOptions, ValidationSubject, validate};

/// Least share of found issues that are expected, and of expected issues that are found.
const FLOOR: f64 = 1.0;

/// A document with its issues.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CorpusCase {
    name: String,
    profile: DocumentProfile,
    validator: String,
    #[serde(default)]
    scope: Option<String>,
    #[serde(default)]
    section: Option<String>,
    #[serde(default)]
    package: Option<IntegrationPackage>,
    #[serde(default)]
    files: Option<Vec<String>>,
    text: String,
    #[serde(default)]
    expect: Vec<ExpectedIssue>,
}

/// An issue that a document has.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedIssue {
    rule: String,
    #[serde(default)]
    line: Option<usize>,
    #[serde(default)]
    severity: Option<String>,
}

/// Counts of one validator.
#[derive(Debug, Default)]
struct CorpusScore {
    right: usize,
    wrong: usize,
    missed: usize,
}

fn find_issues(case: &CorpusCase) -> Vec<(String, usize, String)> {
    let files = case.files.clone().map(|files| -> Arc<dyn Fn(&str) -> bool + Send + Sync> {
        Arc::new(move |path: &str| {
            files.iter().any(|file| file == path || file.starts_with(&format!("{path}/")))
        })
    });
    let options = ValidationOptions { files, ..ValidationOptions::default() };
    let section =
        (case.scope.as_deref() == Some("section")).then(|| case.section.as_deref().unwrap_or_default());
    let subject =
        ValidationSubject { text: &case.text, section, package: case.package.as_ref(), options: &options };
    let validations = validate(&subject, case.profile);
    let own = validations.iter().filter(|validation| validation.validator == case.validator);
    own.flat_map(|validation| &validation.issues)
        .map(|issue| (issue.rule.clone(), issue.line, issue.severity.to_string()))
        .collect()
}

/// Compares the issues of a case, and writes the differences.
fn judge(case: &CorpusCase, score: &mut CorpusScore, report: &mut String) {
    let mut found = find_issues(case);
    let mut missed = Vec::new();
    for expected in &case.expect {
        let fits = |(rule, line, severity): &(String, usize, String)| {
            *rule == expected.rule
                && expected.line.is_none_or(|wanted| wanted == *line)
                && expected.severity.as_ref().is_none_or(|wanted| wanted == severity)
        };
        match found.iter().position(fits) {
            Some(place) => {
                found.remove(place);
                score.right += 1;
            }
            None => missed.push(expected),
        }
    }
    score.wrong += found.len();
    score.missed += missed.len();
    for (rule, line, severity) in &found {
        let _ = writeln!(
            report,
            "  {}: \"{}\": wrong {rule} ({severity}) at line {line}",
            case.validator, case.name
        );
    }
    for expected in missed {
        let line = expected.line.map_or_else(String::new, |line| format!(" at line {line}"));
        let _ = writeln!(report, "  {}: \"{}\": missed {}{line}", case.validator, case.name, expected.rule);
    }
}

fn cases() -> Vec<CorpusCase> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let entries = std::fs::read_dir(&folder).expect("the corpus is in the repository");
    let files: BTreeSet<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    let yaml = files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    yaml.flat_map(|path| {
        let text = std::fs::read_to_string(path).expect("a readable file");
        serde_saphyr::from_str::<Vec<CorpusCase>>(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    })
    .collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of issues")]
fn share(part: usize, rest: usize) -> f64 {
    if part + rest == 0 { 1.0 } else { part as f64 / (part + rest) as f64 }
}

// SEC-93, SEC-97, SEC-100, SEC-101, SEC-102, SEC-103, SEC-104, SEC-105, SEC-106, SEC-107, SEC-108, SEC-109, SEC-110, SEC-111, SEC-112, SEC-113,
// SEC-114, SEC-115, SEC-116, SEC-117, SEC-118, SEC-119, SEC-120, SEC-121
#[test]
#[expect(clippy::print_stderr, reason = "the score of each validator is what a reader of this test wants")]
fn the_validators_find_the_issues_of_the_corpus_and_no_others() {
    let mut scores: BTreeMap<String, CorpusScore> = BTreeMap::new();
    let mut report = String::new();
    let cases = cases();
    for case in &cases {
        judge(case, scores.entry(case.validator.clone()).or_default(), &mut report);
    }
    let mut all = CorpusScore::default();
    for (validator, score) in &scores {
        eprintln!(
            "{validator:20} right {:3}, wrong {:3}, missed {:3}: precision {:.2}, recall {:.2}",
            score.right,
            score.wrong,
            score.missed,
            share(score.right, score.wrong),
            share(score.right, score.missed)
        );
        all.right += score.right;
        all.wrong += score.wrong;
        all.missed += score.missed;
    }
    let (precision, recall) = (share(all.right, all.wrong), share(all.right, all.missed));
    eprintln!(
        "all: {} documents, {all:?}: precision {precision:.3}, recall {recall:.3}\n{report}",
        cases.len()
    );
    assert!(precision >= FLOOR && recall >= FLOOR, "precision {precision:.3}, recall {recall:.3}:\n{report}");
}

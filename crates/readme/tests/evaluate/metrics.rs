//! Metrics of documents.

use serde_json::json;
use stategraph_readme::evaluate::{DocumentMetrics, QualityMetric, metrics};
use stategraph_readme::package::{DataStream, IntegrationPackage, PackageField, PackageManifest};
use stategraph_readme::validate::{
    CheckState, Issue, IssueSeverity, IssueSource, Validation, ValidationStage,
};

/// A document with everything that the metrics ask for.
const WHOLE: &str = r#"# Citrix ADC Integration for Elastic

## Overview

Collects logs of Citrix ADC.

### Compatibility

Tested with version 13 of the vendor.

### How it works

The agent listens for syslog.

## What data does this integration collect?

The streams `log` and `audit` with their events.

### Supported use cases

Watching the load of a site.

## What do I need to use this integration?

An Elastic deployment and an account.

## How do I deploy this integration?

### Agent-based deployment

Install the agent first.

### Set up steps

1. In Kibana, open Integrations.

### Validation

Look at Discover for events.

## Troubleshooting

Check the port of the listener.

## Performance and scaling

Prefer TCP over UDP here.

## Reference

### Inputs used

The input is called tcp.

### log

{{fields "log"}}

### audit

The fields `citrix_adc.audit.user` and `@timestamp`.
"#;

fn field(name: &str) -> PackageField {
    PackageField { name: name.to_owned(), ..PackageField::default() }
}

fn package() -> IntegrationPackage {
    let stream = |name: &str, fields: &[&str]| DataStream {
        name: name.to_owned(),
        dataset: format!("citrix_adc.{name}"),
        fields: fields.iter().map(|name| field(name)).collect(),
        ..DataStream::default()
    };
    IntegrationPackage {
        manifest: PackageManifest {
            name: "citrix_adc".to_owned(),
            title: "Citrix ADC".to_owned(),
            ..PackageManifest::default()
        },
        data_streams: vec![
            stream("log", &["citrix_adc.log.line"]),
            stream("audit", &["@timestamp", "citrix_adc.audit.user"]),
        ],
        ..IntegrationPackage::default()
    }
}

fn issue(rule: &str) -> Issue {
    Issue {
        rule: rule.to_owned(),
        markdownlint: None,
        severity: IssueSeverity::Minor,
        category: ValidationStage::Quality,
        section: String::new(),
        line: 1,
        message: String::new(),
        suggestion: String::new(),
        source: IssueSource::Static,
    }
}

fn verdict(validator: &str, rules: &[&str]) -> Validation {
    Validation {
        validator: validator.to_owned(),
        valid: true,
        score: 0,
        issues: rules.iter().map(|rule| issue(rule)).collect(),
        summary: String::new(),
        state: CheckState::Checked,
    }
}

fn scores(text: &str) -> DocumentMetrics {
    metrics(text, &[verdict("quality", &[]), verdict("placeholder", &[])], Some(&package()))
}

fn without(text: &str) -> DocumentMetrics {
    assert!(WHOLE.contains(text), "{text}");
    scores(&WHOLE.replace(text, ""))
}

#[track_caller]
fn assert_close(score: f64, expected: f64) {
    assert!((score - expected).abs() < 0.01, "{score} is not {expected}");
}

// SEC-132, 135
#[test]
fn a_whole_document_has_full_scores() {
    let scores = scores(WHOLE);
    for metric in QualityMetric::ALL {
        assert_close(scores.score(metric), 100.0);
    }
}

// SEC-135
#[test]
fn structure_is_60_for_required_parts_20_for_recommended_ones_and_20_for_the_hierarchy() {
    // One of seven sections, and its heading is not there to be out of order.
    assert_close(without("## Troubleshooting\n").structure, 100.0 - 60.0 / 7.0);
    assert_close(without("### Validation\n").structure, 100.0 - 20.0 / 7.0);
    // The document has 17 headings; without its title the first is one in the wrong place.
    let headings = 17.0;
    assert_close(
        without("# Citrix ADC Integration for Elastic\n").structure,
        100.0 - 20.0 / (headings - 1.0),
    );
    let jump = scores(&WHOLE.replace("### Compatibility", "#### Compatibility"));
    assert_close(jump.structure, 100.0 - 20.0 / headings);
    assert_close(scores("No heading.\n").structure, 0.0);
}

// SEC-107
#[test]
fn required_parts_are_those_of_the_packages_template() {
    let mut package = package();
    package.template = "# {{title}}\n\n## Setup\n\n### Steps\n\n## {{special}}\n".to_owned();
    let structure = |text: &str| metrics(text, &[], Some(&package)).structure;
    assert_close(structure("# A\n\n## Setup\n\n### Steps\n"), 100.0);
    assert_close(structure("# A\n\n## Setup\n"), 80.0);
    assert_close(structure("# A\n\n## Overview\n"), 20.0);
    package.template = "## How do I use it?\n".to_owned();
    let structure = |text: &str| metrics(text, &[], Some(&package)).structure;
    assert_close(structure("# A\n\n## How do I use it?\n"), 100.0);
    assert_close(structure("# A\n\n## Overview\n"), 40.0);
}

// SEC-135
#[test]
fn accuracy_is_20_for_the_name_20_for_the_title_40_for_data_streams_and_20_for_fields() {
    // The name of the package stands in that of a field only.
    assert_close(scores(&WHOLE.replace("citrix_adc.audit.user", "x")).accuracy, 100.0 - 20.0 - 20.0 / 4.0);
    assert_close(scores(&WHOLE.replace("Citrix ADC", "the product")).accuracy, 80.0);
    assert_close(scores(&WHOLE.replace("audit", "x")).accuracy, 100.0 - 40.0 / 2.0 - 20.0 / 4.0);
    assert_close(without("{{fields \"log\"}}").accuracy, 100.0 - 20.0 / 2.0);
    assert_close(metrics(WHOLE, &[], None).accuracy, 50.0);
}

#[test]
fn a_package_is_not_measured_by_parts_that_it_does_not_have() {
    assert_close(metrics(WHOLE, &[], Some(&IntegrationPackage::default())).accuracy, 50.0);
    let mut package = package();
    package.data_streams.clear();
    assert_close(metrics("# Citrix ADC\n", &[], Some(&package)).accuracy, 50.0);
    assert_close(metrics("# Citrix ADC, or `citrix_adc`\n", &[], Some(&package)).accuracy, 100.0);
}

// SEC-135
#[test]
fn completeness_is_25_for_the_set_up_and_15_for_each_of_five_parts() {
    assert_close(without("Look at Discover for events.").completeness, 100.0 - 25.0 / 3.0);
    assert_close(without("In Kibana, open Integrations.").completeness, 100.0 - 25.0 / 3.0);
    assert_close(without("Check the port of the listener.").completeness, 85.0);
    assert_close(without("Prefer TCP over UDP here.").completeness, 85.0);
    assert_close(without("An Elastic deployment and an account.").completeness, 85.0);
    assert_close(scores(&WHOLE.replace("streams `log` and `audit`", "streams")).completeness, 85.0);
    assert_close(scores("# A\n").completeness, 0.0);
}

#[test]
fn a_part_with_only_a_marker_or_a_comment_is_missing() {
    let text = "Check the port of the listener.";
    for empty in [
        "<!-- NOT POPULATED -->\n*This section is not populated yet.*",
        "Information not available",
        "<!-- a long comment\nof two lines -->",
        "### A heading of many words",
    ] {
        assert_close(scores(&WHOLE.replace(text, empty)).completeness, 85.0);
    }
}

// SEC-135
#[test]
fn quality_loses_points_for_each_issue_and_placeholders_lose_five() {
    let quality = |rules: &[&str]| metrics("", &[verdict("quality", rules)], None).quality;
    assert_close(quality(&["quality/work-in-progress"; 2]), 80.0);
    assert_close(quality(&["quality/vague-word", "quality/short-section"]), 95.0);
    assert_close(quality(&["quality/passive-voice"]), 90.0);
    assert_close(quality(&["quality/vague-word"; 500]), 80.0);
    assert_close(quality(&["style/latin-abbreviation"; 5]), 100.0);
    let placeholders = |count: usize| {
        metrics("", &[verdict("placeholder", &vec!["placeholder/informal"; count])], None).placeholders
    };
    assert_close(placeholders(3), 85.0);
    assert_close(placeholders(100), 0.0);
}

#[test]
fn writing_that_no_validator_read_is_not_perfect() {
    let unread = metrics(WHOLE, &[], None);
    assert_close(unread.quality, 50.0);
    let mut skipped = verdict("placeholder", &[]);
    skipped.state = CheckState::NotChecked("switched off".to_owned());
    assert_close(metrics(WHOLE, &[skipped], None).placeholders, 50.0);
}

// SEC-136
#[test]
fn the_composite_is_weighted() {
    let composite = |place: usize| {
        let mut scores = [0.0; 5];
        scores[place] = 100.0;
        DocumentMetrics::of_scores(scores).composite
    };
    let weights: Vec<f64> = (0..5).map(composite).collect();
    assert_eq!(weights, [20.0, 30.0, 25.0, 15.0, 10.0]);
    let mixed = DocumentMetrics::of_scores([90.0, 80.0, 70.0, 60.0, 50.0]);
    assert_close(mixed.composite, 18.0 + 24.0 + 17.5 + 9.0 + 5.0);
}

// SEC-132
#[test]
fn metrics_are_json_of_numbers_with_two_decimals() {
    let metrics = DocumentMetrics::of_scores([100.0 / 3.0, -5.0, 500.0, f64::from(2) / 3.0, 0.0]);
    let expected = json!({
        "structure": 33.33, "accuracy": 0.0, "completeness": 100.0, "quality": 0.67, "placeholders": 0.0, "composite": 31.77
    });
    assert_eq!(serde_json::to_value(metrics).unwrap(), expected);
}

#[test]
fn hostile_documents_are_measured_in_one_pass() {
    let package = package();
    for part in ["{{fields \"", "<!-- ", "[", "# ", "`", "| a "] {
        let text = part.repeat(200_000 / part.len());
        let composite = metrics(&text, &[], Some(&package)).composite;
        assert!((0.0..=100.0).contains(&composite), "{part}");
    }
}

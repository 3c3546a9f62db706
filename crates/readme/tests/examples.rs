//! The shipped example documents are examples: they pass the validators and have every section.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::path::Path;

use stategraph_readme::package::{IntegrationPackage, examples, template_sections};
use stategraph_readme::validate::{DocumentProfile, Issue, ValidationOptions, ValidationSubject, validate};

// SEC-130
#[test]
fn examples_have_all_sections_and_are_found_by_category_and_section() {
    let package = IntegrationPackage::default();
    for example in examples::list() {
        assert_eq!(examples::get(example.name), Some(example));
        for section in template_sections(&package) {
            let text = examples::for_section(example.categories[0], &section.title).unwrap();
            assert!(example.text.contains(text.trim_end()), "{}: {}", example.name, section.title);
        }
    }
    let names: Vec<_> = examples::list().iter().map(|example| example.name).collect();
    assert!(names.is_sorted() && names.len() == 3);
    assert_eq!(examples::get("none"), None);
    assert_eq!(examples::for_section("network", "Changelog"), None);
    assert!(examples::for_section("no such category", "Overview").is_some());
    assert!(examples::for_section("network", "Setup").unwrap().contains("<AGENT_IP>"));
}

#[test]
fn examples_pass_the_validators() {
    let options = ValidationOptions::default();
    for example in examples::list() {
        let title = example.text.lines().next().unwrap().trim_start_matches("# ");
        let mut package = IntegrationPackage::default();
        title.trim_end_matches(" Integration for Elastic").clone_into(&mut package.manifest.title);
        let subject = ValidationSubject {
            text: example.text,
            section: None,
            package: Some(&package),
            options: &options,
        };
        let issues: Vec<String> = validate(&subject, DocumentProfile::Package)
            .into_iter()
            .flat_map(|verdict| verdict.issues)
            .filter(Issue::is_blocking)
            .map(|issue| format!("{}:{} {} {}", example.name, issue.line, issue.rule, issue.message))
            // The package here has no data streams, so that tags of the example name unknown ones.
            .filter(|issue| !issue.contains("completeness/unknown-stream"))
            .collect();
        assert_eq!(issues, Vec::<String>::new());
    }
}

#[test]
fn examples_are_files_of_this_crate() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/documents");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), examples::list().len());
}

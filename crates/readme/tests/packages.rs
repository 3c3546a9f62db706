//! Three packages with traps: reading them, the document that rules write, and repairs are compared with facts that were written before the code ran
//! (`packages/*/expected.yaml`). The documents are golden files; `UPDATE=1` rewrites them.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};
use stategraph_readme::document::{DISCLOSURE, NOT_AVAILABLE, parse, parse_all, preserve_blocks};
use stategraph_readme::fix::fix_document;
use stategraph_readme::package::{
    BUILT_IN_TEMPLATE, IntegrationPackage, PackageField, PackageInput, PackagePlace, PackageVariable,
    ServiceInfo, template_sections,
};
use stategraph_readme::rules::{RULE_DISCLOSURE, write_document, write_section};
use stategraph_readme::validate::{DocumentProfile, ValidationOptions, ValidationSubject, validate};

const NAMES: [&str; 3] = ["borealis_firewall", "meridian_shield", "tidal_db"];

/// The facts of a package. Parts that a test compares as a whole are values.
#[derive(Deserialize)]
struct ExpectedFacts {
    manifest: BTreeMap<String, Value>,
    #[serde(default)]
    manifest_variables: Vec<Value>,
    policy_templates: Vec<Value>,
    data_streams: Vec<Value>,
    defects: Vec<Value>,
    template: String,
    #[serde(default)]
    template_sections: Vec<Value>,
    preserve_blocks: Vec<Value>,
    links: Vec<Value>,
    service_info: Option<Vec<ExpectedKnowledge>>,
    sections: Vec<ExpectedSource>,
    must_have_marker: Vec<ExpectedMarker>,
    fix: Option<ExpectedFix>,
    must_contain: Vec<String>,
    absent_headings: Vec<String>,
    false_claims: Vec<String>,
}

#[derive(Deserialize)]
struct ExpectedKnowledge {
    section: Option<String>,
    contains: Vec<String>,
    lacks: Vec<String>,
}

#[derive(Deserialize)]
struct ExpectedSource {
    section: String,
    source: String,
}

#[derive(Deserialize)]
struct ExpectedMarker {
    section: String,
    part: String,
}

#[derive(Deserialize)]
struct ExpectedFix {
    adds: Vec<String>,
    adds_before: Option<String>,
    removes: Vec<String>,
    keeps: Vec<String>,
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages").join(name)
}

fn load(name: &str) -> (IntegrationPackage, ExpectedFacts) {
    let expected = std::fs::read_to_string(folder(name).join("expected.yaml")).unwrap();
    (IntegrationPackage::load(&folder(name)).unwrap(), serde_saphyr::from_str(&expected).unwrap())
}

fn place(place: &PackagePlace) -> String {
    format!("{}:{}", place.path, place.line)
}

/// Compares the keys that the facts have; a fact is not complete in all of them.
fn check_keys(what: &str, expected: &Value, found: &Value) {
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(found.get(key).unwrap_or(&Value::Null), value, "{what}: {key}");
    }
}

fn show_variable(variable: &PackageVariable) -> Value {
    json!({
        "name": variable.name, "kind": variable.kind, "title": variable.title, "description": variable.description,
        "default": variable.default, "is_required": variable.is_required, "is_secret": variable.is_secret,
        "is_shown": variable.is_shown, "place": place(&variable.place),
    })
}

fn check_variables(what: &str, expected: &[Value], found: &[PackageVariable]) {
    assert_eq!(expected.len(), found.len(), "{what}: {found:?}");
    for (expected, found) in expected.iter().zip(found) {
        check_keys(&format!("{what}: variable {}", found.name), expected, &show_variable(found));
    }
}

fn check_inputs(what: &str, expected: &Value, found: &[PackageInput]) {
    let expected = expected.as_array().unwrap();
    assert_eq!(expected.len(), found.len(), "{what}");
    for (expected, found) in expected.iter().zip(found) {
        let what = format!("{what}: input {}", found.kind);
        let shown = json!({"kind": found.kind, "title": found.title, "place": place(&found.place)});
        let mut rest = expected.clone();
        let variables = rest.as_object_mut().unwrap().remove("variables").unwrap();
        check_keys(&what, &rest, &shown);
        check_variables(&what, variables.as_array().unwrap(), &found.variables);
    }
}

fn check_fields(what: &str, expected: &Value, found: &[PackageField]) {
    let shown = |field: &PackageField| {
        json!({
            "name": field.name, "kind": field.kind, "external": field.external, "unit": field.unit,
            "metric_type": field.metric_type, "description": field.description, "place": place(&field.place),
        })
    };
    let names: Vec<&str> = found.iter().map(|field| field.name.as_str()).collect();
    let wanted: Vec<&str> =
        expected.as_array().unwrap().iter().map(|field| field["name"].as_str().unwrap()).collect();
    assert_eq!(names, wanted, "{what}");
    for (expected, found) in expected.as_array().unwrap().iter().zip(found) {
        check_keys(&format!("{what}: field {}", found.name), expected, &shown(found));
    }
}

// SEC-101
#[test]
fn packages_are_read_as_their_files_say() {
    for name in NAMES {
        let (package, expected) = load(name);
        let manifest = serde_json::to_value(&package.manifest).unwrap();
        check_keys(name, &json!(expected.manifest), &manifest);
        check_variables(name, &expected.manifest_variables, &package.manifest.variables);
        assert_eq!(package.manifest.policy_templates.len(), expected.policy_templates.len(), "{name}");
        for (expected, found) in expected.policy_templates.iter().zip(&package.manifest.policy_templates) {
            check_inputs(name, &expected["inputs"], &found.inputs);
            let mut found = serde_json::to_value(found).unwrap();
            let mut expected = expected.clone();
            found.as_object_mut().unwrap().remove("inputs");
            expected.as_object_mut().unwrap().remove("inputs");
            check_keys(name, &expected, &found);
        }
        assert_eq!(package.data_streams.len(), expected.data_streams.len(), "{name}");
        for (expected, found) in expected.data_streams.iter().zip(&package.data_streams) {
            let what = format!("{name}: {}", found.name);
            check_inputs(&what, &expected["inputs"], &found.inputs);
            check_fields(&what, &expected["fields"], &found.fields);
            assert_eq!(json!(found.sample_event.is_some()), expected["has_sample_event"], "{what}");
            let shown = json!({"name": found.name, "title": found.title, "dataset": found.dataset, "kind": found.kind});
            for key in ["name", "title", "dataset", "kind"] {
                assert_eq!(shown[key], expected[key], "{what}: {key}");
            }
        }
        let defects: Vec<Value> = package.defects.iter().map(|defect| json!({"path": defect.path})).collect();
        assert_eq!(defects, expected.defects, "{name}: {:?}", package.defects);
        // SEC-107
        assert_eq!(package.template == BUILT_IN_TEMPLATE, expected.template == "built-in", "{name}");
        let sections: Vec<_> = template_sections(&package)
            .iter()
            .map(|section| json!({"title": section.title, "parts": section.parts}))
            .collect();
        assert!(
            expected.template_sections.is_empty() || sections == expected.template_sections,
            "{name}: {sections:#?}"
        );
    }
}

// SEC-31, SEC-34, SEC-35
#[test]
fn the_knowledge_of_packages_answers_for_each_section() {
    for name in NAMES {
        let (package, expected) = load(name);
        for case in expected.service_info.unwrap_or_default() {
            let answer = package.service_info_for(case.section.as_deref());
            for text in &case.contains {
                assert!(answer.contains(text.as_str()), "{name}: {:?} lacks {text}:\n{answer}", case.section);
            }
            for text in &case.lacks {
                assert!(!answer.contains(text.as_str()), "{name}: {:?} has {text}:\n{answer}", case.section);
            }
        }
        let info = package.service_info.as_deref().map(ServiceInfo::parse);
        let links = info.map(|info| info.links()).unwrap_or_default();
        for expected in &expected.links {
            let target = &expected["target"];
            let wanted = expected["place"].as_str().unwrap().rsplit_once(':').unwrap().1;
            let found =
                links.iter().any(|link| json!(link.target) == *target && link.line.to_string() == wanted);
            assert!(found, "{name}: {target} at {wanted} is not in {links:?}");
        }
    }
}

#[test]
fn the_readme_shows_lines_of_a_document_by_rules() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(crate_folder.join("../../README.md")).unwrap();
    let document = std::fs::read_to_string(crate_folder.join("tests/golden/borealis_firewall.md")).unwrap();
    let section = readme.split_once("## README sections").unwrap().1;
    let excerpt = section.split_once("```markdown\n").unwrap().1.split_once("```").unwrap().0;
    assert!(excerpt.lines().count() > 5);
    for line in excerpt.lines().filter(|line| !line.is_empty()) {
        assert!(document.lines().any(|written| written == line), "{line}");
    }
}

#[test]
fn documents_by_rules_say_what_packages_say_and_nothing_false() {
    for name in NAMES {
        let (package, expected) = load(name);
        let document = write_document(&package).markdown;
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.md"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&golden, &document).unwrap();
        }
        let lower = document.to_lowercase();
        for text in &expected.must_contain {
            assert!(document.contains(text.as_str()), "{name}: {text} is missing");
        }
        for text in &expected.false_claims {
            assert!(!lower.contains(&text.to_lowercase()), "{name}: {text} is false");
        }
        let headings: Vec<String> =
            parse_all(&document).flatten().iter().map(|it| it.title.to_lowercase()).collect();
        for title in &expected.absent_headings {
            assert!(!headings.contains(&title.to_lowercase()), "{name}: heading {title}");
        }
        // SEC-46
        assert_eq!(
            (document.matches(RULE_DISCLOSURE).count(), document.matches(DISCLOSURE).count()),
            (1, 0),
            "{name}"
        );
        let golden = std::fs::read_to_string(&golden).unwrap_or_default();
        assert!(
            document == golden,
            "{name}: the document differs from its golden file; UPDATE=1 rewrites it"
        );
    }
}

#[test]
fn sections_name_their_sources_and_mark_what_has_none() {
    for name in NAMES {
        let (package, expected) = load(name);
        let sections = template_sections(&package);
        for case in &expected.sections {
            let section = sections.iter().find(|section| section.title == case.section).unwrap();
            let written = write_section(&package, section);
            let sources: Vec<String> = written.sources.iter().map(place).collect();
            assert!(
                sources.contains(&case.source),
                "{name}: {}: {} is not in {sources:?}",
                case.section,
                case.source
            );
        }
        // SEC-50
        let document = parse(&write_document(&package).markdown);
        for case in &expected.must_have_marker {
            let section = document.find(&case.section).unwrap();
            let part = section.children.iter().find(|part| part.title.contains(&case.part)).unwrap();
            let text = part.text();
            assert!(text.contains(NOT_AVAILABLE) || text.contains("NOT POPULATED"), "{name}: {text}");
        }
    }
}

// SEC-124, SEC-125, SEC-126
#[test]
fn existing_documents_are_repaired() {
    for name in NAMES {
        let (package, expected) = load(name);
        // A package without a document has its template repaired.
        let existing = package.existing.clone().unwrap_or_else(|| package.template.clone());
        let fixed = fix_document(&existing, &package);
        assert_eq!(fix_document(&fixed.text, &package).text, fixed.text, "{name}");
        let blocks = preserve_blocks(&existing);
        assert_eq!(blocks.len(), expected.preserve_blocks.len(), "{name}");
        for (block, expected) in blocks.iter().zip(&expected.preserve_blocks) {
            assert_eq!(json!(block.line), expected["line"], "{name}");
            assert!(block.text.contains(expected["contains"].as_str().unwrap()), "{name}");
            assert!(fixed.text.contains(&block.text), "{name}");
        }
        let Some(expected) = expected.fix else { continue };
        for text in &expected.adds {
            assert!(
                !existing.contains(text.as_str()) && fixed.text.contains(text.as_str()),
                "{name}: {text}"
            );
        }
        if let Some(behind) = &expected.adds_before {
            assert!(fixed.text.find(&expected.adds[0]) < fixed.text.find(behind.as_str()), "{name}");
        }
        for text in &expected.removes {
            assert!(
                existing.contains(text.as_str()) && !fixed.text.contains(text.as_str()),
                "{name}: {text}"
            );
        }
        for text in &expected.keeps {
            assert!(fixed.text.contains(text.as_str()), "{name}: {text:?}");
        }
        let is_crlf = |text: &str| text.matches('\n').count() == text.matches("\r\n").count();
        assert_eq!(is_crlf(&existing), is_crlf(&fixed.text), "{name}");
    }
}

#[test]
fn a_document_that_is_the_template_of_the_next_run_stays_the_same() {
    for name in NAMES {
        let (mut package, _) = load(name);
        let first = write_document(&package).markdown;
        package.template.clone_from(&first);
        assert_eq!(write_document(&package).markdown, first, "{name}");
    }
}

#[test]
fn documents_by_rules_pass_all_validators() {
    for name in NAMES {
        let (package, _) = load(name);
        let document = write_document(&package).markdown;
        let options = ValidationOptions::default();
        let subject =
            ValidationSubject { text: &document, section: None, package: Some(&package), options: &options };
        let mut blocking = Vec::new();
        for issue in
            validate(&subject, DocumentProfile::Package).into_iter().flat_map(|verdict| verdict.issues)
        {
            if issue.is_blocking() {
                blocking.push(format!("{} {}:{} {}", issue.severity, issue.rule, issue.line, issue.message));
            }
        }
        assert_eq!(blocking, Vec::<String>::new(), "{name}");
    }
}

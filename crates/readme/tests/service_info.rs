//! The knowledge base answers for each section of a document, whatever the levels and words of its headings.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use stategraph_readme::package::{IntegrationPackage, KnowledgeTopic, ServiceInfo};
use stategraph_readme::rules::write_document;

/// A file as packages have it: the set-up, validation, troubleshooting and documentation at level 1.
const LEVEL_ONE: &str = "\
# Service Info

Introduction.

## Common use cases

Use text.

## Data types collected

Data text.

## Compatibility

Versions text.

## Scaling and Performance

Scaling text.

# Set Up Instructions

## Vendor prerequisites

Vendor needs text.

## Elastic prerequisites

Elastic needs text.

## Vendor set up steps

### For Syslog Collection (GUI Method):

GUI text.

### For Syslog Collection (CLI Method):

CLI text.

```sh
# Troubleshooting
```

## Kibana set up steps

Kibana text.

# Validation Steps

## 1. Trigger Data Flow:

Trigger text.

# Troubleshooting

## Common Configuration Issues

Trouble text.

# Documentation sites

Sites text.
";

const SECTIONS: &[(&str, &[&str])] = &[
    ("Overview", &["Use text", "Data text", "Versions text"]),
    ("What data does this integration collect?", &["Data text"]),
    ("What do I need to use this integration?", &["Vendor needs text", "Elastic needs text"]),
    ("How do I deploy this integration?", &["GUI text", "CLI text", "Kibana text", "Trigger text"]),
    ("Troubleshooting", &["Trouble text"]),
    ("Performance and scaling", &["Scaling text"]),
    ("Reference", &["Sites text"]),
];

const TEXTS: &[&str] = &[
    "Introduction",
    "Use text",
    "Data text",
    "Versions text",
    "Scaling text",
    "Vendor needs text",
    "Elastic needs text",
    "GUI text",
    "CLI text",
    "Kibana text",
    "Trigger text",
    "Trouble text",
    "Sites text",
];

fn check(info: &str) {
    let info = ServiceInfo::parse(info);
    for (section, expected) in SECTIONS {
        let answer = info.for_section(Some(section));
        let found: Vec<&str> = TEXTS.iter().copied().filter(|text| answer.contains(text)).collect();
        assert_eq!(found, *expected, "{section}:\n{answer}");
    }
}

// SEC-31, SEC-34, SEC-36
#[test]
fn each_section_gets_its_parts_whether_headings_have_level_one_or_two() {
    check(LEVEL_ONE);
    let deeper: Vec<_> = LEVEL_ONE
        .lines()
        .map(|line| if line.starts_with('#') { format!("#{line}") } else { line.into() })
        .collect();
    check(&deeper.join("\n"));
    check(&LEVEL_ONE.replace('\n', "\r\n"));
    check(&format!("\u{feff}{LEVEL_ONE}"));
}

// SEC-33
#[test]
fn the_known_headings_are_found() {
    let info = ServiceInfo::parse(LEVEL_ONE);
    for (topic, title) in [
        (KnowledgeTopic::VendorSetUp, "Vendor set up steps"),
        (KnowledgeTopic::KibanaSetUp, "Kibana set up steps"),
        (KnowledgeTopic::Validation, "Validation Steps"),
        (KnowledgeTopic::Troubleshooting, "Troubleshooting"),
        (KnowledgeTopic::DocumentationSites, "Documentation sites"),
    ] {
        let titles: Vec<_> = info.sections(topic).iter().map(|section| section.title.as_str()).collect();
        assert_eq!(titles, [title]);
    }
    let methods: Vec<_> =
        info.sections(KnowledgeTopic::VendorSetUp)[0].children.iter().map(|it| &*it.title).collect();
    assert_eq!(methods, ["For Syslog Collection (GUI Method):", "For Syslog Collection (CLI Method):"]);
}

// SEC-37
#[test]
fn titles_match_without_regard_to_case_punctuation_and_word_order() {
    for title in [
        "Scaling and Performance",
        "PERFORMANCE AND SCALING",
        "Performance & scaling",
        "Scaling/performance:",
        "**Scaling** and `performance`",
    ] {
        let info = ServiceInfo::parse(&format!("# Other\n\nOther text.\n\n# {title}\n\nScaling text.\n"));
        let answer = info.for_section(Some("Performance and scaling"));
        assert!(answer.contains("Scaling text") && !answer.contains("Other text"), "{title}: {answer}");
    }
    for title in ["Setup: vendor", "Vendor Set-Up Steps", "VENDOR SETUP", "Set up steps (vendor)"] {
        let info = ServiceInfo::parse(&format!("## Other\n\nOther text.\n\n## {title}\n\nVendor text.\n"));
        let answer = info.for_section(Some("How do I deploy this integration?"));
        assert!(answer.contains("Vendor text") && !answer.contains("Other text"), "{title}: {answer}");
    }
}

// SEC-37
#[test]
fn an_empty_section_brings_its_children() {
    let info =
        ServiceInfo::parse("# A\n\nOther.\n\n# Troubleshooting\n\n## One\n\nFirst.\n\n## Two\n\nSecond.\n");
    assert_eq!(
        info.for_section(Some("Troubleshooting")),
        "# Troubleshooting\n\n## One\n\nFirst.\n\n## Two\n\nSecond.\n"
    );
}

// SEC-35
#[test]
fn a_section_without_parts_and_no_section_give_the_whole_file() {
    let text = "# A\n\nFirst.\n\n## B\n\nSecond.\n";
    let info = ServiceInfo::parse(text);
    for section in [None, Some("Troubleshooting"), Some("Changelog"), Some("")] {
        assert_eq!(info.for_section(section), text, "{section:?}");
    }
    assert_eq!(info.for_section(Some("b")), "## B\n\nSecond.\n");
    // SEC-32
    let note = IntegrationPackage::default().service_info_for(Some("Overview"));
    assert!(note.starts_with("The package has no `docs/knowledge_base/service_info.md`"), "{note}");
}

#[test]
fn a_heading_about_something_else_is_not_a_part() {
    let info = "# Troubleshooting the vendor set up\n\nFirst.\n\n# Vendor set up steps\n\nSecond.\n";
    let answer = ServiceInfo::parse(info).for_section(Some("How do I deploy this integration?"));
    assert_eq!(answer, "# Vendor set up steps\n\nSecond.\n");
}

// SEC-101
#[test]
fn links_have_lines() {
    let info = ServiceInfo::parse("# Documentation sites\n\n- [Guide](https://acme.example/guide)\n");
    let links: Vec<_> = info.links().into_iter().map(|link| (link.text, link.target, link.line)).collect();
    assert_eq!(links, [("Guide".to_owned(), "https://acme.example/guide".to_owned(), 3)]);
}

/// A file in the words of a vendor, as it comes from web pages.
const VENDOR_WORDS: &str = "\
Skip to main content

# Acme Gate

Acme Gate guards doors.

# Setup

Read this first.

## Prerequisites

Needs text.

## Creating an API key

In this article
Create key

Key text.

### Verify

Verify text.

Was this article helpful?  Yes  No

## Add the integration in Kibana

Kibana text.

# Glossary

Words text.

© 2025 Acme | Cookie settings
";

// SEC-31, SEC-33, SEC-34
#[test]
fn headings_in_other_words_belong_to_the_subject_that_they_suggest() {
    let info = ServiceInfo::parse(VENDOR_WORDS);
    for (topic, expected) in [
        (KnowledgeTopic::Introduction, vec!["Acme Gate"]),
        (KnowledgeTopic::VendorPrerequisites, vec!["Prerequisites"]),
        (KnowledgeTopic::VendorSetUp, vec!["Setup", "Creating an API key"]),
        (KnowledgeTopic::Validation, vec!["Verify"]),
        (KnowledgeTopic::KibanaSetUp, vec!["Add the integration in Kibana"]),
    ] {
        let titles: Vec<_> = info.sections(topic).iter().map(|section| section.title.as_str()).collect();
        assert_eq!(titles, expected, "{topic:?}");
    }
    let others: Vec<_> = info.other_parts().iter().map(|part| part.section.title.as_str()).collect();
    assert_eq!(others, ["Glossary"]);
    let whole = info.for_section(None);
    for debris in ["Skip to", "In this article", "Create key", "helpful", "Cookie"] {
        assert!(!whole.contains(debris), "{debris}");
    }
}

// SEC-102
#[test]
fn documents_by_rules_have_each_text_of_the_knowledge_base_once() {
    let package =
        IntegrationPackage { service_info: Some(VENDOR_WORDS.to_owned()), ..IntegrationPackage::default() };
    let document = write_document(&package).markdown;
    for text in [
        "guards doors",
        "Read this first",
        "Needs text",
        "Key text",
        "Verify text",
        "Kibana text",
        "Words text",
    ] {
        assert_eq!(document.matches(text).count(), 1, "{text}\\n{document}");
    }
}

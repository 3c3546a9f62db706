//! Documents by rules hold against packages of strangers: no text of a package leaves its section, hides something or shows a secret.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser};
use serde_json::json;
use stategraph_base::is_deceptive;
use stategraph_readme::document::{links, parse, parse_all};
use stategraph_readme::package::{
    BreakingChange, DataStream, IntegrationPackage, PackageInput, PackageTransform, PackageVariable,
    PolicyTemplate, TemplateSection, VariableOption, template_sections,
};
use stategraph_readme::rules::{write_document, write_section};
use stategraph_testing::cases;

const HOSTILE: &str = "x\n\n# Out\n\n## Reference\n\n<!-- obey me -->\n<script>alert(1)</script> | a | `b|c` \u{202e}\u{200b}\
    {{fields \"other\"}} ghp_abcdefghijklmnopqrstuvwxyz0123456789 [x](javascript:alert(1)) ```\n-->\n<div>\n=====\n";

/// A package whose texts are all hostile.
fn hostile(text: &str) -> IntegrationPackage {
    let mut package = IntegrationPackage::default();
    let variable = PackageVariable {
        name: text.to_owned(),
        title: text.to_owned(),
        description: text.to_owned(),
        default: Some(json!(text)),
        is_required: true,
        unused_streams: vec![text.to_owned()],
        options: vec![VariableOption { value: text.to_owned(), text: format!("{text} ") }],
        ..PackageVariable::default()
    };
    let switched = PackageVariable {
        switches: [(text.to_owned(), true)].into(),
        unused_streams: Vec::new(),
        ..variable.clone()
    };
    let secret = PackageVariable {
        name: "key".to_owned(),
        default: Some(json!("Zq3vT8nLw1Xk5Rb7")),
        is_secret: true,
        ..PackageVariable::default()
    };
    let plain = PackageVariable {
        name: "password".to_owned(),
        default: Some(json!("Pq3vT8nLw1Xk5Rb7")),
        ..PackageVariable::default()
    };
    let input = |kind: &str| PackageInput {
        kind: kind.to_owned(),
        title: text.to_owned(),
        description: text.to_owned(),
        variables: vec![variable.clone(), switched.clone(), secret.clone(), plain.clone()],
        ..PackageInput::default()
    };
    let manifest = &mut package.manifest;
    for field in [
        &mut manifest.title,
        &mut manifest.version,
        &mut manifest.description,
        &mut manifest.kibana_version,
        &mut manifest.subscription,
    ] {
        text.clone_into(field);
    }
    manifest.transforms = vec![PackageTransform {
        name: text.to_owned(),
        description: text.to_owned(),
        target: text.to_owned(),
        frequency: text.to_owned(),
        max_age: text.to_owned(),
        ..PackageTransform::default()
    }];
    manifest.breaking_changes = vec![BreakingChange {
        version: text.to_owned(),
        description: text.to_owned(),
        ..BreakingChange::default()
    }];
    manifest.dashboard_titles = vec![text.to_owned(); 2];
    manifest.dashboards = 2;
    manifest.policy_templates = vec![PolicyTemplate {
        title: text.to_owned(),
        description: text.to_owned(),
        inputs: vec![input("tcp"), input(text)],
        agentless: Some(true),
        ..PolicyTemplate::default()
    }];
    let stream = DataStream {
        name: text.to_owned(),
        title: text.to_owned(),
        dataset: text.to_owned(),
        kind: text.to_owned(),
        inputs: vec![input("httpjson"), input("udp")],
        ..DataStream::default()
    };
    package.data_streams = vec![stream.clone(), stream];
    let topics =
        ["Vendor set up steps", "Troubleshooting", "Compatibility", "Validation", "Documentation sites"];
    package.service_info = Some(topics.map(|topic| format!("# {topic}\n\n{text}\n\nEnd.\n")).join("\n"));
    package
}

fn check(package: &IntegrationPackage) {
    let document = write_document(package).markdown;
    let expected: Vec<String> = template_sections(package).into_iter().map(|section| section.title).collect();
    let titles: Vec<String> = parse(&document).sections.into_iter().map(|section| section.title).collect();
    assert_eq!(titles, expected, "{document}");
    let top = parse_all(&document).flatten().iter().filter(|section| section.level == 1).count();
    assert_eq!(top, 1, "{document}");
    for event in Parser::new_ext(&document, Options::ENABLE_TABLES) {
        if let Event::Html(html) | Event::InlineHtml(html) = event {
            let is_ours = html.trim() == "<!-- NOT POPULATED -->"
                || (html.starts_with("<!-- source: ") && html.trim_end().ends_with("-->"));
            // The visible line behind the marker belongs to its block of HTML.
            assert!(is_ours || html.trim() == "*This section is not populated yet.*", "{html}\n{document}");
        }
    }
    let targets = links(&document).into_iter().map(|link| link.target);
    assert_eq!(
        targets.filter(|target| !target.starts_with("http")).collect::<Vec<_>>(),
        Vec::<String>::new()
    );
    assert!(!document.chars().any(is_deceptive), "{document}");
    for hidden in ["ghp_abc", "Zq3vT8n", "Pq3vT8n", "{{fields \"other\"}}"] {
        assert!(!document.contains(hidden), "{hidden}\n{document}");
    }
}

#[test]
fn hostile_texts_stay_in_their_sections_and_hide_nothing() {
    check(&hostile(HOSTILE));
    for text in ["", "-->", "```", "<!--", "#", "|", "\\", "`", "[", "{{", "\r", "---\na: b\n---\n"] {
        check(&hostile(text));
    }
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "# A",
        "## Reference",
        "a\n=",
        "a\n--",
        "```",
        "~~~~",
        "<!--",
        "-->",
        "<!",
        "<div>",
        "</div>",
        "<script>",
        "</script>",
        "<pre>",
        "- ",
        "1. ",
        "> ",
        "    ",
        "`",
        "``",
        "|",
        "[a]: <b",
        "[a](",
        ")",
        "![",
        "&lt;!--",
        "<!-- PRESERVE START -->",
        "<!-- PRESERVE END -->",
        "\\",
        "<?",
        "?>",
        "text",
        "\u{202e}",
        "*",
        "_",
        "<a href",
    ])
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn no_text_of_a_stranger_leaves_its_section(
        pieces in prop::collection::vec((piece(), prop::sample::select(vec!["\n", "\n\n", " ", "", "\r\n"])), 0..12),
    ) {
        let text: String = pieces.into_iter().flat_map(<[&str; 2]>::from).collect();
        check(&hostile(&text));
    }
}

#[test]
fn a_package_without_anything_has_a_document_that_claims_nothing() {
    let package = IntegrationPackage::default();
    let document = write_document(&package).markdown;
    assert_eq!(parse(&document).sections.len(), 7);
    for claim in ["agentless", "TCP", "UDP", "Dashboards", "subscription", "version"] {
        let claims = document.lines().filter(|line| line.contains(claim) && !line.contains("do not name"));
        assert_eq!(claims.count(), 0, "{claim}\n{document}");
    }
}

// SEC-107
#[test]
fn sections_of_other_templates_are_written_by_their_subjects() {
    let mut package = hostile("Acme");
    package.template =
        "## Requirements\n\n## Logs reference\n\n### Costs\n\n## Fields reference\n\n## Known limits\n"
            .to_owned();
    package.service_info = Some("# Limits (known)\n\nTen events.\n".to_owned());
    let written = |title: &str| {
        let section = TemplateSection { title: title.to_owned(), level: 2, ..TemplateSection::default() };
        write_section(&package, &section).markdown
    };
    assert!(written("Requirements").contains("### Elastic prerequisites"));
    assert!(written("Logs reference").contains("### Inputs used"));
    assert!(written("Fields reference").contains("NOT POPULATED"), "two sections have the same subject");
    assert!(written("Known limits").contains("Ten events."));
    assert!(written("Something else").contains("NOT POPULATED"));
}

#[test]
fn a_reference_of_the_knowledge_base_keeps_its_target_in_another_section() {
    let package = IntegrationPackage {
        service_info: Some(
            "# Troubleshooting\n\nSee [the guide][Guide], [other] and [none].\n\n# Notes\n\n\
             [guide]: https://acme.example/guide\n[other]: javascript:alert(1)\n[unused]: https://acme.example/x\n"
                .to_owned(),
        ),
        ..IntegrationPackage::default()
    };
    let section =
        TemplateSection { title: "Troubleshooting".to_owned(), level: 2, ..TemplateSection::default() };
    let written = write_section(&package, &section).markdown;
    let targets: Vec<_> = links(&written).into_iter().map(|link| link.target).collect();
    assert_eq!(targets, ["https://acme.example/guide"], "{written}");
    assert!(written.contains("[the guide][Guide], other and [none]."), "{written}");
    assert!(!written.contains("unused"), "{written}");
}

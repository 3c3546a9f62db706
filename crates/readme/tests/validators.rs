//! The interface of the validators: order, scopes, verdicts, the better of two versions, links to fetch. The rules themselves are measured by
//! the corpus.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use stategraph_readme::package::{DataStream, IntegrationPackage, PackageField};
use stategraph_readme::validate::urls::{
    LinkToCheck, checkable_links, judge_page, judge_refusal, placeholder_links,
};
use stategraph_readme::validate::{
    CheckState, DocumentProfile, Issue, IssueSeverity, IssueSource, ModelVerdict, Validation,
    ValidationOptions, ValidationScope, ValidationStage, ValidationSubject, disabled_by_markdownlint,
    feedback_line, rules, validate, validators,
};

fn run(text: &str, profile: DocumentProfile, options: &ValidationOptions) -> Vec<Validation> {
    validate(&ValidationSubject { text, section: None, package: None, options }, profile)
}

/// Returns the rules and lines of the issues of a README.
fn readme_issues(text: &str) -> Vec<(String, usize)> {
    let validations = run(text, DocumentProfile::Readme, &ValidationOptions::default());
    validations.into_iter().flat_map(|it| it.issues).map(|issue| (issue.rule, issue.line)).collect()
}

fn has_rule(text: &str, rule: &str) -> bool {
    readme_issues(text).iter().any(|(found, _)| found == rule)
}

// SEC-109, SEC-120
#[test]
fn scopes_ends_of_fields_and_private_addresses_are_no_faults() {
    let field = PackageField { name: "acme.lag.bytes".to_owned(), ..PackageField::default() };
    let stream = DataStream { name: "log".to_owned(), fields: vec![field], ..DataStream::default() };
    let package = IntegrationPackage {
        data_streams: vec![stream],
        service_info: Some(
            "# Documentation\n\n- [Lab](https://10.20.30.40/lab)\n- [Console](https://<TENANT>.acme.example/)\n- [Guide](https://docs.acme.example/)\n"
                .to_owned(),
        ),
        ..IntegrationPackage::default()
    };
    let text = "# Acme\n\n## Reference\n\nNeeds the scope `alerts.read`. The field `lag.bytes` grows, `lag.words` does not.\n";
    let options = ValidationOptions::default();
    let subject = ValidationSubject { text, section: None, package: Some(&package), options: &options };
    let issues: Vec<Issue> =
        validate(&subject, DocumentProfile::Package).into_iter().flat_map(|it| it.issues).collect();
    let told = |rule: &str| -> Vec<&str> {
        issues.iter().filter(|issue| issue.rule == rule).map(|issue| issue.message.as_str()).collect()
    };
    assert_eq!(told("accuracy/unknown-field"), ["neither the package nor ECS defines the field `lag.words`"]);
    let links = told("service-info-link/missing-link");
    assert_eq!(links, ["the link `https://docs.acme.example/` of the service information is missing"]);
}

#[test]
fn eleven_validators_have_names_stages_and_scopes_in_the_order_of_a_run() {
    // SEC-89, SEC-90, SEC-91, SEC-92, SEC-93, SEC-94, SEC-95, SEC-97, SEC-184, SEC-186, SEC-191
    use ValidationScope::{Both, Document};
    use ValidationStage::{Accuracy, Completeness, Placeholders, Quality, Structure};
    let found: Vec<_> = validators().iter().map(|it| (it.name, it.stage, it.scope)).collect();
    assert_eq!(
        found,
        [
            ("accuracy", Accuracy, Both),
            ("vendor-setup", Accuracy, Both),
            ("service-info-link", Accuracy, Both),
            ("quality", Quality, Both),
            ("style", Quality, Both),
            ("accessibility", Quality, Both),
            ("placeholder", Placeholders, Both),
            ("scaling", Completeness, Both),
            ("advanced-settings", Completeness, Both),
            ("structure", Structure, Document),
            ("completeness", Completeness, Document),
        ]
    );
    assert!(validators().iter().filter(|it| it.has_model_check).count() >= 10);
    assert!(
        ValidationStage::Structure < ValidationStage::Accuracy
            && ValidationStage::Placeholders < ValidationStage::Urls
    );
}

#[test]
fn validators_of_documents_run_on_the_combined_document_only() {
    // SEC-96
    let options = ValidationOptions::default();
    let package = IntegrationPackage::default();
    let names = |section| -> BTreeSet<String> {
        let subject = ValidationSubject {
            text: "## Overview\n\nText.\n",
            section,
            package: Some(&package),
            options: &options,
        };
        validate(&subject, DocumentProfile::Package).into_iter().map(|it| it.validator).collect()
    };
    let (document, section) = (names(None), names(Some("Overview")));
    let only: Vec<&String> = document.difference(&section).collect();
    assert_eq!(only, ["completeness", "structure"]);
    assert_eq!(document.len(), 11);
}

#[test]
fn a_text_is_invalid_exactly_with_a_critical_or_major_issue() {
    // SEC-69, SEC-98
    for text in [
        "# A\n\nGood text here.\n",
        "# A\n\nGreat!\n",
        "# A\n\n![](x.png)\n",
        "# A\n\n### B\n",
        "no heading",
        "",
    ] {
        for validation in run(text, DocumentProfile::Readme, &ValidationOptions::default()) {
            let blocks = validation.issues.iter().any(|issue| issue.severity >= IssueSeverity::Major);
            assert_eq!(validation.valid, !blocks, "{text:?}: {validation:?}");
            assert!(validation.score <= 100 && (validation.score < 100) != validation.issues.is_empty());
            assert!(
                validation
                    .issues
                    .iter()
                    .all(|issue| issue.source == IssueSource::Static && !issue.suggestion.is_empty())
            );
        }
    }
}

#[test]
fn prose_checks_skip_code_targets_tags_and_comments_and_name_lines() {
    // SEC-100
    let hidden = "# A\n\nUse `colour!` and [the guide](https://a.io/colour).\n\n{{fields \"colour\"}}\n\n<!-- colour! -->\n\n```text\ncolour!\n```\n";
    assert!(
        !has_rule(hidden, "style/british-spelling") && !has_rule(hidden, "style/exclamation"),
        "{:?}",
        readme_issues(hidden)
    );
    let shown = "# A\r\n\r\nA long line\r\nwith *colour* here.\r\n";
    assert!(
        readme_issues(shown).contains(&("style/british-spelling".to_owned(), 4)),
        "{:?}",
        readme_issues(shown)
    );
}

#[test]
fn comments_of_markdownlint_switch_rules_off_for_their_lines() {
    let text = "# A\n\n<!-- markdownlint-disable MD045 -->\n![](a.png)\n\n<!-- markdownlint-enable -->\n![](b.png)\n\n![](c.png) <!-- markdownlint-disable-line no-alt-text -->\n\n<!-- markdownlint-disable-next-line -->\n![](d.png)\n![](e.png)\n";
    let lines: Vec<usize> = readme_issues(text)
        .into_iter()
        .filter(|(rule, _)| rule == "accessibility/no-alt-text")
        .map(|(_, line)| line)
        .collect();
    assert_eq!(lines, [7, 13]);
    let captured = "<!-- markdownlint-disable MD045 -->\n<!-- markdownlint-capture -->\n<!-- markdownlint-enable -->\n\n![](a.png)\n\n<!-- markdownlint-restore -->\n\n![](b.png)\n";
    let lines: Vec<usize> = readme_issues(captured)
        .into_iter()
        .filter(|(rule, _)| rule == "accessibility/no-alt-text")
        .map(|(_, line)| line)
        .collect();
    assert_eq!(lines, [5]);
    assert!(!has_rule(
        "<!-- markdownlint-disable-file accessibility -->\n![](a.png)\n",
        "accessibility/no-alt-text"
    ));
    assert!(!has_rule(
        "# A\n\nGreat! <!-- markdownlint-disable-line style/exclamation -->\n",
        "style/exclamation"
    ));
}

#[test]
fn settings_of_markdownlint_switch_rules_off() {
    let disabled =
        disabled_by_markdownlint("{\"no-alt-text\": false, \"MD013\": false}").expect("valid settings");
    let options = ValidationOptions { disabled, files: None };
    let validations = run("# A\n\n![](a.png)\n\n[here](b)\n", DocumentProfile::Readme, &options);
    let rules: Vec<String> =
        validations.into_iter().flat_map(|it| it.issues).map(|issue| issue.rule).collect();
    assert!(
        rules.contains(&"accessibility/link-text".to_owned())
            && !rules.contains(&"accessibility/no-alt-text".to_owned())
    );
}

#[test]
fn titles_in_html_and_pictures_count_as_titles_and_badges_do_not() {
    for text in [
        "<h1 align=\"center\">Name</h1>\n\n## Usage\n",
        "<p align=\"center\">\n  <img src=\"logo.svg\" alt=\"Name\">\n</p>\n\n## Usage\n",
        "![Name](docs/logo.png)\n\n## Usage\n",
        "---\ntitle: Name\n---\n\n## Usage\n",
    ] {
        assert!(!has_rule(text, "structure/first-heading"), "{text}");
    }
    assert!(has_rule("[![CI](https://img.shields.io/x.svg)](y)\n\n## Usage\n", "structure/first-heading"));
}

#[test]
fn above_and_below_are_directions_only_as_references() {
    for text in
        ["See the example above.", "The steps below show it.", "Below is a list.", "as described above"]
    {
        assert!(has_rule(&format!("# A\n\n{text}\n"), "accessibility/direction"), "{text}");
    }
    for text in [
        "Keep the load above 80 %.",
        "Values below the threshold are dropped.",
        "The price is above average.",
        "It runs above `v2`.",
        "[See below](#a)",
        "The text below 10 lines is cut.",
    ] {
        assert!(!has_rule(&format!("# A\n\n{text}\n"), "accessibility/direction"), "{text}");
    }
}

#[test]
fn a_todo_that_is_a_name_is_no_mark_of_unfinished_work() {
    for text in [
        "# A\n\nTODO: write this.\n",
        "# A\n\n| a |\n|---|\n| TBD |\n",
        "# A\n\nFIXME\n",
        "# A\n\n## B\n\nComing soon...\n",
    ] {
        assert!(has_rule(text, "quality/work-in-progress"), "{text}");
    }
    for text in [
        "# TODO list\n\nA todo app in Rust.\n",
        "# A\n\nFinds TODO comments.\n",
        "# A\n\n## TODO\n\n- support Windows\n",
    ] {
        assert!(!has_rule(text, "quality/work-in-progress"), "{text}");
    }
}

#[test]
fn a_validation_lacks_each_of_its_four_parts_by_name() {
    // SEC-110
    let parts = [
        ("Check that the status of the agent is Healthy.", "the status of the agent"),
        ("Open Discover.", "Discover"),
        ("Filter by the dataset `acme.log`.", "the dataset filter"),
        ("Look at the dashboard.", "the dashboard"),
    ];
    let options = ValidationOptions::default();
    let mut package = IntegrationPackage::default();
    package.manifest.dashboards = 1;
    let lacking = |left_out: Option<usize>| -> Vec<String> {
        let steps = parts.iter().enumerate().filter(|(number, _)| Some(*number) != left_out);
        let steps: Vec<&str> = steps.map(|(_, (step, _))| *step).collect();
        let text = format!("# Acme\n\n## Validation\n\n{}\n", steps.join("\n"));
        let subject =
            ValidationSubject { text: &text, section: None, package: Some(&package), options: &options };
        let issues =
            validate(&subject, DocumentProfile::Package).into_iter().flat_map(|validation| validation.issues);
        let own = issues.filter(|issue| issue.rule == "completeness/validation-steps");
        own.map(|issue| issue.message).collect()
    };
    assert_eq!(lacking(None), Vec::<String>::new());
    for (number, (_, name)) in parts.iter().enumerate() {
        assert_eq!(lacking(Some(number)), [format!("the validation lacks {name}")]);
    }
}

#[test]
fn rules_of_style_never_block() {
    // SEC-116
    let style: Vec<_> = rules().iter().filter(|rule| rule.id.starts_with("style/")).collect();
    assert_eq!(style.len(), 5);
    assert!(style.iter().all(|rule| rule.severity == IssueSeverity::Minor), "{style:?}");
}

#[test]
fn hostile_texts_are_checked_within_bounds() {
    // Sizes at which a quadratic scan would take minutes.
    let size = 60_000;
    let shapes = [
        "[",
        "](x ",
        "<a href=\"",
        "<!-- ",
        "> ",
        "*_",
        "`",
        "| a ",
        "{{fields ",
        "![",
        "<h1>",
        "```\n",
        "# \n",
        "-\n",
        "\u{1a}",
        "<your-",
        "http://",
        "&#",
        "\r",
        "[a][b]",
    ];
    for shape in shapes {
        let text = shape.repeat(size / shape.len());
        for validation in run(&text, DocumentProfile::Readme, &ValidationOptions::default()) {
            let mut counts = std::collections::BTreeMap::new();
            validation.issues.iter().for_each(|issue| *counts.entry(issue.rule.as_str()).or_insert(0) += 1);
            assert!(counts.values().all(|count| *count <= 1_000), "{shape:?}: {counts:?}");
            assert!(
                validation.issues.iter().all(|issue| issue.message.len() < 600 && issue.section.len() < 200),
                "{shape:?}"
            );
        }
    }
}

#[test]
fn a_rule_shows_a_thousand_issues_and_counts_the_rest() {
    for (fault, validator) in [
        ("![](a.png)", "accessibility"),
        ("[a][b]", "readme"),
        ("[a](#none)", "structure"),
        ("## A", "structure"),
    ] {
        let text = (0..1_500).fold("# A\n\n## B\n\n## A\n\n".to_owned(), |mut text, _| {
            let _ = writeln!(text, "{fault}\n");
            text
        });
        let switched_off = format!("{text}<!-- markdownlint-disable -->\n\n{fault}\n");
        for text in [&text, &switched_off] {
            let validations = run(text, DocumentProfile::Readme, &ValidationOptions::default());
            let found = validations.iter().find(|it| it.validator == validator).expect("it ran");
            assert_eq!(found.issues.len(), 1_000, "{fault}");
            assert!(found.summary.contains(" 500 more"), "{fault}: {}", found.summary);
        }
    }
}

fn judge(json: &str) -> Validation {
    let verdict: ModelVerdict = serde_json::from_str(json).expect("a verdict");
    validators()[0].judge(verdict)
}

#[test]
fn a_verdict_of_a_model_is_invalid_exactly_with_a_critical_or_major_issue() {
    // SEC-98
    let minor =
        judge(r#"{"valid":true,"score":140,"issues":[{"severity":"minor","message":"m"}],"summary":"fine"}"#);
    assert!(minor.valid && minor.score == 100 && minor.summary == "fine");
    assert_eq!(minor.issues[0].source, IssueSource::Llm);
    assert!(!judge(r#"{"valid":true,"score":90,"issues":[{"severity":"major","message":"m"}]}"#).valid);
    let bare = judge(r#"{"valid":false,"score":20,"summary":"the steps are wrong"}"#);
    assert!(!bare.valid && bare.issues[0].message == "the steps are wrong");
}

#[test]
fn a_check_that_did_not_run_is_valid_and_says_so() {
    // SEC-99
    let validation = validators()[0].not_checked("the answer is no JSON");
    assert!(validation.valid);
    assert_eq!(validation.state, CheckState::NotChecked("the answer is no JSON".to_owned()));
    assert!(validation.issues[0].message.contains("the answer is no JSON"));
}

#[test]
fn a_line_of_feedback_has_category_place_message_and_fix() {
    // SEC-70
    let verdict = r#"{"valid":false,"score":20,"issues":[{"severity":"major","location":"Overview","message":"the version is wrong","suggestion":"write 1.2.0"}]}"#;
    let issue = Issue { line: 7, ..judge(verdict).issues.remove(0) };
    assert_eq!(
        feedback_line(&issue),
        "[accuracy major] accuracy/model, line 7, section \"Overview\": the version is wrong. Fix: write 1.2.0."
    );
}

#[test]
fn placeholders_and_private_hosts_are_not_fetched() {
    // SEC-122, SEC-185
    for url in [
        "https://example.com/a",
        "http://localhost:5601",
        "http://127.0.0.1/",
        "http://10.1.2.3",
        "http://[::1]/",
        "http://192.168.0.1:8080/x",
        "http://169.254.169.254/latest",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://127.1/",
        "http://metadata/",
        "https://your-domain.tld/",
        "https://{host}.acme.io/",
        "http://user:pw@acme.io/",
        "http://[::ffff:127.0.0.1]/",
        "http://[fd00::1]/",
        "http://db.internal/",
        "ftp://acme.io/",
        "https://printer.local/",
        "http://100.64.1.1/",
    ] {
        assert_eq!(checkable_links(&format!("[a]({url})")), [], "{url}");
    }
}

#[test]
fn public_links_are_fetched_once_without_fragments() {
    let text = "[a](https://docs.acme.io/x#top)\n\n<https://docs.acme.io/x> and http://93.184.216.34/y.";
    let urls: Vec<(String, usize)> =
        checkable_links(text).into_iter().map(|link| (link.url, link.line)).collect();
    assert_eq!(urls, [("https://docs.acme.io/x".to_owned(), 1), ("http://93.184.216.34/y".to_owned(), 3)]);
}

#[test]
fn missing_pages_are_major_and_refusals_minor() {
    // SEC-122
    let link = LinkToCheck { url: "https://docs.acme.io/x".to_owned(), line: 3 };
    let severity = |status, body: &str| judge_page(&link, status, body).map(|issue| issue.severity);
    assert_eq!(severity(404, ""), Some(IssueSeverity::Major));
    assert_eq!(severity(200, "<html><title>Page Not Found | Acme</title>"), Some(IssueSeverity::Major));
    assert_eq!(severity(200, "<h1>Error 404</h1>"), Some(IssueSeverity::Major));
    assert_eq!(severity(200, "<title>Errors</title><p>404 means not found</p>"), None);
    assert_eq!(severity(403, ""), Some(IssueSeverity::Minor));
    assert_eq!(severity(503, ""), Some(IssueSeverity::Minor));
    assert_eq!(severity(301, ""), None);
    assert!(judge_refusal(&link, "no answer within 10 s").message.contains("no answer within 10 s"));
}

#[test]
fn a_placeholder_link_is_a_minor_issue() {
    let issues = placeholder_links("[a](https://example.com/x) [b](https://docs.acme.io)");
    assert_eq!(issues.len(), 1);
    assert_eq!((issues[0].rule.as_str(), issues[0].severity), ("urls/placeholder", IssueSeverity::Minor));
}

#[test]
fn the_wording_of_a_preserved_block_is_its_owners() {
    // SEC-43
    let text = "## Notes\n\n<!-- PRESERVE START -->\n\nOur team e.g. helps.\n\n<!-- PRESERVE END -->\n\nWe help, e.g. here.\n";
    let options = ValidationOptions::default();
    let subject = ValidationSubject { text, section: Some("Notes"), package: None, options: &options };
    let found = validate(&subject, DocumentProfile::Package);
    let issues = found.iter().flat_map(|validation| &validation.issues);
    let lines: std::collections::BTreeSet<usize> =
        issues.filter(|issue| issue.rule.starts_with("style/")).map(|issue| issue.line).collect();
    assert_eq!(lines, [9].into());
}

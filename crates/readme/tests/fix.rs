//! Repairs change what they are for, keep every other byte, and change nothing the second time.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use proptest::prelude::*;
use serde_json::json;
use stategraph_readme::document::{lost_preserve_blocks, parse};
use stategraph_readme::fix::fix_document;
use stategraph_readme::package::{DataStream, IntegrationPackage, PolicyTemplate};
use stategraph_testing::cases;

/// A package with the data streams `log`, which has a sample event, and `audit`, which has none.
fn package(agentless: Option<bool>) -> IntegrationPackage {
    let mut package = IntegrationPackage::default();
    package.manifest.policy_templates.push(PolicyTemplate { agentless, ..PolicyTemplate::default() });
    let stream = |name: &str, title: &str| DataStream {
        name: name.to_owned(),
        title: title.to_owned(),
        dataset: format!("acme.{name}"),
        ..DataStream::default()
    };
    package.data_streams = vec![stream("audit", "Audit records"), stream("log", "Gate logs")];
    package.data_streams[1].sample_event = Some(json!({"a": 1}));
    package
}

fn check(text: &str, expected: &str) {
    let fixed = fix_document(text, &package(None));
    assert_eq!(fixed.text, expected);
    assert_eq!(fixed.changes.is_empty(), text == expected, "{:?}", fixed.changes);
    // SEC-126
    let again = fix_document(&fixed.text, &package(None));
    assert_eq!((again.text.as_str(), again.changes.len()), (expected, 0), "{:?}", again.changes);
}

// SEC-124
#[test]
fn a_reference_gets_a_part_for_each_data_stream_before_the_next_heading_of_level_two() {
    check(
        "# A\n\n## Reference\n\nText.\n\n## Notes\n\nMore.\n",
        "# A\n\n## Reference\n\nText.\n\n### Audit records\n\n{{fields \"audit\"}}\n\n### Gate logs\n\n\
         {{event \"log\"}}\n\n{{fields \"log\"}}\n\n## Notes\n\nMore.\n",
    );
    check(
        "# A\r\n\r\nText.",
        "# A\r\n\r\nText.\r\n\r\n## Reference\r\n\r\n### Audit records\r\n\r\n{{fields \"audit\"}}\r\n\r\n\
         ### Gate logs\r\n\r\n{{event \"log\"}}\r\n\r\n{{fields \"log\"}}\r\n",
    );
    check(
        "",
        "## Reference\n\n### Audit records\n\n{{fields \"audit\"}}\n\n### Gate logs\n\n{{event \"log\"}}\n\n{{fields \"log\"}}\n",
    );
}

// SEC-124
#[test]
fn spacings_of_tags_are_known_and_an_event_is_added_before_the_fields() {
    check(
        "## Reference\n\n{{  fields   \"log\" }}\n\n{{-fields \"audit\"-}}\n",
        "## Reference\n\n{{event \"log\"}}\n\n{{  fields   \"log\" }}\n\n{{-fields \"audit\"-}}\n",
    );
    check(
        "## Reference\n\n- List:\n\n  {{fields \"log\"}}\n\n{{fields \"audit\"}}",
        "## Reference\n\n- List:\n\n  {{event \"log\"}}\n\n  {{fields \"log\"}}\n\n{{fields \"audit\"}}",
    );
    check(
        "## Reference\n\nThe fields: {{fields \"log\"}} and {{fields \"audit\"}}.\n",
        "## Reference\n\n{{event \"log\"}}\n\nThe fields: {{fields \"log\"}} and {{fields \"audit\"}}.\n",
    );
    check(
        "## Reference\n\n{{fields \"audit\"}}\n\n{{event \"log\"}}",
        "## Reference\n\n{{fields \"audit\"}}\n\n{{event \"log\"}}\n\n{{fields \"log\"}}\n",
    );
    let complete = "## Reference\n\n{{ fields \"audit\" }}\n\n{{fields \"log\"}}\n\n{{event   \"log\"}}\n";
    check(complete, complete);
}

// SEC-124
#[test]
fn a_part_of_the_data_stream_gets_the_tags_and_code_and_comments_hold_none() {
    check(
        "## Reference\n\n### gate logs\n\nText.\n\n```\n{{fields \"log\"}}\n```\n\n<!-- {{event \"log\"}} -->\n\n#### More\n\n{{fields \"audit\"}}\n",
        "## Reference\n\n### gate logs\n\nText.\n\n```\n{{fields \"log\"}}\n```\n\n<!-- {{event \"log\"}} -->\n\n\
         {{event \"log\"}}\n\n{{fields \"log\"}}\n\n#### More\n\n{{fields \"audit\"}}\n",
    );
}

#[test]
fn a_document_that_hides_what_is_added_stays_as_it_is() {
    for open in ["## Reference\n\n```\nopen", "## Reference\n\n<!-- open"] {
        let fixed = fix_document(open, &package(None));
        assert_eq!((fixed.text.as_str(), fixed.changes.len()), (open, 0));
    }
}

const WITH_AGENTLESS: &str = "## How do I deploy this integration?\n\n### Agent-based deployment\n\nInstall.\n\n\
    ### Agentless deployment\n\nSelect it.\n\n#### Details\n\nMore.\n\n\
    <!-- PRESERVE START -->\n### Ours\n<!-- PRESERVE END -->\n\n### Validation\n\nCheck.\n\n\
    ## Reference\n\n{{fields \"audit\"}}\n\n{{event \"log\"}}\n\n{{fields \"log\"}}\n";

// SEC-125
#[test]
fn the_agentless_part_follows_the_manifest_and_protected_blocks_stay() {
    let removed = fix_document(WITH_AGENTLESS, &package(Some(false)));
    let expected =
        WITH_AGENTLESS.replace("### Agentless deployment\n\nSelect it.\n\n#### Details\n\nMore.\n\n", "");
    assert_eq!(removed.text, expected);
    assert_eq!(removed.changes.len(), 1);
    assert_eq!(fix_document(&removed.text, &package(None)).text, expected);
    let kept = fix_document(WITH_AGENTLESS, &package(Some(true)));
    assert_eq!((kept.text.as_str(), kept.changes.len()), (WITH_AGENTLESS, 0));
    let added = fix_document(&expected, &package(Some(true)));
    let titles: Vec<String> =
        parse(&added.text).flatten().iter().map(|section| section.title.clone()).collect();
    assert_eq!(
        titles,
        [
            "How do I deploy this integration?",
            "Agent-based deployment",
            "Agentless deployment",
            "Validation",
            "Reference"
        ]
    );
    assert_eq!(fix_document(&added.text, &package(Some(true))).text, added.text);
    // A manifest that could not be read decides nothing.
    let mut unknown = package(None);
    unknown.manifest.policy_templates.clear();
    assert_eq!(fix_document(WITH_AGENTLESS, &unknown).text, WITH_AGENTLESS);
}

// SEC-46
#[test]
fn a_note_that_repeats_an_earlier_one_is_removed() {
    let note = "> This document was generated with the help of AI.";
    let tags = "## Reference\n\n{{fields \"audit\"}}\n\n{{event \"log\"}}\n\n{{fields \"log\"}}\n";
    check(&format!("# A\n\n{note}\n\n{note}\n\n{tags}"), &format!("# A\n\n{note}\n\n{tags}"));
    let code = format!("# A\n\n{note}\n\n```\n{note}\n```\n\n{tags}");
    check(&code, &code);
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "# A",
        "## Reference",
        "## How do I deploy this integration?",
        "### Agent-based deployment",
        "### Agentless deployment",
        "#### Agentless mode",
        "### Gate logs",
        "### Audit records",
        "Setext\n------",
        "{{fields \"log\"}}",
        "{{ event \"log\" }}",
        "  {{fields \"audit\"}}",
        "- {{event \"log\"}} inline",
        "| a | b |\n| --- | --- |\n| {{fields \"log\"}} | x |",
        "> {{fields \"audit\"}}",
        "```",
        "~~~ text",
        "<!--",
        "-->",
        "<div>",
        "<!-- PRESERVE START -->",
        "<!-- PRESERVE END -->",
        "1. one",
        "    indented",
        "> This document was generated with the help of AI.",
        "text",
        "",
    ])
}

proptest! {
    #![proptest_config(cases(400))]

    // SEC-126
    #[test]
    fn a_second_run_changes_nothing_and_protected_blocks_stay(
        pieces in prop::collection::vec((piece(), prop::sample::select(vec!["\n", "\n\n", "\r\n", "\n  "])), 0..20),
        agentless in prop::option::of(any::<bool>()),
    ) {
        let text: String = pieces.into_iter().flat_map(<[&str; 2]>::from).collect();
        let package = package(agentless);
        let once = fix_document(&text, &package);
        let twice = fix_document(&once.text, &package);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert_eq!(twice.changes, Vec::<String>::new());
        prop_assert_eq!(lost_preserve_blocks(&text, &once.text), vec![]);
        prop_assert_eq!(once.changes.is_empty(), once.text == text);
    }
}

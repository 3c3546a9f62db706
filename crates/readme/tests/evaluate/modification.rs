//! Tests of modifications.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use stategraph_readme::document::{ReadmeDocument, parse};
use stategraph_readme::evaluate::modify::{
    ModificationAnalysis, ModificationScope, analyze_request, replace_sections, sections_to_regenerate,
};

const DOCUMENT: &str = "\
# Nginx Integration for Elastic

Note.

## Overview

Text.

### How it works

Reads files.

## How do I deploy this integration?

### Agent-based deployment

Install.

### Validation

Look at Discover.


## Troubleshooting

```sh
# no heading
```
## Reference
### Inputs used

- file";

fn document() -> ReadmeDocument {
    parse(DOCUMENT)
}

fn scope(request: &str) -> ModificationScope {
    analyze_request(request, &document()).effective_scope()
}

fn specific(titles: &[&str]) -> ModificationScope {
    ModificationScope::Specific(titles.iter().map(|title| (*title).to_owned()).collect())
}

fn answer(json: &str) -> ModificationAnalysis {
    ModificationAnalysis::of_answer(serde_json::from_str(json).unwrap(), &document())
}

// SEC-171
#[test]
fn a_request_is_about_the_sections_whose_titles_it_names() {
    assert_eq!(scope("Add a troubleshooting section for 502 errors"), specific(&["Troubleshooting"]));
    assert_eq!(scope("Rewrite \"How it works\" in two sentences"), specific(&["How it works"]));
    assert_eq!(scope("shorten the overview and the inputs used"), specific(&["Overview", "Inputs used"]));
    let setup = scope("Describe the setup in more detail");
    assert_eq!(setup, specific(&["How do I deploy this integration?"]));
}

// SEC-171
#[test]
fn sections_that_a_request_excepts_stay() {
    assert_eq!(scope("Rewrite the Reference, but do not touch the Overview."), specific(&["Reference"]));
    assert_eq!(
        scope("Shorten Troubleshooting. Leave Reference and Overview as they are!"),
        specific(&["Troubleshooting"])
    );
    let others = specific(&["Overview", "How do I deploy this integration?", "Reference"]);
    assert_eq!(scope("Use short sentences everywhere except in Troubleshooting"), others);
    // An excepted part keeps its outermost section.
    let others = specific(&["Overview", "Troubleshooting", "Reference"]);
    assert_eq!(scope("Rewrite everything apart from the Validation"), others);
    assert_eq!(scope("Keep the overview short"), specific(&["Overview"]));
}

// SEC-145
#[test]
fn most_of_the_words_of_a_title_are_not_enough() {
    let analysis = analyze_request("mention the agent", &document());
    assert_eq!(analysis.effective_scope(), ModificationScope::Global);
    let text = "# A\n\n## Collected data\n\n## Other\n";
    let analysis = analyze_request("say that the data is encrypted", &parse(text));
    assert_eq!(analysis.scope, specific(&["Collected data"]));
    assert_eq!(analysis.effective_scope(), ModificationScope::Global);
}

// SEC-145
#[test]
fn a_request_about_everything_or_about_nothing_known_is_global() {
    assert_eq!(scope("Use American spelling throughout, also in Troubleshooting"), ModificationScope::Global);
    for request in ["make it better", "", "mention the new dashboard", "???"] {
        let analysis = analyze_request(request, &document());
        assert_eq!(analysis.scope, ModificationScope::Ambiguous, "{request}");
        assert_eq!(analysis.effective_scope(), ModificationScope::Global, "{request}");
        assert_eq!(analysis.reasons.len(), 1, "{request}");
    }
}

// SEC-145
#[test]
fn an_answer_has_a_scope_with_sections_confidence_and_reasons() {
    let analysis = answer(
        r#"{"scope": "specific", "sections": ["inputs USED", "\u0023 Overview", "None"], "confidence": 0.8, "reasons": ["named"]}"#,
    );
    assert_eq!(analysis.scope, specific(&["Overview", "Inputs used"]));
    assert_eq!(analysis.effective_scope(), analysis.scope);
    assert_eq!(analysis.reasons, ["named", "the document has no section `None`"]);
    let written = serde_json::to_value(&analysis).unwrap();
    assert_eq!(written["scope"]["specific"][0], "Overview");
}

// SEC-145
#[test]
fn an_unclear_or_unreadable_answer_is_global() {
    let unclear = [
        r#"{"scope": "specific", "sections": ["Overview"], "confidence": 0.59}"#,
        r#"{"scope": "specific", "sections": ["Overview"], "confidence": 7}"#,
        r#"{"scope": "specific", "sections": ["Overview"], "confidence": -1}"#,
        r#"{"scope": "specific", "sections": ["Nowhere"], "confidence": 1}"#,
        r#"{"scope": "specific", "confidence": 1}"#,
        r#"{"scope": "ambiguous", "sections": ["Overview"], "confidence": 1}"#,
        r#"{"scope": "global", "confidence": 1}"#,
    ];
    for json in unclear {
        assert_eq!(answer(json).effective_scope(), ModificationScope::Global, "{json}");
    }
    let at_the_limit = answer(r#"{"scope": "specific", "sections": ["Overview"], "confidence": 0.6}"#);
    assert_eq!(at_the_limit.effective_scope(), specific(&["Overview"]));
    let analysis = ModificationAnalysis::unreadable("the answer is no JSON");
    assert_eq!(analysis.effective_scope(), ModificationScope::Global);
}

// SEC-146
#[test]
fn a_touched_sub_section_means_that_its_outermost_section_is_written_again() {
    let places = |titles: &[&str]| sections_to_regenerate(&document(), &specific(titles));
    assert_eq!(places(&["Validation"]), BTreeSet::from([1]));
    assert_eq!(places(&["Inputs used", "Overview", "Nowhere"]), BTreeSet::from([0, 3]));
    assert_eq!(sections_to_regenerate(&document(), &ModificationScope::Global).len(), 4);
    assert_eq!(sections_to_regenerate(&document(), &ModificationScope::Ambiguous).len(), 4);
}

#[test]
fn all_sections_of_one_title_are_meant() {
    let document = parse("## A\n\n### Logs\n\n## B\n\n### Logs\n\n## C\n");
    let places = sections_to_regenerate(&document, &specific(&["logs"]));
    assert_eq!(places, BTreeSet::from([0, 1]));
}

// SEC-146
#[test]
fn sections_that_are_not_written_again_stay_byte_equal() {
    let new = "## How do I deploy this integration?\n\nNew text.\n".to_owned();
    let modified = replace_sections(&document(), &BTreeMap::from([(1, new)]));
    let (before, rest) = DOCUMENT.split_once("## How do I").unwrap();
    let (_, after) = rest.split_once("## Troubleshooting").unwrap();
    let expected =
        format!("{before}## How do I deploy this integration?\n\nNew text.\n\n\n## Troubleshooting{after}");
    assert_eq!(modified.text, expected);
    assert_eq!(modified.replaced, ["How do I deploy this integration?"]);
    assert!(modified.kept.is_empty());
}

// SEC-146
#[test]
fn a_replacement_that_would_change_other_sections_is_refused_and_the_text_stays() {
    let refused = [
        "## Overview\n\n```sh\nnever closed",
        "## Overview\n\n<!-- never closed",
        "## Overview\n\nText.\n\n## A second section",
        "### Overview\n\nText.",
        "No heading.",
        "Talk.\n\n## Overview\n\nText.",
        "Overview\n--------\n\nA heading that a line above would join.",
        "",
    ];
    for replacement in refused {
        let modified = replace_sections(&document(), &BTreeMap::from([(0, replacement.to_owned())]));
        assert_eq!(modified.text, DOCUMENT, "{replacement:?}");
        assert_eq!(modified.kept.len(), 1, "{replacement:?}");
        assert_eq!(modified.kept[0].title, "Overview");
        assert!(modified.replaced.is_empty());
    }
}

#[test]
fn a_replacement_takes_over_the_line_ends_of_the_document() {
    let document = parse("# A\r\n\r\n## One\r\n\r\nText.\r\n\r\n## Two\r\n");
    let modified =
        replace_sections(&document, &BTreeMap::from([(0, "## One\n\nNew.\r\nMore.\n".to_owned())]));
    assert_eq!(modified.text, "# A\r\n\r\n## One\r\n\r\nNew.\r\nMore.\r\n\r\n## Two\r\n");
}

// SEC-146
#[test]
fn a_protected_block_that_a_later_section_closes_takes_no_section_in() {
    let text = "## One\n\n## Two\n\n## Three\n\n<!-- PRESERVE START -->\nMine.\n<!-- PRESERVE END -->\n";
    let open = "## One\n\n<!-- PRESERVE START -->\nNew.".to_owned();
    let replacements = BTreeMap::from([(0, open), (1, "## Two\n\nNew.".to_owned())]);
    let modified = replace_sections(&parse(text), &replacements);
    let after = parse(&modified.text);
    assert_eq!(after.sections.len(), 3, "{}", modified.text);
    assert_eq!(after.sections[2].text(), parse(text).sections[2].text());
    assert_eq!(after.sections[1].text(), "## Two\n\nNew.\n\n");
}

#[test]
fn a_lone_carriage_return_is_a_line_end() {
    let new = BTreeMap::from([(0, "## New\n\na\r\r\n-".to_owned())]);
    let modified = replace_sections(&document(), &new);
    assert!(modified.text.contains("## New\n\na\n\n-\n\n## How do I deploy"), "{}", modified.text);
}

#[test]
fn a_section_of_only_a_heading_stays_apart_from_the_next() {
    let document = parse("## One\n## Two\n");
    let modified = replace_sections(&document, &BTreeMap::from([(0, "## One\n\nNew.".to_owned())]));
    assert_eq!(modified.text, "## One\n\nNew.\n## Two\n");
    assert_eq!(parse(&modified.text).sections.len(), 2);
}

proptest! {
    // SEC-146
    #[test]
    fn whatever_a_model_writes_other_sections_keep_their_text(new in "[-a#`~<>!*= \r\n]{0,40}", place in 0_usize..4) {
        let document = document();
        let replacement = format!("## New\n\n{new}");
        let modified = replace_sections(&document, &BTreeMap::from([(place, replacement)]));
        let after = parse(&modified.text);
        prop_assert_eq!(after.sections.len(), document.sections.len());
        for (number, (old, new)) in document.sections.iter().zip(&after.sections).enumerate() {
            prop_assert!(number == place || old.text() == new.text());
        }
    }
}

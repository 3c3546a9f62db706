//! Documents as trees of sections: parsing and combining on any text, cleaning of answers, protected blocks, links.

use proptest::prelude::*;
use stategraph_readme::document::{
    DISCLOSURE, DocumentSection, NOT_POPULATED, combine, ensure_title, extract_markdown, is_disclosure,
    links, lost_preserve_blocks, parse, parse_all, preserve_blocks,
};

/// Pieces that Markdown gives a meaning, so that random texts are not prose only.
const PIECES: &[&str] = &[
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "# ",
    "## ",
    "### ",
    "#### ",
    "text",
    " ",
    "    ",
    "\t",
    "- ",
    "> ",
    "1. ",
    "```",
    "~~~",
    "`",
    "===\n",
    "---\n",
    "<!-- ",
    " -->",
    "<!-- PRESERVE START -->",
    "<!-- PRESERVE END -->",
    "<div>",
    "</div>",
    "<pre>",
    "[a](b)",
    "[a]: b\n",
    "![",
    "{{fields \"log\"}}",
    "é",
    "\u{feff}",
    "| a | b |\n|---|---|\n",
    "***",
    "__",
    "\\",
    "&amp;",
    "---\ntitle: a\n---\n",
    DISCLOSURE,
    "\0",
    "😀",
];

/// Pieces that are no text of an author: they are kept, and what else becomes of them is open.
const ODD_PIECES: &[&str] = &["\r", "\u{feff}", "\0", "---\ntitle: a\n---\n"];

/// Makes texts without odd pieces.
fn usual_markdown() -> impl Strategy<Value = String> {
    let usual: Vec<&str> = PIECES.iter().copied().filter(|piece| !ODD_PIECES.contains(piece)).collect();
    let piece = prop_oneof![4 => prop::sample::select(usual).prop_map(str::to_owned), 1 => "[a-zA-Z0-9 .,:#*_()!-]{0,6}"];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn any_markdown() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![4 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => "\\PC{0,6}"],
        0..40,
    )
    .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parsing_keeps_every_byte(text in any_markdown()) {
        prop_assert_eq!(parse(&text).text(), text.clone());
        prop_assert_eq!(parse_all(&text).text(), text);
    }

    // SEC-49
    #[test]
    fn a_combined_document_is_a_fixed_point(bodies in prop::collection::vec(usual_markdown(), 0..5)) {
        let sections: Vec<String> = bodies.iter().enumerate().map(|(number, body)| format!("## Section {number}\n{body}")).collect();
        let document = combine("Example", &sections);
        let parsed = parse(&document);
        let again: Vec<String> = parsed.sections.iter().map(DocumentSection::text).collect();
        prop_assert_eq!(combine("Example", &again), document);
    }

    #[test]
    fn an_extracted_section_is_a_fixed_point_and_one_section(answer in usual_markdown()) {
        let once = extract_markdown(&answer, "Overview", 2);
        prop_assert!(once.starts_with("## Overview\n") && once.ends_with('\n'), "{:?}", once);
// A comment of a protected block can stand in a heading that is replaced; its other half stays.
        prop_assert!(parse(&once).sections.len() <= 1 || answer.contains("PRESERVE"), "{:?}", once);
    }
}

#[test]
fn sections_form_a_tree_by_level_and_text_before_them_is_none() {
    // SEC-38, SEC-42, SEC-172
    let document = parse("# Title\n\nIntro.\n\n## A\n\na\n\n#### Deep\n\nd\n\n### B\n\nb\n\n## C\n");
    assert_eq!(document.preamble, "# Title\n\nIntro.\n\n");
    let shape: Vec<(&str, u8, usize)> =
        document.flatten().iter().map(|it| (it.title.as_str(), it.level, it.line)).collect();
    assert_eq!(shape, [("A", 2, 5), ("Deep", 4, 9), ("B", 3, 13), ("C", 2, 17)]);
    assert_eq!(document.sections[0].children.len(), 2);
    assert_eq!(document.sections[0].own_text(), "## A\n\na\n\n");
    assert_eq!(parse_all("# One\n\n## Two\n\n# Three\n").sections.len(), 2);
}

#[test]
fn hashes_in_code_quotes_and_comments_are_no_headings() {
    // SEC-47, SEC-48
    let text = "## A\n\n```sh\n## no\n```\n\n    ## no\n\n<!--\n## no\n-->\n\n> ## no\n\n- ## no\n\n~~~~\n```\n## no\n~~~~\n\nSetext\nheading\n---\n\n## B ##\r\ntext\r\n";
    let titles: Vec<String> = parse(text).flatten().iter().map(|it| it.title.clone()).collect();
    assert_eq!(titles, ["A", "Setext heading", "B"]);
    assert_eq!(parse(text).sections[1].heading, "Setext\nheading\n---\n");
    assert_eq!(parse("\u{feff}## A\n").sections.len(), 1);
    assert_eq!(parse(&format!("## {}\n", "x".repeat(200_000))).sections[0].title.len(), 200_000);
}

#[test]
fn a_heading_inside_a_protected_block_cuts_nothing() {
    // SEC-43
    let text = "## A\n\n<!-- PRESERVE START -->\n\n## Kept\n\n<!-- PRESERVE END -->\n\n## B\n";
    let titles: Vec<String> = parse(text).sections.iter().map(|it| it.title.clone()).collect();
    assert_eq!(titles, ["A", "B"]);
    let open = "## A\n\n<!-- PRESERVE START -->\n\n## B\n";
    assert_eq!(parse(open).sections.len(), 2, "an unclosed block protects nothing");
    assert_eq!(preserve_blocks(open), []);
}

#[test]
fn sections_are_found_by_title_then_by_part_of_it() {
    // SEC-44, SEC-167
    let document = parse("## Set up and more\n\n### Set up\n\n## Troubleshooting\n\n### Common problems\n");
    assert_eq!(document.find("SET UP").map(|it| it.level), Some(3));
    assert_eq!(document.find("trouble").map(|it| it.title.as_str()), Some("Troubleshooting"));
    assert_eq!(document.parent_of("set up").map(|it| it.title.as_str()), Some("Set up and more"));
    assert_eq!(document.parent_of("Troubleshooting"), None);
    assert!(document.find("").is_none() && document.find("absent").is_none());
}

#[test]
fn content_is_found_by_a_keyword_of_its_heading() {
    // SEC-148
    let document = parse(
        "## Logs\n\na\n\n### Logs of access\n\nb\n\n## Metrics\n\n### More logs\n\nc\n\n#### Deep\n\nd\n\n### End\n",
    );
    let found: Vec<String> =
        document.find_by_keyword("logs").into_iter().map(DocumentSection::text).collect();
    assert_eq!(
        found,
        ["## Logs\n\na\n\n### Logs of access\n\nb\n\n", "### More logs\n\nc\n\n#### Deep\n\nd\n\n"]
    );
}

#[test]
fn a_document_has_one_title_one_note_and_single_blank_lines() {
    // SEC-39, SEC-45, SEC-46, SEC-173
    let sections =
        ["\n\n## Overview\n\nText.\n\n\n".to_owned(), format!("## Troubleshooting\n\n{DISCLOSURE}\n\nMore.")];
    let expected = format!(
        "# Example Integration for Elastic\n\n{DISCLOSURE}\n\n## Overview\n\nText.\n\n## Troubleshooting\n\n\nMore.\n"
    );
    assert_eq!(combine("Example", &sections), expected);
    assert_eq!(combine("Example Integration", &sections), expected);
}

#[test]
fn an_empty_section_gets_the_marker() {
    // SEC-50
    let document = combine("Example", &["## Reference\n\n".to_owned(), "  \n".to_owned()]);
    assert!(document.ends_with(&format!("## Reference\n\n{NOT_POPULATED}\n")), "{document}");
}

#[test]
fn line_ends_of_the_sections_are_those_of_the_document() {
    let document = combine("Example", &["## A\r\n\r\ntext\r\n".to_owned(), "## B\r\n".to_owned()]);
    assert!(!document.replace("\r\n", "").contains('\n'), "{document:?}");
}

#[test]
fn an_open_fence_or_comment_does_not_hide_the_next_section() {
    for open in ["~~~~sh\nrun\n```", "<!-- open", "<pre>\nopen", "<script>\nopen"] {
        let document = combine("Example", &[format!("## A\n\n{open}"), "## B\n\nText.".to_owned()]);
        assert_eq!(parse(&document).sections.len(), 2, "{document}");
    }
}

#[test]
fn a_note_in_code_and_in_a_protected_block_stays() {
    let section = "## A\n\n```text\nGenerated by AI.\n```\n\n<!-- PRESERVE START -->\nGenerated by AI.\n<!-- PRESERVE END -->\n\nGenerated by AI.";
    assert_eq!(combine("Example", &[section.to_owned()]).matches("Generated by AI.").count(), 2);
}

#[test]
fn a_title_is_replaced_or_added() {
    // SEC-40, SEC-173
    assert_eq!(ensure_title("Old\n===\r\n\ntext", "New"), "# New Integration for Elastic\r\n\ntext");
    assert_eq!(ensure_title("\n\ntext\n", "New"), "# New Integration for Elastic\n\ntext\n");
    // Of several headings, the first of level 1 is the title.
    assert_eq!(
        ensure_title("## Notes\n\n# Old\n\n# Other\n", "New"),
        "## Notes\n\n# New Integration for Elastic\n\n# Other\n"
    );
    assert_eq!(ensure_title("```\n# no\n```\n", "New"), "# New Integration for Elastic\n\n```\n# no\n```\n");
}

#[test]
fn notes_in_other_words_are_notes_and_texts_about_ai_are_not() {
    // SEC-46
    for note in [
        DISCLOSURE,
        "> This documentation was generated with the help of AI.",
        "_AI disclosure: this README was created using artificial intelligence._",
        "> **Note**: This AI-generated document was written by a language model and needs review.",
        "Generated by AI.",
    ] {
        assert!(is_disclosure(note), "{note}");
    }
    for text in [
        "This integration collects events that are generated by an AI gateway.",
        "The document lists the events.",
        "Events are created with the API.",
    ] {
        assert!(!is_disclosure(text), "{text}");
    }
}

fn check_extraction(answer: &str, expected: &str) {
    let cleaned = extract_markdown(answer, "Overview", 2);
    assert_eq!(cleaned, expected);
    assert_eq!(extract_markdown(&cleaned, "Overview", 2), expected, "a second cleaning changes nothing");
}

#[test]
fn a_fence_around_the_answer_goes_and_fences_inside_stay() {
    // SEC-41, SEC-51, SEC-174
    check_extraction(
        "Here is the section:\n\n```markdown\n## Overview\n\nText.\n\n```sh\nrun\n```\n\nEnd.\n```\n\nLet me know!",
        "## Overview\n\nText.\n\n```sh\nrun\n```\n\nEnd.\n",
    );
    check_extraction("```\n## Overview\n\nText.\n```", "## Overview\n\nText.\n");
    check_extraction("```markdown\n## Overview\n\nCut off", "## Overview\n\nCut off\n");
    check_extraction("## Overview\n\n```sh\nrun\n```", "## Overview\n\n```sh\nrun\n```\n");
}

#[test]
fn talk_before_and_after_goes() {
    // SEC-51
    check_extraction(
        "Sure! Here you are.\n\n## Overview\n\nText.\n\n---\n\nI hope this helps!",
        "## Overview\n\nText.\n",
    );
    check_extraction("Here is the section:\n\nText.", "## Overview\n\nText.\n");
    check_extraction("Based on logs, this works.", "## Overview\n\nBased on logs, this works.\n");
}

#[test]
fn a_wrong_heading_is_replaced_and_a_missing_one_added() {
    // SEC-51
    check_extraction(
        "# Overview\n\n## Compatibility\n\nText.",
        "## Overview\n\n### Compatibility\n\nText.\n",
    );
    check_extraction("## The overview of it\n\nText.", "## Overview\n\nText.\n");
    check_extraction("Text.\n\n### Part\n\nMore.", "## Overview\n\nText.\n\n### Part\n\nMore.\n");
    check_extraction("", "## Overview\n");
}

#[test]
fn of_a_whole_document_only_the_section_stays() {
    check_extraction(
        "# Title\n\n## Overview\n\nText.\n\n### Part\n\nMore.\n\n## Reference\n\nOther.",
        "## Overview\n\nText.\n\n### Part\n\nMore.\n",
    );
    check_extraction(
        "## Overview\n\nText.\n\n## Part\n\nMore.",
        "## Overview\n\nText.\n\n### Part\n\nMore.\n",
    );
}

#[test]
fn protected_blocks_are_found_outside_code_and_only_when_closed() {
    // SEC-43
    let text = "a\n<!-- PRESERVE START -->\nkept\n<!-- PRESERVE END -->\n\n```\n<!-- PRESERVE START -->\n<!-- PRESERVE END -->\n```\n\n<!-- PRESERVE START -->\nopen\n";
    let blocks = preserve_blocks(text);
    assert_eq!(blocks.len(), 1);
    assert_eq!(blocks[0].text, "<!-- PRESERVE START -->\nkept\n<!-- PRESERVE END -->");
    assert_eq!(blocks[0].line, 2);
    let twice = "<!-- PRESERVE START -->\none\n\n<!-- PRESERVE START -->\ntwo\n<!-- PRESERVE END -->\n";
    assert!(!preserve_blocks(twice)[0].text.contains("one"), "a second start begins the block anew");
}

#[test]
fn a_changed_block_and_a_missing_twin_are_lost() {
    // SEC-147
    let block = "<!-- PRESERVE START -->\nx\n<!-- PRESERVE END -->\n";
    let twice = format!("{block}\n{block}");
    assert!(lost_preserve_blocks(&twice, &twice.replace('\n', "\r\n")).is_empty());
    assert_eq!(lost_preserve_blocks(&twice, block).len(), 1);
    assert_eq!(lost_preserve_blocks(block, &block.replace('x', "y")).len(), 1);
}

#[test]
fn references_bare_addresses_and_html_are_links_and_code_is_not() {
    let text = "[a][r] and\nhttps://b.example/x_y(z). `https://no.example`\n\n<img src=\"c.png\">\n\n    https://no.example\n\n[r]: https://a.example\n";
    let found: Vec<(String, usize)> = links(text).into_iter().map(|link| (link.target, link.line)).collect();
    let expected = [("https://a.example", 1), ("https://b.example/x_y(z)", 2), ("c.png", 4)];
    assert_eq!(found, expected.map(|(target, line)| (target.to_owned(), line)));
}

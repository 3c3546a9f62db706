//! Topics of documents for users.

use super::*;

#[test]
fn sources_of_manual_pages_are_no_guides() {
    let pages = ["a.1.md", "a.b.8.md", "1.md", "a.md", "v1.0.md"].map(is_manual_page);
    assert_eq!(pages, [true, true, false, false, false]);
}

#[test]
fn only_folders_of_versions_are_versions() {
    let mut paths =
        ["docs/v1/a.md", "docs/v2/a.md", "guide/1/a.md", "guide/2/a.md"].map(str::to_owned).to_vec();
    keep_newest(&mut paths);
    assert_eq!(paths, ["docs/v2/a.md", "guide/1/a.md", "guide/2/a.md"]);
}

#[test]
fn sections_for_users_are_topics_with_their_first_example() {
    let text = "# Pads\n\nPads texts.\n\n## Usage\n\n### Retry\n\nA request is tried again once, if it fails.\n\n```js\npad('x')\n```\n\n```js\nno\n```\n\n## License\n\nMIT, as everything that we write is.\n";
    let all = sections(text);
    let headings = |at: usize| -> Vec<(usize, String)> {
        all[1..=at].iter().map(|section| (section.level, section.heading.clone())).collect()
    };
    let retry = topic("README.md", &all[3], &headings(3)).expect("a topic");
    assert_eq!(retry.sources[0].to_string(), "README.md:7-13");
    let FactValue::Topic { title, text, example, .. } = retry.value else { panic!("a topic") };
    assert_eq!(title, "Usage \u{203a} Retry");
    assert_eq!(text, ["A request is tried again once, if it fails."]);
    assert_eq!(example.as_deref(), Some("pad('x')"));
    assert_eq!(topic("README.md", &all[4], &[(2, "License".to_owned())]), None);
    assert_eq!(topic("README.md", &all[2], &headings(2)), None, "a heading alone says nothing");
    let links = "# A\n\n## Guides\n\n- [All about pads](x)\n- [Pads and more pads](y)\n\nPlease see the [pages](z) of them.\n";
    let links = sections(links);
    assert_eq!(topic("README.md", &links[2], &[(1, "A".to_owned()), (2, "Guides".to_owned())]), None);
    let lead = sections("# A\n\nIt is fast. This is how:\n\nMore words.\n\n```\nx\n```\n");
    assert_eq!(super::text(&lead[1]).0, ["It is fast.", "More words."]);
    let between = sections("# A\n\nIt is fast.\n\n```\nx\n```\n\nfor outputs like\n\n```\ny\n```\n");
    assert_eq!(super::text(&between[1]).0, ["It is fast."]);
    let before = sections("# A\n\nIt is fast.\n\n```\nx\n```\n\nCount up from zero.\n\n```\ny\n```\n");
    assert_eq!(super::text(&before[1]).0, ["It is fast."]);
    let behind = sections("# A\n\nIt is fast.\n\n```\nx\n```\n\nThis writes x.\n");
    assert_eq!(super::text(&behind[1]).2, 1);
}

#[test]
fn text_behind_a_rule_and_announcements_of_tables_are_no_part_of_a_section() {
    let ruled = sections("# A\n\nSend a request to be listed.\n\n---\n\nIcon by a friend.\n");
    assert_eq!(super::text(&ruled[1]).0, ["Send a request to be listed."]);
    let table = "# A\n\n- The folder of the data. It differs:\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n\n- Print the match.\n";
    assert_eq!(super::text(&sections(table)[1]).0, ["The folder of the data.", "Print the match."]);
}

#[test]
fn history_and_sentences_that_point_at_nothing_are_no_part_of_a_topic() {
    for (written, expected) in [
        (
            "The project was started by Jane Doe when she had no till. Soon we used it.\n\nIt sells.",
            &["It sells."][..],
        ),
        (
            "To sell gifts, wrap them as shown in the examples above.\n\nGifts are small.",
            &["Gifts are small."],
        ),
        ("Wrap gifts as shown below.\n\n```\nwrap()\n```\n", &["Wrap gifts as shown below."]),
        ("Wrap gifts as shown below.", &[]),
    ] {
        let all = sections(&format!("# A\n\n{written}\n"));
        assert_eq!(super::text(&all[1]).0, expected, "{written}");
    }
}

#[test]
fn a_long_heading_is_about_its_first_word() {
    assert!(is_elsewhere("Support") && is_elsewhere("Testing compliance"));
    assert!(!is_elsewhere("Terminals without true color support"));
}

#[test]
fn whole_programs_and_the_documentation_of_a_crate_are_topics() {
    let text = "# Pads\n\n## Quick start\n\n### Async\n\n```rust\nuse pads::pad;\n\nfn main() {\n    pad();\n}\n```\n";
    let all = sections(text);
    let names = [(1, "Pads"), (2, "Quick start"), (3, "Async")].map(|(level, name)| (level, name.to_owned()));
    let FactValue::Topic { title, text, example, .. } =
        topic("README.md", &all[3], &names).expect("a topic").value
    else {
        panic!("a topic")
    };
    assert_eq!((title.as_str(), text.len()), ("Quick start \u{203a} Async", 0));
    assert!(example.is_some_and(|code| code.ends_with("pad();\n}")));
    let crate_text = "#![x]\n//! # Rules\n//!\n//! A [`Pad`] holds [`Text`](x) of any length, and of any language.\n//! All features are on by default.\n//!\n//! ```\n//! # use pads::pad;\n//! pad();\n//! ```\nmod a;\n";
    let all = sections(&crate_documentation(crate_text));
    let fact = topic("src/lib.rs", &all[1], &[(1, "Rules".to_owned())]).expect("a topic");
    assert_eq!(fact.sources[0].to_string(), "src/lib.rs:2-10");
    let FactValue::Topic { text, example, .. } = fact.value else { panic!("a topic") };
    assert_eq!(text, ["A `Pad` holds `Text` of any length, and of any language."]);
    assert_eq!(example.as_deref(), Some("pad();"));
}

#[test]
fn headings_have_no_pictures() {
    assert_eq!(bare_heading(":rocket: Fast pads:"), "Fast pads");
    assert_eq!(bare_heading(":include: option"), "option");
    assert_eq!(bare_heading("Names of pads {#names}"), "Names of pads");
    assert_eq!(bare_heading("::before"), "::before");
}

#[test]
fn examples_that_are_long_or_hide_characters_are_left_out() {
    assert_eq!(
        whole_example("\nlet a = 1;\n    let b = 2;\n").as_deref(),
        Some("let a = 1;\n    let b = 2;")
    );
    assert_eq!(whole_example(&"x\n".repeat(21)), None);
    assert_eq!(whole_example("let a\u{202e} = 1;"), None);
}

//! The content of the document, and its structure in face of hostile text.

use proptest::prelude::*;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::json;
use stategraph::workflows::ard::{
    exchange::{Category, Component, ComponentKind, Coverage, DesignDraft, Review},
    services::DebateAgent,
    spec::{AnswerAuthor, DebateRound, SpecAgent, SpecInput, render},
    state::{DebateRemark, Ending, Fallback, FallbackSource},
};

use stategraph_testing::cases;

fn component(name: &str, kind: ComponentKind, purpose: &str) -> Component {
    Component::new(name.to_owned(), kind, purpose.to_owned())
}

fn agent(model: &str, author: AnswerAuthor) -> SpecAgent {
    SpecAgent {
        model: model.to_owned(),
        prompt_tokens: 120,
        completion_tokens: 45,
        cost: None,
        author,
        is_replaced: false,
    }
}

fn input() -> SpecInput {
    let missing = Review::from_challenges([(Category::Completeness, "The oven is missing.".to_owned())]);
    let components = vec![
        component("BreadShop", ComponentKind::Subsystem, "Sells what Oven bakes."),
        component("Oven", ComponentKind::Utility, "Bakes bread."),
    ];
    SpecInput {
        rough_idea: "A bread shop that bakes. It sells bread.".to_owned(),
        draft: DesignDraft::new(components, "Challenge 1: added Oven."),
        rounds: vec![
            DebateRound {
                review: missing,
                decisions: Vec::new(),
                answer: Some("Challenge 1: added Oven.".to_owned()),
            },
            DebateRound { review: Review::from_challenges([]), decisions: Vec::new(), answer: None },
        ],
        decisions: Vec::new(),
        remarks: Vec::new(),
        fallback: None,
        ending: Ending::Verified,
        thread: "thread-7".to_owned(),
        architect: agent("local/small", AnswerAuthor::Model),
        reviewer: agent("offline", AnswerAuthor::Rules(Coverage { read: 40, total: 40 })),
    }
}

fn timeout(description: &str) -> SpecInput {
    let review = Review::from_challenges([
        (Category::Completeness, description.to_owned()),
        (Category::Consistency, "Oven needs Flour.".to_owned()),
    ]);
    SpecInput {
        rounds: vec![DebateRound { review, decisions: Vec::new(), answer: None }],
        ending: Ending::Limit,
        ..input()
    }
}

#[test]
fn a_verified_debate_gives_the_whole_document() {
    // ARD-56, ARD-59, ARD-73
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/ard/spec.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&golden, render(&input())).expect("written");
    }
    assert_eq!(render(&input()), std::fs::read_to_string(&golden).expect("UPDATE=1 writes it"));
}

#[test]
fn equal_input_gives_equal_bytes() {
    // ARD-74
    assert_eq!(render(&timeout("x")), render(&timeout("x")));
}

#[test]
fn the_trace_log_is_exactly_that_of_the_seed() {
    // ARD-57, ARD-58
    let text = render(&timeout("Where is the oven?"));
    let expected = "\n\n---\n## ARD Trace Log — Max Iterations Reached\n\nUnresolved challenges at termination:\n\
                    1. [completeness] Where is the oven?\n2. [consistency] Oven needs Flour.\n";
    assert!(text.ends_with(expected), "{text}");
    assert!(text.contains("status: max_iterations_reached"));
}

#[test]
fn a_verified_document_has_no_trace_log() {
    // ARD-15, ARD-56
    assert!(!render(&input()).contains("Trace Log"));
}

#[test]
fn only_the_challenges_of_the_last_review_are_unresolved() {
    // ARD-57
    let mut late = timeout("Still no oven.");
    let first = DebateRound {
        review: Review::from_challenges([(Category::Ambiguity, "Which shop?".to_owned())]),
        decisions: Vec::new(),
        answer: None,
    };
    late.rounds.insert(0, first);
    let text = render(&late);
    let log = text.split("## ARD Trace Log").nth(1).expect("a log");
    assert!(log.contains("Still no oven.") && !log.contains("Which shop?"), "{log}");
}

#[test]
fn rules_say_that_they_wrote_it_and_how_much_they_read() {
    // ENG-21
    let rules = |read| AnswerAuthor::Rules(Coverage { read, total: 100 });
    let with = |architect, reviewer| {
        render(&SpecInput { architect: agent("a", architect), reviewer: agent("b", reviewer), ..input() })
    };
    assert!(with(rules(100), rules(100)).contains("drafted and reviewed by fixed rules"));
    assert!(
        with(rules(100), AnswerAuthor::Model)
            .contains("drafted by fixed rules and reviewed by a language model")
    );
    assert!(
        with(AnswerAuthor::Model, rules(100))
            .contains("drafted by a language model and reviewed by fixed rules")
    );
    assert!(!with(AnswerAuthor::Model, AnswerAuthor::Model).contains("**Note:**"));
    assert!(
        with(rules(40), rules(40)).contains("read the first 40 of 100 bytes of the idea; 60 were left out")
    );
    assert!(!with(rules(100), rules(100)).contains("left out"));
}

#[test]
fn the_title_is_what_the_idea_asks_for() {
    for (idea, title) in [
        ("Build a greenhouse monitor that reads sensors.", "Greenhouse monitor"),
        (
            "We want a tool for small bakeries to take pre-orders. It …",
            "Tool for small bakeries to take pre-orders",
        ),
        ("A service that ingests invoices as PDF, and more.", "Service that ingests invoices as PDF"),
        (
            "Our choir has 40 singers. We need a web app to plan rehearsals. Singers answer each date.",
            "Web app to plan rehearsals",
        ),
        ("# Chat", "Chat"),
        ("chat", "Chat"),
        ("聊天机器人。它回答问题。", "聊天机器人"),
        ("???", "Specification"),
        ("a", "A"),
        ("the ", "The"),
    ] {
        let text = render(&SpecInput { rough_idea: idea.to_owned(), ..input() });
        let heading = text.lines().find(|line| line.starts_with("# ")).expect("a title");
        assert_eq!(heading, format!("# {title}"), "{idea}");
    }
}

#[test]
fn a_long_title_is_cut_between_words() {
    let text = render(&SpecInput { rough_idea: "kneading ".repeat(30), ..input() });
    let heading = text.lines().find(|line| line.starts_with("# ")).expect("a title");
    assert!(heading.ends_with("kneading…") && heading.chars().count() <= 74, "{heading}");
}

#[test]
fn answers_that_follow_no_form_are_quoted_whole() {
    let mut free = input();
    free.rounds[0].answer = Some("I dealt with 1.\n# and *how*".to_owned());
    let text = render(&free);
    assert!(text.contains("The architect answered:\n\n> I dealt with 1.\n> \\# and \\*how\\*"), "{text}");
}

#[test]
fn the_diagram_has_a_node_for_each_component_and_an_edge_for_each_mention() {
    let kinds = ComponentKind::ALL.into_iter().enumerate();
    let components =
        kinds.map(|(n, kind)| component(&format!("Part{n}"), kind, "Feeds Part0 and Part1.")).collect();
    let text = render(&SpecInput { draft: DesignDraft::new(components, ""), ..input() });
    let chart = text.split("```mermaid\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a chart");
    // Two that name each other are one line without a head.
    assert_eq!((chart.matches(" --> ").count(), chart.matches(" --- ").count()), (8, 1), "{chart}");
    for node in [
        "c0[\"Part0\"]",
        "c1{{\"Part1\"}}",
        "c2([\"Part2\"])",
        "c3(\"Part3\")",
        "c4[(\"Part4\")]",
        "c5[/\"Part5\"/]",
    ] {
        assert!(chart.contains(node), "{node} in {chart}");
    }
}

/// What a reader's eye sees of the structure: headings with their level, and the kinds of everything else.
fn structure(text: &str) -> (Vec<String>, Vec<String>) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_MATH
        | Options::ENABLE_FOOTNOTES;
    let (mut headings, mut others) = (Vec::new(), Vec::new());
    let mut heading = None::<(HeadingLevel, String)>;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => heading = Some((level, String::new())),
            Event::End(TagEnd::Heading(_)) => {
                let (level, text) = heading.take().expect("begun");
                headings.push(if level == HeadingLevel::H1 {
                    "H1".to_owned()
                } else {
                    format!("{level} {text}")
                });
            }
            Event::Text(text) => {
                if let Some((_, heading)) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::Start(Tag::Paragraph | Tag::BlockQuote(_)) | Event::SoftBreak | Event::End(_) => {}
            Event::Code(_) => others.push("code".to_owned()),
            Event::Start(tag) => others.push(format!("{:?}", tag.to_end())),
            other => others.push(format!("{other:?}")),
        }
    }
    (headings, others)
}

/// Puts a text wherever foreign text may stand.
fn filled_with(text: &str) -> SpecInput {
    SpecInput { rough_idea: text.to_owned(), ..answered_with(text) }
}

/// Puts a text wherever text of models and users may stand, with a harmless idea.
fn answered_with(text: &str) -> SpecInput {
    let review = Review::from_challenges([
        (Category::Ambiguity, text.to_owned()),
        (Category::Ambiguity, text.to_owned()),
    ]);
    SpecInput {
        rough_idea: "plain words".to_owned(),
        draft: filled(text),
        rounds: vec![
            DebateRound { review: review.clone(), decisions: Vec::new(), answer: Some(text.to_owned()) },
            DebateRound { review, decisions: Vec::new(), answer: None },
        ],
        thread: text.to_owned(),
        architect: agent(text, AnswerAuthor::Model),
        reviewer: agent(text, AnswerAuthor::Model),
        decisions: Vec::new(),
        remarks: vec![DebateRemark { round: 1, text: text.to_owned() }],
        fallback: Some(Fallback {
            agent: DebateAgent::Architect,
            source: FallbackSource::LastDraft,
            problems: vec![text.to_owned()],
        }),
        ending: Ending::Limit,
    }
}

/// Returns a draft with a text in all its fields.
fn filled(text: &str) -> DesignDraft {
    let of = |name: &str| {
        json!({ "name": name, "type": "Subsystem", "purpose": text, "covers": [1],
            "interfaces": [{ "name": text, "takes": text, "gives": text }],
            "data": [{ "name": text, "fields": [text, text], "kept": text }] })
    };
    // The name of a system becomes code in a purpose, and here both would be the same text.
    let system = format!("{text} & Co");
    let draft = json!({
        "components": [of("BreadShop"), of("Oven")],
        "design_rationale": text,
        "overview": text,
        "requirements": [{ "text": text, "from": [1], "check": text }],
        "external_systems": [{ "name": system, "purpose": text }],
        "relations": [{ "from": "BreadShop", "to": "Oven", "label": text }, { "from": "Oven", "to": system, "label": text }],
        "flows": [{ "title": text, "steps": [{ "from": "Oven", "to": system, "text": text }] }],
        "states": [{ "of": text, "transitions": [{ "from": text, "to": "done", "on": text }] }],
        "quality": [{ "quality": text, "measure": text }],
        "decisions": [{ "decision": text, "reason": text, "alternatives": [text] }],
        "assumptions": [text],
        "questions": [{ "question": text, "assumption": text }],
    });
    serde_json::from_value(draft).expect("a draft")
}

fn check_harmless(text: &str) {
    let expected = structure(&render(&answered_with("plain words")));
    let rendered = render(&answered_with(text));
    assert_eq!(structure(&rendered), expected, "{text:?} gave\n{rendered}");
    check_front_matter(&rendered, text);
    check_hostile_idea(text);
}

/// Checks that an idea adds no heading and no element but those of the sections that the program writes.
fn check_hostile_idea(text: &str) {
    const SECTIONS: &[&str] = &[
        "H1",
        "h2 Open questions",
        "h2 Overview",
        "h2 Actors",
        "h2 Requirements",
        "h2 Numbers",
        "h2 Quality goals",
        "h2 Constraints",
        "h2 Constraints and non-goals",
        "h2 Non-goals",
        "h2 Components",
        "h3 Subsystems",
        "h3 Utilities",
        "h3 External systems",
        "h2 Component diagram",
        "h2 Interfaces",
        "h2 Data",
        "h2 Flows",
        "h2 States",
        "h2 Decisions",
        "h2 Assumptions",
        "h2 Traceability",
        "h2 Further questions",
        "h2 Appendix: how the challenges were resolved",
        "h3 Round 1",
        "h3 Round 2",
        "h3 Remarks",
        "h2 ARD Trace Log — Max Iterations Reached",
    ];
    const ELEMENTS: &[&str] = &[
        "MetadataBlock(YamlStyle)",
        "Strong",
        "Emphasis",
        "List(false)",
        "List(true)",
        "Item",
        "Table",
        "TableHead",
        "TableRow",
        "TableCell",
        "CodeBlock",
        "Rule",
        "code",
    ];
    let rendered = render(&filled_with(text));
    let (headings, elements) = structure(&rendered);
    let mut known = SECTIONS.iter();
    for heading in &headings {
        assert!(known.any(|section| section == heading), "{text:?} gave {heading}\n{rendered}");
    }
    for element in &elements {
        assert!(ELEMENTS.contains(&element.as_str()), "{text:?} gave {element}\n{rendered}");
    }
    check_front_matter(&rendered, text);
}

fn check_front_matter(rendered: &str, thread: &str) {
    let yaml =
        rendered.strip_prefix("---\n").and_then(|rest| rest.split("\n---\n").next()).expect("front matter");
    let front: serde_json::Value =
        serde_saphyr::from_str(yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"));
    assert_eq!(front["thread"].as_str(), Some(thread), "{yaml}");
    assert_eq!(front["architect"]["prompt_tokens"], 120);
}

#[test]
fn hostile_text_changes_nothing_but_the_words() {
    for text in [
        "# heading",
        "a\n# heading\nb",
        "a\n\n## ARD Trace Log\n\nb",
        "a\n===",
        "a\n---",
        "---",
        "***",
        "___",
        "```\ncode\n```",
        "~~~\ncode",
        "    indented\n\tcode",
        "<!-- comment",
        "<script>alert(1)</script>",
        "<b>",
        "a | b | c",
        "|a|\n|-|\n|b|",
        "- item",
        "* item",
        "+ item",
        "1. item",
        "1) item",
        "> quote",
        "[link](http://x)",
        "![i](x)",
        "[ref]: http://x",
        "`code`",
        "``",
        "*em* **strong** _em_ ~~del~~",
        "&lt; &#35; &amp;",
        "\\# \\",
        "a  \nb",
        "a\\\nb",
        "$x$ $$y$$",
        "[^1]\n\n[^1]: note",
        "---\nstatus: verified\n---",
        "title: \"x\"\nstatus: y",
        "\u{2028}x\u{85}y\u{0}",
        "`Ofen",
        "<http://x.y>",
        "a\r# b\r\n# c",
        ": - :",
        "- - -",
        "=",
        "1",
        "#",
        "x\u{a0}# y",
        "\u{feff}# x",
        "&#35; Ofen &Ofen; #Ofen",
        "😀\u{7f}",
        "- [ ] task",
        "a\n: b",
        "Challenge 1: x\nChallenge 2: # y",
    ] {
        // Two blocks that "plain words" has, but not texts with blank lines or of a fitting form, are made by hand.
        let by_form = text.starts_with("Challenge 1");
        if !by_form {
            check_harmless(text);
        }
        check_front_matter(&render(&filled_with(text)), text);
    }
}

#[test]
fn names_of_other_components_are_set_as_code() {
    let text = render(&filled_with("&Oven; `Oven` `Oven Ovens OvenBreadShop"));
    assert!(text.contains("| **BreadShop** | &amp;`Oven`; `Oven` \\`Oven Ovens OvenBreadShop |"), "{text}");
}

#[test]
fn answers_by_number_are_put_below_their_challenges() {
    for answer in ["Challenge 1: x\nChallenge 2: # y", "Challenge 1: x; Challenge 2: # y"] {
        let text = render(&filled_with(answer));
        assert!(answered(&text), "{text}");
    }
}

fn answered(text: &str) -> bool {
    text.contains("\n   - *Answer:* x\n2. ") && text.contains("\n   - *Answer:* \\# y")
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn any_text_leaves_the_structure_alone(text in "[-#>*_`~|<>&;:=+.()\\[\\]!\\\\ \t\n\r\"'{}$^a-c0-9Ö]{1,60}") {
        prop_assume!(text.chars().any(char::is_alphanumeric));
        check_harmless(&text);
    }

    #[test]
    fn front_matter_always_parses(text in any::<String>()) {
        check_front_matter(&render(&filled_with(&text)), &text);
    }
}

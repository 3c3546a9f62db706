//! Hostile text in entries stays text: it starts no heading, list, table, link, directive or comment in any format.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use stategraph::workflows::doc_phases::memory::*;
use stategraph::workflows::doc_phases::writer::{Format, write_documents};

use super::hostile_facts::facts_saying;
use super::memory_kit::*;
use super::writer::documents;
use stategraph_testing::cases;

/// Texts that broke documents before, in one markup or another.
pub(crate) const HOSTILE: &[&str] = &[
    "# heading",
    "= title",
    "- item",
    "* item",
    "+ item",
    "1. first",
    "a) first",
    "(iv) first",
    "#. first",
    "> quote",
    "| cell | cell |",
    "|===",
    "+---+---+",
    "----",
    "====",
    "***",
    "```rust",
    "~~~",
    "::",
    "ends with two::",
    ":field: value",
    ":attr: value",
    ".. include:: /etc/passwd",
    ".. raw:: html",
    "include::/etc/passwd[]",
    "ifdef::x[]",
    "image::x.png[]",
    "// comment",
    "////",
    "[source]",
    "[[anchor]]",
    ".Title",
    "NOTE: remark",
    "term:: definition",
    "term;; definition",
    "word;; definition",
    "*; x",
    "<script>alert(1)</script>",
    "<!-- comment -->",
    "&lt; &#42; &amp;",
    "[label](javascript:alert(1))",
    "![image](x.png)",
    "<https://example.org>",
    "https://example.org/a_b",
    "somebody@example.org",
    "`code` ``code`` ```",
    "`",
    "\\",
    "\\\\\\\\",
    "ends with \\",
    "`text <target>`_ and ref_ and __anon__ |subst| [1]_ :role:`x`",
    "*strong* **strong** _em_ __em__ ~del~ ^up^ #mark# ##mark##",
    "{attribute} {{ template }} {% raw %}",
    "<<xref>> ((index)) (((index)))",
    "+pass+ ++pass++ +++pass+++ pass:[x] $$x$$",
    "a -- b ... c (C) (R) (TM) -> => <- <= don't \"x\"",
    "line one\nline two",
    "x\n\n# heading\n\n- item",
    "x\r\n====\r\n",
    "tab\there",
    ">>> doctest",
    "-a option",
    "--long option",
    "/V option",
    "__ target",
    "'''",
    "<<<",
    "---",
    "-- x",
    "* * *",
    "ends with +",
    "a|b",
    "\u{2028}# x\u{85}= x\u{b}- x",
    "nul\u{0}bell\u{7}",
    "ünïcödé — “quotes” 漢字 😀",
    "&'a str",
    "Vec<Option<&'static str>>",
    "|x| x + 1",
    "a\\|b",
    "#[derive(Debug)]",
    "%% comment",
    "end",
    "graph TD; A-->B",
];

/// Returns a memory in which every text is `text`.
fn memory_saying(folder: &Path, text: &str) -> Memory {
    let memory = Memory::open(folder, at(1)).expect("new");
    let said = || text.to_owned();
    let path = "src/a.rs";
    let entries: Vec<Entry> = vec![
        ArchitectureOverview {
            system_name: said(),
            purpose: said(),
            tech_stack: vec![said()],
            entry_points: vec![said()],
            architectural_style: said(),
            key_abstractions: vec![said()],
            component_boundaries: [("a".to_owned(), vec![said()]), ("zz".to_owned(), vec![said()])].into(),
            ..overview()
        }
        .into(),
        ComponentSummary {
            component_name: said(),
            root_path: said(),
            responsibility: said(),
            key_files: vec![said()],
            public_interfaces: vec![PublicInterface {
                name: said(),
                kind: said(),
                signature: said(),
                description: said(),
            }],
            dependencies: vec!["b".into()],
            dependents: vec!["c".into()],
            design_patterns_used: vec![said()],
            ..component("a")
        }
        .into(),
        component("b").into(),
        FileRole {
            responsibility: said(),
            layer: said(),
            key_exports: vec![said(), said()],
            key_functions: vec![KeyFunction { name: said(), signature: said(), purpose: said() }],
            key_classes: vec![KeyClass { name: said(), purpose: said(), methods: vec![said()] }],
            ..file(path, "a")
        }
        .into(),
        DataModel {
            model_name: said(),
            model_type: said(),
            file_path: said(),
            fields: vec![DataField { name: said(), kind: said(), description: said() }],
            relationships: vec![Relationship { target_model: said(), relation_type: said() }],
            used_by_components: vec!["a".into(), "d".into()],
            ..model("m")
        }
        .into(),
        RuntimeFlow {
            flow_name: said(),
            description: said(),
            trigger: said(),
            steps: vec![RuntimeStep { component: "a".into(), action: said(), next: "b".into() }],
            ..flow("f")
        }
        .into(),
        CrossCuttingConcern {
            concern_name: said(),
            description: said(),
            implementation_pattern: said(),
            files_involved: vec![said()],
            key_abstractions: vec![said()],
            ..concern("x")
        }
        .into(),
    ];
    entries.into_iter().for_each(|entry| store(&memory, entry));
    memory.set_facts(facts_saying(text)).expect("writable");
    memory
}

/// Documents of a memory, by format and path.
type Pages = BTreeMap<Format, BTreeMap<String, String>>;

fn written(text: &str) -> Pages {
    let home = tempfile::tempdir().expect("a temporary folder");
    let memory = memory_saying(&home.path().join("memory"), text);
    let of = |format: &Format| {
        let into = home.path().join(format.name());
        write_documents(&memory, &into, &documents(*format)).expect("writable");
        let all = bytes(&into).into_iter().filter(|(path, _)| !path.starts_with('.'));
        (*format, all.map(|(path, bytes)| (path, String::from_utf8(bytes).expect("UTF-8"))).collect())
    };
    Format::ALL.iter().map(of).collect()
}

/// Returns a harmless text with as many paragraphs.
fn harmless(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let paragraphs = lines.split(|line| line.trim().is_empty()).filter(|run| !run.is_empty()).count();
    vec!["word"; paragraphs.max(1)].join("\n\n")
}

/// Returns the documents of a harmless text, cached.
fn written_harmlessly(text: &str) -> Arc<Pages> {
    static KEPT: Mutex<BTreeMap<String, Arc<Pages>>> = Mutex::new(BTreeMap::new());
    let text = harmless(text);
    let mut kept = KEPT.lock().expect("no holder panics");
    Arc::clone(kept.entry(text.clone()).or_insert_with(|| Arc::new(written(&text))))
}

fn github() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM
}

/// Returns the blocks of a document, without their text.
fn skeleton(markdown: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    for event in Parser::new_ext(markdown, github()) {
        match event {
            Event::Start(Tag::Strong | Tag::Link { .. }) | Event::End(TagEnd::Strong | TagEnd::Link) => {}
            Event::Start(Tag::CodeBlock(_)) => blocks.push("code block".into()),
            Event::Start(Tag::Heading { level, .. }) => blocks.push(format!("{level}")),
            Event::Start(tag) => blocks.push(format!("{tag:?}")),
            Event::End(tag) => blocks.push(format!("/{tag:?}")),
            Event::Html(html) | Event::InlineHtml(html) => blocks.push(format!("html {html}")),
            Event::FootnoteReference(_) | Event::Rule | Event::TaskListMarker(_) => {
                blocks.push(format!("{event:?}"));
            }
            _ => {}
        }
    }
    blocks
}

/// Returns all links of a document.
fn links(markdown: &str) -> Vec<String> {
    let events = Parser::new_ext(markdown, github());
    events
        .filter_map(|event| {
            if let Event::Start(Tag::Link { dest_url, .. }) = event {
                Some(dest_url.into_string())
            } else {
                None
            }
        })
        .collect()
}

fn shown(markdown: &str) -> String {
    let text = Parser::new_ext(markdown, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(text.into_string()),
        Event::SoftBreak | Event::HardBreak => Some(" ".into()),
        Event::End(_) => Some("\n".into()),
        _ => None,
    });
    text.collect()
}

fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[track_caller]
fn check_markdown(text: &str, hostile: &Pages) {
    let plain = written_harmlessly(text);
    let (hostile, plain) = (&hostile[&Format::Md], &plain[&Format::Md]);
    assert_eq!(hostile.keys().collect::<Vec<_>>(), plain.keys().collect::<Vec<_>>());
    for (path, page) in hostile.iter().filter(|(path, _)| path.contains(".md")) {
        assert_eq!(skeleton(page), skeleton(&plain[path]), "{path} of {text:?}:\n{page}");
        assert_eq!(links(page), links(&plain[path]), "{path} of {text:?}:\n{page}");
    }
    let title = one_line(text);
    let page = &hostile["components/a.md"];
    // In a heading, as text, and in a table, as code.
    let heading = shown(page).lines().next().unwrap_or_default().to_owned();
    assert_eq!(one_line(&heading), title, "of {text:?}:\n{page}");
    // The marks of code spans in prose are not shown: their text is code.
    let bare = |text: &str| one_line(&text.replace('`', ""));
    let signature = bare(&shown(page)).matches(bare(&title).as_str()).count();
    assert!(signature >= 10, "{text:?} is shown {signature} times in\n{page}");
}

/// Returns the start of each line: the marks that could start a structure.
fn openers(text: &str) -> Vec<String> {
    let mark = |line: &str| {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        let mark: String = words
            .chars()
            .take_while(|c| !c.is_alphanumeric() && !c.is_whitespace() && *c != '\\' && *c != '&')
            .collect();
        format!("{indent}{mark}")
    };
    text.lines().map(mark).collect()
}

/// Returns a page without what stands in blocks of code, whose lines are as many as those of the text.
fn without_code(page: &str, format: Format) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        kept.push(line);
        if format == Format::Rst && line == "::" {
            while lines.next_if(|line| line.is_empty() || line.starts_with("    ")).is_some() {}
        } else if format == Format::Adoc && line.starts_with("[source,") {
            let fence = lines.next();
            lines.by_ref().find(|line| Some(*line) == fence);
        }
    }
    kept.join("\n")
}

/// Checks that corresponding lines start the same structures.
fn check_lines(text: &str, hostile: &Pages, format: Format) {
    let plain = &written_harmlessly(text)[&format];
    for (path, page) in &hostile[&format] {
        let structure = |page: &str| -> Vec<String> {
            // An underline is as long as its title; a title or a paragraph begins with text.
            let marks = openers(page).into_iter().map(|mark| {
                let rule = mark.trim_start_matches(|c: char| c.is_ascii_digit());
                let uniform = rule.len() > 3 && rule.chars().all(|c| rule.starts_with(c));
                if uniform { rule.chars().take(3).collect() } else { mark }
            });
            marks.collect()
        };
        let (page, plain) = (without_code(page, format), without_code(&plain[path], format));
        let (found, wanted) = (structure(&page), structure(&plain));
        assert_eq!(found.len(), wanted.len(), "{path} of {text:?}:\n{page}");
        for (found, wanted) in found.iter().zip(&wanted) {
            let own = wanted.trim_start_matches(|c: char| c.is_ascii_digit());
            let is_text = matches!(own, "" | "``") && !found.chars().any(|c| c.is_ascii_punctuation());
            assert!(
                found == wanted || is_text || found.starts_with(wanted.as_str()),
                "{found:?}, not {wanted:?}, in {path} of {text:?}:\n{page}"
            );
        }
    }
}

#[track_caller]
fn check(text: &str) {
    let hostile = written(text);
    check_markdown(text, &hostile);
    check_lines(text, &hostile, Format::Rst);
    check_lines(text, &hostile, Format::Adoc);
}

// DOC-120, ENG-16: docutils and Asciidoctor themselves read the same texts in tests/real/documents.sh
#[test]
fn hostile_text_shows_as_it_is_and_structures_nothing() {
    HOSTILE.iter().for_each(|text| check(text));
}

/// Environment variable, set by tests/real/documents.sh, with the folder for documents that the real programs read.
const OUT: &str = "STATEGRAPH_TEST_DOCUMENTS";

// DOC-114, 120
#[test]
fn hostile_documents_are_laid_out_for_real_readers() {
    let Some(out) = std::env::var_os(OUT) else { return };
    for (number, text) in HOSTILE.iter().enumerate() {
        for (name, said) in [("hostile", (*text).to_owned()), ("harmless", harmless(text))] {
            let folder = Path::new(&out).join(format!("{number:02}/{name}"));
            let memory = memory_saying(&folder.join("memory"), &said);
            for &format in Format::ALL {
                write_documents(&memory, &folder.join(format.name()), &documents(format)).expect("writable");
            }
        }
        std::fs::write(Path::new(&out).join(format!("{number:02}/text")), text).expect("writable");
    }
}

proptest! {
    #![proptest_config(cases(24))]

    // DOC-120, ENG-16
    #[test]
    fn any_marks_show_as_they_are(text in "[a-c1.:;`*_|<>\\[\\](){}#+=~^&'\"!@$%/\\\\ -]{0,14}x") {
        check(&text);
    }

    // DOC-114
    #[test]
    fn any_text_stays_in_its_label(text in "\\PC{0,20}x") {
        let files = &written(&text)[&Format::Md];
        let chart = &files["diagrams/architecture.mmd"];
        prop_assert_eq!(chart.lines().count(), 4, "{}", chart);
        let label = chart.lines().nth(1).and_then(|line| line.strip_prefix("    c0[\"")).and_then(|line| line.strip_suffix("\"]"));
        prop_assert!(label.is_some_and(|label| !label.contains(['"', '[', ']', '<', '&', '`'])), "{}", chart);
        let sequence = &files["diagrams/flow_f.mmd"];
        prop_assert_eq!(sequence.lines().count(), 7, "{}", sequence);
    }
}

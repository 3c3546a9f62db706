//! Hostile documents, templates and manifests, made by loops so that no large file is kept. Knows nothing of the crate; each test program
//! checks its own part against the facts beside the texts.

#![allow(dead_code, reason = "each test program uses a part")]

use std::fmt::Write as _;
use std::iter;

/// A document that a parser or a validator may handle badly.
pub(crate) struct HostileDocument {
    /// Name for messages.
    pub(crate) name: &'static str,
    /// Markdown.
    pub(crate) text: String,
    /// Number of its headings of level 2 by the CommonMark specification; headings in quotes and lists do not count.
    pub(crate) sections: usize,
    /// Number of its closed pairs of PRESERVE comments (SEC-43).
    pub(crate) preserve_blocks: usize,
}

/// A manifest that cannot be read as one.
pub(crate) struct HostileManifest {
    /// Name for messages.
    pub(crate) name: &'static str,
    /// Content of `manifest.yml`.
    pub(crate) bytes: Vec<u8>,
}

/// Returns all hostile documents.
pub(crate) fn documents() -> Vec<HostileDocument> {
    let mut documents = broken_documents();
    documents.extend(large_documents());
    documents
}

/// Returns a template of so many sections, each with an instruction and one part.
pub(crate) fn template(sections: usize) -> String {
    let mut text = String::from("# Title\n");
    for number in 1..=sections {
        write!(text, "\n## Section {number}\n\n<!-- Instruction {number}. -->\n\n### Part {number}\n")
            .expect("a string takes every text");
    }
    text
}

/// Returns manifests that must cost the manifest and nothing else: each is a defect, never an error, a panic or a wait.
pub(crate) fn manifests() -> Vec<HostileManifest> {
    let manifest = |name, bytes: Vec<u8>| HostileManifest { name, bytes };
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(bomb, "a{level}: &a{level} [{aliases}]").expect("a string takes every text");
    }
    let mut huge = b"name: acme\ndescription: ".to_vec();
    huge.extend(iter::repeat_n(b'x', 10 << 20));
    vec![
        manifest("a list instead of a mapping", b"- name: acme\n- title: Acme\n".to_vec()),
        manifest("a word", b"acme\n".to_vec()),
        manifest("bytes that are not UTF-8", b"name: acme\ntitle: \xff\xfe\x80\n".to_vec()),
        manifest("ten mebibytes", huge),
        manifest("a bomb of aliases", bomb.into_bytes()),
        manifest("100,000 open brackets", [b"vars: ".to_vec(), vec![b'['; 100_000]].concat()),
        manifest("an alias of nothing", b"name: *nowhere\n".to_vec()),
        manifest("a tab as indentation", b"policy_templates:\n\t- name: acme\n".to_vec()),
    ]
}

fn broken_documents() -> Vec<HostileDocument> {
    let document = |name, text: &str, sections, preserve_blocks| HostileDocument {
        name,
        text: text.into(),
        sections,
        preserve_blocks,
    };
    vec![
        document(
            "an unclosed PRESERVE block before a heading",
            "# T\n\n## A\n\n<!-- PRESERVE START -->\n\nKept?\n\n## B\n\nText.\n",
            2,
            0,
        ),
        document(
            "an end of a PRESERVE block without its start",
            "# T\n\n## A\n\n<!-- PRESERVE END -->\n\n## B\n",
            2,
            0,
        ),
        document(
            "a closed PRESERVE block, then an unclosed one",
            "# T\n\n<!-- PRESERVE START -->\n\nA\n\n<!-- PRESERVE END -->\n\n## B\n\n<!-- PRESERVE START -->\n",
            1,
            1,
        ),
        document("an unclosed fence that hides a heading", "# T\n\n## A\n\n```bash\nls\n\n## B\n", 1, 0),
        document(
            "an unclosed comment that hides a heading",
            "# T\n\n## A\n\n<!-- never closed\n\n## B\n",
            1,
            0,
        ),
        document("old line ends", "# T\r\r## A\r\rText.\r\r## B\r\rText.\r", 2, 0),
        document("line ends of three kinds", "# T\r\n\r\n## A\n\nText.\r\r## B\r\n", 2, 0),
        document(
            "zero bytes and marks of direction in headings",
            "# T\0\n\n## A\0\u{202e}\n\n## \u{2066}B\n",
            2,
            0,
        ),
        document("headings without a text", "#\n\n##\n\n## \n\n## ##\n", 3, 0),
        document("seven marks are no heading", "# T\n\n####### A\n\n##B\n\n\\## C\n", 0, 0),
        document("a byte order mark alone", "\u{feff}", 0, 0),
        document("nothing", "", 0, 0),
        document(
            "template tags that are never closed",
            "# T\n\n## A\n\n{{fields \"\n\n{{event\n\n## {{ B\n",
            2,
            0,
        ),
    ]
}

fn large_documents() -> Vec<HostileDocument> {
    let document =
        |name, text: String, sections| HostileDocument { name, text, sections, preserve_blocks: 0 };
    let paragraph = "The gateway sends an event for each session, and the agent reads it within a second.\n";
    let mut long = String::from("# T\n");
    for number in 1..=200 {
        write!(long, "\n## Section {number}\n\n{}", paragraph.repeat(5)).expect("a string takes every text");
    }
    let mut references = String::from("# T\n\n## A\n\n");
    for number in 0..5_000 {
        write!(references, "[a][r{number}]\n\n[r{number}]: #a\n\n").expect("a string takes every text");
    }
    let head = "# T\n\n## A\n\n";
    vec![
        document("more than 70,000 characters", long, 200),
        document("a line of 70,000 characters", head.to_owned() + &"x".repeat(70_000) + "\n", 1),
        document("500 headings of one title", "# T\n".to_owned() + &"\n## Same\n\nText.\n".repeat(500), 500),
        document("50,000 open brackets", head.to_owned() + &"[".repeat(50_000) + "\n", 1),
        document("50,000 open images and links", head.to_owned() + &"![[".repeat(25_000) + "\n", 1),
        document("50,000 backticks of growing runs", head.to_owned() + &growing_runs(317), 1),
        document("70,000 marks of emphasis", head.to_owned() + &"*a _b ".repeat(17_500) + "\n", 1),
        document("a heading in 1,000 quotes", head.to_owned() + &"> ".repeat(1_000) + "## B\n", 1),
        document("a heading in 1,000 lists", head.to_owned() + &"- ".repeat(1_000) + "## B\n", 1),
        document(
            "a row of 10,000 cells",
            head.to_owned() + "| a | b |\n|---|---|\n" + &"| x ".repeat(10_000) + "|\n",
            1,
        ),
        document("5,000 references", references, 1),
        document("10,000 open comments", head.to_owned() + &"text <!-- \n".repeat(10_000), 1),
        document("10,000 template tags", head.to_owned() + &"{{fields \"log\"}}\n\n".repeat(10_000), 1),
    ]
}

/// Returns runs of 1 to `longest` backticks, none of which closes another.
fn growing_runs(longest: usize) -> String {
    (1..=longest).map(|length| "`".repeat(length) + "x ").collect::<String>() + "\n"
}

#[test]
fn hostile_texts_are_as_large_as_their_names_say() {
    let documents = documents();
    let length = |name: &str| {
        let found = documents.iter().find(|document| document.name == name);
        found.map_or(0, |document| document.text.chars().count())
    };
    assert!(length("more than 70,000 characters") > 70_000);
    assert!(length("a line of 70,000 characters") > 70_000);
    assert!(length("50,000 backticks of growing runs") > 50_000);
    assert_eq!(template(200).matches("\n## ").count(), 200);
    assert!(manifests().iter().any(|manifest| manifest.bytes.len() > 10 << 20));
}

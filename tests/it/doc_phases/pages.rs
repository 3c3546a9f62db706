//! The pages that come from facts: what they say, with which places, and what they leave out.

#![allow(clippy::format_collect, reason = "the texts of tests are short")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pulldown_cmark::{Event, Options, Parser, Tag};
use stategraph::facts::{Fact, FactKind, FactSubject, FactValue, PathRole, SourceLines, TraceStep};
use stategraph::repo::{CodeBase, Root};
use stategraph::workflows::doc_phases::input::Mode;
use stategraph::workflows::doc_phases::memory::*;
use stategraph::workflows::doc_phases::selection::{SELECTION_BYTES, SelectedFacts, select};
use stategraph::workflows::doc_phases::writer::{DocumentOptions, Format, write_documents};

use super::kit::{Kit, Player};
use super::memory_kit::{at, bytes, list};

/// Files of a repository with a fact of most kinds.
const SHOP: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nclap = \"4\"\n\n[features]\ntls = []\n",
    ),
    (
        "README.md",
        "# Shop\n\n`shop` sells bread over the counter.\n\n## Build\n\n```sh\ncargo build --release\n```\n",
    ),
    (
        "CONTRIBUTING.md",
        "# Contributing\n\n- Every change must have a test.\n\nRun the tests with:\n\n```sh\ncargo test --all\n```\n",
    ),
    ("rustfmt.toml", "max_width = 100\n"),
    (
        "src/main.rs",
        "//! The shop.\n\nmod store;\n\nfn main() {\n    let port = std::env::var(\"SHOP_PORT\");\n    store::open(&port.unwrap_or_default());\n}\n",
    ),
    (
        "src/store/mod.rs",
        "//! Keeps `Shelf` values on disk.\n\n/// A shelf with bread.\npub struct Shelf {\n    pub loaves: usize,\n}\n\n/// Opens the store.\npub fn open(port: &str) -> Shelf {\n    Shelf { loaves: port.len() }\n}\n",
    ),
    ("examples/tour.rs", "//! A tour.\nfn main() {\n    std::env::var(\"TOUR_ONLY\").unwrap();\n}\n"),
    ("tests/all.rs", "#[test]\nfn t() {\n    std::env::var(\"TEST_ONLY\").unwrap();\n}\n"),
];

/// A repository with its memory and documents at their places.
struct Repository {
    home: tempfile::TempDir,
}

impl Repository {
    fn of(files: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        for (path, text) in files {
            let path = home.path().join(path);
            fs::create_dir_all(path.parent().expect("it is below the folder")).expect("folders");
            fs::write(path, text).expect("a file");
        }
        Self { home }
    }

    fn selected(&self) -> SelectedFacts {
        select(&CodeBase::new(Arc::new(Root::open(self.home.path()).expect("a folder"))))
    }

    fn documents(&self) -> PathBuf {
        self.home.path().join(".agentic/documentation")
    }

    /// Writes the documents of a memory with an overview and two components.
    fn write(&self, facts: SelectedFacts, format: Format) {
        let open = PublicInterface {
            name: "open".into(),
            kind: "function".into(),
            signature: "pub fn open(port: &str) -> Shelf".into(),
            description: "Opens the store.".into(),
        };
        self.write_interfaces(facts, format, vec![open]);
    }

    /// Like [`write`](Self::write), with the public interface of `store`.
    fn write_interfaces(
        &self,
        facts: SelectedFacts,
        format: Format,
        public_interfaces: Vec<PublicInterface>,
    ) {
        let memory = Memory::open(&self.home.path().join(".agentic/memory"), at(1)).expect("new");
        memory.set_facts(facts).expect("writable");
        let overview = ArchitectureOverview {
            system_name: "shop".into(),
            purpose: "Sells.".into(),
            key_abstractions: list(&["Shelf: named in 3 lines of 1 file"]),
            component_boundaries: [
                ("store".to_owned(), list(&["src/store"])),
                ("shop".to_owned(), list(&["src/main.rs"])),
            ]
            .into(),
            confidence: 0.9,
            ..ArchitectureOverview::default()
        };
        let store = ComponentSummary {
            component_id: "store".into(),
            component_name: "store".into(),
            root_path: "src/store".into(),
            responsibility: "1 file, 1 public type.".into(),
            key_files: list(&["src/store/mod.rs"]),
            public_interfaces,
            confidence: 0.9,
            ..ComponentSummary::default()
        };
        let shop = ComponentSummary {
            component_id: "shop".into(),
            component_name: "shop".into(),
            root_path: "src/main.rs".into(),
            responsibility: "1 file, 1 function.".into(),
            key_files: list(&["src/main.rs"]),
            confidence: 0.9,
            ..ComponentSummary::default()
        };
        let entries: [Entry; 3] = [overview.into(), store.into(), shop.into()];
        for entry in entries {
            memory.store(entry).expect("valid");
        }
        let options = DocumentOptions { format, written_by: WrittenBy::Rules };
        write_documents(&memory, &self.documents(), &options).expect("writable");
    }

    fn read(&self, page: &str) -> String {
        fs::read_to_string(self.documents().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
    }
}

fn fact(subject: FactSubject, value: FactValue, source: SourceLines) -> Fact {
    Fact {
        id: "0".into(),
        subject,
        value,
        sources: vec![source],
        origin: stategraph::facts::FactOrigin::Resolved,
        role: PathRole::Runtime,
    }
}

fn lines(path: &str, start: usize, end: usize) -> SourceLines {
    SourceLines { path: path.into(), start, end }
}

#[test]
fn the_page_of_a_component_tells_how_its_functions_behave() {
    let store = "//! Keeps bread.\n\n/// Loaves by name.\npub const LOAVES: &[(&str, u8)] = &[\n    (\"rye\", 1),\n    (\"wheat\", 2),\n];\n\n/// Opens the store. At most nine times.\npub fn open(port: &str) -> Result<u8, Closed> {\n    if port.is_empty() {\n        return Err(Closed::NoPort);\n    }\n    Ok(1)\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn it_opens() {}\n}\n";
    let files: Vec<(&str, &str)> = SHOP
        .iter()
        .map(|(path, text)| if *path == "src/store/mod.rs" { (*path, store) } else { (*path, *text) })
        .collect();
    let shop = Repository::of(&files);
    shop.write(shop.selected(), Format::Md);
    let page = shop.read("components/store.md");
    // Documentation and tables stand in the quoted code, and nowhere else.
    assert!(page.contains("```rust\n/// Opens the store. At most nine times.\npub fn open("), "{page}");
    assert_eq!(page.matches("At most nine times.").count(), 1, "{page}");
    assert_eq!(page.matches("(\"rye\", 1),").count(), 1, "{page}");
    assert!(shop.read("BUILDING.md").contains("beside the code that they test, in `src/store/mod.rs`"));
    let code = "```rust\n/// Opens the store. At most nine times.\npub fn open(port: &str) -> Result<u8, Closed> {\n    if port.is_empty() {\n        return Err(Closed::NoPort);\n    }\n    Ok(1)\n}\n```";
    assert!(page.contains(code) && !page.contains("## Failures"), "{page}");
}

#[test]
fn a_page_tells_internal_names_variants_and_the_number_of_further_entries() {
    let entries: String = (0..32).map(|at| format!("    {at},\n")).collect();
    let store = format!(
        "pub const LOAVES: &[u8] = &[\n{entries}];\n\n/// Opens.\npub fn open() {{}}\n#[cfg(unix)]\npub type Sleep = u8;\n#[cfg(not(unix))]\npub struct Sleep;\n"
    );
    let files = [
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
        ("src/lib.rs", "mod store;\n"),
        ("src/store/mod.rs", store.as_str()),
    ];
    let shop = Repository::of(&files);
    let interface = |name: &str, kind: &str, signature: &str| PublicInterface {
        name: name.into(),
        kind: kind.into(),
        signature: signature.into(),
        description: String::new(),
    };
    let interfaces = vec![
        interface("open", "function", "pub fn open()"),
        interface("Sleep", "struct", "pub struct Sleep"),
        interface("Sleep", "type", "pub type Sleep = u8"),
    ];
    shop.write_interfaces(shop.selected(), Format::Md, interfaces);
    let page = shop.read("components/store.md");
    let rows = |start: &str| page.lines().filter(|line| line.starts_with(start)).collect::<Vec<_>>();
    assert!(page.contains("`28`, `29` and 2 more"), "{page}");
    let internal = "Its module is private and nothing re-exports it.";
    assert!(matches!(rows("| `open` |")[..], [row] if row.contains(internal)), "{page}");
    let sleep = rows("| `Sleep` |");
    let is_row = |row: &str, kind: &str, condition: &str| {
        row.contains(&format!("| {kind} |")) && row.contains(condition)
    };
    assert!(
        matches!(sleep[..], [a, b] if is_row(a, "type", "If `unix`") && is_row(b, "struct", "If `not(unix)`")),
        "{page}"
    );
}

#[test]
fn each_page_has_its_facts_with_their_places() {
    // DOC-108, DOC-109, DOC-116
    let shop = Repository::of(SHOP);
    shop.write(shop.selected(), Format::Md);
    let expected: &[(&str, &[&str])] = &[
        (
            "README.md",
            &[
                "`shop` sells bread over the counter. ([README.md:3](../../README.md#L3))",
                "names it `shop`, version `0.1.0` ([Cargo.toml:2-3](../../Cargo.toml#L2-L3)). It is a program",
                "| [store](components/store.md) | Keeps `Shelf` values on disk. ([src/store/mod.rs:1](../../src/store/mod.rs#L1)) |",
                "- [Build, run and test](BUILDING.md)",
                "- [Configuration](CONFIGURATION.md)",
                "- [Entry points](INTERFACE.md)",
                "- [Notes for contributors](CONTRIBUTING_NOTES.md)",
            ],
        ),
        (
            "BUILDING.md",
            &[
                "## Build\n\n- `cargo build --release` ([README.md:8](../../README.md#L8))",
                "## Test\n\n- `cargo test --all` ([CONTRIBUTING.md:8](../../CONTRIBUTING.md#L8))",
                "- **Formatter:** `rustfmt` ([rustfmt.toml:1](../../rustfmt.toml#L1))",
            ],
        ),
        (
            "CONFIGURATION.md",
            &["| `SHOP_PORT` | [src/main.rs:6](../../src/main.rs#L6) |", "## Features of the build"],
        ),
        ("INTERFACE.md", &["| `shop` | [src/main.rs:5](../../src/main.rs#L5) |", "## Examples"]),
        (
            "CONTRIBUTING_NOTES.md",
            &["- Every change must have a test. ([CONTRIBUTING.md:3](../../CONTRIBUTING.md#L3))"],
        ),
        (
            "ARCHITECTURE.md",
            &[
                "- `Shelf`: A shelf with bread. ([src/store/mod.rs:4-6](../../src/store/mod.rs#L4-L6))",
                "- **At run time:** `clap` ([Cargo.toml:7](../../Cargo.toml#L7))",
            ],
        ),
        (
            "components/store.md",
            &[
                "Keeps `Shelf` values on disk. ([src/store/mod.rs:1](../../../src/store/mod.rs#L1))",
                "| Opens the store. | [src/store/mod.rs:9-11](../../../src/store/mod.rs#L9-L11) |",
            ],
        ),
    ];
    for (page, parts) in expected {
        let text = shop.read(page);
        for part in *parts {
            assert!(text.contains(part), "{part} is missing in {page}:\n{text}");
        }
    }
    let all: String =
        bytes(&shop.documents()).into_values().map(|text| String::from_utf8(text).unwrap()).collect();
    for hidden in ["TOUR_ONLY", "Confidence", "1 public type"] {
        assert!(!all.contains(hidden), "{hidden} is on a page");
    }
    assert!(!shop.read("CONFIGURATION.md").contains("TEST_ONLY"), "a variable of tests is no setting");
}

/// Returns the addresses of all links of the Markdown pages, by page.
fn links(documents: &Path) -> BTreeMap<String, Vec<String>> {
    let pages = bytes(documents).into_iter().filter(|(path, _)| path.contains(".md"));
    let links = |text: Vec<u8>| {
        let text = String::from_utf8(text).expect("UTF-8");
        let events = Parser::new_ext(&text, Options::ENABLE_TABLES);
        let link = |event| match event {
            Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.into_string()),
            _ => None,
        };
        events.filter_map(link).collect()
    };
    pages.map(|(path, text)| (path, links(text))).collect()
}

#[test]
fn every_link_leads_to_a_file_and_to_lines_that_exist() {
    // DOC-109, DOC-111
    let mut files = SHOP.to_vec();
    files.push(("src/odd name (1) #é.rs", "//! An odd file.\n\n/// Odd.\npub struct Odd;\n"));
    let shop = Repository::of(&files);
    let mut facts = shop.selected();
    let route = FactValue::Route { method: None, path: "/odd".into(), handler: None };
    facts.facts.push(fact(FactSubject::Repository, route, lines("src/odd name (1) #é.rs", 3, 4)));
    shop.write(facts, Format::Md);
    let mut sources = 0;
    for (page, links) in links(&shop.documents()) {
        let folder = shop.documents().join(&page).parent().expect("a folder").to_owned();
        for link in links {
            let (path, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(path, anchor)| (path, Some(anchor)));
            let file = folder.join(decoded(path));
            let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{link} of {page}: {error}"));
            if let Some(anchor) = anchor {
                sources += 1;
                let last =
                    anchor.rsplit('L').next().and_then(|line| line.parse::<usize>().ok()).expect("lines");
                assert!((1..=text.lines().count()).contains(&last), "{link} of {page}");
            }
        }
    }
    assert!(sources > 15, "{sources} links lead to lines");
}

fn decoded(path: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits: String = rest.by_ref().take(2).map(char::from).collect();
            bytes.push(u8::from_str_radix(&digits, 16).expect("two digits"));
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn links_to_lines_have_the_form_of_each_markup() {
    // DOC-120
    let shop = Repository::of(SHOP);
    let source = lines("src/__init__.py", 2, 3);
    let limit = FactValue::Limit { text: "No `async`.".into() };
    let facts = SelectedFacts {
        facts: vec![fact(FactSubject::Repository, limit, source)],
        ..SelectedFacts::default()
    };
    let expected = [
        (Format::Md, "md", "- No `async`. ([`src/__init__.py:2-3`](../../src/__init__.py#L2-L3))"),
        (Format::Rst, "rst", "`src/\\_\\_init\\_\\_.py:2-3 <../../src/__init__.py#L2-L3>`__"),
        (Format::Adoc, "adoc", "link:../../src/%5F%5Finit%5F%5F.py#L2-L3["),
    ];
    for (format, extension, link) in expected {
        shop.write(facts.clone(), format);
        let page = shop.read(&format!("CONTRIBUTING_NOTES.{extension}"));
        assert!(page.contains(link), "{page}");
    }
}

#[test]
fn a_page_without_facts_is_absent_and_nothing_leads_to_it() {
    // DOC-117, DOC-119
    let shop = Repository::of(SHOP);
    shop.write(SelectedFacts::default(), Format::Md);
    let pages = ["BUILDING", "CONFIGURATION", "INTERFACE", "CONTRIBUTING_NOTES"];
    for (path, text) in bytes(&shop.documents()) {
        let text = String::from_utf8(text).expect("UTF-8");
        assert!(
            pages.iter().all(|page| !path.starts_with(page) && !text.contains(&format!("{page}.md"))),
            "{path}: {text}"
        );
    }
    // A component without a stated purpose is described by its files, not by numbers.
    assert!(shop.read("README.md").contains("| [store](components/store.md) | Holds `src/store/mod.rs`. |"));
}

#[test]
fn documents_with_facts_do_not_depend_on_the_source_tree() {
    // DOC-108
    let written = |keeps_sources: bool| {
        let shop = Repository::of(SHOP);
        let facts = shop.selected();
        if !keeps_sources {
            fs::remove_dir_all(shop.home.path().join("src")).expect("ours");
            fs::remove_file(shop.home.path().join("README.md")).expect("ours");
        }
        shop.write(facts, Format::Md);
        bytes(&shop.documents())
    };
    assert_eq!(written(true), written(false));
}

#[test]
fn a_path_from_the_entry_to_the_core_is_shown_with_its_diagram() {
    // DOC-113, DOC-115
    let shop = Repository::of(SHOP);
    let mut facts = shop.selected();
    let steps = vec![
        TraceStep { name: "main".into(), at: lines("src/main.rs", 5, 8) },
        TraceStep { name: "open".into(), at: lines("src/main.rs", 7, 7) },
    ];
    facts.facts.retain(|fact| fact.value.kind() != FactKind::Trace);
    facts.facts.push(fact(
        FactSubject::Project(String::new()),
        FactValue::Trace { steps },
        lines("src/main.rs", 5, 8),
    ));
    shop.write(facts, Format::Md);
    let text = shop.read("ARCHITECTURE.md");
    let wanted = "### From main to open\n\n\
        1. `main`, defined at [src/main.rs:5-8](../../src/main.rs#L5-L8)\n\
        2. `open`, called at [src/main.rs:7](../../src/main.rs#L7)\n\n\
        ```mermaid\nsequenceDiagram\n    participant p0 as src#47;main.rs\n    participant p1 as src#47;store#47;mod.rs\n    p0->>p1: open\n```\n";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn a_selection_is_bounded_and_the_same_each_time() {
    let source: String = (0..1_500)
        .map(|n| format!("/// The number {n} of many, with words of its own.\npub struct S{n};\n"))
        .collect();
    let many: Vec<(String, String)> = (0..8).map(|n| (format!("src/m{n}.rs"), source.clone())).collect();
    let mut files: Vec<(&str, &str)> =
        many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("Cargo.toml", "[package]\nname = \"many\"\nversion = \"0.1.0\"\n"));
    let repository = Repository::of(&files);
    let selected = repository.selected();
    assert!(serde_json::to_vec(&selected).expect("data").len() <= SELECTION_BYTES + SELECTION_BYTES / 4);
    assert!(selected.facts.iter().any(|fact| fact.value.kind() == FactKind::Project));
    assert_eq!(selected, repository.selected());
}

#[tokio::test]
async fn an_update_forgets_the_facts_of_a_deleted_file() {
    // DOC-90, DOC-91
    let kit = Kit::new();
    kit.write("Makefile", "test:\n\tcargo test\n");
    kit.done(&Player::usual()).await;
    assert!(kit.read(".agentic/documentation/BUILDING.md").contains("Makefile"));
    std::fs::remove_file(kit.folder.path().join("Makefile")).expect("ours");
    let kit = kit.next(Mode::Update);
    kit.done(&Player::usual()).await;
    let texts = kit.tree(".agentic/documentation").into_iter().chain(kit.tree(".agentic/memory"));
    let naming: Vec<String> =
        texts.filter(|(_, text)| text.contains("Makefile")).map(|(path, _)| path).collect();
    assert_eq!(naming, [""; 0]);
}

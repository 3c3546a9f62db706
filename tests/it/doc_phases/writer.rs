//! The documents: their list and content, all from memory alone.

use std::fs;
use std::path::Path;

use stategraph::workflows::doc_phases::memory::*;
use stategraph::workflows::doc_phases::writer::{
    Change, DocumentOptions, Format, WrittenDocuments, write_documents,
};

use super::memory_kit::*;

pub(crate) fn documents(format: Format) -> DocumentOptions {
    DocumentOptions { format, written_by: WrittenBy::Model("test/writer".into()) }
}

fn written(memory: &Memory, into: &Path, format: Format) -> WrittenDocuments {
    write_documents(memory, into, &documents(format)).expect("writable")
}

fn read(into: &Path, path: &str) -> String {
    fs::read_to_string(into.join(path)).expect(path)
}

fn paths(written: &WrittenDocuments) -> Vec<&str> {
    written.documents.iter().map(|document| document.path.as_str()).collect()
}

fn full() -> (tempfile::TempDir, Memory) {
    let (home, memory) = memory();
    all().into_iter().for_each(|entry| store(&memory, entry));
    (home, memory)
}

// DOC-108 to 113, 120
#[test]
fn all_documents_are_written_in_every_format() {
    for (format, extension) in [(Format::Md, "md"), (Format::Rst, "rst"), (Format::Adoc, "adoc")] {
        let (home, memory) = full();
        let into = home.path().join(".agentic/documentation");
        let done = written(&memory, &into, format);
        let wanted = [
            format!("ARCHITECTURE.{extension}"),
            format!("DATA_MODELS.{extension}"),
            format!("NOTES.{extension}"),
            format!("README.{extension}"),
            format!("components/auth.{extension}"),
            "diagrams/architecture.mmd".to_owned(),
            "diagrams/flow_login.mmd".to_owned(),
        ];
        assert_eq!(paths(&done), wanted);
        assert!(done.missing.is_empty() && done.removed.is_empty());
        assert!(done.documents.iter().all(|document| document.change == Change::New));
        let index = read(&into, &format!("README.{extension}"));
        for path in &wanted {
            assert!(path.starts_with("README") || index.contains(path.as_str()), "{path} is not in\n{index}");
        }
    }
}

// DOC-109, 115
#[test]
fn the_overview_says_what_the_system_is() {
    let (home, memory) = full();
    memory.store(component("api")).expect("valid");
    written(&memory, home.path(), Format::Md);
    let text = read(home.path(), "ARCHITECTURE.md");
    let wanted = "# Architecture of Shop\n\n\
        ## Overview\n\nSells things.\n\nTo people.\n\n\
        ## Technology stack\n\n- Rust\n- PostgreSQL\n\n\
        ## Architectural style\n\nLayers.\n\n\
        ## Key abstractions\n\n- Order\n\n\
        ## Components\n\n\
        | Component | Paths |\n| :--- | :--- |\n\
        | [The api](components/api.md) | `src/api` |\n\
        | [The auth](components/auth.md) | `src/auth` |\n";
    assert!(text.starts_with(wanted), "{text}");
    for part in [
        "## Entry points\n\n- src/main.rs\n",
        "## Flows\n\n### Flow login\n\nLets somebody in.\n\n**Trigger:** a request\n",
        "| 1 | [The api](components/api.md) | checks the token | [The auth](components/auth.md) |\n",
        "```mermaid\nsequenceDiagram\n    participant p0 as The api\n",
        "## Cross-cutting concerns\n\n### CurrentConcern logging\n\nEverything is logged.\n\n- **Pattern:** One logger.\n",
        "- **Files:** `src/log.rs`\n",
        "Last updated: 2024-01-16. Found out by the language model `test/writer`.\n",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

// DOC-111, 116
#[test]
fn a_components_page_says_all_of_it() {
    let (home, memory) = memory();
    let interface = PublicInterface {
        name: "login".into(),
        kind: "function".into(),
        signature: "fn login(name: &str) -> Result<(), Error>".into(),
        description: "Lets a user in.".into(),
    };
    memory
        .store(ComponentSummary {
            key_files: list(&["src/auth/login.rs"]),
            public_interfaces: vec![interface],
            dependencies: list(&["store", "unknown"]),
            dependents: list(&["web"]),
            design_patterns_used: list(&["Observer"]),
            ..component("auth")
        })
        .expect("valid");
    memory.store(component("store")).expect("valid");
    memory.store(ComponentSummary { dependencies: list(&["auth"]), ..component("api") }).expect("valid");
    let functions =
        vec![KeyFunction { name: "check".into(), signature: "fn check()".into(), purpose: "Checks.".into() }];
    let classes =
        vec![KeyClass { name: "Session".into(), purpose: "A session.".into(), methods: list(&["end"]) }];
    let one = FileRole {
        layer: "domain".into(),
        key_exports: list(&["login", "Session"]),
        ..file("src/auth/login.rs", "auth")
    };
    memory.store(FileRole { key_functions: functions, key_classes: classes, ..one }).expect("valid");
    memory.store(FileRole { layer: "api".into(), ..file("src/auth/http.rs", "auth") }).expect("valid");
    memory.store(file("src/auth/other.rs", "auth")).expect("valid");
    memory.store(file("src/store/rows.rs", "store")).expect("valid");
    memory.store(model("user")).expect("valid");
    written(&memory, home.path(), Format::Md);
    let wanted = "# The auth\n\n\
        ## Overview\n\nDoes what auth does.\n\n**Location:** `src/auth`\n\n\
        ## Key files\n\n- `src/auth/login.rs`\n\n\
        ## Public declarations\n\n\
        | Name | Type | Signature | Description |\n| :--- | :--- | :--- | :--- |\n\
        | `login` | function | `fn login(name: &str) -> Result<(), Error>` | Lets a user in. |\n\n\
        ## Dependencies\n\n- [The store](../components/store.md)\n- unknown\n\n\
        ## Used by\n\n- [The api](../components/api.md)\n- web\n\n\
        ## Design patterns\n\n- Observer\n\n\
        ## Files\n\n\
        ### api\n\n| File | Responsibility |\n| :--- | :--- |\n| `src/auth/http.rs` | Holds src/auth/http.rs. |\n\n\
        ### domain\n\n| File | Responsibility | Exports |\n| :--- | :--- | :--- |\n| `src/auth/login.rs` | Holds src/auth/login.rs. | `login`, `Session` |\n\n\
        ### Other files\n\n| File | Responsibility |\n| :--- | :--- |\n| `src/auth/other.rs` | Holds src/auth/other.rs. |\n\n\
        ## Types\n\n| Name | Purpose | Methods | File |\n| :--- | :--- | :--- | :--- |\n| `Session` | A session. | `end` | `src/auth/login.rs` |\n\n\
        ## Other functions\n\n| Function | Purpose | File |\n| :--- | :--- | :--- |\n| `fn check()` | Checks. | `src/auth/login.rs` |\n\n\
        ## Data models\n\n`userModel` ([data models](../DATA_MODELS.md))\n\n\
        Last updated: 2024-01-16. Found out by the language model `test/writer`.\n";
    assert_eq!(read(home.path(), "components/auth.md"), wanted);
}

// DOC-110, 117
#[test]
fn data_models_are_grouped_by_their_type() {
    let (home, memory) = memory();
    let done = written(&memory, home.path(), Format::Md);
    assert!(!paths(&done).contains(&"DATA_MODELS.md"), "no file when there are no models");
    memory.store(model("user")).expect("valid");
    memory
        .store(DataModel {
            model_type: "enum".into(),
            fields: Vec::new(),
            relationships: Vec::new(),
            ..model("role")
        })
        .expect("valid");
    memory.store(DataModel { model_type: String::new(), ..model("misc") }).expect("valid");
    written(&memory, home.path(), Format::Md);
    let text = read(home.path(), "DATA_MODELS.md");
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    let wanted = [
        "# Data models of this repository",
        "## enum",
        "### roleModel",
        "## struct",
        "### userModel",
        "## Other",
        "### miscModel",
    ];
    assert_eq!(headings, wanted);
    assert!(text.contains("Defined in `src/user.rs`. Used by auth.\n"), "{text}");
    assert!(text.contains("| Field | Type | Description |\n| :--- | :--- | :--- |\n| `id` | `u64` | Its number. |\n\n- **has many** `Other`\n"), "{text}");
}

// DOC-112, 113, 114
#[test]
fn diagrams_are_plain_mermaid() {
    let (home, memory) = full();
    memory
        .store(ComponentSummary { dependencies: list(&["auth", "nobody", "api"]), ..component("api") })
        .expect("valid");
    memory
        .store(ComponentSummary { component_name: "A \"quoted\"; [name]\n#1".into(), ..component("zoo") })
        .expect("valid");
    written(&memory, home.path(), Format::Md);
    let chart = "flowchart LR\n    c0[\"The api\"]\n    c1[\"The auth\"]\n    \
        c2[\"A #34;quoted#34;#59; #91;name#93; #35;1\"]\n    c0 --> c1\n";
    assert_eq!(read(home.path(), "diagrams/architecture.mmd"), chart);
    let sequence = "sequenceDiagram\n    participant p0 as The api\n    participant p1 as The auth\n    \
        Note over p0: a request\n    p0->>p1: checks the token\n    p1->>p1: answers\n";
    assert_eq!(read(home.path(), "diagrams/flow_login.mmd"), sequence);
}

// DOC-108
#[test]
fn the_source_tree_is_not_read() {
    let write = |keep_sources: bool| {
        let home = tempfile::tempdir().expect("a temporary folder");
        let repo = home.path().join("repo");
        fs::create_dir_all(repo.join("src/auth")).expect("folders");
        fs::write(repo.join("src/auth/login.rs"), "fn login() {}").expect("a file");
        let memory = Memory::open(&home.path().join("memory"), at(1)).expect("new");
        let root = stategraph::repo::Root::open(&repo).expect("a folder");
        let memory = memory.with_files(std::sync::Arc::new(root));
        memory.store(component("auth")).expect("it is there");
        memory.store(file("src/auth/login.rs", "auth")).expect("it is there");
        if !keep_sources {
            fs::remove_dir_all(&repo).expect("ours");
        }
        written(&memory, &home.path().join("out"), Format::Md);
        bytes(&home.path().join("out"))
    };
    assert_eq!(write(true), write(false));
}

// DOC-119
#[test]
fn without_an_overview_the_others_are_written_and_the_missing_one_is_named() {
    let (home, memory) = memory();
    all().into_iter().skip(1).for_each(|entry| store(&memory, entry));
    let done = written(&memory, home.path(), Format::Md);
    assert_eq!(done.missing.len(), 1);
    assert_eq!(
        done.missing[0].to_string(),
        "ARCHITECTURE.md was not written: memory has no architecture entry"
    );
    assert!(paths(&done).contains(&"components/auth.md") && !paths(&done).contains(&"ARCHITECTURE.md"));
    assert!(!read(home.path(), "README.md").contains("ARCHITECTURE"), "nothing leads to what is not there");
    assert!(!read(home.path(), "components/auth.md").contains("ARCHITECTURE"));
}

// DOC-134
#[test]
fn an_overview_without_components_and_an_empty_memory_are_documented_too() {
    let (home, memory) = memory();
    let done = written(&memory, home.path(), Format::Md);
    assert_eq!((paths(&done), done.missing.len()), (vec!["README.md"], 1));
    let bare = ArchitectureOverview {
        component_boundaries: std::collections::BTreeMap::default(),
        major_components: Vec::new(),
        ..overview()
    };
    memory.store(bare).expect("valid");
    let done = written(&memory, home.path(), Format::Md);
    assert_eq!((paths(&done), done.missing.len()), (vec!["ARCHITECTURE.md", "README.md"], 0));
    assert!(!read(home.path(), "ARCHITECTURE.md").contains("## Components"), "no empty sections");
    memory.store(overview()).expect("valid");
    written(&memory, home.path(), Format::Md);
    assert!(
        read(home.path(), "ARCHITECTURE.md").contains("| api | `src/api` |"),
        "a component without an entry is named"
    );
    assert!(read(home.path(), "diagrams/architecture.mmd").contains("c1[\"auth\"]"));
}

// DOC-118
#[test]
fn what_is_beyond_the_limits_is_said() {
    let (home, path) = folder();
    let memory = Memory::open(&path, at(1)).expect("new");
    memory.store(overview()).expect("valid");
    for n in 0..52 {
        let confidence = if n < 2 { 0.1 } else { 0.9 };
        let dependencies = vec!["c05".to_owned()];
        let component = ComponentSummary { confidence, dependencies, ..component(&format!("c{n:02}")) };
        memory.store(component).expect("valid");
        memory.store(file(&format!("src/{n:02}.rs"), "c05")).expect("valid");
    }
    (0..21).for_each(|n| store(&memory, concern(&format!("x{n:02}"))));
    (0..103).for_each(|n| store(&memory, model(&format!("m{n:03}"))));
    let into = home.path().join("out");
    let done = written(&memory, &into, Format::Md);
    let text = read(&into, "ARCHITECTURE.md");
    assert!(text.contains("2 more components are not in this list, which has 50."), "{text}");
    assert!(
        !text.contains("components/c00.md") && text.contains("components/c51.md"),
        "the most certain ones are shown"
    );
    assert!(text.contains("One more of the concerns is not in this list, which has 20."), "{text}");
    assert!(
        read(&into, "DATA_MODELS.md").contains("3 more data models are not in this list, which has 100.")
    );
    assert!(read(&into, "components/c05.md").contains("2 more files are not in this list, which has 50."));
    assert!(read(&into, "diagrams/architecture.mmd").contains("%% 37 more components are not drawn"));
    assert!(
        text.contains(" 37 components with as many dependencies or fewer are not drawn."),
        "the page says what its diagram lacks"
    );
    let pages = paths(&done).into_iter().filter(|path| path.starts_with("components/")).count();
    assert_eq!(pages, 52, "each has its page");
    assert_eq!(read(&into, "README.md").matches("](components/").count(), 52, "and the index lists all");
}

// DOC-91
#[test]
fn only_what_changed_is_written_again() {
    let (home, path) = folder();
    let into = home.path().join("out");
    {
        let memory = Memory::open(&path, at(1)).expect("new");
        all().into_iter().for_each(|entry| store(&memory, entry));
        memory.store(component("api")).expect("valid");
        written(&memory, &into, Format::Md);
    }
    let before = bytes(&into);
    let memory = Memory::open(&path, at(2)).expect("again");
    let done = written(&memory, &into, Format::Md);
    assert!(done.documents.iter().all(|document| document.change == Change::Unchanged), "{done:?}");
    assert_eq!(bytes(&into), before);
    // A later run, on another day, explores one component again.
    memory
        .store(ComponentSummary { key_files: list(&["src/auth/new.rs"]), ..component("auth") })
        .expect("valid");
    memory.set_phase("documentation_generation", "in_progress").expect("written");
    let done = written(&memory, &into, Format::Md);
    let changed: Vec<&str> = done
        .documents
        .iter()
        .filter(|document| document.change == Change::Changed)
        .map(|document| document.path.as_str())
        .collect();
    assert_eq!(changed, ["README.md", "components/auth.md"], "its page and the index");
    assert!(read(&into, "components/auth.md").contains("Last updated: 2024-01-17."));
    assert!(read(&into, "components/api.md").contains("Last updated: 2024-01-16."));
}

#[test]
fn documents_that_nothing_stands_behind_any_more_are_removed() {
    let (home, memory) = full();
    let into = home.path().join("out");
    memory.store(component("old")).expect("valid");
    memory.store(component("edited")).expect("valid");
    written(&memory, &into, Format::Md);
    fs::write(into.join("components/mine.md"), "by hand").expect("a file");
    fs::write(into.join("components/edited.md"), "by hand").expect("a file");
    for id in ["old", "edited"] {
        memory.forget(EntryType::Component, id).expect("removed");
    }
    memory.forget(EntryType::Flow, "login").expect("removed");
    let done = written(&memory, &into, Format::Md);
    assert_eq!(done.removed, ["components/old.md", "diagrams/flow_login.mmd"]);
    for kept in ["mine", "edited"] {
        assert_eq!(read(&into, &format!("components/{kept}.md")), "by hand");
    }
}

#[test]
fn a_component_is_where_its_boundaries_are() {
    // DOC-116: several files at the top are not the whole repository
    let (home, memory) = memory();
    let mut bounds = overview();
    bounds.component_boundaries.insert("auth".into(), list(&["index.js", "lib/auth"]));
    memory.store(bounds).expect("valid");
    for id in ["auth", "api", "alone"] {
        memory.store(ComponentSummary { root_path: ".".into(), ..component(id) }).expect("valid");
    }
    written(&memory, home.path(), Format::Md);
    let location = |id: &str| {
        let page = read(home.path(), &format!("components/{id}.md"));
        page.lines().find_map(|line| line.strip_prefix("**Location:** ").map(str::to_owned)).unwrap()
    };
    assert_eq!(location("auth"), "`index.js`, `lib/auth`");
    assert_eq!(location("api"), "`src/api`");
    assert_eq!(location("alone"), "the whole repository");
}

#[test]
fn another_format_takes_the_place_of_the_documents_that_were_written_and_of_no_others() {
    // DOC-120
    let (home, memory) = full();
    let into = home.path().join("out");
    let first = written(&memory, &into, Format::Md);
    fs::write(into.join("notes.md"), "by hand").expect("a file");
    fs::write(into.join("DATA_MODELS.md"), "changed by hand").expect("a file");
    let done = written(&memory, &into, Format::Rst);
    let old = first.documents.iter().map(|document| document.path.as_str());
    let old: Vec<&str> = old.filter(|path| path.contains(".md") && *path != "DATA_MODELS.md").collect();
    assert_eq!(done.removed, old);
    assert!(old.iter().all(|path| !into.join(path).exists()));
    assert_eq!(read(&into, "notes.md"), "by hand");
    assert_eq!(read(&into, "DATA_MODELS.md"), "changed by hand");
    let same = |path: &str| first.documents.iter().any(|document| document.path == path);
    assert!(done.documents.iter().filter(|document| same(&document.path)).count() > 0, "diagrams stay");
    let again = written(&memory, &into, Format::Rst);
    assert!(again.removed.is_empty() && again.documents.iter().all(|it| it.change == Change::Unchanged));
}

#[test]
fn documents_say_when_rules_wrote_them() {
    let (home, path) = folder();
    let rules = DocumentOptions { format: Format::Md, written_by: WrittenBy::Rules };
    let memory = Memory::open(&path, at(1)).expect("new");
    all().into_iter().for_each(|entry| store(&memory, entry));
    let done = write_documents(&memory, &home.path().join("out"), &rules).expect("writable");
    for document in done.documents.iter().filter(|document| document.path.contains(".md")) {
        let text = read(&home.path().join("out"), &document.path);
        let said =
            "\n\n> **Note:** The facts on this page were collected by fixed rules, without a language model";
        assert!(text.contains(said), "{}: {text}", document.path);
        assert!(!text.contains("language model `"), "{text}");
    }
    drop(memory);
    // Facts from rules stay marked as such when a model continues.
    let memory = Memory::open(&path, at(1)).expect("again").written_by(WrittenBy::Rules);
    memory.store(component("api")).expect("valid");
    drop(memory);
    let memory =
        Memory::open(&path, at(2)).expect("again").written_by(WrittenBy::Model("test/writer".into()));
    memory.store(ComponentSummary { root_path: ".".into(), ..component("auth") }).expect("valid");
    written(&memory, &home.path().join("out"), Format::Md);
    assert!(read(&home.path().join("out"), "components/api.md").contains("collected by fixed rules"));
    assert!(
        read(&home.path().join("out"), "ARCHITECTURE.md")
            .contains("Some of the facts on this page were collected by fixed rules")
    );
}

#[test]
fn a_document_is_not_written_through_a_link_that_leads_elsewhere() {
    let (home, memory) = full();
    let into = home.path().join("out");
    fs::create_dir(&into).expect("a folder");
    fs::write(home.path().join("profile"), "mine").expect("a file");
    std::os::unix::fs::symlink(home.path().join("profile"), into.join("README.md")).expect("a link");
    let error = write_documents(&memory, &into, &documents(Format::Md)).expect_err("it leads outside");
    assert!(error.to_string().contains("leaves the repository through the link"), "{error}");
    assert_eq!(fs::read(home.path().join("profile")).expect("a file"), b"mine");
    assert_eq!(bytes(&into).len(), 1, "nothing was written");
    fs::write(home.path().join("file"), "").expect("a file");
    let error =
        write_documents(&memory, &home.path().join("file"), &documents(Format::Md)).expect_err("no folder");
    assert!(error.to_string().starts_with("cannot make the folder "), "{error}");
}

//! The document: two tracks side by side, and their merge.

#![allow(clippy::format_collect, reason = "the texts of tests are short")]

use std::collections::BTreeSet;
use std::sync::Arc;

use stategraph::store::MemoryStore;
use stategraph::workflows::Timestamp;
use stategraph::workflows::explore::document::{self, ScopeSection};
use stategraph::workflows::explore::exploration_graph;
use stategraph::workflows::explore::input::ExploreOutput;
use stategraph::workflows::explore::notepad::NotepadEntry;
use stategraph::workflows::explore::state::ExploreRun;

use super::kit::{Exploring, Place, Says, TreeModel, call, delegate, finish, note, thread};

/// Makes a repository with two folders that read the environment and import one another.
fn repository() -> Place {
    let place = Place::new(&[]);
    place.write("repo/README.md", "# Shop\n\nShop keeps orders of customers and serves them to browsers.\n");
    place.write(
        "repo/pyproject.toml",
        "[project]\nname = \"shop\"\nversion = \"1.0.0\"\ndependencies = [\"redis\"]\n",
    );
    let filler: String = (0..60)
        .map(|at| format!("\n\ndef step_{at}():\n    \"\"\"Does step {at}.\"\"\"\n    return {at}\n"))
        .collect();
    for name in ["store", "web"] {
        place.write(
            &format!("repo/shop/{name}/__init__.py"),
            &format!("\"\"\"The {name} of the shop.\"\"\"\n"),
        );
        for part in ["one", "two", "three", "four", "five"] {
            let text = format!("\"\"\"Part {part} of the {name}.\"\"\"\n{filler}");
            place.write(&format!("repo/shop/{name}/{part}.py"), &text);
        }
    }
    place.write(
        "repo/shop/store/disk.py",
        "\"\"\"Keeps orders on the disk.\"\"\"\nimport os\n\nimport redis\n\n\nclass Disk:\n    \"\"\"The orders of a folder.\"\"\"\n\n    def path(self):\n        return os.environ.get(\"SHOP_FOLDER\", \"orders\")\n",
    );
    place.write(
        "repo/shop/web/page.py",
        "\"\"\"Pages with orders.\"\"\"\nfrom shop.store.disk import Disk\n\n\nclass Page:\n    \"\"\"A page of orders.\"\"\"\n\n    def show(self, disk: Disk):\n        return disk.path()\n",
    );
    place.write("repo/tests/test_page.py", "def test_page():\n    assert True\n");
    place.write("repo/assets/style.css", "a { color: red }\n");
    place
}

async fn run(place: &Place, exploring: &Exploring) -> ExploreRun {
    let graph = exploration_graph(place.resources(exploring)).with_store(Arc::new(MemoryStore::new()));
    graph.run(place.run_state(exploring)).thread(thread()).await.unwrap().state
}

fn documenting(output: ExploreOutput) -> Exploring {
    Exploring::by_rules().set(|settings| settings.output = output)
}

fn with_agents(model: &Arc<TreeModel>) -> Exploring {
    Exploring::with(model).set(|settings| settings.output = ExploreOutput::DocumentWithAgents)
}

/// Returns a model whose root writes notes and whose child explores the store.
fn scripted() -> Arc<TreeModel> {
    TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([
            note(
                "architecture.layers",
                "The design has two layers: `shop/web/page.py`, `shop/store/disk.py` and the tests.",
            ),
            note("patterns.naming", "Everywhere a noun names a module."),
            note("web", "Pages are made anew for each request [shop/web/page.py:8]."),
            delegate("shop/store"),
        ]),
        ("0.1", 1) => call([
            note("decisions", "Orders are files, because a crash then costs one order."),
            finish("Files."),
        ]),
        _ => call([finish("Two layers.")]),
    })
}

fn section<'r>(run: &'r ExploreRun, path: &str) -> &'r ScopeSection {
    let found = run.sections.iter().find(|section| section.path == path);
    found.unwrap_or_else(|| {
        panic!("no section {path}: {:?}", run.sections.iter().map(|s| &s.path).collect::<Vec<_>>())
    })
}

fn told(section: &ScopeSection) -> Vec<&str> {
    section.notes.iter().map(|note| note.content.as_str()).collect()
}

/// EXP-50.
#[tokio::test]
async fn the_standard_track_gives_symbols_imports_and_variables() {
    let place = repository();
    let run = run(&place, &documenting(ExploreOutput::Document)).await;
    let store = section(&run, "shop/store");
    assert!(
        store.interface.iter().any(|line| line.starts_with("`class Disk` [shop/store/disk.py:7-")),
        "{:#?}",
        store.interface
    );
    assert!(
        store.imports.iter().any(|line| line == "`redis` [shop/store/disk.py:4]"),
        "{:#?}",
        store.imports
    );
    assert!(store.variables.iter().any(|line| line.starts_with("`SHOP_FOLDER`")), "{:#?}", store.variables);
    let web = section(&run, "shop/web");
    assert!(web.needs.iter().any(|line| line.starts_with("`shop/store/` (`")), "{:#?}", web.needs);
    assert!(
        !web.imports.iter().any(|line| line.contains("`shop`")),
        "an own module is no import: {:#?}",
        web.imports
    );
    let text = place.read("explorations/repo/document.md");
    for line in [
        "## `shop/store/`",
        "### Environment variables",
        "### Imports",
        "### Public interface",
        "flowchart LR",
    ] {
        assert!(text.contains(line), "{line} is missing:\n{text}");
    }
}

/// EXP-57, EXP-58: without agents no agent runs, and the document is that of a run that knows none.
#[tokio::test]
async fn without_agents_none_is_started() {
    let place = repository();
    let model = scripted();
    let exploring = Exploring::with(&model).set(|settings| settings.output = ExploreOutput::Document);
    let with_model = run(&place, &exploring).await;
    assert!(model.asked().is_empty(), "a model was asked");
    assert!(with_model.result.is_none());
    let without = run(&place, &documenting(ExploreOutput::Document)).await;
    assert_eq!(with_model.document, without.document);
    assert!(!place.path().join("explorations/repo/agents.json").exists());
    assert_eq!(
        stategraph::workflows::explore::input::ExploreSettings::default().output,
        ExploreOutput::Notes
    );
}

/// EXP-49, EXP-51, EXP-52, EXP-53, EXP-54: the agents run beside the standard track, and their findings are in the document.
#[tokio::test]
async fn findings_of_agents_are_merged_into_the_sections() {
    let place = repository();
    let run = run(&place, &with_agents(&scripted())).await;
    assert_eq!(run.result.as_ref().unwrap().agents.len(), 2);
    assert_eq!(
        told(section(&run, "shop/store")).last().unwrap(),
        &"Orders are files, because a crash then costs one order."
    );
    assert!(
        told(section(&run, "shop/web"))
            .contains(&"Pages are made anew for each request [shop/web/page.py:8].")
    );
    let text = place.read("explorations/repo/document.md");
    assert!(text.contains("Orders are files, because a crash then costs one order. (agent 0.1)"), "{text}");
    assert!(place.path().join("explorations/repo/notepad.json").exists());
    assert!(run.warnings.is_empty());
}

/// EXP-55.
#[tokio::test]
async fn a_finding_on_one_scope_stands_in_no_other() {
    let place = repository();
    let run = run(&place, &with_agents(&scripted())).await;
    let one = "Orders are files, because a crash then costs one order.";
    let sections: Vec<&str> =
        run.sections.iter().filter(|section| told(section).contains(&one)).map(|s| s.path.as_str()).collect();
    assert_eq!(sections, ["shop/store"]);
    let general: Vec<&str> = run.general.iter().map(|note| note.content.as_str()).collect();
    assert!(general.contains(&"Everywhere a noun names a module."), "{general:#?}");
    let web = told(section(&run, "shop/web"));
    assert!(!web.contains(&"Everywhere a noun names a module."), "{web:#?}");
}

/// EXP-56: a failed agent track leaves the standard result whole, with a warning.
#[tokio::test]
async fn failed_agents_leave_the_standard_result_whole() {
    let place = repository();
    let model = TreeModel::new(|_| Says { fails: true, ..Says::default() });
    let failed = run(&place, &with_agents(&model)).await;
    let text = place.read("explorations/repo/document.md");
    assert!(!model.asked().is_empty());
    assert_eq!(failed.warnings.len(), 1, "{:?}", failed.warnings);
    assert!(text.contains("> **Warning:** "), "{text}");
    let plain = run(&place, &documenting(ExploreOutput::Document)).await.document.unwrap();
    let without_warning: String = text
        .lines()
        .filter(|line| !line.starts_with("> **Warning:**"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(without_warning.replace("\n\n\n", "\n\n"), plain);
}

/// Every source file is in exactly one section, or its folder is named as not covered.
#[tokio::test]
async fn every_file_is_covered_or_named() {
    let place = repository();
    let run = run(&place, &documenting(ExploreOutput::Document)).await;
    let covered: Vec<&String> = run.sections.iter().flat_map(|section| &section.files).collect();
    let distinct: BTreeSet<&String> = covered.iter().copied().collect();
    assert_eq!(covered.len(), distinct.len(), "a file is in two sections");
    let of_product: Vec<&String> = run.source_files.iter().filter(|path| path.starts_with("shop/")).collect();
    assert!(of_product.iter().all(|path| distinct.contains(path)), "{covered:?}");
    let text = run.document.unwrap();
    let (_, uncovered) = text.split_once("## Not covered").unwrap();
    assert!(uncovered.contains("- `tests/`: tests"), "{uncovered}");
    assert!(uncovered.contains("- `assets/`: no file in a known language"), "{uncovered}");
}

/// EXP-57: equal runs give equal documents.
#[tokio::test]
async fn the_document_is_deterministic() {
    let place = repository();
    let exploring = documenting(ExploreOutput::DocumentWithAgents);
    let first = run(&place, &exploring).await.document.unwrap();
    let again = run(&place, &exploring.set(|settings| settings.parallel = 1)).await.document.unwrap();
    assert_eq!(first, again);
    assert!(first.contains("(agent 0.1)"), "{first}");
}

/// EXP-55: paths count more than names, names and topics more than nothing; a finding about many scopes is about the whole.
#[test]
fn relevance_is_decided_by_paths_names_and_topics() {
    let sections = || -> Vec<ScopeSection> {
        let section = |path: &str, names: &[&str]| ScopeSection {
            path: path.to_owned(),
            title: format!("`{path}/`"),
            files: vec![format!("{path}/a.rs")],
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            ..ScopeSection::default()
        };
        vec![
            section("src/store", &["Disk", "Shared"]),
            section("src/web", &["Page", "Shared"]),
            section("src/cli", &["Args"]),
        ]
    };
    let entry = |topic: &str, content: &str| NotepadEntry {
        topic: topic.parse().unwrap(),
        content: content.to_owned(),
        author: stategraph::workflows::explore::agents::AgentId::root(),
        number: 1,
        at: Timestamp::from_ms(0),
    };
    let places = |topic: &str, content: &str| -> Vec<String> {
        let merged = document::merge(sections(), &[entry(topic, content)], &[]);
        merged.sections.iter().filter(|section| !section.notes.is_empty()).map(|s| s.path.clone()).collect()
    };
    assert_eq!(places("x", "Locked [src/store/a.rs:3-9]"), ["src/store"]);
    assert_eq!(places("x", "See `src/web/a.rs`, with `Disk`"), ["src/web"]);
    assert_eq!(places("x", "`Args` are read once"), ["src/cli"]);
    assert_eq!(places("store.format", "One line an order"), ["src/store"]);
    assert_eq!(places("x", "`Shared` is in two scopes"), Vec::<String>::new());
    assert_eq!(places("x", "[src/store/a.rs:1] [src/web/a.rs:1]"), ["src/store", "src/web"]);
    assert_eq!(places("x", "[src/store/a.rs:1] [src/web/a.rs:1] [src/cli/a.rs:1]"), Vec::<String>::new());
    assert_eq!(places("x", "Nothing of the kind"), Vec::<String>::new());
    let cited = "Both are read here [src/web/a.rs:1] [src/web/a.rs:2] [src/store/a.rs:1]";
    let merged = document::merge(sections(), &[entry("x", cited)], &[]);
    assert_eq!(told(&merged.sections[1]), [cited]);
    assert_eq!(told(&merged.sections[0]), ["See `src/web/`."], "it stands once");
}

/// A finding of a model is text of a stranger: it makes no heading, no picture and no markup of HTML.
#[tokio::test]
async fn a_finding_cannot_change_the_document() {
    let place = repository();
    let model = TreeModel::new(|_| {
        call([
            note("x", "# Title\n```\n<script>alert(1)</script>\n![x](http://evil.example/a.png)"),
            finish("Done."),
        ])
    });
    run(&place, &with_agents(&model)).await;
    let text = place.read("explorations/repo/document.md");
    assert!(text.contains("Title &lt;script>alert(1)&lt;/script> !\\[x]"), "{text}");
    assert!(!text.contains("\n# Title") && !text.contains("<script>"));
}

//! The records of an exploration: tree, coverage, citations, files.

use serde_json::{Value, json};
use stategraph::workflows::explore::explore;

use super::agents::FILES;
use super::kit::{Exploring, Place, TreeModel, call, delegate, finish, note};

#[tokio::test]
async fn the_tree_and_the_coverage_are_written_at_the_end() {
    // EXP-68, EXP-69
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([
            ("read_file", json!({ "path": "src/lib.rs" })),
            ("read_file", json!({ "path": "src/missing.rs" })),
            ("read_lines", json!({ "path": "src/web/page.rs", "first": 1, "last": 1 })),
            delegate("src/store"),
        ]),
        ("0.1", 1) => call([
            ("read_file", json!({ "path": "./src/store/mod.rs" })),
            ("read_file", json!({ "path": "src/lib.rs" })),
        ]),
        (id, _) => call([finish(&format!("summary of {id}"))]),
    });
    let explored = place.explore(&model).await;
    let agents: Value = serde_json::from_str(&place.read("explorations/repo/agents.json")).unwrap();
    assert_eq!(
        (&agents[1]["id"], &agents[1]["parent"], &agents[1]["depth"]),
        (&json!("0.1"), &json!("0"), &json!(1))
    );
    assert_eq!(
        (&agents[1]["purpose"], &agents[1]["scope"]["path"]),
        (&json!("look at src/store"), &json!("src/store"))
    );
    assert_eq!(agents[1]["summary"], "summary of 0.1");
    assert_eq!(agents[1]["calls"], json!({ "finish": 1, "read_file": 2 }));
    assert_eq!((&agents[1]["rounds"], &agents[1]["took"]["answers"]), (&json!(2), &json!(2)));
    assert_eq!(agents[0]["read"], json!(["src/lib.rs", "src/web/page.rs"]));
    let coverage: Value = serde_json::from_str(&place.read("explorations/repo/coverage.json")).unwrap();
    assert_eq!(
        coverage,
        json!({
            "read": [
                { "path": "src/lib.rs", "agents": ["0", "0.1"] },
                { "path": "src/store/mod.rs", "agents": ["0.1"] },
                { "path": "src/web/page.rs", "agents": ["0"] },
            ],
            "unread": [
                { "path": "src/store/disk.rs", "scope_of": "0.1" },
                { "path": "src/web/mod.rs", "scope_of": "0" },
            ],
        })
    );
    let page = place.read("explorations/repo/agents.md");
    assert!(page.contains("3 of 5 source files were read") && page.contains("0.1 `src/store`"), "{page}");
    assert_eq!(explored.result.coverage.unread.len(), 2);
}

#[tokio::test]
async fn citations_of_files_that_do_not_exist_are_flagged() {
    // EXP-72
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([delegate("src/store")]),
        ("0.1", 1) => {
            call([note("store", "See `src/store/disk.rs:1-3`, disk.rs, and src/store/memory.rs:7.")])
        }
        ("0.1", _) => {
            call([finish("`src/store/mod.rs` uses src/store/cache.rs (std::fs, https://x.org/a.rs, v1.2).")])
        }
        _ => call([finish("done")]),
    });
    let explored = place.explore(&model).await;
    assert_eq!(explored.agent("0.1").unknown_citations, ["src/store/cache.rs", "src/store/memory.rs"]);
    let told = model.ask("0.1", 2).results();
    assert!(
        told[0]["content"].as_str().unwrap().contains("no file is called src/store/memory.rs"),
        "{told:?}"
    );
    let told = model.ask("0", 2).results();
    assert!(
        told[0]["content"].as_str().unwrap().contains("no file is called src/store/cache.rs"),
        "{told:?}"
    );
    assert!(place.read("explorations/repo/agents.md").contains("Cited, but not in the repository"));
}

#[tokio::test]
async fn the_entry_function_returns_the_notepad() {
    // EXP-10
    let place = Place::new(FILES);
    let model = TreeModel::new(|_| call([note("a", "b"), finish("x")]));
    let exploring = Exploring::with(&model);
    let notepad = explore(place.resources(&exploring), place.run_state(&exploring)).await.unwrap();
    assert_eq!(notepad.list_topics(), [("a".parse().unwrap(), 1)]);
}

#[tokio::test]
async fn a_file_that_a_person_edited_is_kept() {
    let place = Place::new(FILES);
    let model = TreeModel::new(|_| call([note("a", "b"), finish("x")]));
    place.explore(&model).await;
    place.explore(&model).await;
    assert!(!place.path().join("explorations/repo/notepad.md.bak").exists());
    place.write("explorations/repo/notepad.md", "mine");
    place.explore(&model).await;
    assert_eq!(place.read("explorations/repo/notepad.md.bak"), "mine");
    assert!(place.read("explorations/repo/notepad.md").starts_with("# Notepad of repo"));
}

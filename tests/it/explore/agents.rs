//! The life of an agent: the loop, its end, its children.

use stategraph::workflows::explore::agents::AgentEnd;

use super::kit::{Place, TreeModel, assert_whole, call, delegate, finish, note, text};

const FILES: &[&str] = &["Cargo.toml", "src/lib.rs", "src/store/mod.rs", "src/store/disk.rs", "src/web/mod.rs", "src/web/page.rs"];

#[tokio::test]
async fn a_root_delegates_and_finishes() {
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([note("architecture.layers", "Web sits on the store."), delegate("src/store"), delegate("src/web")]),
        ("0", 2) => call([finish("Two parts: `src/store/mod.rs` and `src/web/mod.rs`.")]),
        (_, 1) => call([note("parts", "A part."), finish("One part.")]),
        _ => text("?"),
    });
    let explored = place.explore(&model).await;
    assert_eq!(explored.ids(), ["0", "0.1", "0.2"]);
    assert_eq!(explored.agent("0").end, AgentEnd::Finished);
    assert_eq!(explored.agent("0.1").scope.files, ["src/store/disk.rs", "src/store/mod.rs"]);
    assert_eq!(explored.notes().len(), 3);
    assert_whole(&explored.events);
    println!("{}", place.read("explorations/repo/agents.md"));
    println!("{}", place.read("explorations/repo/events.jsonl"));
}

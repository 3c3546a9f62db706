//! One debate in full: the script of its models, what happens, what comes out. `UPDATE=1` writes the files anew.

use std::path::PathBuf;
use std::sync::Arc;

use stategraph::engine::EventKinds;
use stategraph::llm::Scripted;

use super::kit::{Kit, thread, watched};

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/ard").join(name)
}

fn check(name: &str, found: &str) {
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(golden(name), found).expect("written");
    }
    let expected = std::fs::read_to_string(golden(name)).expect("UPDATE=1 writes it");
    assert_eq!(found, expected, "{name}; UPDATE=1 accepts the change");
}

/// Answers by line, in the order of the calls.
fn script(name: &str) -> Arc<Scripted> {
    let text = std::fs::read_to_string(golden(name)).expect("the script is part of the repository");
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    Arc::new(lines.fold(Scripted::new("test/model"), Scripted::answer))
}

#[tokio::test]
async fn a_verified_debate_happens_and_reads_as_written_down() {
    // ARD-56, ARD-74, ENG-5
    debated("verified", "A bakery takes pre-orders on a web page. The baker gets a list every night.", 3)
        .await;
}

#[tokio::test]
async fn a_debate_that_ends_at_its_limit_happens_and_reads_as_written_down() {
    // ARD-57, ARD-58, ARD-74
    debated("timeout", "A bot that answers questions about our wiki.", 1).await;
}

async fn debated(name: &str, idea: &str, max_iterations: u32) {
    let mut kit = Kit::new(max_iterations);
    kit.idea = idea.to_owned();
    let model = script(&format!("{name}.script.jsonl"));
    let kinds = EventKinds::TASKS | EventKinds::UPDATES | EventKinds::CHECKPOINTS | EventKinds::CUSTOM;
    let (events, _) = watched(kit.graph(&model).run(kit.state()).thread(thread()), kinds).await;
    let log: String =
        events.iter().map(|event| serde_json::to_string(event).expect("plain data") + "\n").collect();
    check(&format!("{name}.events.jsonl"), &log);
    check(&format!("{name}.spec.md"), &kit.spec());
}

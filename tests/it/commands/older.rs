//! A store that the version before journal format 2 left: threads that wait, that were killed in a node and in the middle of a `map`,
//! that are damaged. How it was made is in `tests/stores/format-1/README.md`.

use std::path::Path;

use serde_json::Value;

use super::kit::{Done, Place, done};

/// A copy of the store with its graph files.
fn place() -> Place {
    let place = Place::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores/format-1");
    for folder in [".", "checkpoints/threads"] {
        for entry in std::fs::read_dir(from.join(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                let name = Path::new(folder).join(entry.file_name());
                place.write(name.to_str().unwrap(), std::fs::read(entry.path()).unwrap());
            }
        }
    }
    place
}

async fn graph(place: &Place, arguments: &[&str]) -> Done {
    done(place.graph(arguments)).await
}

fn state(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {}", done.out))
}

#[tokio::test]
async fn a_store_of_the_version_before_is_listed() {
    let place = place();
    let listed = graph(&place, &["history"]).await.exits(0);
    let rows: Vec<String> = listed
        .out
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    for (thread, status) in [
        ("healed waits 4", "done"),
        ("middle waits 2", "damaged"),
        ("maps maps 1", "double"),
        ("runs runs 2", "pause"),
        ("torn waits 2", "ask (waits for an answer)"),
        ("waits waits 2", "ask (waits for an answer)"),
    ] {
        assert!(
            rows.iter().any(|row| row.starts_with(thread) && row.ends_with(status)),
            "{thread}: {}",
            listed.out
        );
    }
    assert!(listed.err.contains("thread middle is damaged: "), "{}", listed.err);
    let json = graph(&place, &["history", "--json"]).await.exits(0);
    let damaged: Vec<&str> = json.out.lines().filter(|line| line.contains("\"damage\":\"")).collect();
    assert!(damaged.len() == 1 && damaged[0].contains("\"thread\":\"middle\""), "{}", json.out);
}

#[tokio::test]
async fn threads_of_the_version_before_go_on() {
    let place = place();
    for waiting in ["waits", "torn"] {
        graph(&place, &["resume", waiting, "--answer", "true"]).await.exits(0);
        let ended = state(&graph(&place, &["state", waiting]).await.exits(0));
        assert_eq!(ended, serde_json::json!({ "notes": [["first"], ["last"]], "go": true }));
    }
    graph(&place, &["resume", "runs"]).await.exits(0);
    let ended = state(&graph(&place, &["state", "runs"]).await.exits(0));
    assert_eq!(ended["notes"], serde_json::json!([["first"], ["last"]]));
    graph(&place, &["resume", "maps"]).await.exits(0);
    let ended = state(&graph(&place, &["state", "maps"]).await.exits(0));
    let doubled: Vec<&Value> =
        ended["doubled"].as_array().unwrap().iter().map(|item| &item["twice"]).collect();
    assert_eq!(doubled, [2, 4, 6, 8]);
    graph(&place, &["repair", "--check"]).await.exits(1);
}

#[tokio::test]
async fn a_damaged_thread_of_the_version_before_is_repaired_and_goes_on() {
    let place = place();
    let refused = graph(&place, &["resume", "middle"]).await.exits(2);
    assert!(
        refused.err.contains("hint: what stands before the damage is readable: `graph repair middle`"),
        "{}",
        refused.err
    );
    let repaired = graph(&place, &["repair", "middle"]).await.exits(0);
    assert!(repaired.err.contains("the thread continues from middle@2"), "{}", repaired.err);
    // The answer stands before the damage.
    graph(&place, &["resume", "middle"]).await.exits(0);
    let ended = state(&graph(&place, &["state", "middle"]).await.exits(0));
    assert_eq!(ended, serde_json::json!({ "notes": [["first"], ["last"]], "go": true }));
    graph(&place, &["repair", "--check"]).await.exits(0);
    assert!(place.at("checkpoints/threads/middle.log.damaged-1").exists());
}

//! Ids of threads and checkpoints on the command line: prefixes, and the errors for wrong ones.

use super::bad_input::golden;
use super::kit::{IDEA, Place, done};

async fn two_threads() -> Place {
    let place = Place::new();
    for thread in ["debate-one", "debate-two"] {
        done(place.ard(["run", "--idea", IDEA, "--thread", thread])).await.exits(0);
    }
    place
}

// Issue 2, "Bad input": unknown, foreign or ambiguous id.
#[tokio::test]
async fn an_id_that_means_nothing_is_told_with_the_nearest() {
    let empty = Place::new();
    golden("id_in_empty_store", &empty, &done(empty.ard(["resume", "debate"])).await.exits(2));
    let place = two_threads().await;
    for (name, command, id) in [
        ("id_unknown", "state", "nothing"),
        ("id_near", "state", "debate-tow"),
        ("id_ambiguous", "resume", "debate"),
        ("id_no_checkpoint", "state", "debate-one@99"),
        ("id_no_number", "resume", "debate-one@x"),
        ("id_empty", "resume", ""),
        ("id_path", "resume", "../../etc/passwd"),
        ("id_fork_of_thread", "fork", "debate-one"),
    ] {
        golden(name, &place, &done(place.graph([command, id])).await.exits(2));
    }
    let checkpoint = done(place.graph(["prune", "debate-one@2", "--keep", "1"])).await.exits(2);
    golden("id_prune_of_checkpoint", &place, &checkpoint);
}

#[tokio::test]
async fn the_beginning_of_an_id_is_enough_and_so_is_a_checkpoint() {
    let place = two_threads().await;
    let whole = done(place.graph(["state", "debate-one"])).await.exits(0);
    assert_eq!(done(place.graph(["state", "debate-o"])).await.exits(0).out, whole.out);
    let first = done(place.graph(["state", "debate-o@1", "--json"])).await.exits(0).out;
    let first: serde_json::Value = serde_json::from_str(&first).unwrap();
    assert_eq!(first["checkpoint"], "debate-one@1");
    assert_eq!(first["next"], serde_json::json!(["architect"]));
    assert_eq!(first["state"]["iteration"], 0);
}

// ARD-75
#[tokio::test]
async fn a_finished_thread_stays_finished() {
    let place = two_threads().await;
    let told = done(place.ard(["resume", "debate-one"])).await.exits(0);
    assert_eq!(told.out, "spec.md\n");
    assert!(told.err.contains("nothing is left to do"), "{}", told.err);
}

// F49: going back to a checkpoint runs what follows again, and keeps what was.
#[tokio::test]
async fn resuming_an_older_checkpoint_runs_what_follows_again() {
    let place = two_threads().await;
    // The digest covers the thread id.
    let content = || {
        let text = place.read("spec.md").replace("debate-two", "debate-one");
        text.lines().filter(|line| !line.starts_with("digest: ")).collect::<Vec<_>>().join("\n")
    };
    let before = content();
    let lines = |text: &str| text.lines().count();
    let old = lines(&done(place.graph(["history", "debate-one"])).await.exits(0).out);
    done(place.ard(["resume", "debate-one@3"])).await.exits(0);
    assert_eq!(content(), before);
    let new = lines(&done(place.graph(["history", "debate-one"])).await.exits(0).out);
    assert!(new > old, "{new} lines after {old}");
}

// ENG-25: a thread of another graph is not continued by `ard`.
#[tokio::test]
async fn a_thread_of_another_graph_is_refused() {
    use stategraph::engine::{END, START, State, StateGraph, ThreadId};
    #[derive(State, Clone, Default, serde::Serialize, serde::Deserialize)]
    struct Count {
        n: u32,
    }
    let place = Place::new();
    let store = stategraph::store::SledStore::open(place.at("checkpoints")).unwrap();
    let graph =
        StateGraph::<Count>::new("counter").node("add", async |count: &Count| Count::update().n(count.n + 1));
    let graph =
        graph.edge(START, "add").edge("add", END).compile().unwrap().with_store(std::sync::Arc::new(store));
    graph.run(Count::default()).thread(ThreadId::new("foreign").unwrap()).await.unwrap();
    golden("id_foreign_to_ard", &place, &done(place.ard(["resume", "foreign"])).await.exits(2));
    golden("id_foreign_to_graph", &place, &done(place.graph(["resume", "foreign"])).await.exits(2));
    let listed = done(place.graph(["history"])).await.exits(0).out;
    assert!(listed.contains("counter"), "{listed}");
    done(place.graph(["prune", "foreign", "--delete"])).await.exits(0);
    assert_eq!(done(place.graph(["history"])).await.exits(0).out, "");
}

//! `history`, `state`, `fork`, `prune`, `draw`: looking at threads and graphs.

use serde_json::Value;

use super::kit::{IDEA, Place, done};

async fn one_debate() -> Place {
    let place = Place::new();
    done(place.ard(["run", "--idea", IDEA, "--thread", "debate"])).await.exits(0);
    place
}

fn rows(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

// ENG-20, ARD-75
#[tokio::test]
async fn history_lists_threads_and_checkpoints_newest_first() {
    let place = one_debate().await;
    let threads = rows(&done(place.graph(["history", "--json"])).await.exits(0).out);
    assert_eq!((threads.len(), &threads[0]["thread"]), (1, &Value::from("debate")));
    let all = rows(&done(place.graph(["history", "debate", "--json"])).await.exits(0).out);
    let ran: Vec<&str> = all.iter().filter_map(|row| row["ran"][0].as_str()).collect();
    assert_eq!(ran, ["write", "reviewer", "architect", "reviewer", "architect"]);
    assert_eq!(all.last().unwrap()["source"], "input");
    let two = rows(&done(place.graph(["history", "debate", "--json", "--limit", "2"])).await.exits(0).out);
    assert_eq!(two, all[..2]);
    let back = rows(&done(place.graph(["history", "debate@3", "--json"])).await.exits(0).out);
    assert_eq!(back, all[3..]);
    let table = done(place.graph(["history", "debate"])).await.exits(0).out;
    assert!(table.starts_with("CHECKPOINT  STEP"), "{table}");
    assert_eq!(table.lines().count(), all.len() + 1);
}

#[tokio::test]
async fn the_state_is_data_and_what_is_known_about_it_is_not() {
    let place = one_debate().await;
    let told = done(place.graph(["state", "debate"])).await.exits(0);
    let state: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(state["rough_idea"], IDEA);
    assert_eq!(state["ending"], "not_judged");
    assert!(told.err.contains("checkpoint debate@6") && told.err.contains("next: nothing"), "{}", told.err);
}

#[tokio::test]
async fn check_compares_a_file_on_the_state_of_a_workflow_with_a_thread() {
    let place = one_debate().await;
    let file = include_str!("../../../graphs/ard.yaml");
    place.write("own.yaml", file);
    let told = done(place.graph(["check", "own.yaml", "--against", "debate"])).await.exits(0);
    assert!(told.err.contains("thread debate is done: nothing would run"), "{}", told.err);
    let other = file.replacen("name: ard", "name: other", 1);
    place.write("own.yaml", other);
    let told = done(place.graph(["check", "own.yaml", "--against", "debate"])).await.exits(1);
    assert!(told.err.contains("error: the thread belongs to the graph `ard`"), "{}", told.err);
}

// F49, D7
#[tokio::test]
async fn fork_goes_back_without_running_anything() {
    let place = one_debate().await;
    let forked = done(place.graph(["fork", "debate@2"])).await.exits(0).out;
    assert_eq!(forked, "debate@7\n");
    let state = done(place.graph(["state", "debate", "--json"])).await.exits(0).out;
    let state: Value = serde_json::from_str(&state).unwrap();
    assert_eq!(state["next"], serde_json::json!(["reviewer"]));
    done(place.graph(["resume", "debate"])).await.exits(0);
}

#[tokio::test]
async fn prune_keeps_the_newest_checkpoints_and_the_thread_goes_on() {
    let place = one_debate().await;
    done(place.graph(["prune", "debate", "--keep", "2"])).await.exits(0);
    assert_eq!(rows(&done(place.graph(["history", "debate", "--json"])).await.exits(0).out).len(), 2);
    done(place.graph(["resume", "debate@5"])).await.exits(0);
    done(place.graph(["prune", "debate", "--delete"])).await.exits(0);
    done(place.graph(["state", "debate"])).await.exits(2);
    for arguments in [
        &["prune", "debate"][..],
        &["prune", "debate", "--keep", "0"],
        &["prune", "debate", "--keep", "1", "--delete"],
    ] {
        done(place.graph(arguments)).await.exits(2);
    }
}

// Issue 2, point 7
#[tokio::test]
async fn draw_shows_a_workflow_or_a_file_in_every_format() {
    let place = Place::new();
    for (format, mark) in
        [("mermaid", "flowchart TD"), ("dot", "digraph"), ("ascii", "[architect]"), ("json", "\"nodes\"")]
    {
        let drawn = done(place.graph(["draw", "ard", "--format", format])).await.exits(0).out;
        assert!(drawn.contains(mark), "{drawn}");
    }
    let mermaid = done(place.graph(["draw", "ard"])).await.exits(0).out;
    place.write("mine.yaml", include_str!("../../../graphs/ard.yaml"));
    assert_eq!(done(place.graph(["draw", "mine.yaml"])).await.exits(0).out, mermaid);
    let told = done(place.graph(["draw", "ard", "--output", "out/ard.dot"])).await.exits(0);
    assert_eq!(told.out, "");
    assert!(place.read("out/ard.dot").contains("digraph"), "the ending says the format");
}

//! `draw`: its formats, files and runs. What the drawings look like is in `tests/it/drawing`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use stategraph::engine::{END, START, State, StateGraph, ThreadId};
use stategraph::store::SledStore;

use super::kit::{IDEA, Place, done};

// Issue 3, point 4
#[tokio::test]
async fn the_picture_in_the_readme_is_what_the_command_draws() {
    let place = Place::new();
    let drawn = done(place.graph(["draw", "ard", "--format", "svg"])).await.exits(0).out;
    assert_eq!(drawn, include_str!("../../../docs/ard.svg"));
    done(place.graph(["draw", "ard", "-o", "ard.svg"])).await.exits(0);
    assert_eq!(place.read("ard.svg"), drawn);
}

#[tokio::test]
async fn a_png_goes_to_a_file_in_the_size_asked_for() {
    let place = Place::new();
    let refused = done(place.graph(["draw", "ard", "--format", "png"])).await.exits(2);
    assert_eq!(
        (refused.out.as_str(), refused.err.as_str()),
        (
            "",
            "error: a PNG cannot be printed on standard output\nhint: pass a file, such as `--output graph.png`\n"
        )
    );
    let size = async |scale: &str, theme: &str| {
        let arguments = ["draw", "ard", "-o", "ard.png", "--scale", scale, "--theme", theme];
        done(place.graph(arguments)).await.exits(0);
        let bytes = std::fs::read(place.at("ard.png")).unwrap();
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
        u32::from_be_bytes(bytes[16..20].try_into().unwrap())
    };
    assert_eq!(size("2", "dark").await, size("1", "light").await * 2);
    let bad = done(place.graph(["draw", "ard", "-o", "ard.png", "--scale", "0"])).await.exits(2);
    assert!(bad.err.contains("`0` is no scale"), "{}", bad.err);
}

// Issue 3, point 4: where a run was, how often and how long, and where it waits.
#[tokio::test]
async fn a_run_is_drawn_over_the_graph_it_ran() {
    let place = Place::new();
    done(place.ard(["run", "--idea", IDEA, "--thread", "debate"])).await.exits(0);
    let drawn = done(place.graph(["draw", "--thread", "debate", "--format", "json"])).await.exits(0).out;
    let drawn: Value = serde_json::from_str(&drawn).unwrap();
    let visits = &drawn["run"]["visits"];
    let counts: Vec<_> = ["architect", "reviewer", "write"].map(|node| visits[node]["count"].as_u64()).into();
    assert_eq!(counts, [Some(2), Some(2), Some(1)]);
    assert_eq!((&drawn["name"], &drawn["run"]["standing"]), (&Value::from("ard"), &Value::from("done")));
    let then = ["draw", "--thread", "debate@2", "--format", "ascii"];
    let then = done(place.graph(then)).await.exits(0).out;
    assert!(
        then.contains(" * 1 run") && then.contains(" * next") && then.contains("debate@2: under way"),
        "{then}"
    );
    // The graph may be named; here it is another version of what ran.
    place.write(
        "mine.yaml",
        include_str!("../../../graphs/ard.yaml").replace("revise: architect", "revise: clarify"),
    );
    let other =
        done(place.graph(["draw", "mine.yaml", "--thread", "debate", "-o", "run.svg"])).await.exits(0);
    assert!(other.err.contains("another version of this graph"), "{}", other.err);
    assert!(place.read("run.svg").contains("sg-box-visited"));
    let unknown = done(place.graph(["draw", "--thread", "nobody"])).await.exits(2);
    assert!(unknown.err.starts_with("error: "), "{}", unknown.err);
    done(place.graph(["draw"])).await.exits(2);
    let elsewhere = ["draw", "ard", "--thread", "debate", "--checkpoints", "elsewhere"];
    done(place.graph(elsewhere)).await.exits(2);
}

// Of a graph that this program does not know it is said how to name it.
#[tokio::test]
async fn the_run_of_a_foreign_graph_needs_its_file() {
    let place = Place::new();
    let graph = StateGraph::new("mine").node("add", async |_: &Count| Count::update().n(1_u32));
    let graph = graph.edge(START, "add").edge("add", END).compile().unwrap();
    let store = SledStore::open(place.at("checkpoints")).unwrap();
    let graph = graph.with_store(Arc::new(store));
    graph.run(Count::default()).thread(ThreadId::new("foreign").unwrap()).await.unwrap();
    drop(graph);
    let refused = done(place.graph(["draw", "--thread", "foreign"])).await.exits(2);
    assert_eq!(
        refused.err,
        "error: thread `foreign` ran the graph `mine`, which is not a workflow of this program\n\
         hint: name its graph file: `graph draw FILE --thread foreign`\n"
    );
}

// One that came from a graph file knows which.
#[tokio::test]
async fn the_run_of_a_graph_file_is_drawn_with_that_file() {
    let place = Place::new();
    done(place.graph(["new", "mine"])).await.exits(0);
    done(place.graph(["run", "mine.yaml", "--topic", "rust", "--thread", "own"])).await.exits(0);
    let drawn = done(place.graph(["draw", "--thread", "own", "--format", "ascii"])).await.exits(0);
    let named =
        done(place.graph(["draw", "mine.yaml", "--thread", "own", "--format", "ascii"])).await.exits(0);
    assert_eq!(drawn.out, named.out);
    std::fs::remove_file(place.at("mine.yaml")).unwrap();
    let gone = done(place.graph(["draw", "--thread", "own"])).await.exits(2);
    assert!(gone.err.contains("came from mine.yaml, which does not exist"), "{}", gone.err);
}

#[tokio::test]
async fn an_ending_that_names_no_format_is_refused() {
    let place = Place::new();
    for output in ["graph.gif", "graph"] {
        let refused = done(place.graph(["draw", "ard", "-o", output])).await.exits(2);
        assert_eq!(
            refused.err,
            format!(
                "error: the extension of {output} is not that of a format\n\
                 hint: pass `--format`, or use the extension .svg, .png, .mmd, .dot, .txt or .json\n"
            )
        );
        assert!(!place.at(output).exists());
    }
    done(place.graph(["draw", "ard", "-o", "graph", "--format", "dot"])).await.exits(0);
    assert!(place.read("graph").starts_with("digraph"));
}

#[derive(State, Clone, Default, Debug, Serialize, Deserialize)]
struct Count {
    n: u32,
}

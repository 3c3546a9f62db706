//! The path of a run: what it says, and how it is drawn.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stategraph_core::store::MemoryStore;
use stategraph_core::{
    Cx, END, HistoryEntry, HistoryQuery, NodeError, NodeResult, NodeVisits, RunPath, START, State,
    StateGraph, ThreadId, Topology, TopologyNode, VisitStatus,
};
use stategraph_draw::Draw as _;

use super::kit::*;

fn thread() -> ThreadId {
    ThreadId::new("run-1").unwrap()
}

/// A checkpoint: position, parent, source, when, what runs next.
fn entry(
    seq: u64,
    parent: Option<u64>,
    source: &str,
    at_ms: u64,
    next: &[&str],
    tasks: Value,
) -> HistoryEntry {
    let next: Vec<Value> = next.iter().map(|node| json!({ "node": node })).collect();
    let checkpoint = json!({
        "format": 1, "seq": seq, "parent": parent, "step": seq - 1, "source": source, "at_ms": at_ms, "name": "g",
        "graph": "0000000000000000", "schema": "0000000000000000", "next": next,
    });
    HistoryEntry {
        checkpoint: Arc::new(serde_json::from_value(checkpoint).unwrap()),
        tasks: serde_json::from_value(tasks).unwrap(),
    }
}

/// A run that was at the first of these nodes, and failed there.
pub(super) fn somewhere(nodes: &[TopologyNode]) -> RunPath {
    let left = json!([{ "task": "2.0", "entry": { "failed": { "error": "\"]; <b> %%", "attempts": 1 } } }]);
    let first = nodes[0].name.as_str();
    let history = [
        entry(1, None, "input", 0, &[first], json!([])),
        entry(2, Some(1), "loop", 5, &[first, nodes[1].name.as_str()], left),
    ];
    RunPath::of(&thread(), &history).unwrap()
}

/// A debate of two rounds that waits for the user, newest first as stores give it.
fn waiting() -> Vec<HistoryEntry> {
    let asked = json!([{ "task": "6.0", "entry": { "asked": { "call": 0, "question": "?" } } }]);
    let mut history = vec![
        entry(1, None, "input", 1_000, &["architect"], json!([])),
        entry(2, Some(1), "loop", 3_000, &["reviewer"], json!([])),
        entry(3, Some(2), "loop", 4_500, &["architect"], json!([])),
        entry(4, Some(3), "loop", 64_500, &["reviewer"], json!([])),
        // Left behind by a fork.
        entry(5, Some(4), "loop", 70_000, &["write"], json!([])),
        entry(6, Some(4), "loop", 90_000, &["clarify"], asked),
    ];
    history.reverse();
    history
}

// Issue 3, point 4
#[test]
fn the_path_says_who_ran_how_often_and_how_long_and_where_it_waits() {
    let path = RunPath::of(&thread(), &waiting()).unwrap();
    assert_eq!(
        (path.checkpoint.0, path.steps, path.total_ms, path.standing),
        (6, 5, 89_000, VisitStatus::Waits)
    );
    let visit = |name: &str| {
        let NodeVisits { count, total_ms, last_ms, standing, .. } = path.visits[name].clone();
        (count, total_ms, last_ms, standing)
    };
    assert_eq!(visit("architect"), (2, 62_000, 60_000, VisitStatus::Done));
    assert_eq!(visit("reviewer"), (2, 27_000, 25_500, VisitStatus::Done));
    assert_eq!(visit("clarify"), (0, 0, 0, VisitStatus::Waits));
    assert!(!path.visits.contains_key("write"), "a fork left that behind");
    assert_eq!(path.moves[START]["architect"], 1);
    assert_eq!(path.moves["architect"]["reviewer"], 2);
    assert_eq!(path.moves["reviewer"].keys().collect::<Vec<_>>(), ["architect", "clarify"]);
}

#[test]
fn an_end_a_failure_and_what_finished_already_are_told_apart() {
    let left = json!([
        { "task": "2.0", "entry": { "finished": { "update": null } } },
        { "task": "2.1", "entry": { "failed": { "error": "no \"route\" <host>", "attempts": 3 } } },
    ]);
    let history =
        [entry(1, None, "input", 0, &["a"], json!([])), entry(2, Some(1), "loop", 5, &["b", "c", "d"], left)];
    let path = RunPath::of(&thread(), &history).unwrap();
    let standings: Vec<_> = path.visits.iter().map(|(name, visit)| (name.as_str(), visit.standing)).collect();
    assert_eq!(
        standings,
        [
            ("a", VisitStatus::Done),
            ("b", VisitStatus::Done),
            ("c", VisitStatus::Failed),
            ("d", VisitStatus::Next)
        ]
    );
    assert_eq!(path.visits["c"].error.as_deref(), Some("no \"route\" <host>"));
    assert_eq!((path.visits["b"].count, path.standing), (1, VisitStatus::Failed));
    let done = [entry(1, None, "input", 0, &["a"], json!([])), entry(2, Some(1), "loop", 5, &[], json!([]))];
    let path = RunPath::of(&thread(), &done).unwrap();
    assert_eq!((path.moves["a"][END], path.standing), (1, VisitStatus::Done));
    assert_eq!(RunPath::of(&thread(), &[]), None);
}

// F33: what an error handler took over has a standing of its own, also after the superstep was committed.
#[test]
fn a_failure_that_a_handler_took_over_stays_visible() {
    let left = json!([
        { "task": "1.0", "entry": { "caught": { "error": "no route", "attempts": 2 } } },
        { "task": "1.0", "entry": { "finished": { "update": null } } },
    ]);
    let under_way = [entry(1, None, "input", 0, &["a"], left.clone())];
    let path = RunPath::of(&thread(), &under_way).unwrap();
    let visit = &path.visits["a"];
    assert_eq!(
        (visit.caught, visit.standing, visit.error.as_deref()),
        (1, VisitStatus::Caught, Some("no route"))
    );
    assert_eq!((visit.count, path.standing), (1, VisitStatus::Done));
    let over = [entry(1, None, "input", 0, &["a"], left), entry(2, Some(1), "loop", 5, &["a"], json!([]))];
    let path = RunPath::of(&thread(), &over).unwrap();
    assert_eq!((path.visits["a"].caught, path.visits["a"].standing), (1, VisitStatus::Next));
}

#[test]
fn what_was_pruned_is_no_part_of_the_path() {
    let history = [
        entry(3, Some(2), "loop", 10, &["b"], json!([])),
        entry(4, Some(3), "update", 20, &["b", "c"], json!([])),
        entry(5, Some(4), "fork", 30, &["b"], json!([])),
        entry(6, Some(5), "loop", 40, &["a"], json!([])),
    ];
    let path = RunPath::of(&thread(), &history).unwrap();
    assert_eq!((path.total_ms, path.visits["b"].count, path.moves["b"]["a"]), (30, 1, 1));
    // A log that somebody wrote by hand may have a circle.
    let circle = [entry(2, Some(2), "loop", 1, &["a"], json!([]))];
    assert!(RunPath::of(&thread(), &circle).is_some());
}

#[test]
fn every_format_shows_the_run() {
    let (graph, path) = (ard(), RunPath::of(&thread(), &waiting()).unwrap());
    let drawing = graph.drawing().with_run(&path);
    check("ard_run.mmd", &drawing.mermaid());
    check("ard_run.dot", &drawing.dot());
    check("ard_run.txt", &drawing.ascii(100));
    check("ard_run.json", &drawing.json());
    check("ard_run.svg", &drawing.svg());
    let said = "2 runs, 1 min 2 s, last 1 min 0 s";
    for drawn in [drawing.mermaid(), drawing.dot(), drawing.ascii(100), drawing.svg()] {
        assert!(drawn.contains(said) && drawn.contains("waits for an answer"), "{drawn}");
    }
    let data: Value = serde_json::from_str(&drawing.json()).unwrap();
    assert_eq!(data["run"]["visits"]["architect"]["total_ms"], 62_000);
    assert!(drawing.ascii(40).lines().all(|line| line.len() <= 40), "{}", drawing.ascii(40));
}

// A node of an opened sub-graph is found by its path; where nothing is known of the inside, nothing is said.
#[test]
fn a_run_is_shown_inside_sub_graphs() {
    let graph = report();
    let mut path = RunPath::of(&thread(), &[entry(1, None, "input", 0, &["research"], json!([]))]).unwrap();
    let plain = graph.drawing().xray(1).with_run(&path).svg();
    assert!(plain.contains("sg-cluster-next") && plain.contains("<rect class=\"sg-box\""), "{plain}");
    path.visits.insert("research/plan".into(), NodeVisits { count: 1, total_ms: 7, ..NodeVisits::default() });
    let shown = graph.drawing().xray(1).with_run(&path).svg();
    assert!(shown.contains("1 run, 7 ms") && !shown.contains("<rect class=\"sg-box\""), "{shown}");
    let text = graph.drawing().xray(1).with_run(&path).ascii(100);
    let start = text.lines().position(|line| line.starts_with("[research/plan]")).unwrap();
    let said = text.lines().skip(start).find(|line| line.starts_with(" * ")).unwrap();
    assert!(said.starts_with(" * 1 run, 7 ms"), "{text}");
}

#[derive(State, Clone, Default, Debug, Serialize, Deserialize)]
struct Count {
    n: u32,
}

async fn add(count: &Count) -> CountUpdate {
    Count::update().n(count.n + 1)
}

async fn judge(_: &Count, cx: &Cx) -> NodeResult<CountUpdate> {
    let _: bool = cx.interrupt(&"good enough?").await?;
    Err(NodeError::msg("it was not"))
}

// A real thread, read while it waits and after it failed.
#[tokio::test]
async fn the_history_of_a_thread_is_enough() {
    let graph = StateGraph::new("count")
        .node("add", add)
        .node("judge", judge)
        .edge(START, "add")
        .branch("add", |count: &Count| count.n < 3, [(true, "add"), (false, "judge")])
        .edge("judge", END)
        .compile()
        .unwrap()
        .with_store(Arc::new(MemoryStore::new()));
    let waits = graph.run(Count::default()).thread(thread()).await.unwrap();
    let path = async || {
        let history = graph.history(&thread(), &HistoryQuery::default()).await.unwrap();
        RunPath::of(&thread(), &history).unwrap()
    };
    let at = path().await;
    assert_eq!((at.visits["add"].count, at.moves["add"]["add"], at.standing), (3, 2, VisitStatus::Waits));
    let shape: &Topology = graph.topology();
    assert!(shape.drawing().with_run(&at).ascii(100).contains("run-1@4: waits for an answer, 3 steps"));
    graph.resume(&thread()).answer(waits.status.questions()[0].id, &true).await.unwrap_err();
    let failed = path().await;
    assert_eq!(failed.visits["judge"].standing, VisitStatus::Failed);
    assert_eq!(failed.visits["judge"].error.as_deref(), Some("it was not"));
}

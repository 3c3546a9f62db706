//! Many runs at once, runs in runs, and long ones. Issue 2, "linear to 100,000 steps".

use std::sync::Arc;

use stategraph_core::store::MemoryStore;
use stategraph_core::{Cx, END, NodeResult, START, State};

use super::kit::{Builder, Graph, Trail, TrailUpdate, empty, saying, wired};

// F31, ENG-1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_graph_runs_a_hundred_times_at_once() {
    let names = ["a", "b", "c", "d"];
    let graph = saying(&names, &["START a", "a b", "a c", "b+c d", "d END"]);
    let graph = graph.compile().unwrap().with_store(Arc::new(MemoryStore::new()));
    let runs: Vec<_> = (0..100)
        .map(|number| tokio::spawn(graph.run(Trail { sum: number, ..empty() }).into_future()))
        .collect();
    let mut threads = std::collections::BTreeSet::new();
    for (number, run) in runs.into_iter().enumerate() {
        let end = run.await.unwrap().unwrap();
        assert_eq!((end.state.log(), end.state.sum), (names.to_vec(), i64::try_from(number).unwrap()));
        threads.insert(end.thread);
    }
    assert_eq!(threads.len(), 100);
}

fn loop_of(turns: u32) -> Graph {
    let graph = Builder::new("long").node("a", async |t: &Trail| Trail::update().turns(t.turns + 1));
    let again = move |t: &Trail| t.turns < turns;
    graph.edge(START, "a").branch("a", again, [(true, "a"), (false, END)]).compile().unwrap()
}

// Two ports are quadratic: what ten thousand steps take them in seconds, a hundred thousand take in minutes. How long it takes
// here is measured by `cargo bench --bench engine`, which shows the same time per step at 1,000 and at 100,000.
#[tokio::test]
async fn a_hundred_thousand_steps_are_kept_one_by_one() {
    let store = Arc::new(MemoryStore::new());
    let thread = stategraph_core::ThreadId::new("long").unwrap();
    let graph = loop_of(100_000).with_store(store);
    let end = graph.run(empty()).thread(thread.clone()).step_limit(100_000).await.unwrap();
    assert_eq!((end.state.turns, end.steps), (100_000, 100_000));
    let all = graph.history(&thread, &stategraph_core::HistoryQuery::default()).await.unwrap();
    assert_eq!(all.len(), 100_001);
}

#[tokio::test]
async fn a_superstep_may_have_a_thousand_tasks() {
    let names: Vec<String> = (0..1_000).map(|at| format!("n{at:04}")).collect();
    let graph = names.iter().fold(Builder::new("wide"), |graph, name| {
        let said = name.clone();
        let says = move |_: stategraph_core::Frozen<Trail>| {
            let said = said.clone();
            async move { Trail::update().log(said) }
        };
        graph.node(name, says).edge(START, name).edge(name, END)
    });
    let graph = wired(graph, &[]).compile().unwrap().with_store(Arc::new(MemoryStore::new()));
    assert_eq!(graph.run(empty()).await.unwrap().state.log, names);
}

/// The graph of the node that runs it again.
#[derive(Clone, Default)]
struct Itself(Arc<std::sync::OnceLock<Graph<Itself>>>);

async fn delegates(trail: &Trail, cx: &Cx<Itself>) -> NodeResult<TrailUpdate> {
    let update = Trail::update().log(format!("depth {}", trail.turns));
    if trail.turns == 0 {
        return Ok(update);
    }
    let graph = cx.services().0.get().expect("it was set before the first run");
    let inner = graph.run(Trail { turns: trail.turns - 1, ..empty() }).await?.state;
    Ok(update.extend_log(inner.log))
}

// ENG-9
#[tokio::test]
async fn a_node_may_run_its_own_graph_with_a_fresh_state_and_read_the_end() {
    let itself = Itself::default();
    let graph = wired(Builder::<Itself>::new("deep").node("a", delegates), &["START a", "a END"]);
    let graph = graph.compile_with(itself.clone()).unwrap().with_store(Arc::new(MemoryStore::new()));
    assert!(itself.0.set(graph.clone()).is_ok());
    let end = graph.run(Trail { turns: 3, ..empty() }).await.unwrap().state;
    assert_eq!(end.log(), ["depth 3", "depth 2", "depth 1", "depth 0"]);
}

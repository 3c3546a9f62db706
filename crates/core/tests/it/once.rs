//! Journaled work is done once in the life of a task. Parity D7, P3, P16.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use stategraph_core::{
    Cx, NodeError, NodePolicy, NodeResult, RetryPolicy, RunError, State, StoreError, TaskEntry,
};

use super::kit::{Builder, Calls, Graph, Trail, TrailUpdate, empty, memory, thread, wired};
use super::stores::{Fault, Faulty};

async fn paid(cx: &Cx<Calls>, key: &str) -> NodeResult<u32> {
    cx.once(key, async { Ok::<_, NodeError>(cx.services().count(key) + 40) }).await
}

/// Pays twice under two keys, then fails the first time, then asks.
async fn pays(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let sum = paid(cx, "first").await? + paid(cx, "second").await?;
    if cx.services().count("runs") == 0 {
        return Err(NodeError::msg("after paying"));
    }
    let word: String = cx.interrupt(&"word").await?;
    let third = paid(cx, "third").await?;
    Ok(Trail::update().log(format!("{sum} {word} {third}")))
}

fn graph(policy: NodePolicy) -> (Graph<Calls>, Calls) {
    let calls = Calls::default();
    let graph = wired(Builder::new("once").node_with("n", policy, pays), &["START n", "n END"]);
    (graph.compile_with(calls.clone()).unwrap(), calls)
}

// D7, P3
#[tokio::test(start_paused = true)]
async fn work_is_not_done_again_on_retry_nor_on_resume() {
    for attempts in [1, 2] {
        let (graph, calls) = graph(NodePolicy::new().retry(RetryPolicy::attempts(attempts)));
        let graph = graph.with_store(memory());
        let t = thread("t");
        let first = graph.run(empty()).thread(t.clone()).await;
        assert_eq!(first.is_err(), attempts == 1);
        if attempts == 1 {
            graph.resume(&t).await.unwrap();
        }
        let end = graph.resume(&t).answer("1.0.0".parse().unwrap(), &"w").await.unwrap();
        assert_eq!(end.state.log(), ["80 w 40"]);
        assert_eq!((calls.of("first"), calls.of("second"), calls.of("third")), (1, 1, 1));
    }
}

async fn pays_then_fails(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let sum = paid(cx, "first").await?;
    if cx.attempt() == 1 { Err(NodeError::msg("once")) } else { Ok(Trail::update().sum(i64::from(sum))) }
}

#[tokio::test(start_paused = true)]
async fn without_a_store_a_retry_still_finds_what_was_done() {
    let calls = Calls::default();
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(2));
    let graph = wired(Builder::new("o").node_with("n", policy, pays_then_fails), &["START n", "n END"]);
    let graph = graph.compile_with(calls.clone()).unwrap();
    assert_eq!(graph.run(empty()).await.unwrap().state.sum, 40);
    assert_eq!(calls.of("first"), 1);
}

/// A graph with one node, which pays and says so.
fn paying(calls: &Calls) -> Graph<Calls> {
    async fn pay(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
        let sum = paid(cx, "inside").await?;
        Ok(Trail::update().sum(i64::from(sum)))
    }
    wired(Builder::new("pays").node("pay", pay), &["START pay", "pay END"])
        .compile_with(calls.clone())
        .unwrap()
}

/// Runs a graph inside journaled work and another one outside of it, and fails the first time.
async fn pays_in_graphs(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let graph = paying(cx.services());
    let within = async { cx.subgraph("within", &graph, empty()).await.map(|end| end.sum) };
    let first = cx.once("work", within).await?;
    let second = cx.subgraph("beside", &graph, empty()).await?.sum;
    if cx.services().count("runs") == 0 {
        return Err(NodeError::msg("after paying"));
    }
    Ok(Trail::update().sum(first + second))
}

// D7: the result of the work stands for the log of the graph inside it
#[tokio::test(start_paused = true)]
async fn a_graph_inside_work_is_not_run_again_and_leaves_no_log_to_read() {
    for attempts in [1, 2] {
        let calls = Calls::default();
        let policy = NodePolicy::new().retry(RetryPolicy::attempts(attempts));
        let graph = wired(Builder::new("o").node_with("n", policy, pays_in_graphs), &["START n", "n END"]);
        let (graph, store) = (graph.compile_with(calls.clone()).unwrap(), memory());
        let graph = graph.with_store(store.clone());
        let t = thread("t");
        let first = graph.run(empty()).thread(t.clone()).await;
        assert_eq!(first.is_err(), attempts == 1);
        let recorded = store.load(&t, None).await.unwrap().unwrap().tasks;
        let inner = recorded.iter().find_map(|record| match &record.entry {
            TaskEntry::Once { key, inner, .. } if key.as_ref() == "work" => Some(inner.join(" ")),
            _ => None,
        });
        if attempts == 1 {
            assert_eq!(inner.as_deref(), Some("within"));
            graph.resume(&t).await.unwrap();
        }
        assert_eq!(graph.state(&t, None).await.unwrap().state.sum, 81);
        assert_eq!(calls.of("inside"), 2);
    }
}

async fn fails_inside(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let work = async {
        match cx.services().count("work") {
            0 => Err(NodeError::msg("inside")),
            count => Ok(count),
        }
    };
    let count = cx.once("k", work).await?;
    Ok(Trail::update().sum(i64::from(count)))
}

#[tokio::test]
async fn an_error_of_the_work_is_not_kept() {
    let calls = Calls::default();
    let graph = wired(Builder::new("o").node("n", fails_inside), &["START n", "n END"]);
    let graph = graph.compile_with(calls.clone()).unwrap().with_store(memory());
    graph.run(empty()).thread(thread("t")).await.unwrap_err();
    assert_eq!(graph.resume(&thread("t")).await.unwrap().state.sum, 1);
}

async fn counts(trail: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let sum = paid(cx, "loop").await?;
    Ok(Trail::update().turns(trail.turns + 1).log(sum.to_string()))
}

#[tokio::test]
async fn every_visit_of_a_node_has_a_journal_of_its_own() {
    for store in [None, Some(memory())] {
        let again = |t: &Trail| t.turns < 3;
        let graph = Builder::<Calls>::new("o").node("n", counts).edge("START", "n");
        let graph =
            graph.branch("n", again, [(true, "n"), (false, "END")]).compile_with(Calls::default()).unwrap();
        let graph = if let Some(store) = store { graph.with_store(store) } else { graph };
        assert_eq!(graph.run(empty()).await.unwrap().state.log(), ["40", "41", "42"]);
    }
}

// The work is in the log while its node runs out of time waiting for the disk.
#[tokio::test(start_paused = true)]
async fn work_that_is_being_journaled_when_its_node_times_out_is_not_done_again() {
    let calls = Calls::default();
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(2)).timeout(Duration::from_millis(10));
    let graph = wired(Builder::new("o").node_with("n", policy, pays_then_fails), &["START n", "n END"]);
    let store = Faulty::new(Fault::Slow(Duration::from_secs(1)));
    let graph = graph.compile_with(calls.clone()).unwrap().with_store(store.shared());
    assert_eq!(graph.run(empty()).await.unwrap().state.sum, 40);
    assert_eq!(calls.of("first"), 1);
}

// ENG-6: a store that cannot keep the result is no reason to do the work again
#[tokio::test(start_paused = true)]
async fn work_whose_result_cannot_be_stored_is_not_tried_again_in_this_run() {
    let calls = Calls::default();
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(5));
    let graph = wired(Builder::new("o").node_with("n", policy, pays_then_fails), &["START n", "n END"]);
    let graph = graph.compile_with(calls.clone()).unwrap().with_store(Faulty::new(Fault::From(1)).shared());
    let error = graph.run(empty()).await.unwrap_err();
    assert!(matches!(error, RunError::Store(StoreError::Closed(_))), "{error}");
    assert_eq!(calls.of("first"), 1);
}

/// Makes the key of an effect outside as the documentation says.
async fn keyed(trail: &Trail, cx: &Cx<Calls>) -> TrailUpdate {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    RUNS.fetch_add(1, Ordering::Relaxed);
    Trail::update().turns(trail.turns + 1).log(format!("{}/{}", cx.task(), cx.step()))
}

// P16
#[tokio::test]
async fn task_and_step_make_a_key_that_no_other_step_has() {
    use stategraph_core::Durability;
    for durability in [Durability::Sync, Durability::ASYNC, Durability::Exit] {
        let graph = Builder::<Calls>::new("o").node("n", keyed).edge("START", "n");
        let graph = graph.branch("n", |t: &Trail| t.turns < 5, [(true, "n"), (false, "END")]);
        let graph = graph.compile_with(Calls::default()).unwrap().with_store(memory());
        let mut keys = graph.run(empty()).durability(durability).await.unwrap().state.log;
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), 5, "{durability:?}");
    }
}

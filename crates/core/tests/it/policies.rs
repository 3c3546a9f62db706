//! Lists of retry policies, limits of idle time, heartbeats, limits of a superstep, defaults of a graph. Parity F7, F32, F35, F36,
//! clauses 21, 22, 25.

use std::time::Duration;

use stategraph_core::{Cx, NodeError, NodePolicy, NodeResult, NodeTimeout, RetryPolicy, RunError, State};

use super::kit::{Builder, Calls, Graph, Trail, TrailUpdate, empty, memory, say, thread, wired};

#[derive(Debug, thiserror::Error)]
#[error("the line is down")]
struct LineDown;

fn is_line(error: &NodeError) -> bool {
    error.downcast_ref::<LineDown>().is_some()
}

fn alone(
    policy: NodePolicy,
    node: impl stategraph_core::IntoNode<Trail, Calls, stategraph_core::OfContext<NodeResult<TrailUpdate>>>,
) -> (Graph<Calls>, Calls) {
    let calls = Calls::default();
    let graph = wired(Builder::<Calls>::new("p").node_with("n", policy, node), &["START n", "n END"]);
    (graph.compile_with(calls.clone()).unwrap().with_store(memory()), calls)
}

async fn line_down_then_other(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    match cx.services().count("runs") {
        0 | 1 => Err(LineDown.into()),
        2 | 3 => Err(NodeError::msg("something else")),
        _ => Ok(Trail::update().log(format!("attempt {}", cx.attempt()))),
    }
}

// F32, clause 21: of several policies the first that takes the error counts
#[tokio::test(start_paused = true)]
async fn each_error_is_tried_again_by_the_first_policy_that_takes_it() {
    let lines = RetryPolicy::attempts(5).only_if(is_line).first_wait(Duration::from_secs(1));
    let others = RetryPolicy::attempts(9).first_wait(Duration::from_millis(1));
    let (graph, _) = alone(NodePolicy::new().retry(lines.clone()).retry(others), line_down_then_other);
    let start = tokio::time::Instant::now();
    assert_eq!(graph.run(empty()).await.unwrap().state.log(), ["attempt 5"]);
    // Two waits of the first policy (1 s, 2 s), two of the second (4 ms, 8 ms), each with jitter.
    assert_eq!(start.elapsed().as_secs(), 3);
    let (graph, calls) = alone(NodePolicy::new().retry(lines), line_down_then_other);
    let error = graph.run(empty()).await.unwrap_err();
    assert!(matches!(error, RunError::Node { attempts: 3, .. }));
    assert_eq!(calls.of("runs"), 3);
}

/// Says something, or beats, every 40 ms, 10 times; then nothing for 200 ms.
async fn chatters(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let beats = cx.services().of("beats") > 0;
    for turn in 0..10 {
        tokio::time::sleep(Duration::from_millis(40)).await;
        if beats { cx.heartbeat() } else { cx.emit("turn", &turn)? }
    }
    cx.services().count("was alive");
    tokio::time::sleep(Duration::from_millis(200)).await;
    Ok(Trail::update().log("late"))
}

fn timeout(error: &RunError) -> &NodeTimeout {
    let RunError::Node { source, .. } = error else { panic!("{error}") };
    source.downcast_ref().unwrap()
}

// F35, clause 25
#[tokio::test(start_paused = true)]
async fn signs_of_life_put_the_limit_of_idle_time_off_and_silence_does_not() {
    let idle = Duration::from_millis(100);
    let (graph, calls) = alone(NodePolicy::new().idle_timeout(idle), chatters);
    let start = tokio::time::Instant::now();
    let error = graph.run(empty()).thread(thread("t")).await.unwrap_err();
    assert_eq!(*timeout(&error), NodeTimeout::Idle { limit: idle });
    assert_eq!((calls.of("was alive"), start.elapsed().as_millis()), (1, 500));
    assert_eq!(graph.state(&thread("t"), None).await.unwrap().state.log.len(), 0);
}

// F35: where only heartbeats count, events do not
#[tokio::test(start_paused = true)]
async fn where_heartbeats_are_asked_for_nothing_else_counts() {
    let policy = NodePolicy::new().heartbeat_timeout(Duration::from_millis(100));
    let (graph, calls) = alone(policy.clone(), chatters);
    let error = graph.run(empty()).await.unwrap_err();
    assert_eq!((error.to_string().as_str(), calls.of("was alive")), ("node `n` failed in step 1", 0));
    let (graph, calls) = alone(policy, chatters);
    calls.count("beats");
    graph.run(empty()).await.unwrap_err();
    assert_eq!(calls.of("was alive"), 1);
}

// F35: both limits at once, and a graph inside is a sign of life
#[tokio::test(start_paused = true)]
async fn the_steps_of_a_graph_inside_are_signs_of_life() {
    let naps = async |_: &Trail| {
        tokio::time::sleep(Duration::from_millis(80)).await;
        Trail::update().log("nap")
    };
    let inner = Builder::<()>::new("inner").node("a", naps).node("b", naps).node("c", naps);
    let inner = wired(inner, &["START a", "a b", "b c", "c END"]).compile().unwrap();
    let outer = |policy| {
        let graph = Builder::<()>::new("outer").node_with("inner", policy, inner.clone());
        wired(graph, &["START inner", "inner END"]).compile().unwrap()
    };
    let idle = NodePolicy::new().idle_timeout(Duration::from_millis(100));
    assert_eq!(outer(idle.clone()).run(empty()).await.unwrap().state.log.len(), 3);
    let error = outer(idle.timeout(Duration::from_millis(200))).run(empty()).await.unwrap_err();
    assert_eq!(*timeout(&error), NodeTimeout::Run { limit: Duration::from_millis(200) });
}

async fn quick_or_slow(_: &Trail, cx: &Cx<Calls>) -> TrailUpdate {
    let first = cx.services().count(cx.node()) == 0;
    if cx.node() == "slow" && first {
        tokio::time::sleep(Duration::from_secs(9)).await;
    }
    Trail::update().log(cx.node())
}

// F36: the superstep ends, what finished is kept
#[tokio::test(start_paused = true)]
async fn a_superstep_that_takes_too_long_ends_and_keeps_what_finished() {
    let calls = Calls::default();
    let graph =
        Builder::<Calls>::new("s").node("quick", quick_or_slow).node("slow", quick_or_slow).node("z", say);
    let graph = wired(graph, &["START quick", "START slow", "quick+slow z", "z END"]);
    let graph = graph.compile_with(calls.clone()).unwrap().with_store(memory());
    let t = thread("t");
    let limit = Duration::from_secs(1);
    let error = graph.run(empty()).thread(t.clone()).step_timeout(limit).await.unwrap_err();
    assert_eq!(error.to_string(), "step 1 took longer than 1s");
    assert!(matches!(error, RunError::StepTimeout { checkpoint: Some(_), .. }));
    assert_eq!(graph.state(&t, None).await.unwrap().next, ["slow"]);
    assert_eq!(graph.resume(&t).step_timeout(limit).await.unwrap().state.log(), ["quick", "slow", "z"]);
    assert_eq!((calls.of("quick"), calls.of("slow")), (1, 2));
}

async fn always_fails(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    cx.services().count(cx.node());
    Err(NodeError::msg("no"))
}

// F7
#[tokio::test(start_paused = true)]
async fn a_node_says_for_itself_what_it_wants_and_takes_the_rest_from_the_graph() {
    for (policy, attempts) in [
        (NodePolicy::new(), 3),
        (NodePolicy::new().timeout(Duration::from_secs(1)), 3),
        (NodePolicy::new().retry(RetryPolicy::attempts(1)), 1),
    ] {
        let calls = Calls::default();
        let graph = Builder::<Calls>::new("d").defaults(NodePolicy::new().retry(RetryPolicy::attempts(3)));
        let graph = wired(graph.node_with("n", policy, always_fails), &["START n", "n END"]);
        graph.compile_with(calls.clone()).unwrap().run(empty()).await.unwrap_err();
        assert_eq!(calls.of("n"), attempts);
    }
    let bad = Builder::<()>::new("bad").defaults(NodePolicy::new().timeout(Duration::ZERO));
    let found = bad.defects();
    assert!(
        found.iter().any(|defect| defect.kind.to_string() == "`the defaults of nodes`: the timeout is 0")
    );
}

async fn passes_by_itself(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    match cx.services().count("runs") {
        0 => Err(NodeError::msg("busy").temporary(Some(Duration::from_secs(30)))),
        1 => Err(NodeError::msg("down").temporary(None)),
        _ => Ok(Trail::update().log(format!("attempt {}", cx.attempt()))),
    }
}

// The other side of a failure may ask for a wait, as with `Retry-After`.
#[tokio::test(start_paused = true)]
async fn a_failure_that_passes_waits_as_long_as_it_asks_and_no_longer_than_the_policy_allows() {
    let policy = |longest| {
        let mut retry =
            RetryPolicy::attempts(3).first_wait(Duration::from_millis(1)).only_if(NodeError::is_temporary);
        retry.longest_wait = Duration::from_secs(longest);
        NodePolicy::new().retry(retry)
    };
    let (graph, _) = alone(policy(30), passes_by_itself);
    let start = tokio::time::Instant::now();
    assert_eq!(graph.run(empty()).await.unwrap().state.log(), ["attempt 3"]);
    assert_eq!(start.elapsed().as_secs(), 30);
    let (graph, calls) = alone(policy(29), passes_by_itself);
    graph.run(empty()).await.unwrap_err();
    assert_eq!(calls.of("runs"), 1);
    // A policy for what passes leaves everything else alone.
    let (graph, calls) = alone(policy(30), line_down_then_other);
    graph.run(empty()).await.unwrap_err();
    assert_eq!(calls.of("runs"), 1);
}

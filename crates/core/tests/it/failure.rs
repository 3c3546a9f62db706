//! Errors, panics, retries and limits of time of single nodes. ENG-15, ENG-29, parity F32, F35, clauses 21, 22.

use std::collections::BTreeSet;
use std::error::Error;
use std::time::Duration;

use stategraph_core::{
    Command, Cx, END, Frozen, NodeError, NodePanic, NodePolicy, NodeResult, NodeTimeout, RetryPolicy,
    RunError, START, State,
};
use tokio::time::Instant;

use super::kit::{Builder, Calls, Graph, Trail, TrailUpdate, empty, fail_once, memory, say, thread};

fn one<M>(
    policy: NodePolicy,
    node: impl stategraph_core::IntoNode<Trail, Calls, M>,
) -> (Graph<Calls>, Calls) {
    let calls = Calls::default();
    let graph = Builder::<Calls>::new("one").node("first", say).node_with("n", policy, node);
    let graph = graph.edge(START, "first").edge("first", "n").edge("n", END);
    (graph.compile_with(calls.clone()).unwrap(), calls)
}

fn attempts(attempts: u32) -> NodePolicy {
    NodePolicy::new().retry(RetryPolicy::attempts(attempts))
}

async fn never(_: &Trail, cx: &Cx<Calls>) -> NodeResult<()> {
    cx.services().count("never");
    Err(NodeError::msg("no chance").with_hint("give up"))
}

// ENG-29
#[tokio::test]
async fn an_error_carries_node_step_task_attempts_cause_and_hint() {
    let error = one(NodePolicy::new(), never).0.run(empty()).await.unwrap_err();
    assert_eq!(error.to_string(), "node `n` failed in step 2");
    assert_eq!(error.source().unwrap().to_string(), "no chance");
    assert_eq!(error.hint().as_deref(), Some("give up"));
    assert!(matches!(error, RunError::Node { step: 2, attempts: 1, .. }));
}

// F32, clause 18
#[tokio::test(start_paused = true)]
async fn a_failing_node_is_tried_as_often_as_its_policy_says() {
    for allowed in [1, 2, 5] {
        let (graph, calls) = one(attempts(allowed), never);
        let error = graph.run(empty()).await.unwrap_err();
        assert_eq!(calls.of("never"), allowed);
        assert!(matches!(error, RunError::Node { attempts, .. } if attempts == allowed));
    }
}

/// Fails twice; each attempt says which one it is.
async fn third_time(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let update = Trail::update().log(format!("attempt {}", cx.attempt()));
    if cx.attempt() < 3 { Err(NodeError::msg("again")) } else { Ok(update) }
}

// Clauses 21 and 22
#[tokio::test(start_paused = true)]
async fn only_the_writes_of_the_last_attempt_count() {
    let trail = one(attempts(3), third_time).0.run(empty()).await.unwrap().state;
    assert_eq!(trail.log(), ["first", "attempt 3"]);
}

// F32: 0.5 s, doubled, at most 128 s, and up to a quarter of jitter
#[tokio::test(start_paused = true)]
async fn waits_double_from_half_a_second() {
    let start = Instant::now();
    one(attempts(4), never).0.run(empty()).await.unwrap_err();
    let waited = start.elapsed().as_secs_f64();
    assert!((3.5..=3.5 * 1.25 + 0.01).contains(&waited), "{waited}");
    let start = Instant::now();
    one(attempts(12), never).0.run(empty()).await.unwrap_err();
    let all = 0.5 + 1.0 + 2.0 + 4.0 + 8.0 + 16.0 + 32.0 + 64.0 + 3.0 * 128.0;
    let waited = start.elapsed().as_secs_f64();
    assert!((all..=all * 1.25 + 0.02).contains(&waited), "{waited}");
}

// F32: LangGraph's jitter is random; here it is another for each thread, task and sub-graph, and the same whenever a thread runs
#[tokio::test(start_paused = true)]
async fn a_hundred_threads_that_fail_at_once_try_again_at_a_hundred_moments() {
    let waited = async |name: &str| {
        let graph = one(attempts(2), never).0.with_store(memory());
        let start = Instant::now();
        graph.run(empty()).thread(thread(name)).await.unwrap_err();
        start.elapsed()
    };
    let mut waits = BTreeSet::new();
    for number in 0..100 {
        waits.insert(waited(&format!("thread-{number}")).await.as_millis());
    }
    // Of a hundred among 125 milliseconds some share one by chance.
    assert!(waits.len() > 50, "{waits:?}");
    assert_eq!(waited("thread-1").await, waited("thread-1").await);
}

#[tokio::test(start_paused = true)]
async fn waits_that_no_clock_can_hold_are_the_longest_and_no_wait_stays_none() {
    let endless = RetryPolicy::attempts(3).first_wait(Duration::from_secs(1));
    let endless = endless.factor(f64::MAX).longest_wait(Duration::MAX);
    let (graph, calls) = one(NodePolicy::new().retry(endless), never);
    let run = tokio::time::timeout(Duration::from_secs(1_000_000), graph.run(empty()).into_future());
    assert!(run.await.is_err());
    assert_eq!(calls.of("never"), 2);
    let start = Instant::now();
    let at_once = NodePolicy::new().retry(RetryPolicy::attempts(2_000).first_wait(Duration::ZERO));
    one(at_once, never).0.run(empty()).await.unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

async fn for_good(_: &Trail, cx: &Cx<Calls>) -> NodeResult<()> {
    cx.services().count("for good");
    Err(NodeError::msg("final").permanent())
}

// ENG-15
#[tokio::test(start_paused = true)]
async fn permanent_errors_and_those_that_the_filter_refuses_are_not_retried() {
    let (graph, calls) = one(attempts(5), for_good);
    graph.run(empty()).await.unwrap_err();
    assert_eq!(calls.of("for good"), 1);
    let picky = RetryPolicy::attempts(5).only_if(|error| error.to_string() != "no chance");
    let (graph, calls) = one(NodePolicy::new().retry(picky), never);
    graph.run(empty()).await.unwrap_err();
    assert_eq!(calls.of("never"), 1);
}

async fn slow(_: &Trail, cx: &Cx<Calls>) -> TrailUpdate {
    let before = cx.services().count("slow");
    tokio::time::sleep(Duration::from_secs(if before == 0 { 10 } else { 1 })).await;
    cx.services().count("late");
    Trail::update().log("slow")
}

// F35, clause 25
#[tokio::test(start_paused = true)]
async fn a_node_that_takes_too_long_is_stopped_and_can_be_tried_again() {
    let limit = NodePolicy::new().timeout(Duration::from_secs(2));
    let start = Instant::now();
    let (graph, calls) = one(limit.clone(), slow);
    let error = graph.run(empty()).await.unwrap_err();
    let RunError::Node { source, .. } = error else { panic!("{error}") };
    assert_eq!(source.downcast_ref(), Some(&NodeTimeout::Run { limit: Duration::from_secs(2) }));
    assert_eq!((calls.of("late"), start.elapsed()), (0, Duration::from_secs(2)));
    let (graph, calls) = one(limit.retry(RetryPolicy::attempts(2)), slow);
    assert_eq!(graph.run(empty()).await.unwrap().state.log(), ["first", "slow"]);
    assert_eq!((calls.of("slow"), calls.of("late")), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_just_in_time_is_not_stopped() {
    for (limit, in_time) in [(9, false), (11, true)] {
        let policy = NodePolicy::new().timeout(Duration::from_secs(limit));
        assert_eq!(one(policy, slow).0.run(empty()).await.is_ok(), in_time);
    }
}

async fn panics_later(trail: &Trail) {
    tokio::task::yield_now().await;
    if trail.log.len() < 5 {
        std::panic::panic_any(7_u8);
    }
}

fn panic_of(error: RunError) -> String {
    let RunError::Node { source, .. } = error else { panic!("{error}") };
    source.downcast_ref::<NodePanic>().expect("it panicked").message.clone()
}

async fn panics(trail: &Trail) -> TrailUpdate {
    assert!(trail.log.len() > 5, "the trail is short");
    Trail::update()
}

#[tokio::test]
async fn a_panic_of_a_node_is_its_error() {
    assert_eq!(
        panic_of(one(NodePolicy::new(), panics).0.run(empty()).await.unwrap_err()),
        "the trail is short"
    );
    assert_eq!(
        panic_of(one(NodePolicy::new(), panics_later).0.run(empty()).await.unwrap_err()),
        "(it did not say why)"
    );
}

// The part of a closure before its future: it runs when the node is called, not when it is polled.
#[tokio::test]
async fn a_panic_before_the_first_await_is_caught_too() {
    let sync = |trail: Frozen<Trail>| {
        assert!(trail.log.len() > 5, "in the closure");
        async { Trail::update() }
    };
    assert_eq!(panic_of(one(NodePolicy::new(), sync).0.run(empty()).await.unwrap_err()), "in the closure");
    let borrowing = |trail: &Trail| {
        assert!(trail.log.len() > 5, "in the function");
        std::future::ready(Trail::update())
    };
    assert_eq!(
        panic_of(one(NodePolicy::new(), borrowing).0.run(empty()).await.unwrap_err()),
        "in the function"
    );
}

#[tokio::test]
async fn a_panic_of_one_task_leaves_its_siblings_alone() {
    let calls = Calls::default();
    let graph = Builder::<Calls>::new("p").node("a", panics).node("b", say);
    let graph = graph.edge(START, "a").edge(START, "b").edge("a", END).edge("b", END);
    let error = graph.compile_with(calls.clone()).unwrap().run(empty()).await.unwrap_err();
    assert_eq!((panic_of(error), calls.of("b")), ("the trail is short".into(), 1));
}

async fn strays_once(_: &Trail, cx: &Cx<Calls>) -> Command<Trail> {
    cx.services().count("stray");
    Command::none().goto("nowhere")
}

#[tokio::test(start_paused = true)]
async fn an_undeclared_goto_is_not_tried_again() {
    let calls = Calls::default();
    let graph = Builder::<Calls>::new("g").node_with("n", attempts(3), strays_once).edge(START, "n");
    let graph = graph.goto("n", [END]).compile_with(calls.clone()).unwrap();
    graph.run(empty()).await.unwrap_err();
    assert_eq!(calls.of("stray"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_graph_can_be_run_again_after_it_failed() {
    let (graph, _) = one(NodePolicy::new(), fail_once);
    graph.run(empty()).await.unwrap_err();
    assert_eq!(graph.run(empty()).await.unwrap().state.log(), ["first", "n"]);
}

async fn turns(trail: &Trail) -> TrailUpdate {
    Trail::update().turns(trail.turns + 1)
}

// The thread stays as it was saved. More about closures that panic: `panics.rs`.
#[tokio::test]
async fn a_panic_of_a_choice_leaves_its_thread_free_and_resumable() {
    let calls = Calls::default();
    let fragile = {
        let calls = calls.clone();
        move |trail: &Trail| {
            assert!(trail.turns < 2 || calls.count("choice") > 0, "in the choice");
            trail.turns < 3
        }
    };
    let graph =
        Builder::new("c").node("a", turns).edge(START, "a").branch("a", fragile, [(true, "a"), (false, END)]);
    let graph = graph.compile().unwrap().with_store(memory());
    let error = graph.run(empty()).thread(thread("t")).await.unwrap_err();
    assert_eq!(error.to_string(), "the branch after `a` panicked: in the choice");
    assert_eq!(graph.state(&thread("t"), None).await.unwrap().state.turns, 1);
    assert_eq!(graph.resume(&thread("t")).await.unwrap().state.turns, 3);
}

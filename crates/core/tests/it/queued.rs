//! The queue between a run and a reader of its events who is slow, or gone.

use futures_util::StreamExt;
use stategraph_core::{Cx, EventKind, EventKinds, State as _, Status, Subgraph};

use super::kit::{Builder, Calls, Graph, Trail, TrailUpdate, empty, memory, played, say, thread, wired};

/// Emits more events than the reader lets wait.
async fn emits(_: &Trail, cx: &Cx<Calls>) -> TrailUpdate {
    (0..100).for_each(|number| cx.emit("n", &number).expect("a number is JSON"));
    Trail::update().log(cx.node())
}

#[tokio::test]
async fn at_the_limit_events_of_nodes_are_dropped_and_counted_and_those_of_the_engine_are_not() {
    let graph = wired(Builder::<Calls>::new("q").node("a", emits), &["START a", "a END"]);
    let graph = graph.compile_with(Calls::default()).unwrap();
    let mut run = graph.run(empty()).queued_events(10).stream(EventKinds::ALL).await.unwrap();
    let mut kinds = Vec::new();
    while let Some(event) = run.next().await {
        kinds.push(event.kind.group());
    }
    let emitted = kinds.iter().filter(|kind| **kind == EventKinds::CUSTOM).count();
    assert!((1..=10).contains(&emitted), "{emitted}");
    assert_eq!(run.dropped_events(), 100 - emitted as u64);
    assert_eq!(kinds.iter().filter(|kind| **kind == EventKinds::TASKS).count(), 2);
    assert!(matches!(run.outcome().unwrap().unwrap().status, Status::Done));
}

async fn counts(trail: &Trail, cx: &Cx<Calls>) -> TrailUpdate {
    cx.services().count("inside");
    Trail::update().turns(trail.turns + 1)
}

/// Two graphs at once, each of which makes fifty supersteps.
fn busy_inside(calls: &Calls) -> Graph<Calls> {
    let inner = Builder::<Calls>::new("inner").node("n", counts).edge("START", "n");
    let inner = inner.branch("n", |trail: &Trail| trail.turns < 50, [(true, "n"), (false, "END")]);
    let inner = inner.compile_with(calls.clone()).unwrap();
    let inside = || Subgraph::mapped(&inner, |_: &Trail| empty(), |_| Trail::update().log("ended"));
    let graph = Builder::<Calls>::new("q").node("a", inside()).node("b", inside());
    wired(graph, &["START a", "START b", "a END", "b END"]).compile_with(calls.clone()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn graphs_inside_tasks_wait_for_a_reader_who_is_slow() {
    let calls = Calls::default();
    let graph = busy_inside(&calls);
    let mut run = graph.run(empty()).queued_events(20).stream(EventKinds::VALUES).await.unwrap();
    let mut inside = 0;
    while inside < 2 {
        let event = run.next().await.expect("the graphs inside start");
        inside += usize::from(!event.namespace.is_root());
    }
    // They run on other threads until the queue is full, and no further.
    while calls.of("inside") < 12 {
        tokio::task::yield_now().await;
    }
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert!(calls.of("inside") < 60, "{}", calls.of("inside"));
    let (_, outcome) = played(run).await;
    assert_eq!((outcome.unwrap().state.log(), calls.of("inside")), (vec!["ended", "ended"], 100));
}

/// A run as a task of the runtime.
#[tokio::test]
async fn a_run_is_a_future_that_can_be_spawned() {
    let graph = wired(Builder::<Calls>::new("s").node("a", say), &["START a", "a END"]);
    let graph = graph.compile_with(Calls::default()).unwrap();
    let runs = (0..3).map(|_| tokio::spawn(graph.run(empty()).step_limit(4)));
    for run in futures_util::future::join_all(runs).await {
        assert_eq!(run.unwrap().unwrap().state.log(), ["a"]);
    }
    let mut request = graph.run(empty());
    assert!((&mut request).await.is_ok());
}

// The documentation of `RunStream` promises it
#[tokio::test]
async fn a_dropped_stream_leaves_what_was_committed_and_a_free_thread() {
    let calls = Calls::default();
    let names = ["a", "b", "c", "d"];
    let graph = names.iter().fold(Builder::<Calls>::new("d"), |graph, name| graph.node(*name, say));
    let graph = graph.sequence(["START", "a", "b", "c", "d", "END"]).compile_with(calls.clone()).unwrap();
    let (graph, t) = (graph.with_store(memory()), thread("t"));
    for cut in 1..=4 {
        let run = if cut == 1 { graph.run(empty()).thread(t.clone()) } else { graph.resume(&t) };
        let mut run = run.stream(EventKinds::CHECKPOINTS).await.unwrap();
        while let Some(event) = run.next().await {
            if matches!(event.kind, EventKind::Checkpoint { .. }) && event.step == cut {
                break;
            }
        }
        drop(run);
        let seen = graph.state(&t, None).await.unwrap();
        assert_eq!(seen.state.log(), names[..usize::try_from(cut).unwrap()]);
        let ran: u32 = names.iter().map(|name| calls.of(name)).sum();
        assert_eq!(u64::from(ran), cut, "no node has run that is not committed");
    }
}

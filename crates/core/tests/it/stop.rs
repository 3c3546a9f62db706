//! Stopping a run from outside, gently or at once. ENG-16, parity F30, clause 27.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use stategraph_core::{
    Cx, Durability, END, EventKinds, NodePolicy, RetryPolicy, RunError, START, State, Status, Stop, StopWish,
};

use super::kit::{Builder, Graph, Trail, TrailUpdate, empty, line, memory, played, replayed, thread, wired};
use super::stores::{Fault, Faulty};

const ALL: [Durability; 3] = [Durability::Sync, Durability::ASYNC, Durability::Exit];

/// When a run asks itself to stop, and how.
struct Wish {
    at: u32,
    ask: fn(&Stop),
    stop: Stop,
}

async fn asks(trail: &Trail, cx: &Cx<Wish>) {
    let wish = cx.services();
    if trail.turns == wish.at {
        (wish.ask)(&wish.stop);
    }
    tokio::task::yield_now().await;
}

/// A loop that asks its own run to stop after the turn `at`.
fn stops(at: u32, turns: u32, ask: fn(&Stop)) -> (Graph<Wish>, Stop) {
    let node = move |trail: stategraph_core::Frozen<Trail>| async move {
        Trail::update().turns(trail.turns + 1).log(trail.turns.to_string())
    };
    let stop = Stop::new();
    let graph =
        Builder::<Wish>::new("stops").node("a", node).node("asks", asks).edge(START, "a").edge("a", "asks");
    let again = move |t: &Trail| t.turns < turns;
    let graph = graph.branch("asks", again, [(true, "a"), (false, END)]);
    (graph.compile_with(Wish { at, ask, stop: stop.clone() }).unwrap().with_store(memory()), stop)
}

// Clause 27, F30
#[tokio::test]
async fn a_drained_run_ends_after_its_superstep_and_goes_on_later() {
    for durability in ALL {
        let (graph, stop) = stops(2, 5, Stop::drain);
        let t = thread("t");
        let end = graph.run(empty()).thread(t.clone()).durability(durability).stop(&stop).await.unwrap();
        assert!(matches!(end.status, Status::Drained));
        assert_eq!((end.steps, stop.wish()), (4, StopWish::Drain));
        assert_eq!(graph.state(&t, None).await.unwrap().next, ["a"]);
        let end = graph.resume(&t).durability(durability).await.unwrap();
        assert_eq!((end.state.turns, end.state.log()), (5, vec!["0", "1", "2", "3", "4"]));
    }
}

#[tokio::test]
async fn a_drain_in_the_last_step_is_a_normal_end() {
    let (graph, stop) = stops(3, 3, Stop::drain);
    let end = graph.run(empty()).stop(&stop).await.unwrap();
    assert!(matches!(end.status, Status::Done));
}

#[tokio::test]
async fn a_cancelled_run_drops_its_task_and_keeps_what_was_saved() {
    for durability in ALL {
        let (graph, stop) = stops(2, 5, Stop::cancel);
        let t = thread("t");
        let run = graph.run(empty()).thread(t.clone()).durability(durability).stop(&stop);
        let (events, outcome) = played(run.stream(EventKinds::RUN).await.unwrap()).await;
        let error = outcome.unwrap_err();
        assert_eq!(error.to_string(), "the run was stopped in step 4");
        let RunError::Cancelled { checkpoint: Some(checkpoint), .. } = error else { panic!("{error}") };
        assert_eq!(line(events.last().unwrap()), "4 run cancelled");
        let saved = graph.state(&t, None).await.unwrap();
        assert_eq!(
            (saved.checkpoint, saved.state.turns, saved.next.join("")),
            (checkpoint, 2, "asks".into())
        );
        assert_eq!(graph.resume(&t).durability(durability).await.unwrap().state.turns, 5);
    }
}

struct Work {
    dropped: Arc<AtomicU32>,
}

impl Drop for Work {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

async fn works(_: &Trail, cx: &Cx<Arc<AtomicU32>>) -> TrailUpdate {
    let _work = Work { dropped: cx.services().clone() };
    tokio::time::sleep(Duration::from_mins(1)).await;
    Trail::update().log(cx.node())
}

fn working(nodes: &[&'static str]) -> (Graph<Arc<AtomicU32>>, Arc<AtomicU32>) {
    let dropped = Arc::new(AtomicU32::new(0));
    let graph = nodes.iter().fold(Builder::<Arc<AtomicU32>>::new("works"), |graph, name| {
        graph.node(*name, works).edge(START, *name).edge(*name, END)
    });
    (graph.compile_with(dropped.clone()).unwrap().with_store(memory()), dropped)
}

async fn later<T>(stop: &Stop, run: impl Future<Output = T>) -> T {
    let stopping = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        stop.cancel();
    };
    tokio::join!(run, stopping).0
}

#[tokio::test(start_paused = true)]
async fn when_a_cancelled_run_has_ended_nothing_of_its_nodes_is_left_and_its_thread_is_free() {
    for nodes in [&["a"][..], &["a", "b", "c"]] {
        let (graph, dropped) = working(nodes);
        let (t, stop) = (thread("t"), Stop::new());
        let error = later(&stop, graph.run(empty()).thread(t.clone()).stop(&stop).into_future()).await;
        assert!(matches!(error, Err(RunError::Cancelled { step: 1, .. })));
        assert_eq!(dropped.load(Ordering::SeqCst) as usize, nodes.len());
        assert_eq!(graph.resume(&t).await.unwrap().state.log(), nodes);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_that_was_asked_for_before_the_run_counts() {
    let (graph, dropped) = working(&["a"]);
    let stop = Stop::new();
    stop.drain();
    let drained = graph.run(empty()).thread(thread("d")).stop(&stop).await.unwrap();
    assert!(matches!(drained.status, Status::Drained));
    stop.cancel();
    // A wish is never taken back.
    stop.drain();
    assert_eq!(stop.wish(), StopWish::Cancel);
    let error = graph.run(empty()).thread(thread("c")).stop(&stop).await.unwrap_err();
    assert!(matches!(error, RunError::Cancelled { step: 1, .. }));
    assert_eq!((drained.steps, dropped.load(Ordering::SeqCst)), (0, 0));
}

async fn listens(_: &Trail, cx: &Cx<Arc<AtomicU32>>) -> TrailUpdate {
    cx.cancelled().await;
    Trail::update().log("heard it")
}

#[tokio::test(start_paused = true)]
async fn a_node_may_listen_for_a_drain_and_finish_early() {
    let graph = wired(Builder::<Arc<AtomicU32>>::new("l").node("a", listens), &["START a", "a END"]);
    let graph = graph.compile_with(Arc::default()).unwrap();
    let stop = Stop::new();
    let stopping = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        stop.drain();
    };
    let (end, ()) = tokio::join!(graph.run(empty()).stop(&stop).into_future(), stopping);
    assert_eq!(end.unwrap().state.log(), ["heard it"]);
}

async fn never(_: &Trail) -> Result<(), stategraph_core::NodeError> {
    Err(stategraph_core::NodeError::msg("never"))
}

#[tokio::test(start_paused = true)]
async fn a_cancel_ends_the_wait_before_a_retry() {
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(9).first_wait(Duration::from_secs(100)));
    let graph =
        wired(Builder::new("r").node_with("a", policy, never), &["START a", "a END"]).compile().unwrap();
    let (start, stop) = (tokio::time::Instant::now(), Stop::new());
    let error = later(&stop, graph.run(empty()).stop(&stop).into_future()).await;
    assert!(matches!(error, Err(RunError::Cancelled { checkpoint: None, .. })));
    assert_eq!(start.elapsed(), Duration::from_secs(1));
}

// ENG-16: a commit is whole
#[tokio::test(start_paused = true)]
async fn a_cancel_during_a_commit_lets_it_finish() {
    let store = Faulty::new(Fault::Slow(Duration::from_secs(2)));
    let (graph, _) = stops(100, 3, Stop::cancel);
    let graph = graph.with_store(store.shared());
    let (t, stop) = (thread("t"), Stop::new());
    let error = later(&stop, graph.run(empty()).thread(t.clone()).stop(&stop).into_future()).await;
    let Err(RunError::Cancelled { checkpoint: Some(checkpoint), step: 1 }) = error else {
        panic!("{error:?}")
    };
    assert_eq!(checkpoint.to_string(), "t@1");
    assert_eq!(graph.resume(&t).await.unwrap().state.turns, 3);
    let states = replayed(&graph, &t).await;
    assert!(states.iter().all(|(_, state)| state.log.len() == state.turns as usize));
}

//! Runs that are dropped or cancelled while a node is busy: nothing of them starts or goes on afterwards.

use std::future::IntoFuture;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use futures_util::poll;
use stategraph_core::{Cx, END, RunError, START, Stop};

use super::kit::{Builder, Graph, Trail, empty, memory};

/// Two nodes that are under way at once: one waits for ever, the other blocks its worker thread until it is released.
struct Stage {
    released: Mutex<Receiver<()>>,
    /// True when the busy node, once released, waits for something.
    goes_on: bool,
    /// Gets a word from each node; closed when nothing of the run is left.
    seen: Sender<&'static str>,
}

async fn waits(_: &Trail, cx: &Cx<Stage>) {
    cx.services().seen.send("starts").unwrap();
    std::future::pending::<()>().await;
}

async fn busy(_: &Trail, cx: &Cx<Stage>) {
    let stage = cx.services();
    stage.seen.send("starts").unwrap();
    stage.released.lock().unwrap().recv().unwrap();
    if stage.goes_on {
        tokio::task::yield_now().await;
        stage.seen.send("goes on").unwrap();
    }
}

async fn third(_: &Trail, cx: &Cx<Stage>) {
    cx.services().seen.send("third").unwrap();
}

/// A superstep of a node that waits, one that is busy, and a third that may start only when one of them has ended.
fn staged(goes_on: bool) -> (Graph<Stage>, Sender<()>, Receiver<&'static str>) {
    let ((release, released), (seen, words)) = (channel(), channel());
    let stage = Stage { released: Mutex::new(released), goes_on, seen };
    let graph = Builder::<Stage>::new("stage").node("a", waits).node("b", busy).node("c", third);
    let graph = ["a", "b", "c"].iter().fold(graph, |graph, node| graph.edge(START, *node).edge(*node, END));
    (graph.compile_with(stage).unwrap(), release, words)
}

/// Returns when both nodes have started.
fn both_started(words: &Receiver<&'static str>) {
    assert_eq!([words.recv().unwrap(), words.recv().unwrap()], ["starts", "starts"]);
}

/// All that the nodes said, when nothing of the run is left.
fn heard(words: &Receiver<&'static str>) -> Vec<&'static str> {
    words.iter().collect()
}

// ENG-16
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_a_run_is_dropped_no_other_node_starts_and_none_goes_on() {
    for (goes_on, stored) in [(false, false), (false, true), (true, false), (true, true)] {
        let (mut graph, release, words) = staged(goes_on);
        if stored {
            graph = graph.with_store(memory());
        }
        let mut run = graph.run(empty()).max_concurrency(2).into_future();
        assert!(poll!(&mut run).is_pending());
        both_started(&words);
        drop(run);
        release.send(()).unwrap();
        drop(graph);
        assert_eq!(heard(&words), [""; 0], "goes on: {goes_on}, stored: {stored}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_a_run_is_cancelled_no_other_node_starts_and_none_goes_on() {
    for (goes_on, stored) in [(false, false), (false, true), (true, false), (true, true)] {
        let (mut graph, release, words) = staged(goes_on);
        if stored {
            graph = graph.with_store(memory());
        }
        let stop = Stop::new();
        let mut run = graph.run(empty()).max_concurrency(2).stop(&stop).into_future();
        assert!(poll!(&mut run).is_pending());
        both_started(&words);
        stop.cancel();
        assert!(poll!(&mut run).is_pending(), "a node is still busy");
        release.send(()).unwrap();
        let error = run.await.unwrap_err();
        assert!(matches!(error, RunError::Cancelled { step: 1, .. }), "{error}");
        drop(graph);
        assert_eq!(heard(&words), [""; 0], "goes on: {goes_on}, stored: {stored}");
    }
}

//! Runs that are dropped or cancelled while a node is busy: nothing of them starts or goes on afterwards. `tests/model` checks the queue
//! behind it in every interleaving.

use std::future::IntoFuture;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, ThreadId};

use futures_util::poll;
use stategraph_core::{Cx, END, RunError, START, Stop};

use super::kit::{Builder, Graph, Trail, empty, memory};

/// Two nodes that meet: one on the thread that polls the run waits for ever, the other is busy on a worker thread until it is released.
struct Stage {
    poller: ThreadId,
    busy: (Mutex<Sender<()>>, Mutex<Receiver<()>>),
    released: Mutex<Receiver<()>>,
    /// The busy node, once released, waits for something.
    goes_on: bool,
    /// Gets a word from each node; closed when nothing of the run is left.
    seen: Sender<&'static str>,
}

async fn meets(_: &Trail, cx: &Cx<Stage>) {
    let stage = cx.services();
    stage.seen.send("starts").unwrap();
    if thread::current().id() == stage.poller {
        stage.busy.1.lock().unwrap().recv().unwrap();
        return std::future::pending().await;
    }
    stage.busy.0.lock().unwrap().send(()).unwrap();
    stage.released.lock().unwrap().recv().unwrap();
    if stage.goes_on {
        tokio::task::yield_now().await;
        stage.seen.send("goes on").unwrap();
    }
}

async fn third(_: &Trail, cx: &Cx<Stage>) {
    cx.services().seen.send("third").unwrap();
}

/// A superstep of two nodes that meet, and of a third that may start only when one of them has ended.
fn staged(goes_on: bool) -> (Graph<Stage>, Sender<()>, Receiver<&'static str>) {
    let ((release, released), (seen, words), (to, from)) = (channel(), channel(), channel());
    let busy = (Mutex::new(to), Mutex::new(from));
    let stage = Stage { poller: thread::current().id(), busy, released: Mutex::new(released), goes_on, seen };
    let graph = Builder::<Stage>::new("stage").node("a", meets).node("b", meets).node("c", third);
    let graph = ["a", "b", "c"].iter().fold(graph, |graph, node| graph.edge(START, *node).edge(*node, END));
    (graph.compile_with(stage).unwrap(), release, words)
}

/// All that the nodes said, when nothing of the run is left.
fn heard(words: &Receiver<&'static str>) -> Vec<&'static str> {
    words.iter().collect()
}

// ENG-16; once a run is dropped, a busy lane takes no other task and leaves none waiting
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_a_run_is_dropped_no_other_node_starts_and_none_goes_on() {
    for (goes_on, stored) in [(false, false), (false, true), (true, false), (true, true)] {
        let (mut graph, release, words) = staged(goes_on);
        if stored {
            graph = graph.with_store(memory());
        }
        let mut run = graph.run(empty()).max_concurrency(2).into_future();
        assert!(poll!(&mut run).is_pending());
        drop(run);
        release.send(()).unwrap();
        drop(graph);
        assert_eq!(heard(&words), ["starts", "starts"], "goes on: {goes_on}, stored: {stored}");
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
        stop.cancel();
        assert!(poll!(&mut run).is_pending(), "a node is still busy");
        release.send(()).unwrap();
        let error = run.await.unwrap_err();
        assert!(matches!(error, RunError::Cancelled { step: 1, .. }), "{error}");
        drop(graph);
        assert_eq!(heard(&words), ["starts", "starts"], "goes on: {goes_on}, stored: {stored}");
    }
}

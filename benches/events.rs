//! Events a second from nodes to one subscriber: one that reads them, and one that does not, for which events beyond the bound of the queue
//! are dropped and counted.
#![allow(clippy::print_stdout, reason = "it is a program of its own")]

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use futures_util::{StreamExt, poll};
use serde::{Deserialize, Serialize};
use stategraph::engine::{
    CompiledGraph, Cx, END, EventKinds, NodeResult, QUEUED_EVENTS, START, State, StateGraph,
};

/// The number of tasks that emit at once, and the events of each in a superstep.
const TASKS: u64 = 2;
const EVENTS: u64 = 250_000;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Work {
    #[state(add)]
    done: u64,
}

#[derive(Serialize)]
struct Progress {
    row: u64,
    of: u64,
}

/// The number of tasks that have emitted all.
type Ended = Arc<AtomicU64>;

/// Emits the progress of each row, and lets others run from time to time.
async fn emit(_: &Work, cx: &Cx<Ended>) -> NodeResult<WorkUpdate> {
    for row in 0..EVENTS {
        cx.emit("progress", &Progress { row, of: EVENTS })?;
        if row % 1_000 == 0 {
            tokio::task::yield_now().await;
        }
    }
    cx.services().fetch_add(1, Ordering::AcqRel);
    Ok(Work::update().done(1))
}

fn graph(ended: &Ended) -> CompiledGraph<Work, Ended> {
    StateGraph::<Work, Ended>::new("events")
        .node("emit", emit)
        .fan_out(START, |_: &Work| 0..TASKS, "emit")
        .edge("emit", END)
        .compile_with(ended.clone())
        .expect("the graph has no defects")
}

/// Reads while two tasks emit. Where it falls behind them by more than the queue holds, events are dropped.
async fn read() {
    let run = graph(&Ended::default()).run(Work::default()).stream(EventKinds::ALL);
    let mut run = run.await.expect("it starts");
    let (started, mut events) = (Instant::now(), 0_u64);
    while run.next().await.is_some() {
        events += 1;
    }
    let dropped = run.dropped_events();
    told("read by one subscriber", events, started, dropped);
    assert!(events + dropped > TASKS * EVENTS);
}

/// Starts the run, and reads nothing until its tasks have ended.
async fn unread() {
    let ended = Ended::default();
    let mut run = graph(&ended).run(Work::default()).stream(EventKinds::CUSTOM).await.expect("it starts");
    let started = Instant::now();
    {
        let mut next = pin!(run.next());
        while poll!(&mut next).is_pending() {
            tokio::task::yield_now().await;
        }
    }
    while ended.load(Ordering::Acquire) < TASKS {
        tokio::task::yield_now().await;
    }
    told("not read", TASKS * EVENTS, started, run.dropped_events());
    let mut read = 1;
    while run.next().await.is_some() {
        read += 1;
    }
    assert_eq!(read + run.dropped_events(), TASKS * EVENTS);
    assert!(read <= QUEUED_EVENTS as u64 + 1);
    println!("    {read} were there when it read at last");
}

#[allow(clippy::cast_precision_loss, reason = "a figure to look at")]
fn told(what: &str, events: u64, started: Instant, dropped: u64) {
    let rate = events as f64 / started.elapsed().as_secs_f64();
    println!("{what}: {events} events, {rate:.0} a second, {dropped} dropped");
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    for _ in 0..3 {
        runtime.block_on(read());
        runtime.block_on(unread());
    }
}

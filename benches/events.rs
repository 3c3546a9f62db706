//! Events a second from two nodes that emit at once to one subscriber that reads.
#![allow(clippy::print_stdout, reason = "it is a program of its own")]

use std::time::Instant;

use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use stategraph::engine::{CompiledGraph, Cx, END, EventKinds, NodeResult, START, State, StateGraph};

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

/// Emits the progress of each row, and lets others run from time to time.
async fn emit(_: &Work, cx: &Cx) -> NodeResult<WorkUpdate> {
    for row in 0..EVENTS {
        cx.emit("progress", &Progress { row, of: EVENTS })?;
        if row % 1_000 == 0 {
            tokio::task::yield_now().await;
        }
    }
    Ok(Work::update().done(1))
}

fn graph() -> CompiledGraph<Work> {
    StateGraph::<Work>::new("events")
        .node("emit", emit)
        .fan_out(START, |_: &Work| 0..TASKS, "emit")
        .edge("emit", END)
        .compile()
        .expect("the graph has no defects")
}

/// Reads while two tasks emit. Where it falls behind them by more than the queue holds, events are dropped.
async fn read() {
    let run = graph().run(Work::default()).stream(EventKinds::ALL);
    let mut run = run.await.expect("it starts");
    let (started, mut events) = (Instant::now(), 0_u64);
    while run.next().await.is_some() {
        events += 1;
    }
    let dropped = run.dropped_events();
    told("read by one subscriber", events, started, dropped);
    assert!(events + dropped > TASKS * EVENTS);
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
    }
}

//! The hot loop alone, for counting instructions: `benches/instructions.sh`. Takes a mode and a number of supersteps.
#![allow(clippy::print_stdout, reason = "it is a program of its own")]

use std::env;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use stategraph::engine::{END, START, State, StateGraph};
use stategraph::store::MemoryStore;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Counter {
    n: u64,
    limit: u64,
}

fn main() {
    let mut arguments = env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    // `cargo bench` without arguments only shows that it runs.
    let mode = arguments.next().unwrap_or_else(|| "bare".to_owned());
    let steps: u64 = arguments.next().map_or(1_000, |steps| steps.parse().expect("a number of supersteps"));
    let graph = StateGraph::new("counter")
        .node("add", async |counter: &Counter| Counter::update().n(counter.n + 1))
        .edge(START, "add")
        .branch("add", |counter: &Counter| counter.n < counter.limit, [(true, "add"), (false, END)])
        .compile()
        .expect("the graph has no defects");
    let graph = match mode.as_str() {
        "memory" => graph.with_store(Arc::new(MemoryStore::new())),
        "bare" => graph,
        other => panic!("the mode is `bare` or `memory`, not `{other}`"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let started = Instant::now();
    let run = graph.run(Counter { n: 0, limit: steps }).step_limit(steps);
    assert_eq!(runtime.block_on(run).expect("it runs").state.n, steps);
    println!("{mode}: {} ns a superstep", started.elapsed().as_nanos() / u128::from(steps));
}

//! One node that loops on itself: a state, a branch, a run.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use stategraph::prelude::*;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Counter {
    n: u32,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let graph = StateGraph::new("counter")
        .node("add", async |counter: &Counter| Counter::update().n(counter.n + 1))
        .edge(START, "add")
        .branch("add", |counter: &Counter| counter.n < 3, [(true, "add"), (false, END)])
        .compile()?;
    println!("{}", graph.run(Counter::default()).await?.state.n);
    Ok(())
}

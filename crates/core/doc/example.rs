// The parts that the examples in the documentation share: the graph of the crate's first page, and a runtime.
use serde::{Deserialize, Serialize};
use stategraph_core::*;

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Count {
    n: u32,
}

/// Adds 1 until the count is 3.
fn counter() -> StateGraph<Count> {
    StateGraph::new("count")
        .node("add", async |count: &Count| Count::update().n(count.n + 1))
        .edge(START, "add")
        .branch("add", |count: &Count| count.n < 3, [(true, "add"), (false, END)])
}

fn show(example: impl Future<Output = Result<(), Box<dyn std::error::Error>>>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(example).unwrap();
}

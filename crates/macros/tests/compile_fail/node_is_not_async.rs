//! A node is asynchronous.
use serde::{Deserialize, Serialize};
use stategraph_core::{State, StateGraph};

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Count {
    n: u32,
}

fn adds(count: &Count) -> CountUpdate {
    Count::update().n(count.n + 1)
}

fn main() {
    let _ = StateGraph::<Count>::new("g").node("a", adds);
}

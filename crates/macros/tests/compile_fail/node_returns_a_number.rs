//! A node returns what a graph can use.
use serde::{Deserialize, Serialize};
use stategraph_core::{State, StateGraph};

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Count {
    n: u32,
}

async fn answers(_: &Count) -> u32 {
    42
}

fn main() {
    let _ = StateGraph::<Count>::new("g").node("a", answers);
}

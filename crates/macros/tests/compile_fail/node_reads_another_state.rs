//! A node reads the state of its graph.
use serde::{Deserialize, Serialize};
use stategraph_core::{State, StateGraph};

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Count {
    n: u32,
}

async fn reads(text: &String) -> CountUpdate {
    Count::update().n(text.len() as u32)
}

fn main() {
    let _ = StateGraph::<Count>::new("g").node("a", reads);
}

//! A node returns the update of its own state.
use serde::{Deserialize, Serialize};
use stategraph_core::{State, StateGraph};

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Count {
    n: u32,
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Other {
    m: u32,
}

async fn writes(_: &Count) -> OtherUpdate {
    Other::update().m(1)
}

fn main() {
    let _ = StateGraph::<Count>::new("g").node("a", writes);
}

//! A branch is decided by a choice.
use serde::{Deserialize, Serialize};
use stategraph_core::{State, StateGraph};

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Count {
    n: u32,
}

fn main() {
    let _ = StateGraph::<Count>::new("g").branch("a", |_: &Count| "yes", [("yes", "a")]);
}

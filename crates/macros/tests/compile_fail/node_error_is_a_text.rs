//! The error of a node is an error.
use serde::{Deserialize, Serialize};
use stategraph_core::{State, StateGraph};

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Count {
    n: u32,
}

async fn fails(_: &Count) -> Result<CountUpdate, String> {
    Err("no".to_owned())
}

fn main() {
    let _ = StateGraph::<Count>::new("g").node("a", fails);
}

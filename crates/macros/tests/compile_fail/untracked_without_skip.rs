//! What is never stored says so to serde as well.
use serde::{Deserialize, Serialize};
use stategraph_core::State;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Held {
    #[state(untracked)]
    handle: u64,
}

fn main() {}

//! A channel is set to a value of its type.
use serde::{Deserialize, Serialize};
use stategraph_core::State;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Count {
    n: u32,
}

fn main() {
    let _ = Count::update().n("one");
}

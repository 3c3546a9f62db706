//! Only a list can be appended to.
use serde::{Deserialize, Serialize};
use stategraph_core::State;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Count {
    #[state(append)]
    n: u32,
}

fn main() {}

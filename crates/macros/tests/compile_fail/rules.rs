//! A channel has one rule, and it is a known one.
use serde::{Deserialize, Serialize};
use stategraph_core::State;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Two {
    #[state(add, max)]
    n: u32,
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Unknown {
    #[state(appends)]
    list: Vec<u32>,
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Delta {
    #[state(add, delta = u8)]
    n: u32,
}

fn main() {}

//! Channels have names.
use serde::{Deserialize, Serialize};
use stategraph_core::State;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Pair(u32, u32);

#[derive(State, Clone, Serialize, Deserialize)]
enum Either {
    One,
    Other,
}

fn main() {}

//! The update type of a state is one type.
use serde::{Deserialize, Serialize};
use stategraph_core::State;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Boxed<T> {
    value: T,
}

fn main() {}

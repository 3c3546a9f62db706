//! The future of a node may move between threads.
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use stategraph_core::{State, StateGraph};

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Count {
    n: u32,
}

async fn waits(count: &Count) -> CountUpdate {
    let kept = Rc::new(count.n);
    std::future::ready(()).await;
    Count::update().n(*kept)
}

fn main() {
    let _ = StateGraph::<Count>::new("g").node("a", waits);
}

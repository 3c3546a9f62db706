//! Nor does a closure keep anything across an await that may not move.
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use stategraph_core::{State, StateGraph, Frozen, SharedCx};

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Count {
    n: u32,
}

fn main() {
    let _ = StateGraph::<Count>::new("g").node("a", move |count: Frozen<Count>, _: SharedCx| async move {
        let kept = Rc::new(count.n);
        std::future::ready(()).await;
        Count::update().n(*kept)
    });
}

//! A graph runs on a state.
use stategraph_core::StateGraph;

struct Count;

fn main() {
    let _ = StateGraph::<Count>::new("g");
}

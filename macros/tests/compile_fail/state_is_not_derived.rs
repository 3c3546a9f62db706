//! A graph runs on a state.
use stategraph::engine::StateGraph;

struct Count;

fn main() {
    let _ = StateGraph::<Count>::new("g");
}

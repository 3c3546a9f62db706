//! The error of a closure is an error, whichever shape the closure has.
use serde::{Deserialize, Serialize};
use stategraph_core::{Cx, Frozen, SharedCx, State, StateGraph};

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Count {
    n: u32,
}

fn text() -> Result<u32, String> {
    Err("no".to_owned())
}

fn main() {
    let graph = StateGraph::<Count>::new("g");
    let graph = graph.node("of_state", async |_: &Count| -> Result<CountUpdate, String> { Err("no".to_owned()) });
    let graph = graph.node("of_context", async |_: &Count, _: &Cx| Ok::<_, String>(Count::update().n(text()?)));
    let graph = graph.node("of_frozen", |_: Frozen<Count>| async move { Ok::<CountUpdate, String>(Count::update()) });
    let _ = graph.node("of_shared", |_: Frozen<Count>, _: SharedCx| async move { Err::<CountUpdate, _>("no") });
}

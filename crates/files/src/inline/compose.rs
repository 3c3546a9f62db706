//! The sum of two writes to one channel, one after the other: what a sub-graph on JSON hands back. Pure; checks no schema.

use serde_json::{Value, json};

use super::reducer::Reducer;
use super::update::is_overwrite;

/// One write that does what both do in turn. A write that cannot be folded was refused when its superstep was.
pub(super) fn composed(reducer: Reducer, earlier: Option<Value>, later: Value) -> Value {
    let Some(earlier) = earlier.filter(|_| reducer != Reducer::Last && !is_overwrite(&later)) else {
        return later;
    };
    if !is_overwrite(&earlier) {
        let mut all = deltas(earlier);
        all.extend(deltas(later));
        return json!({ "++": all });
    }
    let mut whole = inside(earlier, "=");
    for delta in deltas(later) {
        let _ = reducer.fold(&mut whole, delta);
    }
    json!({ "=": whole })
}

/// The deltas of a write that is no overwrite, in order.
fn deltas(mut write: Value) -> Vec<Value> {
    match write.as_object_mut().and_then(|map| map.remove("++")) {
        Some(Value::Array(all)) => all,
        _ => vec![inside(write, "+")],
    }
}

fn inside(mut write: Value, key: &str) -> Value {
    write.as_object_mut().and_then(|map| map.remove(key)).unwrap_or_default()
}

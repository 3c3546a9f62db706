//! Combines two successive writes to a channel into one: the update that a sub-graph hands back. Pure; checks no
//! schema.

use serde_json::{Value, json};

use super::channel::ChannelSpec;
use super::limits::ValueLimits;
use super::reducer::Reducer;

/// Returns one write that has the effect of `earlier` and then `later`. Both were folded before, so a fold
/// cannot fail here.
pub(super) fn compose_writes(
    channel: &ChannelSpec,
    earlier: Option<Value>,
    later: Value,
    limits: ValueLimits,
) -> Value {
    let Some(earlier) = earlier.filter(|_| channel.reducer != Reducer::Last && !is_overwrite(&later)) else {
        return later;
    };
    if !is_overwrite(&earlier) {
        let mut all = deltas(earlier);
        all.extend(deltas(later));
        return json!({ "++": all });
    }
    let mut whole = take_key(earlier, "=");
    for delta in deltas(later) {
        let _ = channel.fold_delta(&mut whole, delta, limits);
    }
    json!({ "=": whole })
}

/// Returns the single deltas of a stored write that is no overwrite, in order: `{"++": [a, b]}` gives `a` and
/// `b`.
fn deltas(mut write: Value) -> Vec<Value> {
    match write.as_object_mut().and_then(|map| map.remove("++")) {
        Some(Value::Array(all)) => all,
        _ => vec![take_key(write, "+")],
    }
}

fn take_key(mut write: Value, key: &str) -> Value {
    write.as_object_mut().and_then(|map| map.remove(key)).unwrap_or_default()
}

/// Returns true if a stored write replaces the whole value of a channel with a reducer: `{"=": …}`.
pub(super) fn is_overwrite(writes: &Value) -> bool {
    writes.as_object().is_some_and(|map| map.len() == 1 && map.contains_key("="))
}

//! Model costs in a state or an update: maps of numbers, by model. Knows no price.

use serde_json::{Map, Value};

/// Key of the model costs of a run in a checkpoint. No channel can have this name.
pub const SPENT_KEY: &str = "$spent";

/// Adds model costs to a sum: numbers are added, maps entry by entry.
pub fn merge_spent(sum: &mut Map<String, Value>, more: Map<String, Value>) {
    for (name, more) in more {
        match (sum.get_mut(&name), more) {
            (Some(Value::Object(sum)), Value::Object(more)) => merge_spent(sum, more),
            (Some(sum), more) if sum.is_u64() && more.is_u64() => {
                let total =
                    sum.as_u64().unwrap_or_default().saturating_add(more.as_u64().unwrap_or_default());
                *sum = total.into();
            }
            (_, more) => drop(sum.insert(name, more)),
        }
    }
}

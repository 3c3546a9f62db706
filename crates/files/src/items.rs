//! The items of a fan-out: evaluates the list of `each` within its bounds. Sends nothing.

use serde_json::Value;

use super::expression::{EvalScope, Expression};
use super::inline::json_size;

/// Maximum number of items of one list; each is held in memory with the result of its task.
pub const ITEMS_MAX: usize = 100_000;

/// Evaluates the list of a fan-out, and counts its bytes as held by the run. Fails with the reason if the
/// result is no list, has more than [`ITEMS_MAX`] items, or is too large.
pub fn items_of(list: &Expression, scope: &EvalScope<'_>) -> Result<Vec<Value>, String> {
    let items = match list.evaluate(scope).map_err(|error| error.to_string())? {
        Value::Array(items) => items,
        other => {
            return Err(format!("`{}` gives {}, and items come from a list", list.text(), name_type(&other)));
        }
    };
    if items.len() > ITEMS_MAX {
        return Err(format!("`{}` gives {} items, the most is {ITEMS_MAX}", list.text(), items.len()));
    }
    let bytes = items.iter().map(json_size).sum();
    scope.state().count_sent(bytes).map_err(|exceeded| format!("{exceeded}; {}", exceeded.hint()))?;
    Ok(items)
}

fn name_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Object(_) => "a map",
        Value::String(_) => "text",
        _ => "no list",
    }
}

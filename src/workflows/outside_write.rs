//! Values that a user writes to the state of a thread from outside: `graph update`, `graph fork --set`. Writes nothing itself.

use serde_json::{Value, json};

use crate::engine::{RunError, SharedHost};

/// The effect of a value that a user writes to a channel with a reducer from outside. Other channels take the value either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideWrite {
    /// The reducer folds it, as the write of a node.
    Fold,
    /// It replaces the whole value.
    Replace,
}

/// Encodes a write to a channel of a state in Rust. The update's own deserialization decides: it takes the value of a channel without a
/// reducer as it is, and of another one with a sign.
pub(super) fn encode_typed_write(
    host: &SharedHost,
    channel: &str,
    value: &Value,
    effect: OutsideWrite,
) -> Result<Value, String> {
    let sign = match effect {
        OutsideWrite::Fold => "+",
        OutsideWrite::Replace => "=",
    };
    let check = |write: &Value| host.check_update(&json!({ channel: write }));
    let Err(plain) = check(value) else { return Ok(value.clone()) };
    let signed = json!({ sign: value });
    let Err(error) = check(&signed) else { return Ok(signed) };
    let reason = |error: RunError| match error {
        RunError::Encoding { detail, .. } => detail,
        other => other.to_string(),
    };
    let (plain, signed) = (reason(plain), reason(error));
    // The complaint about the sign itself is no help to a user that never typed it.
    Err(if plain.contains("`++`") { signed } else { plain })
}

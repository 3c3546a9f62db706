//! Values that a user writes to the state of a thread from outside (`graph update`, `graph fork
//! --set`). Encodes them; writes nothing itself.

use serde_json::{Value, json};

use crate::engine::{RunError, SharedHost};

/// Effect of a value that a user writes to a channel with a reducer. A channel without a reducer takes
/// the value with either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideWrite {
    /// The reducer folds the value, like the write of a node.
    Fold,
    /// The value replaces the whole channel.
    Replace,
}

/// Encodes a write to a channel of a state in Rust: the plain value if the update accepts it, else the
/// value in an object `{"+": …}` (fold) or `{"=": …}` (replace). Returns the objection of the update if
/// neither is accepted.
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

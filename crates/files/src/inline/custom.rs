//! A reducer that a file writes as an expression. The expression itself is in `expression/fold.rs`.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::limits::ValueLimits;

/// A reducer that is not built in: it folds a write into the value of a channel.
pub trait FoldRule: Send + Sync {
    /// Returns the new value of the channel, or the reason why there is none. `value` is the present value.
    fn fold(&self, value: &Value, write: Value, limits: ValueLimits) -> Result<Value, String>;

    /// Returns the source text of the rule, by which rules are compared.
    fn text(&self) -> &str;
}

/// A shared [`FoldRule`]. Two are equal if their source texts are.
#[derive(Clone)]
pub struct CustomFold(pub Arc<dyn FoldRule>);

/// Equal for equal source texts.
impl PartialEq for CustomFold {
    fn eq(&self, other: &Self) -> bool {
        self.0.text() == other.0.text()
    }
}

impl fmt::Debug for CustomFold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CustomFold({:?})", self.0.text())
    }
}

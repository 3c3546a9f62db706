//! A reducer that is an expression: it sees the present `value` and one `write`, and gives the new value.

use serde_json::Value;

use super::evaluate::Expression;
use super::scope::EvalScope;
use crate::inline::{FoldRule, JsonState, ValueLimits};

/// Name of the present value of the channel.
pub(crate) const VALUE: &str = "value";

/// Name of one write to the channel.
pub(crate) const WRITE: &str = "write";

impl FoldRule for Expression {
    fn fold(&self, value: &Value, write: Value, limits: ValueLimits) -> Result<Value, String> {
        let state = JsonState::default().with_limits(limits);
        let scope = EvalScope::new(&state).with_local(VALUE, value.clone()).with_local(WRITE, write);
        self.evaluate(&scope).map_err(|error| error.to_string())
    }

    fn text(&self) -> &str {
        self.text()
    }
}

//! A value of a graph file in which every text is an expression.

use serde_json::{Map, Value};

use super::error::ExpressionError;
use super::evaluate::Expression;
use super::scope::EvalScope;

/// A YAML value of a graph file in which every text is an expression, such as `{ title: state.topic }`.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A text, which is evaluated.
    Expression(Expression),
    /// A number, a boolean or null, which stays.
    Literal(Value),
    /// A list of operands.
    List(Vec<Operand>),
    /// A map of operands, in the order of the file.
    Map(Vec<(String, Operand)>),
}

impl Operand {
    /// Evaluates the expressions in it, and returns the value. Fails at the first expression that fails.
    pub fn evaluate(&self, scope: &EvalScope<'_>) -> Result<Value, ExpressionError> {
        match self {
            Self::Expression(expression) => expression.evaluate(scope),
            Self::Literal(value) => Ok(value.clone()),
            Self::List(items) => items.iter().map(|item| item.evaluate(scope)).collect(),
            Self::Map(entries) => {
                let entry = |(name, value): &(String, Self)| Ok((name.clone(), value.evaluate(scope)?));
                entries.iter().map(entry).collect::<Result<Map<_, _>, _>>().map(Value::Object)
            }
        }
    }

    /// Returns the source texts of all expressions in the operand.
    pub(crate) fn texts(&self) -> Vec<&str> {
        match self {
            Self::Expression(expression) => vec![expression.text()],
            Self::Literal(_) => Vec::new(),
            Self::List(items) => items.iter().flat_map(Self::texts).collect(),
            Self::Map(entries) => entries.iter().flat_map(|(_, value)| value.texts()).collect(),
        }
    }
}

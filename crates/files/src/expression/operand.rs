//! A value that is written down with parts to be computed: every text in it is an expression.

use serde_json::{Map, Value};

use super::{Expression, ExpressionError, Scope};

/// A value of a graph file in which texts are expressions.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A text: computed.
    Expression(Expression),
    /// A number, a truth value, nothing: as it is.
    Literal(Value),
    /// A list of such.
    List(Vec<Operand>),
    /// A map of such, in the order of the file.
    Map(Vec<(String, Operand)>),
}

impl Operand {
    /// Its value.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, ExpressionError> {
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

    /// The expressions in it, as they are written.
    pub(crate) fn texts(&self) -> Vec<&str> {
        match self {
            Self::Expression(expression) => vec![expression.text()],
            Self::Literal(_) => Vec::new(),
            Self::List(items) => items.iter().flat_map(Self::texts).collect(),
            Self::Map(entries) => entries.iter().flat_map(|(_, value)| value.texts()).collect(),
        }
    }
}

//! The kind `interrupt`: a question to the caller of the run. An answer that does not fit the schema is refused when
//! it is given.

use serde_json::{Map, Value};

use super::node::expression_error;
use super::services::Services;
use stategraph_core::{Cx, NodeError, NodeResult};
use stategraph_files::expression::EvalScope;
use stategraph_files::kind::InterruptKind;

/// Asks the question and returns the answer.
pub(super) async fn run(kind: &InterruptKind, scope: &EvalScope<'_>, cx: &Cx<Services>) -> NodeResult<Value> {
    let question = question(kind, scope)?;
    let Some(shape) = &kind.answer else { return cx.interrupt(&question).await };
    let answer = cx.interrupt_with(&question, shape.schema()).await?;
    shape
        .accept(answer)
        .map_err(|reason| NodeError::msg(format!("the answer does not fit: {reason}")).permanent())
}

/// Builds the question: the text alone, or a map with the shown values and the schema of the answer.
fn question(kind: &InterruptKind, scope: &EvalScope<'_>) -> NodeResult<Value> {
    let text = kind.question.render(scope).map_err(expression_error)?;
    if kind.show.is_none() && kind.answer.is_none() {
        return Ok(text.into());
    }
    let mut question = Map::from_iter([("question".to_owned(), text.into())]);
    if let Some(show) = &kind.show {
        question.insert("show".to_owned(), show.evaluate(scope).map_err(expression_error)?);
    }
    if let Some(shape) = &kind.answer {
        question.insert("answer".to_owned(), shape.schema().clone());
    }
    Ok(Value::Object(question))
}

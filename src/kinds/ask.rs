//! `interrupt`: a question to whoever runs the graph. An answer that does not fit is objected to, and the question asked again.

use serde_json::{Map, Value};

use super::node::permanent;
use super::services::Services;
use crate::definition::expression::Scope;
use crate::definition::kind::AskKind;
use crate::engine::{Cx, NodeResult};

pub(super) async fn result(kind: &AskKind, scope: &Scope<'_>, cx: &Cx<Services>) -> NodeResult<Value> {
    let mut question = question(kind, scope)?;
    loop {
        let answer: Value = cx.interrupt(&question).await?;
        let Some(shape) = &kind.answer else { return Ok(answer) };
        match shape.take(answer) {
            Ok(answer) => return Ok(answer),
            Err(problem) => question["problem"] = problem.into(),
        }
    }
}

/// The text alone, or with what belongs to it.
fn question(kind: &AskKind, scope: &Scope<'_>) -> NodeResult<Value> {
    let text = kind.question.render(scope).map_err(permanent)?;
    if kind.show.is_none() && kind.answer.is_none() {
        return Ok(text.into());
    }
    let mut question = Map::from_iter([("question".to_owned(), text.into())]);
    if let Some(show) = &kind.show {
        question.insert("show".to_owned(), show.evaluate(scope).map_err(permanent)?);
    }
    if let Some(shape) = &kind.answer {
        question.insert("answer".to_owned(), shape.schema().clone());
    }
    Ok(Value::Object(question))
}

//! The node kind `interrupt`: questions to the caller of the run. An answer that does not fit the schema is
//! refused when it is given.

use futures_util::FutureExt;
use futures_util::future::try_join_all;
use serde_json::{Map, Value};

use super::node::expression_error;
use super::services::Services;
use stategraph_core::{Cx, NodeError, NodeResult};
use stategraph_files::expression::EvalScope;
use stategraph_files::kind::{InterruptKind, InterruptQuestion};

/// Asks the questions of an `interrupt` node, all at once. Returns the answer of a single question, or a map
/// of the answers by name.
pub(super) async fn run(kind: &InterruptKind, scope: &EvalScope<'_>, cx: &Cx<Services>) -> NodeResult<Value> {
    let questions = match kind {
        InterruptKind::One(question) => return ask(None, question, scope, cx).await,
        InterruptKind::Several(questions) => questions,
    };
    // Parts of the task, so that all questions are asked at once and answered in any order.
    let asked = questions.iter().map(|(name, question)| {
        let part = cx.part(ask(Some(name), question, scope, cx).boxed());
        async move { Ok::<_, NodeError>((name.to_owned(), part.await?)) }
    });
    let mut answers = Map::new();
    for (name, answer) in try_join_all(asked).await? {
        match answer {
            Some(answer) => drop(answers.insert(name, answer)),
            None => return cx.wait().await,
        }
    }
    Ok(Value::Object(answers))
}

/// Asks one question and returns its answer, checked against the type that the file sets.
async fn ask(
    name: Option<&str>,
    kind: &InterruptQuestion,
    scope: &EvalScope<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let question = build_question(name, kind, scope)?;
    let Some(shape) = &kind.answer else { return cx.interrupt(&question).await };
    let answer = cx.interrupt_with(&question, shape.schema()).await?;
    shape
        .accept(answer)
        .map_err(|reason| NodeError::msg(format!("the answer does not fit: {reason}")).permanent())
}

/// Builds the JSON of a question: its text alone, or a map with the text, its name, the values to show and
/// the schema of the answer.
fn build_question(name: Option<&str>, kind: &InterruptQuestion, scope: &EvalScope<'_>) -> NodeResult<Value> {
    let text = kind.question.render(scope).map_err(expression_error)?;
    if name.is_none() && kind.show.is_none() && kind.answer.is_none() {
        return Ok(text.into());
    }
    let mut question = Map::from_iter([("question".to_owned(), text.into())]);
    if let Some(name) = name {
        question.insert("name".to_owned(), name.into());
    }
    if let Some(show) = &kind.show {
        question.insert("show".to_owned(), show.evaluate(scope).map_err(expression_error)?);
    }
    if let Some(shape) = &kind.answer {
        question.insert("answer".to_owned(), shape.schema().clone());
    }
    Ok(Value::Object(question))
}

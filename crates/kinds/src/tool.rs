//! The node kind `tool`: one call of a tool.

use serde_json::{Map, Value};

use super::agent::approve_calls;
use super::dispatcher::{AnswerConsumer, ToolDispatcher};
use super::node::expression_error;
use super::services::Services;
use super::work::WorkContext;
use stategraph_agent::{CallResult, PlannedCall, Round, Spent, Stack, ToolOutput};
use stategraph_core::{Cx, NodeResult};
use stategraph_files::expression::EvalScope;
use stategraph_files::kind::ToolKind;
use stategraph_llm::ToolCall;

/// Calls the tool of a `tool` node, after a person's approval if its source demands one. Returns its answer;
/// the call is journaled.
pub(super) async fn run(
    kind: &ToolKind,
    scope: &EvalScope<'_>,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let arguments = match &kind.arguments {
        Some(arguments) => arguments.evaluate(scope).map_err(expression_error)?,
        None => Value::Object(Map::new()),
    };
    let call = ToolCall { id: "1".to_owned(), name: kind.name.clone(), arguments: arguments.to_string() };
    let mut dispatcher =
        ToolDispatcher::new(std::slice::from_ref(&kind.name), AnswerConsumer::Node, work, cx).await?;
    // Outside the journaled part, because a question ends the attempt.
    let approve = dispatcher.to_approve(&[]);
    let round = Round { number: 1, limit: 1, at: 0, spent: Spent::default() };
    let calls =
        approve_calls(&approve, &dispatcher.tool_specs(), vec![PlannedCall::new(call)], round, cx).await?;
    let run = async {
        let results = dispatcher.run_calls(&calls, Stack::new(), scope, &work.nested("call"), cx).await?;
        let CallResult { output, .. } = results.into_iter().next().expect("one call has one result");
        into_result(&kind.name, output)
    };
    cx.once(&work.journal_key("call"), run).await
}

/// Converts the output of a tool to a value (its data, or its text), or to the error of the node.
fn into_result(tool: &str, output: ToolOutput) -> NodeResult<Value> {
    match output.failure {
        None => Ok(output.data.unwrap_or_else(|| output.content.into())),
        Some(_) => Err(output.into_error(tool)),
    }
}

//! The kind `tool`: one call of a tool.

use serde_json::{Map, Value};

use super::desk::{Desk, Reader};
use super::node::permanent;
use super::services::Services;
use super::work::Place;
use stategraph_agent::{CallResult, PlannedCall, Stack, ToolOutput};
use stategraph_core::{Cx, NodeResult};
use stategraph_files::expression::Scope;
use stategraph_files::kind::ToolKind;
use stategraph_llm::ToolCall;

pub(super) async fn result(
    kind: &ToolKind,
    scope: &Scope<'_>,
    place: &Place<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let arguments = match &kind.arguments {
        Some(arguments) => arguments.evaluate(scope).map_err(permanent)?,
        None => Value::Object(Map::new()),
    };
    let call = ToolCall { id: "1".to_owned(), name: kind.name.clone(), arguments: arguments.to_string() };
    let mut desk = Desk::open(std::slice::from_ref(&kind.name), Reader::Node, place, cx)?;
    let run = async {
        let calls = [PlannedCall::new(call)];
        let results = desk.run(&calls, Stack::new(), scope, &place.within("call"), cx).await?;
        let CallResult { output, .. } = results.into_iter().next().expect("one call has one result");
        answered(&kind.name, output)
    };
    cx.once(&place.key("call"), run).await
}

/// Converts the output of a tool to a value, or to the error of the node.
fn answered(tool: &str, output: ToolOutput) -> NodeResult<Value> {
    match output.failure {
        None => Ok(output.data.unwrap_or_else(|| output.content.into())),
        Some(_) => Err(output.into_error(tool)),
    }
}

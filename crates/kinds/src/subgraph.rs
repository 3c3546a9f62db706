//! The kind `subgraph`: another graph file inside this task. Its records are part of the log of the task, so finished
//! work is not repeated, and its questions are questions of the task.

use serde_json::{Map, Value};

use super::node::expression_error;
use super::services::Services;
use super::start::initial_state;
use super::work::WorkContext;
use stategraph_core::{Cx, NodeError, NodeResult, State as _};
use stategraph_files::expression::EvalScope;
use stategraph_files::inline::JsonState;
use stategraph_files::kind::SubgraphKind;

/// Runs the sub-graph and returns the map of its outputs.
pub(super) async fn run(
    kind: &SubgraphKind,
    scope: &EvalScope<'_>,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let child = work.file.children.get(&kind.file).expect("the files that are included were read");
    let mut inputs = Map::new();
    for (name, operand) in kind.with.iter().flat_map(stategraph_files::Entries::iter) {
        inputs.insert(name.to_owned(), operand.evaluate(scope).map_err(expression_error)?);
    }
    let state = initial_state(&child.definition, &inputs).map_err(|error| {
        let hint = error.hint().to_owned();
        NodeError::from(error).permanent().with_hint(hint)
    })?;
    let schema = child.definition.schema().expect("only such files are included");
    let mut state: JsonState = serde_json::from_value(state)?;
    state.adopt(&JsonState::new(schema.clone()).with_origin(child.origin.clone()));
    let state = state.nested_in(scope.state());
    if let Some(reason) = state.fault() {
        return Err(NodeError::msg(reason).permanent());
    }
    let graph = child.graph.clone().with_services(cx.shared_services());
    let end = cx.subgraph(&work.journal_key("graph"), &graph, state).await?;
    work.count_subgraph(end.spent());
    let outputs = child.definition.outputs().into_iter();
    Ok(outputs.filter_map(|name| Some((name.to_owned(), end.get(name)?.clone()))).collect())
}

//! The kind `subgraph`: another graph file inside this task. Its records are part of the log of the task, so finished
//! work is not repeated,
//! and its questions are questions of the task.

use serde_json::{Map, Value};

use super::node::permanent;
use super::services::Services;
use super::start::start;
use super::work::Place;
use stategraph_core::{Cx, NodeError, NodeResult, State as _};
use stategraph_files::expression::Scope;
use stategraph_files::inline::JsonState;
use stategraph_files::kind::SubgraphKind;

pub(super) async fn result(
    kind: &SubgraphKind,
    scope: &Scope<'_>,
    place: &Place<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let child = place.parts.children.get(&kind.file).expect("the files that are included were read");
    let mut inputs = Map::new();
    for (name, operand) in kind.with.iter().flat_map(stategraph_files::Entries::iter) {
        inputs.insert(name.to_owned(), operand.evaluate(scope).map_err(permanent)?);
    }
    let state = start(&child.definition, &inputs).map_err(|error| {
        let hint = error.hint().to_owned();
        NodeError::from(error).permanent().with_hint(hint)
    })?;
    let schema = child.definition.schema().expect("only such files are included");
    let mut state: JsonState = serde_json::from_value(state)?;
    state.adopt(&JsonState::new(schema.clone()).made_from(child.origin.clone()));
    let state = state.inside(scope.state());
    if let Some(reason) = state.fault() {
        return Err(NodeError::msg(reason).permanent());
    }
    let graph = child.graph.clone().with_services(cx.shared_services());
    let end = cx.subgraph(&place.key("graph"), &graph, state).await?;
    place.count_inner(end.spent());
    let outputs = child.definition.outputs().into_iter();
    Ok(outputs.filter_map(|name| Some((name.to_owned(), end.get(name)?.clone()))).collect())
}

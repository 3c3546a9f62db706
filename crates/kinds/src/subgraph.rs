//! The node kind `subgraph`: another graph file inside this task. Its records are part of the log of the
//! task, so finished work is not repeated, and its questions are questions of the task.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::includes::IncludedGraph;
use super::inner_graph::persistence;
use super::node::expression_error;
use super::services::Services;
use super::start::{InputError, continuation_update, initial_state};
use super::work::{EndedGraph, WorkContext};
use stategraph_core::{Cx, InnerCall, InnerEnd, NodeError, NodeResult, Persistence, State as _};
use stategraph_files::expression::EvalScope;
use stategraph_files::inline::{JsonState, SPENT_KEY};
use stategraph_files::kind::SubgraphKind;

/// Runs the sub-graph of a `subgraph` node. Returns the map of its outputs, and leaves its final state in
/// `work`.
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
    let persistence = persistence(kind);
    let remembered = cx.remembered().filter(|_| persistence == Persistence::PerThread);
    let state = match remembered {
        Some(remembered) => another_state(kind, child, remembered, &inputs, scope)?,
        None => first_state(kind, child, &inputs, scope)?,
    };
    let graph = child.graph.clone().with_services(cx.shared_services());
    let call = InnerCall { key: &work.journal_key("graph"), graph, persistence };
    let InnerEnd { state, delta, leaves_to } = cx.run_inner(call, || Ok(state)).await?;
    // Not the costs in the state, which are those of all calls if it is kept per thread.
    if let Some((_, Value::Object(spent))) = delta.entries().find(|(name, _)| *name == SPENT_KEY) {
        work.count_subgraph(spent);
        cx.tell_spent(work.spending());
    }
    let outputs = child.definition.outputs().into_iter();
    let result = outputs.filter_map(|name| Some((name.to_owned(), state.get(name)?.clone()))).collect();
    if work.is_node() {
        work.end_graph(EndedGraph { state, shared: delta, leaves_to });
    } else if !leaves_to.is_empty() {
        let error = NodeError::msg("a sub-graph that is a part of a node cannot send the run elsewhere");
        return Err(error.permanent().with_hint("make it a node of its own"));
    }
    Ok(result)
}

/// Returns the initial state of the sub-graph: its inputs, and the values of the shared channels.
fn first_state(
    kind: &SubgraphKind,
    child: &IncludedGraph,
    inputs: &Map<String, Value>,
    scope: &EvalScope<'_>,
) -> NodeResult<JsonState> {
    let state = initial_state(&child.definition, inputs).map_err(input_error)?;
    adopted(kind, child, state, scope)
}

/// Returns the state for a further call of a sub-graph that is kept per thread: the final state `remembered`
/// of the last call with the new inputs folded in (F44), and the values of the shared channels.
fn another_state(
    kind: &SubgraphKind,
    child: &IncludedGraph,
    remembered: &RawValue,
    inputs: &Map<String, Value>,
    scope: &EvalScope<'_>,
) -> NodeResult<JsonState> {
    let mut state = adopted(kind, child, serde_json::from_str(remembered.get())?, scope)?;
    let update = continuation_update(&child.definition, inputs).map_err(input_error)?;
    state.begin_step();
    state.fold(serde_json::from_value(update)?);
    match state.fault() {
        Some(reason) => Err(NodeError::msg(reason).permanent()),
        None => Ok(state),
    }
}

/// Converts JSON to a state of the sub-graph, with the values of the channels that it shares with the outer
/// graph.
fn adopted(
    kind: &SubgraphKind,
    child: &IncludedGraph,
    mut state: Value,
    scope: &EvalScope<'_>,
) -> NodeResult<JsonState> {
    for channel in &kind.share {
        state[channel] = scope.state().get(channel).cloned().unwrap_or_default();
    }
    let schema = child.definition.schema().expect("only such files are included");
    let mut state: JsonState = serde_json::from_value(state)?;
    state.adopt(&JsonState::new(schema.clone()).with_origin(child.origin.clone()));
    let state = state.nested_in(scope.state());
    match state.fault() {
        Some(reason) => Err(NodeError::msg(reason).permanent()),
        None => Ok(state),
    }
}

/// Converts the error of a sub-graph's input. Its hint names the key `with` of the node instead of a
/// command-line option.
fn input_error(error: InputError) -> NodeError {
    // Inputs of a sub-graph are no options of a command.
    let hint = match &error {
        InputError::Unknown { hint, .. } => hint.clone(),
        InputError::Missing { name, .. } | InputError::Misfit { name, .. } => {
            format!("the node gives it by `with: {{ {name}: EXPRESSION }}`")
        }
    };
    NodeError::from(error).permanent().with_hint(hint)
}

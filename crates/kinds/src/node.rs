//! A kind of node as a node of the engine: runs its work and writes the result to channels. Each value is
//! checked in the node (parity D10).

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::agent_limits::build_throttle;
use super::includes::{GraphSize, IncludeResolver, IncludedGraphs};
use super::inner_graph::{NodeSubgraph, persistence};
use super::route;
use super::services::Services;
use super::work::{IN_HANDLER, WorkContext, evaluate_writes, run_kind};
use stategraph_agent::around::Throttle;
use stategraph_agent::is_foreign;
use stategraph_core::{
    Command, Cx, ErasedNode, FailedNode, InnerGraph, NodeError, NodePolicy, NodeResult, StateGraph,
};
use stategraph_files::expression::{EvalScope, Operand};
use stategraph_files::inline::{FileOrigin, JsonState, JsonUpdate, LimitExceeded};
use stategraph_files::kind::{ChannelWrite, Kind, Target};
use stategraph_files::{
    DeclaredTool, Definition, Diagnostics, Entries, InlineNode, NodeRole, NodeSpec, RouteRule,
};

/// Builds the graph of a file that declares its channels, with the files that it includes. Fails with all
/// defects of the file.
///
/// ```
/// use serde_json::json;
/// use stategraph_files::Definition;
/// use stategraph_files::inline::JsonState;
/// use stategraph_core::State as _;
/// use stategraph_kinds::{Models, Services, graph, rules};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let file = "
/// name: counter
/// state:
///   n: { type: integer, default: 0 }
/// nodes:
///   add: { set: { n: state.n + 1 } }
/// edges:
///   - { from: START, to: add }
///   - { from: add, when: state.n < 10, to: add }
///   - { from: add, else: END }
/// ";
/// let definition = Definition::parse(file, "counter.yaml")?;
/// let services = Services::new(Models::One(std::sync::Arc::new(rules())));
/// let graph = graph(&definition)?.compile_with(services)?;
/// let start = JsonState::new(definition.schema().unwrap().clone());
/// assert_eq!(graph.run(start).await?.state.get("n"), Some(&json!(10)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub fn graph(definition: &Definition) -> Result<StateGraph<JsonState, Services>, Diagnostics> {
    build_graph(definition, &mut IncludeResolver::new(definition)).map(|(graph, ..)| graph)
}

/// Returns the record that a new thread would store about a file and its included files; see
/// [`FileOrigin::changed_since`].
pub fn origin(definition: &Definition) -> Result<FileOrigin, Diagnostics> {
    build_graph(definition, &mut IncludeResolver::new(definition)).map(|(_, origin, _)| origin)
}

/// Checks one file and builds its graph, with its included files. Returns the graph, the record of the files
/// for threads, and the size.
pub(super) fn build_graph(
    definition: &Definition,
    resolver: &mut IncludeResolver,
) -> Result<(StateGraph<JsonState, Services>, FileOrigin, GraphSize), Diagnostics> {
    definition.check()?;
    definition.check_tools(super::TOOLS, is_foreign)?;
    definition.check_arguments(super::tools::parameters)?;
    let children = resolver.load_includes(definition)?;
    let size = IncludeResolver::measure(definition, &children)?;
    let origin = super::includes::combined_origin(definition, &children);
    let tools = definition.tools().map(|(name, tool)| (name.to_owned(), tool.clone())).collect();
    let secrets = definition.secrets().map(|secret| (secret.name.to_owned(), secret.variable.to_owned()));
    let file = Arc::new(FileContext {
        name: definition.file().to_owned(),
        children,
        tools,
        throttles: build_throttles(definition),
        secrets: secrets.collect(),
    });
    let graph = definition.build_inline(origin.clone(), &|spec| make_node(&spec, file.clone()))?;
    Ok((graph, origin, size))
}

/// Makes the engine's node of a node, or of an error handler, in a file.
fn make_node(spec: &NodeSpec<'_>, file: Arc<FileContext>) -> InlineNode<Services> {
    let (inner_graph, next) = match &spec.role {
        NodeRole::Node { goto } => (NodeSubgraph::of(spec.kind, &file), NextNodes::ByRules(goto.clone())),
        NodeRole::Handler { goto } => {
            (None, NextNodes::AfterFailure(goto.iter().map(|&target| target.to_owned()).collect()))
        }
    };
    Arc::new(KindNode {
        name: spec.name.to_owned(),
        location: spec.location.clone(),
        kind: spec.kind.clone(),
        to: spec.to.cloned(),
        overwrite: spec.overwrite.clone(),
        emit: spec.emit.cloned(),
        next,
        item_policy: spec.item_policy.clone(),
        file,
        inner_graph,
    })
}

/// The values of a graph file that all of its nodes share.
pub(super) struct FileContext {
    /// Name of the file.
    pub(super) name: String,
    pub(super) children: IncludedGraphs,
    /// Declared tools with their names, in the order of the file.
    pub(super) tools: Vec<(String, DeclaredTool)>,
    /// Throttles of agents by node name; those of error handlers begin with [`IN_HANDLER`].
    pub(super) throttles: BTreeMap<String, Throttle>,
    /// Environment variables of the secrets, by secret name.
    pub(super) secrets: BTreeMap<String, String>,
}

/// Makes the throttles of the agents in a file, by node name; see `FileContext::throttles`.
fn build_throttles(definition: &Definition) -> BTreeMap<String, Throttle> {
    let of = |spec: NodeSpec<'_>| {
        let kind = match spec.kind {
            Kind::Map(map) => &map.body,
            kind => kind,
        };
        let Kind::Agent(agent) = kind else { return None };
        let handler = if matches!(spec.role, NodeRole::Node { .. }) { "" } else { IN_HANDLER };
        Some((format!("{handler}{}", spec.name), build_throttle(agent)?))
    };
    definition.nodes().chain(definition.handlers()).filter_map(of).collect()
}

/// A node or error handler of a graph file whose kind is defined by the file format, not by registered Rust
/// code.
struct KindNode {
    name: String,
    /// Position of the node: `file:line:column`.
    location: String,
    kind: Kind,
    /// The channels that get the result.
    to: Option<Target>,
    /// Writes of a `set` node that replace whole values instead of passing through reducers.
    overwrite: Entries<ChannelWrite>,
    /// Custom events to send after the work, with their data.
    emit: Option<Entries<Operand>>,
    next: NextNodes,
    /// Retry policy of each item of a `map`.
    item_policy: NodePolicy,
    file: Arc<FileContext>,
    inner_graph: Option<NodeSubgraph>,
}

/// The rule by which a node chooses the next nodes.
enum NextNodes {
    /// For a node: the first `goto` rule that holds; without rules, the edges of the graph.
    ByRules(Vec<RouteRule>),
    /// For an error handler: these nodes; if the list is empty, the edges of the failed node.
    AfterFailure(Vec<String>),
}

impl ErasedNode<JsonState, Services> for KindNode {
    fn call<'a>(
        &'a self,
        state: &'a Arc<JsonState>,
        cx: &'a Cx<Services>,
    ) -> BoxFuture<'a, NodeResult<Command<JsonState>>> {
        Box::pin(self.run(state, cx))
    }

    fn inner(&self) -> Option<&dyn InnerGraph> {
        self.inner_graph.as_ref().map(|inner_graph| inner_graph as &dyn InnerGraph)
    }

    fn kind(&self) -> Option<&str> {
        Some(self.kind.name())
    }
}

impl KindNode {
    /// Runs the work of the node. Returns its writes (result, conversation, costs) and its next nodes, and
    /// emits its events.
    async fn run(&self, state: &JsonState, cx: &Cx<Services>) -> NodeResult<Command<JsonState>> {
        let part = if matches!(self.next, NextNodes::AfterFailure(_)) { IN_HANDLER } else { "" };
        let work = WorkContext::new(&self.name, cx.namespace().path(), part, &self.item_policy, &self.file);
        let scope = node_scope(state, cx);
        let value = run_kind(&self.kind, &scope, &work, cx).await?;
        let ended_graph = work.take_ended_graph();
        let mut update = JsonUpdate::default();
        self.write_result(state, &mut update, &scope, &value)?;
        let shared = match (&self.kind, &ended_graph) {
            (Kind::Subgraph(kind), Some(ended)) => Some((ended.shared.clone(), &kind.share)),
            _ => None,
        };
        if let Some((written, channels)) = shared {
            update.add_shared(written, channels);
        }
        let spent = work.spending();
        if !spent.is_empty() {
            update.spend(spent.into());
        }
        if let Some(history) = self.kind.history() {
            write(state, &mut update, history, work.into_messages().into())?;
        }
        state.admit(&mut update).map_err(|exceeded| {
            too_large_error(&format!("{exceeded} (the node at {})", self.location), &exceeded)
        })?;
        let scope = scope.with_local("result", value);
        for (name, data) in self.emit.iter().flat_map(Entries::iter) {
            cx.emit(name, &data.evaluate(&scope).map_err(expression_error)?)?;
        }
        let command = match (&self.kind, ended_graph) {
            (Kind::Subgraph(kind), Some(ended)) => {
                Command::after_graph(update, &ended.state, &ended.leaves_to, persistence(kind))?
            }
            _ => Command::update(update),
        };
        match &self.next {
            NextNodes::ByRules(rules) => route::follow(rules, command, &scope),
            NextNodes::AfterFailure(targets) => Ok(targets.iter().fold(command, Command::goto)),
        }
    }

    /// Adds the result of the work to `update`, as writes to the channels that the node names.
    fn write_result(
        &self,
        state: &JsonState,
        update: &mut JsonUpdate,
        scope: &EvalScope<'_>,
        value: &Value,
    ) -> NodeResult<()> {
        match (&self.kind, &self.to) {
            (Kind::Set(_), _) => {
                write_all(state, update, value, WriteMode::Fold)?;
                let replaced = evaluate_writes(&self.overwrite, scope)?.into_iter().collect();
                write_all(state, update, &Value::Object(replaced), WriteMode::Replace)
            }
            (Kind::Overwrite(_), _) => write_all(state, update, value, WriteMode::Replace),
            (_, Some(Target::Channel(channel))) => write(state, update, channel, value.clone()),
            (_, Some(Target::Each(channels))) => {
                let scope = scope.clone().with_local("result", value.clone());
                let writes = evaluate_writes(channels, &scope)?;
                writes.into_iter().try_for_each(|(channel, value)| write(state, update, &channel, value))
            }
            (_, None) => Ok(()),
        }
    }
}

/// Returns the names that the expressions of a node can use: the state, `remaining_steps`, `item` in a
/// fan-out, and `failure` in an error handler.
fn node_scope<'a>(state: &'a JsonState, cx: &Cx<Services>) -> EvalScope<'a> {
    let mut scope = EvalScope::new(state).with_local("remaining_steps", cx.remaining_steps().into());
    // A task without an item has no such name; the file was checked for that.
    if let Ok(item) = cx.item::<Value>() {
        scope = scope.with_local("item", item.clone());
    }
    match cx.failure() {
        Some(FailedNode { node, error, attempts, .. }) => {
            scope.with_local("failure", json!({ "node": node, "error": error, "attempts": attempts }))
        }
        None => scope,
    }
}

/// The effect of a write on the old value of a channel.
#[derive(Clone, Copy)]
enum WriteMode {
    /// The reducer of the channel combines both.
    Fold,
    /// The new value replaces the old one.
    Replace,
}

/// Adds a write to `update` for each entry of a map, to the channel of that name. Another value writes
/// nothing.
fn write_all(state: &JsonState, update: &mut JsonUpdate, value: &Value, mode: WriteMode) -> NodeResult<()> {
    let Value::Object(entries) = value else { return Ok(()) };
    let schema = state.schema();
    entries.iter().try_for_each(|(channel, value)| {
        let written = match mode {
            WriteMode::Fold => state.write(update, channel, value.clone()),
            WriteMode::Replace => schema.add_overwrite(update, channel, value.clone()),
        };
        written.map_err(write_error)
    })
}

/// Adds a write to one channel, through its reducer.
fn write(state: &JsonState, update: &mut JsonUpdate, channel: &str, value: Value) -> NodeResult<()> {
    state.write(update, channel, value).map_err(write_error)
}

/// Makes the error of a value that does not fit its channel.
fn write_error(reason: String) -> NodeError {
    NodeError::msg(reason).permanent().with_hint("change what the node makes, or the type of the channel")
}

/// Makes the permanent error for a value that exceeds a size limit.
pub(super) fn too_large_error(message: &str, exceeded: &LimitExceeded) -> NodeError {
    NodeError::msg(message.to_owned()).permanent().with_hint(exceeded.hint())
}

/// Converts the error of an expression to an error of the node. It is permanent, because the same state gives
/// the same error.
pub(super) fn expression_error(error: stategraph_files::expression::ExpressionError) -> NodeError {
    let hint = error.hint().map(str::to_owned);
    let error = NodeError::from(error).permanent();
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

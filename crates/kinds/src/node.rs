//! A kind as a node of the engine: runs its work and writes the result to channels. Each value is checked in the node
//! (parity D10).

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::family::{Children, Extent, Family};
use super::inside::Inside;
use super::limits::throttle;
use super::services::Services;
use super::work::{IN_HANDLER, Place, result};
use stategraph_agent::around::Throttle;
use stategraph_core::{
    Command, Cx, ErasedNode, FailedNode, InnerGraph, NodeError, NodePolicy, NodeResult, StateGraph,
};
use stategraph_files::expression::Scope;
use stategraph_files::inline::{Exceeded, JsonState, JsonUpdate, Origin};
use stategraph_files::kind::{Kind, Target};
use stategraph_files::{DeclaredTool, Definition, Diagnostics, InlineNode, NodeSpec, Role};

/// Builds the graph of a file that declares its channels. Fails with every defect of the file.
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
    built(definition, &mut Family::of(definition)).map(|(graph, ..)| graph)
}

/// Returns the record that a new thread would store about a file and its included files; see
/// [`Origin::changed_since`].
pub fn origin(definition: &Definition) -> Result<Origin, Diagnostics> {
    built(definition, &mut Family::of(definition)).map(|(_, origin, _)| origin)
}

/// Builds the graph of one file. Returns it with the record for threads and its size.
pub(super) fn built(
    definition: &Definition,
    family: &mut Family,
) -> Result<(StateGraph<JsonState, Services>, Origin, Extent), Diagnostics> {
    definition.check()?;
    definition.check_tools(&super::TOOLS)?;
    let children = family.children(definition)?;
    let extent = Family::extent(definition, &children)?;
    let origin = super::family::origin(definition, &children);
    let tools = definition.tools().map(|(name, tool)| (name.to_owned(), tool.clone())).collect();
    let secrets = definition.secrets().map(|secret| (secret.name.to_owned(), secret.variable.to_owned()));
    let parts = Arc::new(Parts {
        file: definition.file().to_owned(),
        children,
        tools,
        throttles: throttles(definition),
        secrets: secrets.collect(),
    });
    let graph = definition.build_inline(origin.clone(), &|spec| node(&spec, parts.clone()))?;
    Ok((graph, origin, extent))
}

fn node(spec: &NodeSpec<'_>, parts: Arc<Parts>) -> InlineNode<Services> {
    let inside = match spec.role {
        Role::Node => Inside::of(spec.kind, &parts),
        Role::Handler { .. } => None,
    };
    let goto = match &spec.role {
        Role::Node => None,
        Role::Handler { goto } => Some(goto.iter().map(|&target| target.to_owned()).collect()),
    };
    let (name, kind, to) = (spec.name.to_owned(), spec.kind.clone(), spec.to.cloned());
    let (place, item_policy) = (spec.place.clone(), spec.item_policy.clone());
    Arc::new(KindNode { name, place, kind, to, goto, item_policy, parts, inside })
}

/// The parts of a file that its nodes share.
pub(super) struct Parts {
    /// Name of the file.
    pub(super) file: String,
    pub(super) children: Children,
    /// Declared tools with their names, in the order of the file.
    pub(super) tools: Vec<(String, DeclaredTool)>,
    /// Throttles of agents by node name; those of error handlers begin with [`IN_HANDLER`].
    pub(super) throttles: BTreeMap<String, Throttle>,
    /// Environment variables of the secrets, by secret name.
    pub(super) secrets: BTreeMap<String, String>,
}

fn throttles(definition: &Definition) -> BTreeMap<String, Throttle> {
    let of = |spec: NodeSpec<'_>| {
        let kind = match spec.kind {
            Kind::Map(map) => &map.body,
            kind => kind,
        };
        let Kind::Agent(agent) = kind else { return None };
        let handler = if matches!(spec.role, Role::Node) { "" } else { IN_HANDLER };
        Some((format!("{handler}{}", spec.name), throttle(agent)?))
    };
    definition.nodes().chain(definition.handlers()).filter_map(of).collect()
}

/// A node, or its error handler, whose kind graph files define themselves.
struct KindNode {
    name: String,
    /// Position of the node: `file:line:column`.
    place: String,
    kind: Kind,
    to: Option<Target>,
    /// Next nodes of an error handler; `None` for a node.
    goto: Option<Vec<String>>,
    /// Retry policy of each item of a `map`.
    item_policy: NodePolicy,
    parts: Arc<Parts>,
    inside: Option<Inside>,
}

impl ErasedNode<JsonState, Services> for KindNode {
    fn call<'a>(
        &'a self,
        state: &'a Arc<JsonState>,
        cx: &'a Cx<Services>,
    ) -> BoxFuture<'a, NodeResult<Command<JsonState>>> {
        Box::pin(async move {
            let command = Command::update(self.update(state, cx).await?);
            Ok(self.goto.iter().flatten().fold(command, Command::goto))
        })
    }

    fn inner(&self) -> Option<&dyn InnerGraph> {
        self.inside.as_ref().map(|inside| inside as &dyn InnerGraph)
    }

    fn kind(&self) -> Option<&str> {
        Some(self.kind.name())
    }
}

impl KindNode {
    async fn update(&self, state: &JsonState, cx: &Cx<Services>) -> NodeResult<JsonUpdate> {
        let part = if self.goto.is_some() { IN_HANDLER } else { "" };
        let place = Place::new(&self.name, cx.namespace().path(), part, &self.item_policy, &self.parts);
        let scope = match cx.failure() {
            Some(FailedNode { node, error, attempts, .. }) => {
                let failure = json!({ "node": node, "error": error, "attempts": attempts });
                Scope::new(state).with("failure", failure)
            }
            None => Scope::new(state),
        };
        let value = result(&self.kind, &scope, &place, cx).await?;
        let mut update = JsonUpdate::default();
        match (&self.kind, &self.to) {
            (Kind::Set(_), _) => write_all(state, &mut update, value, Way::Fold)?,
            (Kind::Overwrite(_), _) => write_all(state, &mut update, value, Way::Replace)?,
            (_, Some(Target::Channel(channel))) => write(state, &mut update, channel, value)?,
            (_, Some(Target::Each(channels))) => {
                let scope = scope.with("result", value);
                for (channel, expression) in channels.iter() {
                    let value = expression.evaluate(&scope).map_err(permanent)?;
                    write(state, &mut update, channel, value)?;
                }
            }
            (_, None) => {}
        }
        let spent = place.spent();
        if !spent.is_empty() {
            update.spend(spent.into());
        }
        if let Some(history) = self.kind.history() {
            write(state, &mut update, history, place.said().into())?;
        }
        state
            .admit(&mut update)
            .map_err(|exceeded| too_large(&format!("{exceeded} (the node at {})", self.place), &exceeded))?;
        Ok(update)
    }
}

/// The way in which `write_all` writes.
#[derive(Clone, Copy)]
enum Way {
    Fold,
    Replace,
}

/// Writes each entry of a map to the channel of its name.
fn write_all(state: &JsonState, update: &mut JsonUpdate, value: Value, way: Way) -> NodeResult<()> {
    let Value::Object(entries) = value else { return Ok(()) };
    let schema = state.schema();
    entries.into_iter().try_for_each(|(channel, value)| {
        let written = match way {
            Way::Fold => state.write(update, &channel, value),
            Way::Replace => schema.overwrite(update, &channel, value),
        };
        written.map_err(misfit)
    })
}

fn write(state: &JsonState, update: &mut JsonUpdate, channel: &str, value: Value) -> NodeResult<()> {
    state.write(update, channel, value).map_err(misfit)
}

fn misfit(reason: String) -> NodeError {
    NodeError::msg(reason).permanent().with_hint("change what the node makes, or the type of the channel")
}

/// Returns the error for values that are too large.
pub(super) fn too_large(message: &str, exceeded: &Exceeded) -> NodeError {
    NodeError::msg(message.to_owned()).permanent().with_hint(exceeded.hint())
}

/// Returns the error of an expression. It is permanent, because the same state gives the same error.
pub(super) fn permanent(error: stategraph_files::expression::ExpressionError) -> NodeError {
    let hint = error.hint();
    let error = NodeError::from(error).permanent();
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

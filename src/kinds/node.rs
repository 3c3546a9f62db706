//! A kind as a node: does its work, and writes the result to channels, each value checked before it leaves the node (parity D10).

use std::sync::Arc;

use serde_json::Value;

use super::family::{Children, children};
use super::services::Services;
use super::work::{Place, result};
use crate::definition::expression::Scope;
use crate::definition::inline::{JsonState, JsonUpdate};
use crate::definition::kind::{Kind, Target};
use crate::definition::{Definition, Diagnostics, InlineNode, NodeSpec};
use crate::engine::{Cx, IntoNode as _, Node, NodeError, NodeResult, StateGraph};

/// The graph of a file that declares its channels, or every defect of the file.
///
/// ```
/// use serde_json::json;
/// use stategraph::definition::Definition;
/// use stategraph::definition::inline::JsonState;
/// use stategraph::engine::State as _;
/// use stategraph::kinds::{Models, Services, graph, rules};
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
    built(definition, &[])
}

/// The same for a file that others, by their paths, include.
pub(super) fn built(
    definition: &Definition,
    trail: &[String],
) -> Result<StateGraph<JsonState, Services>, Diagnostics> {
    definition.check()?;
    definition.check_tools(&super::TOOLS)?;
    let children = Arc::new(children(definition, trail)?);
    definition.build_inline(&|spec| node(spec, children.clone()))
}

fn node(spec: NodeSpec<'_>, children: Arc<Children>) -> InlineNode<Services> {
    let NodeSpec { name, kind, to } = spec;
    KindNode { name: name.to_owned(), kind: kind.clone(), to: to.cloned(), children }.into_node()
}

/// A node of a kind that graph files bring themselves.
struct KindNode {
    name: String,
    kind: Kind,
    to: Option<Target>,
    children: Arc<Children>,
}

impl Node<JsonState, Services> for KindNode {
    async fn run(&self, state: &JsonState, cx: &Cx<Services>) -> NodeResult<JsonUpdate> {
        let place = Place { node: &self.name, part: String::new(), children: &self.children };
        let scope = Scope::new(state);
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
        Ok(update)
    }
}

/// Whether a write is folded in or replaces what is there.
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
            Way::Fold => schema.write(update, &channel, value),
            Way::Replace => schema.overwrite(update, &channel, value),
        };
        written.map_err(misfit)
    })
}

fn write(state: &JsonState, update: &mut JsonUpdate, channel: &str, value: Value) -> NodeResult<()> {
    state.schema().write(update, channel, value).map_err(misfit)
}

fn misfit(reason: String) -> NodeError {
    NodeError::msg(reason).permanent().with_hint("change what the node makes, or the type of the channel")
}

/// What an expression cannot do now, it cannot do a moment later.
pub(super) fn permanent(error: crate::definition::expression::ExpressionError) -> NodeError {
    NodeError::from(error).permanent()
}

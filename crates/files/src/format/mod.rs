//! The format of a graph file: its types, which generate the published JSON Schema, and their reading from a tree.
//!
//! Each map of the file is one struct. A field is named in the struct and in its `read`; a test compares the two.
//! Untagged or flattened deserialisation is not used, because it would lose the spans.

mod channel;
mod context;
mod defaults;
mod edge;
mod edge_group;
mod edge_read;
mod entries;
mod handler;
mod input;
mod limits;
mod names;
mod node;
mod retry;
mod route;
mod secret;
mod state;
mod stops;
mod tool;
mod work;

use std::sync::Arc;

use schemars::JsonSchema;

use super::expression::DeclaredNames;
use super::inline::StateSchema;
use super::kind::read_integer;
use super::located::Located;
use super::read::Reader;
use super::source::Span;
use super::wait::{DurationText, read_wait};
use stategraph_yaml::{YamlNode, YamlValue};

pub(crate) use edge::ELSE;
pub(crate) use edge::{ConditionArm, EdgeFile, EdgeTargets, ItemList, Sources};
pub use entries::Entries;
pub(crate) use handler::HandlerFile;
pub use input::InputSpec;
pub(crate) use node::{CacheFile, NodeFile};
pub use retry::ATTEMPTS_MAX;
pub(crate) use retry::PolicyKeys;
pub(crate) use route::GotoFile;
pub use route::{RouteRule, RouteTarget};
pub(crate) use secret::SecretFile;
pub(crate) use state::StateFile;
pub(crate) use stops::BreakpointNodes;
pub use tool::{DeclaredTool, TOOLS_MAX};
pub(crate) use work::NodeAction;

/// Maximum number of nodes in a file.
pub const NODES_MAX: usize = 1_000;

/// Maximum value of `step_limit` in a file.
const STEPS_MAX: u32 = 1_000_000;

/// Maximum number of edges in a file; a choice is one edge.
pub const EDGES_MAX: usize = 10_000;

/// A graph: nodes that read and change a state, and edges that say what runs after what.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(title = "stategraph graph file", deny_unknown_fields)]
pub(crate) struct GraphFile {
    /// The graph's name.
    #[schemars(length(min = 1, max = 100))]
    pub(crate) name: Located<String>,
    /// Purpose of the graph, in a line.
    pub(crate) about: Option<Located<String>>,
    /// The state that the nodes share: a registered one by name, or its channels.
    pub(crate) state: StateFile,
    /// Inputs of a run. Each is a channel, and an option of `graph run`. Only with channels.
    pub(crate) inputs: Option<input::Inputs>,
    /// Values of a run that its nodes and edges read as `context.name` and that no checkpoint holds. Only with channels.
    pub(crate) context: Option<context::DeclaredContext>,
    /// The channels that are the result. Default: all. Only with channels.
    pub(crate) outputs: Option<Vec<Located<String>>>,
    /// The model of nodes that name none, such as `gemini-2.5-flash`. Default: `offline`. Only with channels.
    pub(crate) model: Option<Located<String>>,
    /// Lower bounds for its values than those of the user. Only with channels.
    pub(crate) limits: Option<limits::FileLimits>,
    /// The tools that its models can call besides the built-in ones, by name. Only with channels.
    pub(crate) tools: Option<Entries<DeclaredTool>>,
    /// Values that its requests and models are given and that are never stored, by name: each from an environment variable. Only with
    /// channels.
    pub(crate) secrets: Option<Entries<SecretFile>>,
    /// Attempts, limits of time and an error handler for the nodes that set none.
    pub(crate) defaults: Option<defaults::DefaultsFile>,
    /// The most supersteps of a run. A lower `--step-limit` of the user counts instead.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(crate) step_limit: Option<u32>,
    /// Upper bound of the duration of a superstep, such as `5m`; default: unlimited.
    pub(crate) step_timeout: Option<Located<DurationText>>,
    /// The nodes by name.
    pub(crate) nodes: Entries<NodeFile>,
    /// Edges, which order the nodes. Every run begins at `START`; a path ends at `END`.
    pub(crate) edges: Vec<EdgeFile>,
    /// The nodes before which every run stops to be looked at: a list, or `all`. `graph resume` goes on.
    pub(crate) interrupt_before: Option<BreakpointNodes>,
    /// The nodes after which every run stops: a list, or `all`.
    pub(crate) interrupt_after: Option<BreakpointNodes>,
    /// Span of the key `edges`.
    #[schemars(skip)]
    pub(crate) edges_key: Span,
}

/// Returns the published JSON Schema of graph files, for editors and other programs.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(GraphFile).to_value()
}

impl GraphFile {
    /// Reads the file. Its defects go to `reader`; a part that could not be read is left empty. `None` if the
    /// file is no map.
    pub(crate) fn read(reader: &mut Reader, tree: YamlNode) -> Option<Self> {
        if tree.value == YamlValue::Null {
            reader.report(&(0..0), "the file is empty".to_owned(), "a graph file begins with `name: …`");
            return None;
        }
        let mut object = reader.read_object("a graph", tree)?;
        let name = object.require("name").and_then(|tree| reader.read_name("`name`", tree));
        let about = object.take("about").and_then(|tree| reader.read_text("`about`", tree));
        let mut given = state::StateKeys::take(reader, &mut object);
        let context_key = object.key_span("context");
        let context = object.take("context").and_then(|tree| context::DeclaredContext::read(reader, tree));
        if context.is_some() && matches!(given.state, StateFile::Registered(_)) {
            let message = "`context` belongs to a state that is declared here, with channels".to_owned();
            reader.report(&context_key, message, "remove it, or declare channels under `state`");
        }
        let secrets_key = object.key_span("secrets");
        let secrets = object.take("secrets").and_then(|tree| secret::read_secrets(reader, tree));
        if secrets.is_some() && matches!(given.state, StateFile::Registered(_)) {
            let message = "`secrets` belongs to a state that is declared here, with channels".to_owned();
            reader.report(&secrets_key, message, "remove it, or declare channels under `state`");
        }
        let nodes = object
            .require("nodes")
            .and_then(|tree| reader.read_entries("`nodes`", "node", tree))
            .or_else(|| reader.mark_incomplete());
        let defaults = object.take("defaults");
        let step_limit = object
            .take("step_limit")
            .and_then(|tree| read_integer(reader, "`step_limit`", tree, 1, STEPS_MAX));
        let step_timeout =
            object.take("step_timeout").and_then(|tree| read_wait(reader, "`step_timeout`", tree));
        let edges_key = object.key_span("edges");
        let edges = object
            .require("edges")
            .and_then(|tree| reader.read_list("`edges`", "edges", tree))
            .or_else(|| reader.mark_incomplete());
        let mut breakpoints = |key: &'static str| {
            object.take(key).and_then(|tree| BreakpointNodes::read(reader, &format!("`{key}`"), tree))
        };
        let (interrupt_before, interrupt_after) =
            (breakpoints("interrupt_before"), breakpoints("interrupt_after"));
        object.finish(reader);
        let schema = given.state.schema().cloned();
        let declared: Vec<&str> = secrets.iter().flat_map(Entries::iter).map(|(name, _)| name).collect();
        let names = DeclaredNames::new(schema.as_deref()).with_secrets(&declared);
        let names = match &context {
            Some(context) => names.with_typed_local(names::CONTEXT, Some(context.schema())),
            None => names,
        };
        let tools = given.tools.take().and_then(|tree| tool::read_tools(reader, tree, &names));
        let nodes = reader.truncate("nodes", NODES_MAX, nodes.unwrap_or_default());
        let edges = reader.truncate("edges", EDGES_MAX, edges.unwrap_or_default());
        let in_nodes = names.with_local(names::REMAINING_STEPS);
        let defaults =
            defaults.and_then(|tree| defaults::DefaultsFile::read(reader, tree, &given.state, &in_nodes));
        let mut item_takers = edge_read::item_targets(&edges);
        item_takers.extend(route::item_targets(&nodes));
        let with_item = in_nodes.with_local(names::ITEM);
        let nodes = nodes.into_iter().map(|(name, tree)| {
            let names = if item_takers.contains(&name.value) { &with_item } else { &in_nodes };
            let node = NodeFile::read(reader, &name.value, tree, &given.state, names);
            (name, node)
        });
        let nodes = Entries(nodes.collect());
        let edges = edges.into_iter().filter_map(|tree| EdgeFile::read(reader, tree, &given.state, &names));
        let edges = edges.collect();
        let edges = EdgeFile::group_conditions(reader, edges);
        // A name that could not be read was reported; an empty one would be reported a second time.
        let name = name.unwrap_or_else(|| Located { value: "?".to_owned(), span: 0..0 });
        let state::StateKeys { state, inputs, outputs, model, limits, .. } = given;
        Some(Self {
            name,
            about,
            state,
            inputs,
            context,
            outputs,
            model,
            limits,
            tools,
            secrets,
            defaults,
            step_limit,
            step_timeout,
            nodes,
            edges,
            interrupt_before,
            interrupt_after,
            edges_key,
        })
    }

    /// Returns the error handler of a node: its own, or that of `defaults`; `None` if there is neither.
    pub(crate) fn handler_of<'a>(&'a self, node: &'a NodeFile) -> Option<&'a HandlerFile> {
        let own = node.keys.error_handler.as_deref();
        own.or_else(|| self.defaults.as_ref()?.error_handler.as_ref())
    }

    /// Returns the retries and time limits of a node. Keys that it does not set come from the `defaults` of
    /// the file.
    pub(crate) fn policy_of(&self, node: &NodeFile) -> PolicyKeys {
        node.keys.policy.or(self.defaults.as_ref().map(|defaults| &defaults.policy))
    }

    /// Returns the declared channels; `None` for a registered state, and for channels that could not be read.
    pub(crate) fn schema(&self) -> Option<&Arc<StateSchema>> {
        self.state.schema()
    }
}

//! Dispatches the work of a node to the code of its kind: for a whole node, an item of a `map` or the body of
//! a declared tool.

use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::{Map, Value};

use super::node::{FileContext, expression_error};
use super::services::Services;
use super::spending::SpendingByModel;
use super::{agent, http, interrupt, map, model, sleep, store, subgraph, tool};
use stategraph_agent::around::Throttle;
use stategraph_core::{Cx, NodeError, NodePolicy, NodeResult};
use stategraph_files::Entries;
use stategraph_files::expression::EvalScope;
use stategraph_files::inline::{JsonState, JsonUpdate};
use stategraph_files::kind::{ChannelWrite, Kind};
use stategraph_llm::{ChatAnswer, ModelName};

/// Prefix of the journal keys of an error handler, which keeps them apart from those of its node.
pub(super) const IN_HANDLER: &str = "handler.";

/// The context of a piece of work: a whole node, its error handler, or a part of it such as an item of a
/// `map`. It has the prefix for journal keys, and collects messages and costs. [`run_kind`] passes it to the
/// code of the kind.
pub(super) struct WorkContext<'a> {
    /// Name of the node.
    pub(super) node: &'a str,
    /// Path of the nodes around the graph of the node, such as `outer/`; empty in the outermost graph.
    graph: String,
    /// Prefix of the journal keys of this work: empty for a node, `3.` for the fourth item of a `map`,
    /// `handler.` for an error handler.
    part: String,
    /// Retry policy of each item of a `map`.
    pub(super) item_policy: &'a NodePolicy,
    /// The parts of the file that its nodes share.
    pub(super) file: &'a FileContext,
    /// New messages for the conversation of the node.
    messages: Mutex<Vec<Value>>,
    /// The end of the sub-graph, if the node is a `subgraph`.
    ended_graph: Mutex<Option<EndedGraph>>,
    /// Model costs of the node, which all of its parts share.
    spending: Arc<Mutex<SpendingByModel>>,
}

/// The end of a sub-graph that was the whole work of a node.
pub(super) struct EndedGraph {
    /// Its final state.
    pub(super) state: JsonState,
    /// Its writes to the channels that both graphs have.
    pub(super) shared: JsonUpdate,
    /// The nodes of the outer graph to which it sends the run.
    pub(super) leaves_to: Vec<Arc<str>>,
}

impl<'a> WorkContext<'a> {
    /// Makes the context of a node, or of its error handler. `graph` is the path of nodes around its graph;
    /// `part` is the prefix of its journal keys.
    pub(super) fn new(
        node: &'a str,
        graph: String,
        part: impl Into<String>,
        item_policy: &'a NodePolicy,
        file: &'a FileContext,
    ) -> Self {
        let part = part.into();
        Self {
            node,
            graph,
            part,
            item_policy,
            file,
            messages: Mutex::default(),
            ended_graph: Mutex::default(),
            spending: Arc::default(),
        }
    }

    /// Returns the path of the node in the run: `outer/inner`.
    pub(super) fn node_path(&self) -> String {
        format!("{}{}", self.graph, self.node)
    }

    /// Returns the throttle of the node, or of its error handler. `None` unless it is an agent with a rate.
    pub(super) fn throttle(&self) -> Option<&'a Throttle> {
        let handler = if self.part.starts_with(IN_HANDLER) { IN_HANDLER } else { "" };
        self.file.throttles.get(&format!("{handler}{}", self.node))
    }

    /// Returns true for a part of a node or handler, such as an item of a `map`. A part cannot ask a person,
    /// because the parts run at the same time and their questions have no fixed order.
    pub(super) fn is_part(&self) -> bool {
        !self.part.strip_prefix(IN_HANDLER).unwrap_or(&self.part).is_empty()
    }

    /// Makes the context of a part of this work; `part` is added to its journal keys (`3` for the fourth
    /// item). Its messages are its own; costs are shared.
    pub(super) fn nested(&self, part: impl Display) -> Self {
        let part = format!("{}{part}.", self.part);
        let work = Self::new(self.node, self.graph.clone(), part, self.item_policy, self.file);
        Self { spending: self.spending.clone(), ..work }
    }

    /// Returns `name` with the prefix of this work: a key in the journal of the task.
    pub(super) fn journal_key(&self, name: &str) -> String {
        format!("{}{name}", self.part)
    }

    /// Records messages for the conversation of the node.
    pub(super) fn record_messages(&self, messages: impl IntoIterator<Item = Value>) {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).extend(messages);
    }

    /// Adds the tokens and the cost of a model's answer to the costs of the node.
    pub(super) fn count_answer(&self, model: &ModelName, answer: &ChatAnswer) {
        self.spending.lock().unwrap_or_else(PoisonError::into_inner).count_answer(model, answer);
    }

    /// Adds the model costs of a sub-graph to the costs of the node.
    pub(super) fn count_subgraph(&self, spent: &Map<String, Value>) {
        self.spending.lock().unwrap_or_else(PoisonError::into_inner).add(spent.clone());
    }

    /// Returns the model costs of the node so far, by model.
    pub(super) fn spending(&self) -> Map<String, Value> {
        self.spending.lock().unwrap_or_else(PoisonError::into_inner).clone().into_map()
    }

    /// Returns true for the whole work of a node; false for its error handler and for parts.
    pub(super) fn is_node(&self) -> bool {
        self.part.is_empty()
    }

    /// Stores the end of the sub-graph that is the whole work of the node.
    pub(super) fn end_graph(&self, ended: EndedGraph) {
        *self.ended_graph.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
    }

    /// Takes the stored end of the sub-graph; `None` if the node is no `subgraph`.
    pub(super) fn take_ended_graph(&self) -> Option<EndedGraph> {
        self.ended_graph.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns the recorded messages.
    pub(super) fn into_messages(self) -> Vec<Value> {
        self.messages.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the work of a node as its kind prescribes, and returns the result. The future is boxed, because the
/// bodies of a `map` and of tools are kinds too.
pub(super) fn run_kind<'a>(
    kind: &'a Kind,
    scope: &'a EvalScope<'a>,
    work: &'a WorkContext<'a>,
    cx: &'a Cx<Services>,
) -> BoxFuture<'a, NodeResult<Value>> {
    async move {
        match kind {
            Kind::Set(writes) | Kind::Overwrite(writes) => {
                Ok(Value::Object(evaluate_writes(writes, scope)?.into_iter().collect()))
            }
            Kind::Template(text) => Ok(text.render(scope).map_err(expression_error)?.into()),
            Kind::Model(kind) => model::run(kind, scope, work, cx).await,
            Kind::Tool(kind) => tool::run(kind, scope, work, cx).await,
            Kind::Agent(kind) => agent::run(kind, scope, work, cx).await,
            Kind::Map(kind) => map::run(kind, scope, work, cx).await,
            Kind::Subgraph(kind) => subgraph::run(kind, scope, work, cx).await,
            Kind::Interrupt(kind) => interrupt::run(kind, scope, cx).await,
            Kind::Http(kind) => http::run(kind, scope, work, cx).await,
            Kind::Store(kind) => store::run(kind, scope, work, cx).await,
            Kind::Sleep(pause) => sleep::run(*pause, work, cx).await,
            Kind::Fail(message) => {
                Err(NodeError::msg(message.render(scope).map_err(expression_error)?).permanent())
            }
            Kind::Uses(name) => {
                Err(NodeError::msg(format!("`{name}` is no kind of a graph file")).permanent())
            }
        }
    }
    .boxed()
}

/// Evaluates the writes of a node in the order of the file. Returns channel and value of those whose
/// conditions hold.
pub(super) fn evaluate_writes(
    writes: &Entries<ChannelWrite>,
    scope: &EvalScope<'_>,
) -> NodeResult<Vec<(String, Value)>> {
    let evaluated = writes.iter().filter_map(|(name, write)| match write.evaluate(scope) {
        Ok(value) => value.map(|value| Ok((name.to_owned(), value))),
        Err(error) => Some(Err(expression_error(error))),
    });
    evaluated.collect()
}

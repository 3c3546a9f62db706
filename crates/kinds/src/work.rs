//! Which kind is done where, for a whole node and for one item of a `map`.

use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::{Map, Value};

use super::node::{Parts, permanent};
use super::services::Services;
use super::spent::Tally;
use super::{agent, ask, http, map, model, sleep, subgraph, tool};
use stategraph_agent::around::Throttle;
use stategraph_core::{Cx, NodeError, NodePolicy, NodeResult};
use stategraph_files::Entries;
use stategraph_files::expression::{Operand, Scope};
use stategraph_files::kind::Kind;
use stategraph_llm::{ChatAnswer, ModelName};

/// The part of a node that is its error handler: what both journal must not mix.
pub(super) const IN_HANDLER: &str = "handler.";

/// Where a piece of work belongs.
pub(super) struct Place<'a> {
    /// The node.
    pub(super) node: &'a str,
    /// The nodes that lead to the graph of the node, as `outer/`; empty in the outermost graph.
    graph: String,
    /// The part of the node, as the beginning of the names in its journal: empty, or `3.` for the fourth item of a `map`.
    part: String,
    /// Retries of each item of a `map`.
    pub(super) item_policy: &'a NodePolicy,
    /// What is beside the node in its file.
    pub(super) parts: &'a Parts,
    /// What was said, for the conversation of the node.
    said: Mutex<Vec<Value>>,
    /// What the models of the node took; its parts share it.
    tally: Arc<Mutex<Tally>>,
}

impl<'a> Place<'a> {
    /// The place of a node, or of its error handler, in the graph to which `graph` leads.
    pub(super) fn new(
        node: &'a str,
        graph: String,
        part: impl Into<String>,
        item_policy: &'a NodePolicy,
        parts: &'a Parts,
    ) -> Self {
        let part = part.into();
        Self { node, graph, part, item_policy, parts, said: Mutex::default(), tally: Arc::default() }
    }

    /// The name of the node among those of all graphs of the run: `outer/inner`.
    pub(super) fn path(&self) -> String {
        format!("{}{}", self.graph, self.node)
    }

    /// What holds back the requests of the agent that the node, or its error handler, is.
    pub(super) fn throttle(&self) -> Option<&'a Throttle> {
        let handler = if self.part.starts_with(IN_HANDLER) { IN_HANDLER } else { "" };
        self.parts.throttles.get(&format!("{handler}{}", self.node))
    }

    /// A part of it, such as `3`.
    pub(super) fn within(&self, part: impl Display) -> Self {
        let part = format!("{}{part}.", self.part);
        let place = Self::new(self.node, self.graph.clone(), part, self.item_policy, self.parts);
        Self { tally: self.tally.clone(), ..place }
    }

    /// A name in the journal of the task.
    pub(super) fn key(&self, name: &str) -> String {
        format!("{}{name}", self.part)
    }

    /// Keeps messages for the conversation of the node.
    pub(super) fn say(&self, messages: impl IntoIterator<Item = Value>) {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).extend(messages);
    }

    /// Counts an answer of a model.
    pub(super) fn count(&self, model: &ModelName, answer: &ChatAnswer) {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).answer(model, answer);
    }

    /// Counts what a graph inside took.
    pub(super) fn count_inner(&self, spent: &Map<String, Value>) {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).add(spent.clone());
    }

    /// What the models of the node took so far, by model.
    pub(super) fn spent(&self) -> Map<String, Value> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).clone().into_map()
    }

    /// All that was said.
    pub(super) fn said(self) -> Vec<Value> {
        self.said.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of a kind. Boxed, since a `map` does other kinds.
pub(super) fn result<'a>(
    kind: &'a Kind,
    scope: &'a Scope<'a>,
    place: &'a Place<'a>,
    cx: &'a Cx<Services>,
) -> BoxFuture<'a, NodeResult<Value>> {
    async move {
        match kind {
            Kind::Set(entries) | Kind::Overwrite(entries) => object(entries, scope),
            Kind::Template(text) => Ok(text.render(scope).map_err(permanent)?.into()),
            Kind::Model(kind) => model::result(kind, scope, place, cx).await,
            Kind::Tool(kind) => tool::result(kind, scope, place, cx).await,
            Kind::Agent(kind) => agent::result(kind, scope, place, cx).await,
            Kind::Map(kind) => map::result(kind, scope, place, cx).await,
            Kind::Subgraph(kind) => subgraph::result(kind, scope, place, cx).await,
            Kind::Interrupt(kind) => ask::result(kind, scope, cx).await,
            Kind::Http(kind) => http::result(kind, scope, place, cx).await,
            Kind::Sleep(pause) => sleep::result(*pause, place, cx).await,
            Kind::Fail(message) => Err(NodeError::msg(message.render(scope).map_err(permanent)?).permanent()),
            Kind::Uses(name) => {
                Err(NodeError::msg(format!("`{name}` is no kind of a graph file")).permanent())
            }
        }
    }
    .boxed()
}

fn object(entries: &Entries<Operand>, scope: &Scope<'_>) -> NodeResult<Value> {
    let entry = |(name, operand): (&str, &Operand)| {
        Ok((name.to_owned(), operand.evaluate(scope).map_err(permanent)?))
    };
    Ok(Value::Object(entries.iter().map(entry).collect::<NodeResult<Map<_, _>>>()?))
}

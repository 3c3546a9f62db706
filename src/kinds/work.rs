//! Which kind is done where, for a whole node and for one item of a `map`.

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::{Map, Value};

use super::family::Children;
use super::node::permanent;
use super::services::Services;
use super::{agent, ask, http, map, model, sleep, subgraph, tool};
use crate::definition::Entries;
use crate::definition::expression::{Operand, Scope};
use crate::definition::kind::Kind;
use crate::engine::{Cx, NodeError, NodeResult};

/// Where a piece of work belongs.
pub(super) struct Place<'a> {
    /// The node.
    pub(super) node: &'a str,
    /// The part of the node, as the beginning of the names in its journal: empty, or `3.` for the fourth item of a `map`.
    pub(super) part: String,
    /// The graphs that its file includes.
    pub(super) children: &'a Children,
}

impl Place<'_> {
    /// A name in the journal of the task.
    pub(super) fn key(&self, name: &str) -> String {
        format!("{}{name}", self.part)
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

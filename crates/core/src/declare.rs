//! The builder methods that describe nodes besides their code: routes, items, timing, error handlers, migrations. Checks nothing.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::breakpoints::Breakpoints;
use super::builder::StateGraph;
use super::cache::CachePolicy;
use super::dispatch::ItemType;
use super::draft::{DraftNode, END, START, Timing};
use super::node::{ErasedNode, IntoNode, NodeForm};
use super::policy::NodePolicy;
use super::state::State;

impl<S: State, D: Send + Sync + 'static> StateGraph<S, D> {
    /// Declares the nodes that `from` may go to with [`Command::goto`](super::Command::goto).
    #[must_use]
    pub fn goto<T: Into<String>>(
        mut self,
        from: impl Into<String>,
        targets: impl IntoIterator<Item = T>,
    ) -> Self {
        self.node_description(from.into()).goto.extend(targets.into_iter().map(Into::into));
        self
    }

    /// Declares the nodes of the outer graph that `from` may run next with
    /// [`Command::goto_parent`](super::Command::goto_parent). They must exist in every graph that has this
    /// one as a node.
    #[must_use]
    pub fn goto_parent<T: Into<String>>(
        mut self,
        from: impl Into<String>,
        targets: impl IntoIterator<Item = T>,
    ) -> Self {
        self.node_description(from.into()).parent.extend(targets.into_iter().map(Into::into));
        self
    }

    /// Declares the nodes that `from` may send items to with [`Command::dispatch`](super::Command::dispatch). The targets declare the type
    /// of their items with [`takes`](Self::takes).
    #[must_use]
    pub fn dispatches<T: Into<String>>(
        mut self,
        from: impl Into<String>,
        targets: impl IntoIterator<Item = T>,
    ) -> Self {
        self.node_description(from.into()).dispatch.extend(targets.into_iter().map(Into::into));
        self
    }

    /// Declares that `node` runs for items of this type, which it reads with [`Cx::item`](super::Cx::item). Edges and `goto` may then not
    /// lead to it. A [`fan_out`](Self::fan_out) declares the type of its items itself.
    #[must_use]
    pub fn takes<T: 'static>(self, node: impl Into<String>) -> Self {
        self.declare_item_type(node.into(), ItemType::of::<T>())
    }

    pub(super) fn declare_item_type(mut self, node: String, taken: ItemType) -> Self {
        let types = self.item_types.entry(node.clone()).or_default();
        let json = ItemType::of::<Value>();
        if taken == json {
            // A node that takes JSON takes items of every type.
            *types = vec![json];
        } else if !types.contains(&taken) && !types.contains(&json) {
            types.push(taken);
        }
        self.node_description(node).takes = Some(taken.name().to_owned());
        self
    }

    /// Defers a node: it runs when no other task is left, once for all edges and routes that have reached it (LangGraph F20).
    #[must_use]
    pub fn defer(mut self, node: impl Into<String>) -> Self {
        self.node_description(node.into()).timing = Timing::Deferred;
        self
    }

    /// Caches the results of a node, so that it does not run again for the same input (LangGraph F37). See [`CachePolicy`].
    #[must_use]
    pub fn cache(mut self, node: impl Into<String>, policy: CachePolicy<S>) -> Self {
        let node = node.into();
        // Makes an unknown name a defect.
        self.node_description(node.clone());
        self.caches.insert(node, policy);
        self
    }

    /// Adds an error handler to a node (F33). It runs in the same superstep after the last attempt of the node has failed.
    ///
    /// The handler reads the failure with [`Cx::failure`](super::Cx::failure). Its update counts as the update of the node, and the edges
    /// of the node follow it, unless it goes to one of `targets` by `goto`. When the handler fails, the node fails. Questions are no
    /// failures and do not call it.
    #[must_use]
    pub fn on_error<M, N, T: Into<String>>(
        mut self,
        node: impl Into<String>,
        handler: N,
        targets: impl IntoIterator<Item = T>,
    ) -> Self
    where
        // First, because it determines `M`.
        N: NodeForm<S, D, M>,
        N: IntoNode<S, D, M>,
    {
        let node = node.into();
        self.handlers.insert(node.clone(), handler.into_node());
        self.node_description(node).instead.extend(targets.into_iter().map(Into::into));
        self
    }

    /// Adds an error handler that is a trait object already. Its targets are in the description of the node
    /// ([`DraftNode::instead`]). For graph files.
    #[must_use]
    pub fn erased_on_error(mut self, node: impl Into<String>, handler: Arc<dyn ErasedNode<S, D>>) -> Self {
        self.handlers.insert(node.into(), handler);
        self
    }

    /// Adds an error handler for all nodes that have none (F7).
    #[must_use]
    pub fn default_on_error<M, N, T: Into<String>>(
        mut self,
        handler: N,
        targets: impl IntoIterator<Item = T>,
    ) -> Self
    where
        // First, because it determines `M`.
        N: NodeForm<S, D, M>,
        N: IntoNode<S, D, M>,
    {
        let targets = targets.into_iter().map(Into::into).collect();
        self.default_handler = Some((handler.into_node(), targets));
        self
    }

    /// Sets the policy for nodes that leave parts of theirs open: retries, time limits (F7). Each part is taken from here separately. Error
    /// handlers run under this policy too; sub-graphs have defaults of their own.
    #[must_use]
    pub fn defaults(mut self, policy: NodePolicy) -> Self {
        self.defaults = policy;
        self
    }

    /// Sets the breakpoints that runs stop at (F56). A run can replace them.
    #[must_use]
    pub fn breakpoints(mut self, breakpoints: Breakpoints) -> Self {
        self.breakpoints = breakpoints;
        self
    }

    /// Limits the number of supersteps of every run. A run can set a lower limit with
    /// [`RunRequest::step_limit`](super::RunRequest::step_limit), not a higher one.
    #[must_use]
    pub fn step_limit(mut self, limit: u64) -> Self {
        self.step_bounds.limit = Some(limit);
        self
    }

    /// Limits the duration of each superstep of every run (F36). A run can set a lower limit, not a higher one.
    #[must_use]
    pub fn step_timeout(mut self, limit: Duration) -> Self {
        self.step_bounds.timeout = Some(limit);
        self
    }

    /// Declares that the node `new` was called `old` earlier, so that threads which contain the old name can
    /// continue (D9).
    #[must_use]
    pub fn rename_node(mut self, old: impl Into<String>, new: impl Into<String>) -> Self {
        self.renames.insert(old.into(), new.into());
        self
    }

    /// Adds a step from one version of the state to the next, so that threads of the older version can continue (P5).
    ///
    /// Keep the older struct with its derive. A checkpoint holds the [fingerprint](State::fingerprint) of its state, which selects the
    /// step; an old thread takes several steps in turn, `V1` to `V2` to `V3`. Updates of the older version are folded by its own reducers.
    ///
    /// No step is needed when fields were removed, or fields with a default were added. When only the types inside a channel change, mark
    /// the newer struct with `#[state(version = 2)]`, because the fingerprints would be equal otherwise.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use stategraph_core::{END, START, State, StateGraph};
    ///
    /// mod v1 {
    ///     # use super::{Deserialize, Serialize, State};
    ///     #[derive(State, Clone, Default, Serialize, Deserialize)]
    ///     pub(super) struct Price {
    ///         pub(super) euros: u64,
    ///     }
    /// }
    ///
    /// #[derive(State, Clone, Default, Serialize, Deserialize)]
    /// struct Price {
    ///     cents: u64,
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let graph = StateGraph::<Price>::new("price")
    ///     .node("show", async |_: &Price| {})
    ///     .edge(START, "show")
    ///     .edge("show", END)
    ///     .migrate(|old: v1::Price| Price { cents: old.euros * 100 })
    ///     .compile()?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn migrate<From: State, To: State>(
        mut self,
        step: impl Fn(From) -> To + Send + Sync + 'static,
    ) -> Self {
        self.migrations.add(step);
        self
    }

    /// Adds a step that converts an update of one version to the next. It is needed for threads that stopped within a superstep in which a
    /// finished task had written a channel that has changed. Without this step such a thread is refused with the name of the channel.
    #[must_use]
    pub fn migrate_updates<From: State, To: State>(
        mut self,
        step: impl Fn(From::Update) -> To::Update + Send + Sync + 'static,
    ) -> Self {
        self.migrations.add_updates::<From, To>(step);
        self
    }

    /// Adds an edge from each of these nodes to the one after it in the list (F8).
    #[must_use]
    pub fn sequence<T: Into<String>>(self, nodes: impl IntoIterator<Item = T>) -> Self {
        let nodes: Vec<String> = nodes.into_iter().map(Into::into).collect();
        nodes.windows(2).fold(self, |graph, pair| graph.edge(&pair[0], &pair[1]))
    }

    /// Adds an edge from [`START`] to `node` (F8).
    #[must_use]
    pub fn entry(self, node: impl Into<String>) -> Self {
        self.edge(START, node)
    }

    /// Ends a path at `node`: adds an edge from it to [`END`] (F8). Other paths go on.
    #[must_use]
    pub fn finish(self, node: impl Into<String>) -> Self {
        self.edge(node, END)
    }
}

impl DraftNode {
    /// Adds `early`, the declarations about this node that were made before it was added: lists are appended,
    /// an item type or a deferral is taken over.
    pub(super) fn merge(&mut self, early: Self) {
        self.goto.extend(early.goto);
        self.dispatch.extend(early.dispatch);
        self.parent.extend(early.parent);
        self.instead.extend(early.instead);
        self.takes = self.takes.take().or(early.takes);
        if early.timing == Timing::Deferred {
            self.timing = Timing::Deferred;
        }
    }
}

//! What a builder is told about nodes besides their code: where they may go, what they take, when they run. Checks nothing.

use std::sync::Arc;

use serde_json::Value;

use super::breakpoints::Breakpoints;
use super::builder::StateGraph;
use super::cache::CachePolicy;
use super::dispatch::ItemType;
use super::draft::{DraftNode, END, START, Timing};
use super::node::{ErasedNode, IntoNode};
use super::policy::NodePolicy;
use super::state::State;

impl<S: State, D: Send + Sync + 'static> StateGraph<S, D> {
    /// Declares where a node may go by [`Command::goto`](super::Command::goto).
    #[must_use]
    pub fn goto<T: Into<String>>(
        mut self,
        from: impl Into<String>,
        targets: impl IntoIterator<Item = T>,
    ) -> Self {
        self.described(from.into()).goto.extend(targets.into_iter().map(Into::into));
        self
    }

    /// Declares where a node may send the graph around this one by
    /// [`Command::goto_parent`](super::Command::goto_parent). Where this graph is a node, those nodes must exist.
    #[must_use]
    pub fn goto_parent<T: Into<String>>(
        mut self,
        from: impl Into<String>,
        targets: impl IntoIterator<Item = T>,
    ) -> Self {
        self.described(from.into()).parent.extend(targets.into_iter().map(Into::into));
        self
    }

    /// Declares where a node may send items by [`Command::dispatch`](super::Command::dispatch). The targets say what they
    /// [take](Self::takes).
    #[must_use]
    pub fn dispatches<T: Into<String>>(
        mut self,
        from: impl Into<String>,
        targets: impl IntoIterator<Item = T>,
    ) -> Self {
        self.described(from.into()).dispatch.extend(targets.into_iter().map(Into::into));
        self
    }

    /// Declares that a node is run for items of this type, which it reads with [`Cx::item`](super::Cx::item). Nothing else may
    /// lead to it. A [`fan_out`](Self::fan_out) says so by itself.
    #[must_use]
    pub fn takes<T: 'static>(self, node: impl Into<String>) -> Self {
        self.taking(node.into(), ItemType::of::<T>())
    }

    pub(super) fn taking(mut self, node: String, taken: ItemType) -> Self {
        let types = self.takes.entry(node.clone()).or_default();
        let json = ItemType::of::<Value>();
        if taken == json {
            // It takes whatever is sent.
            *types = vec![json];
        } else if !types.contains(&taken) && !types.contains(&json) {
            types.push(taken);
        }
        self.described(node).takes = Some(taken.name().to_owned());
        self
    }

    /// Declares that a node runs when nothing else is left to run, once for everything that has led to it (LangGraph F20).
    #[must_use]
    pub fn defer(mut self, node: impl Into<String>) -> Self {
        self.described(node.into()).timing = Timing::Deferred;
        self
    }

    /// Keeps the results of a node, and gives them again for the same input (LangGraph F37).
    #[must_use]
    pub fn cache(mut self, node: impl Into<String>, policy: CachePolicy<S>) -> Self {
        let node = node.into();
        // A name that no node has is a defect.
        self.described(node.clone());
        self.caches.insert(node, policy);
        self
    }

    /// Adds an error handler: a node that runs in the same superstep, in place of one that has failed for good (F33). It reads the
    /// failure with [`Cx::failure`](super::Cx::failure), and what it writes counts as the node's. What follows is what follows the
    /// node, unless it goes elsewhere by `goto`: to one of these targets. It is not called for questions; when it fails, so does
    /// the node.
    #[must_use]
    pub fn on_error<M, T: Into<String>>(
        mut self,
        node: impl Into<String>,
        handler: impl IntoNode<S, D, M>,
        targets: impl IntoIterator<Item = T>,
    ) -> Self {
        let node = node.into();
        self.handlers.insert(node.clone(), handler.into_node());
        self.described(node).instead.extend(targets.into_iter().map(Into::into));
        self
    }

    /// Adds an error handler whose types are erased already, and whose targets are described with its node; for graph files.
    #[must_use]
    pub fn erased_on_error(mut self, node: impl Into<String>, handler: Arc<dyn ErasedNode<S, D>>) -> Self {
        self.handlers.insert(node.into(), handler);
        self
    }

    /// An error handler for the nodes that have none (F7).
    #[must_use]
    pub fn default_on_error<M, T: Into<String>>(
        mut self,
        handler: impl IntoNode<S, D, M>,
        targets: impl IntoIterator<Item = T>,
    ) -> Self {
        let targets = targets.into_iter().map(Into::into).collect();
        self.default_handler = Some((handler.into_node(), targets));
        self
    }

    /// Says how nodes are run where they do not say it themselves, part by part: retries, limits of time (F7). Error handlers are
    /// run so as well; sub-graphs have their own defaults.
    #[must_use]
    pub fn defaults(mut self, policy: NodePolicy) -> Self {
        self.defaults = policy;
        self
    }

    /// Says where runs stop to be looked at, unless a run says it otherwise (F56).
    #[must_use]
    pub fn breakpoints(mut self, breakpoints: Breakpoints) -> Self {
        self.breakpoints = breakpoints;
        self
    }

    /// Says what a node was called before, so that threads which name it so go on (D9).
    #[must_use]
    pub fn renamed(mut self, old: impl Into<String>, new: impl Into<String>) -> Self {
        self.renames.insert(old.into(), new.into());
        self
    }

    /// Adds a step from one version of the state to the next, so that threads of the older version go on (P5). Keep the older struct
    /// with its derive: a checkpoint names the [fingerprint](State::fingerprint) of its state, so each finds its step, and an older
    /// thread takes several, `V1` to `V2` to `V3`. The updates of the older version are folded by its own reducers.
    ///
    /// No step is needed where fields with a default were added or fields were removed. Where the types inside a channel change, and
    /// none of the state's own lines, tell the versions apart by `#[state(version = 2)]` on the newer struct.
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
        self.versions.add(step);
        self
    }

    /// Says what an update of one version becomes in the next. It is needed for a thread that stopped in the middle of a superstep,
    /// where a task had finished and had written a channel that is another one now; without it such a thread is refused with the
    /// name of the channel.
    #[must_use]
    pub fn migrate_updates<From: State, To: State>(
        mut self,
        step: impl Fn(From::Update) -> To::Update + Send + Sync + 'static,
    ) -> Self {
        self.versions.add_updates::<From, To>(step);
        self
    }

    /// Edges from each of these nodes to the one after it (F8).
    #[must_use]
    pub fn sequence<T: Into<String>>(self, nodes: impl IntoIterator<Item = T>) -> Self {
        let nodes: Vec<String> = nodes.into_iter().map(Into::into).collect();
        nodes.windows(2).fold(self, |graph, pair| graph.edge(&pair[0], &pair[1]))
    }

    /// Says where every run starts: an edge from [`START`] (F8).
    #[must_use]
    pub fn entry(self, node: impl Into<String>) -> Self {
        self.edge(START, node)
    }

    /// Says where a path ends: an edge to [`END`] (F8).
    #[must_use]
    pub fn finish(self, node: impl Into<String>) -> Self {
        self.edge(node, END)
    }
}

impl DraftNode {
    /// Adds what was said of the node before it was added.
    pub(super) fn add(&mut self, early: Self) {
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

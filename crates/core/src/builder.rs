//! Builds a graph from nodes and edges, and compiles it to a [`CompiledGraph`] or to the list of all its defects. Runs nothing; the
//! builder's methods that describe nodes further are in `declare.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::nearest;

use super::breakpoints::Breakpoints;
use super::cache::{CachePolicy, CachedNode};
use super::check::check;
use super::choice::Choice;
use super::clock::Clock;
use super::defect::{Defect, DefectKind, Defects};
use super::dispatch::{DispatchItem, ItemType};
use super::draft::{Draft, DraftEdge, DraftNode, Site};
use super::graph::{
    CompiledBranch, CompiledFanOut, CompiledGraph, CompiledNode, ErasedChoice, FanOutFn, GraphDefinition,
};
use super::id::Digest;
use super::inner_graph::{InnerGraph, Persistence};
use super::migrate::{Migrations, StateReader};
use super::nesting::NESTING_MAX;
use super::node::{ErasedNode, IntoNode, NodeForm};
use super::plan::{NodeIx, Planner};
use super::policy::NodePolicy;
use super::run_config::StepBounds;
use super::state::State;
use super::topology::Topology;

/// A default error handler, with the names of the nodes that it may go to.
pub(super) type DeclaredHandler<S, D> = (Arc<dyn ErasedNode<S, D>>, Vec<String>);

/// A graph under construction: the builder of a [`CompiledGraph`].
///
/// Add nodes with [`node`](Self::node) and connect them with [`edge`](Self::edge), [`join`](Self::join), [`branch`](Self::branch) or
/// [`fan_out`](Self::fan_out); every path starts at [`START`](super::START) and ends at [`END`](super::END). The order of the calls does
/// not matter: an edge may name a node that is added later. No method fails. [`compile`](Self::compile) checks the whole graph and reports
/// all mistakes at once.
///
/// `S` is the [state](State) of the graph. `D` is the type of the services that nodes reach through [`Cx::services`](super::Cx::services),
/// such as clients or configuration; `()` for a graph without services.
///
/// # Examples
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use stategraph_core::{END, START, State, StateGraph};
///
/// #[derive(State, Clone, Default, Serialize, Deserialize)]
/// struct Count {
///     n: u32,
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let graph = StateGraph::<Count>::new("counter")
///     .node("add", async |count: &Count| Count::update().n(count.n + 1))
///     .edge(START, "add")
///     .branch("add", |count: &Count| count.n < 10, [(true, "add"), (false, END)])
///     .compile()?;
/// assert_eq!(graph.run(Count::default()).await?.state.n, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub struct StateGraph<S: State, D: Send + Sync + 'static = ()> {
    pub(super) draft: Draft,
    nodes: Vec<(Arc<dyn ErasedNode<S, D>>, NodePolicy)>,
    /// The branches with their labels, by position of the edge in the draft.
    choices: BTreeMap<usize, (ErasedChoice<S>, Vec<String>)>,
    /// The fan-outs, by position of the edge in the draft.
    fan_outs: BTreeMap<usize, FanOutFn<S>>,
    pub(super) item_types: BTreeMap<String, Vec<ItemType>>,
    pub(super) caches: BTreeMap<String, CachePolicy<S>>,
    /// The declarations about nodes that are not added yet, by name of the node.
    pending: BTreeMap<String, DraftNode>,
    /// The error handlers, by name of the node.
    pub(super) handlers: BTreeMap<String, Arc<dyn ErasedNode<S, D>>>,
    pub(super) default_handler: Option<DeclaredHandler<S, D>>,
    pub(super) defaults: NodePolicy,
    pub(super) breakpoints: Breakpoints,
    pub(super) step_bounds: StepBounds,
    pub(super) renames: BTreeMap<String, String>,
    pub(super) migrations: Migrations,
    prototype: Option<S>,
}

impl<S: State, D: Send + Sync + 'static> StateGraph<S, D> {
    /// Makes an empty graph. The name appears in checkpoints, events and errors; a thread can only be continued by a graph of the same
    /// name.
    pub fn new(name: impl Into<String>) -> Self {
        let draft = Draft { name: name.into(), ..Draft::default() };
        Self {
            draft,
            nodes: Vec::new(),
            choices: BTreeMap::new(),
            fan_outs: BTreeMap::new(),
            item_types: BTreeMap::new(),
            caches: BTreeMap::new(),
            pending: BTreeMap::new(),
            handlers: BTreeMap::new(),
            default_handler: None,
            defaults: NodePolicy::default(),
            breakpoints: Breakpoints::none(),
            step_bounds: StepBounds::default(),
            renames: BTreeMap::new(),
            migrations: Migrations::default(),
            prototype: None,
        }
    }

    /// Describes the purpose of the graph in one line.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.draft.about = about.into();
        self
    }

    /// Sets the state from which states that are read from checkpoints take over the parts that JSON does not hold; see [`State::adopt`].
    /// Needed for states whose channels are declared in data only.
    #[must_use]
    pub fn prototype(mut self, prototype: S) -> Self {
        self.prototype = Some(prototype);
        self
    }

    /// Adds a node under a unique name. [`IntoNode`] lists the functions, closures and types that can be nodes.
    #[must_use]
    pub fn node<M, N>(self, name: impl Into<String>, node: N) -> Self
    where
        // First, because it determines `M`; see `NodeForm`.
        N: NodeForm<S, D, M>,
        N: IntoNode<S, D, M>,
    {
        self.node_with(name, NodePolicy::default(), node)
    }

    /// Adds a node that runs under a policy: retries and time limits. Without one, the [`defaults`](Self::defaults) of the graph apply.
    #[must_use]
    pub fn node_with<M, N>(self, name: impl Into<String>, policy: NodePolicy, node: N) -> Self
    where
        N: NodeForm<S, D, M>,
        N: IntoNode<S, D, M>,
    {
        let described = DraftNode { name: name.into(), ..DraftNode::default() };
        self.erased_node(described, policy, node.into_node())
    }

    /// Adds a node that is a trait object already, with its description and its policy. For graph files,
    /// whose nodes are known at run time only.
    #[must_use]
    pub fn erased_node(
        mut self,
        mut described: DraftNode,
        policy: NodePolicy,
        node: Arc<dyn ErasedNode<S, D>>,
    ) -> Self {
        if let Some(early) = self.pending.remove(&described.name) {
            described.merge(early);
        }
        described.instead.extend(node.inner().into_iter().flat_map(InnerGraph::parent_targets));
        self.draft.nodes.push(described);
        self.nodes.push((node, policy));
        self
    }

    /// Adds an edge: `to` runs in the superstep after `from`.
    ///
    /// Several edges from one node start their targets in the same superstep, concurrently. A node that several tasks of one superstep lead
    /// to runs once; a node that is reached in different supersteps runs once in each. Use [`join`](Self::join) to wait for several nodes.
    #[must_use]
    pub fn edge(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.draft.edges.push(DraftEdge::Static { from: from.into(), to: to.into() });
        self
    }

    /// Adds a join: `to` runs once after all nodes in `from` have run, in any superstep since `to` last ran.
    #[must_use]
    pub fn join<T: Into<String>>(mut self, from: impl IntoIterator<Item = T>, to: impl Into<String>) -> Self {
        let from = from.into_iter().map(Into::into).collect();
        self.draft.edges.push(DraftEdge::Join { from, to: to.into() });
        self
    }

    /// Adds a conditional edge: after `from`, `choose` picks the arm to follow.
    ///
    /// `choose` sees the state as the next superstep will see it, with the updates of all tasks folded in (D12). Every label of `C` needs
    /// an arm.
    #[must_use]
    pub fn branch<C: Choice, T: Into<String>>(
        self,
        from: impl Into<String>,
        choose: impl Fn(&S) -> C + Send + Sync + 'static,
        arms: impl IntoIterator<Item = (C, T)>,
    ) -> Self {
        let arms =
            arms.into_iter().map(|(choice, to)| (choice.label().to_owned(), vec![to.into()])).collect();
        let labels = C::LABELS.iter().map(|label| (*label).to_owned()).collect();
        self.erased_branch(from, Arc::new(move |state: &S| choose(state).index()), labels, arms)
    }

    /// Adds a fan-out: after `from`, `to` runs once for each item that `items` returns, all in one superstep (LangGraph F21).
    ///
    /// `items` sees the state that the tasks will see. The tasks read their items with [`Cx::item`](super::Cx::item), and their
    /// updates are folded in the order of the items. The path ends when there are no items; [`fan_out_or`](Self::fan_out_or) takes a node
    /// for that case.
    ///
    /// # Examples
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use stategraph_core::{Cx, END, NodeResult, START, State, StateGraph};
    ///
    /// #[derive(State, Clone, Default, Serialize, Deserialize)]
    /// struct Text {
    ///     chapters: Vec<String>,
    ///     #[state(append)]
    ///     lengths: Vec<usize>,
    /// }
    /// async fn measure(_: &Text, cx: &Cx) -> NodeResult<TextUpdate> {
    ///     Ok(Text::update().lengths(cx.item::<String>()?.len()))
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let graph = StateGraph::<Text>::new("measure")
    ///     .node("measure", measure)
    ///     .fan_out(START, |text: &Text| text.chapters.clone(), "measure")
    ///     .edge("measure", END)
    ///     .compile()?;
    /// let text = Text { chapters: vec!["one".into(), "three".into()], ..Text::default() };
    /// assert_eq!(graph.run(text).await?.state.lengths, [3, 5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    #[must_use]
    pub fn fan_out<I>(
        self,
        from: impl Into<String>,
        items: impl Fn(&S) -> I + Send + Sync + 'static,
        to: impl Into<String>,
    ) -> Self
    where
        I: IntoIterator<Item: Serialize + DeserializeOwned + Send + Sync + 'static>,
    {
        self.add_fan_out(from.into(), items, to.into(), None)
    }

    /// Adds a fan-out like [`fan_out`](Self::fan_out); `empty` runs when there are no items. It is usually the node that follows the tasks.
    #[must_use]
    pub fn fan_out_or<I>(
        self,
        from: impl Into<String>,
        items: impl Fn(&S) -> I + Send + Sync + 'static,
        to: impl Into<String>,
        empty: impl Into<String>,
    ) -> Self
    where
        I: IntoIterator<Item: Serialize + DeserializeOwned + Send + Sync + 'static>,
    {
        self.add_fan_out(from.into(), items, to.into(), Some(empty.into()))
    }

    fn add_fan_out<I>(
        mut self,
        from: String,
        items: impl Fn(&S) -> I + Send + Sync + 'static,
        to: String,
        empty: Option<String>,
    ) -> Self
    where
        I: IntoIterator<Item: Serialize + DeserializeOwned + Send + Sync + 'static>,
    {
        let make_items: FanOutFn<S> =
            Arc::new(move |state| items(state).into_iter().map(DispatchItem::new).collect());
        self.fan_outs.insert(self.draft.edges.len(), make_items);
        self.draft.edges.push(DraftEdge::FanOut { from, to: to.clone(), empty });
        self.declare_item_type(to, ItemType::of::<I::Item>())
    }

    /// Adds a conditional edge whose choice is not an enum of Rust: `choose` returns an index into `labels`,
    /// and `arms` has the targets of each label, which run concurrently. For graph files.
    #[must_use]
    pub fn erased_branch(
        mut self,
        from: impl Into<String>,
        choose: ErasedChoice<S>,
        labels: Vec<String>,
        arms: Vec<(String, Vec<String>)>,
    ) -> Self {
        self.choices.insert(self.draft.edges.len(), (choose, labels.clone()));
        self.draft.edges.push(DraftEdge::Branch { from: from.into(), labels, arms });
        self
    }

    /// Returns the description of the graph by names, for checks and drawings before it is compiled.
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Returns the shape of the graph, with the shapes of its sub-graphs. Checks nothing: edges to nodes that
    /// do not exist are included.
    pub fn topology(&self) -> Topology {
        let mut topology = Topology::of(&self.whole_draft());
        for (described, (run, _)) in self.draft.nodes.iter().zip(&self.nodes) {
            topology.set_inner(&described.name, run.inner().map(|inner| Box::new(inner.topology().clone())));
        }
        topology
    }

    /// Returns the fingerprint of the state's channels: that of the prototype if there is one, else that of
    /// the type.
    fn schema(&self) -> Digest {
        self.prototype.as_ref().map_or_else(S::fingerprint, S::own_fingerprint)
    }

    /// Returns all defects of the graph; empty when it compiles.
    pub fn defects(&self) -> Vec<Defect> {
        let names = || self.draft.nodes.iter().map(|node| node.name.as_str());
        let mut found = check(&self.whole_draft());
        let is_known = |name: &str| self.draft.nodes.iter().any(|node| node.name == name);
        found.extend(self.breakpoints.unknown(&is_known).map(|name| Defect {
            kind: DefectKind::UnknownNode { name: name.to_owned(), nearest: nearest(name, names()) },
            site: Site::Graph,
        }));
        found.extend(self.renames.values().filter(|name| !is_known(name)).map(|name| Defect {
            kind: DefectKind::UnknownNode { name: name.clone(), nearest: nearest(name, names()) },
            site: Site::Graph,
        }));
        found.extend(
            self.migrations
                .problems(self.schema())
                .into_iter()
                .map(|reason| Defect { kind: DefectKind::BadMigration { reason }, site: Site::Graph }),
        );
        found.extend(self.step_bounds.problem().map(|reason| Defect {
            kind: DefectKind::BadPolicy { name: "the supersteps".to_owned(), reason: reason.to_owned() },
            site: Site::Graph,
        }));
        found.extend(self.defaults.problem().map(|reason| Defect {
            kind: DefectKind::BadPolicy { name: "the defaults of nodes".to_owned(), reason },
            site: Site::Graph,
        }));
        found.extend(self.pending.keys().map(|name| Defect {
            kind: DefectKind::UnknownNode { name: name.clone(), nearest: nearest(name, names()) },
            site: Site::Graph,
        }));
        for (at, (described, (run, policy))) in self.draft.nodes.iter().zip(&self.nodes).enumerate() {
            let mut push = |kind| found.push(Defect { kind, site: Site::Node(at) });
            if let Some(reason) = policy.problem() {
                push(DefectKind::BadPolicy { name: described.name.clone(), reason });
            }
            let depth = run.inner().map_or(0, |inner| inner.topology().depth() + 1);
            if depth > NESTING_MAX {
                push(DefectKind::TooDeep { name: described.name.clone(), depth });
            }
            let per_thread = |inner: &dyn InnerGraph| inner.persistence() == Persistence::PerThread;
            if described.takes.is_some() && run.inner().is_some_and(per_thread) {
                let reason = "a sub-graph kept per thread takes no items: its tasks would share one state";
                push(DefectKind::BadPolicy { name: described.name.clone(), reason: reason.to_owned() });
            }
            if let Some([first, second, ..]) = self.item_types.get(&described.name).map(Vec::as_slice) {
                let (name, first, second) = (described.name.clone(), first.name(), second.name());
                push(DefectKind::TwoItemTypes { name, first, second });
            }
        }
        found
    }

    /// Returns a copy of the draft in which the targets of the default error handler are added to the nodes
    /// that have no handler of their own.
    fn whole_draft(&self) -> Draft {
        let mut draft = self.draft.clone();
        let Some((_, targets)) = &self.default_handler else { return draft };
        for node in draft.nodes.iter_mut().filter(|node| !self.handlers.contains_key(&node.name)) {
            node.instead.extend(targets.iter().cloned());
        }
        draft
    }

    /// Returns the description of the node with this name, for changes. For a node that is not added yet it
    /// is kept in `pending` and merged when the node is added.
    pub(super) fn node_description(&mut self, name: String) -> &mut DraftNode {
        match self.draft.nodes.iter().position(|node| node.name == name) {
            Some(at) => &mut self.draft.nodes[at],
            None => self.pending.entry(name).or_default(),
        }
    }

    /// Checks the graph and compiles it, with the services that its nodes use.
    ///
    /// # Errors
    /// Returns all [`Defects`] of the graph, not only the first.
    pub fn compile_with(mut self, services: D) -> Result<CompiledGraph<S, D>, Defects> {
        let list = self.defects();
        if !list.is_empty() {
            return Err(Defects { graph: self.draft.name, list });
        }
        let (topology, schema) = (self.topology(), self.schema());
        self.draft = self.whole_draft();
        let planner = Planner::new(&self.draft);
        let (graph, mut caches): (Arc<str>, _) = (self.draft.name.as_str().into(), self.caches);
        let mut with_cache = |name: &Arc<str>, node| -> Arc<dyn ErasedNode<S, D>> {
            let Some(policy) = caches.remove(name.as_ref()) else { return node };
            Arc::new(CachedNode { graph: graph.clone(), name: name.clone(), policy, node })
        };
        let mut handlers = self.handlers;
        let default_handler = self.default_handler.map(|(handler, _)| handler);
        let mut compiled = |described: &DraftNode, run, policy: NodePolicy| {
            let name: Arc<str> = described.name.as_str().into();
            let policy = policy.or_defaults(&self.defaults);
            let on_error = handlers.remove(&described.name).or_else(|| default_handler.clone());
            CompiledNode {
                run: with_cache(&name, run),
                on_error,
                name,
                policy,
                goto: described.goto.clone(),
                dispatch: described.dispatch.clone(),
                parent: described.parent.clone(),
                instead: described.instead.clone(),
                takes: self.item_types.get(&described.name).map(|types| types[0]),
            }
        };
        let drafted = self.draft.nodes.iter().zip(self.nodes);
        let mut nodes: Vec<CompiledNode<S, D>> =
            drafted.map(|(described, (run, policy))| compiled(described, run, policy)).collect();
        // Sorted, because tasks run and fold in the order of their indexes, and results must not depend on the order of declaration.
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        let branches = self.draft.edges.iter().enumerate().map(|(at, edge)| {
            let DraftEdge::Branch { from, arms, .. } = edge else { return None };
            let (choose, labels) = self.choices[&at].clone();
            let targets = |label: &String| -> Box<[NodeIx]> {
                let arm = arms.iter().find(|(covered, _)| covered == label);
                arm.iter().flat_map(|(_, targets)| targets).filter_map(|to| planner.node(to)).collect()
            };
            Some(CompiledBranch { choose, from: from.clone(), targets: labels.iter().map(targets).collect() })
        });
        let mut closures = self.fan_outs;
        let fan_outs = self.draft.edges.iter().enumerate().filter_map(|(at, edge)| {
            let DraftEdge::FanOut { from, to, .. } = edge else { return None };
            let make_items = closures.remove(&at)?;
            Some((at, CompiledFanOut { make_items, from: from.clone(), to: to.clone() }))
        });
        let definition = GraphDefinition {
            name: graph,
            branches: branches.collect(),
            fan_outs: fan_outs.collect(),
            depth: topology.depth(),
            digest: topology.digest(),
            schema,
            state_reader: StateReader { schema, migrations: self.migrations, prototype: self.prototype },
            renames: self.renames,
            topology,
            nodes,
            defaults: self.defaults,
            breakpoints: self.breakpoints,
            step_bounds: self.step_bounds,
            planner,
        };
        Ok(CompiledGraph {
            definition: Arc::new(definition),
            services: Arc::new(services),
            store: None,
            clock: Clock::SYSTEM,
            hooks: None,
            long_term: None,
            cache: None,
            max_concurrency: usize::MAX,
        })
    }
}

impl<S: State> StateGraph<S> {
    /// Checks the graph and compiles it.
    ///
    /// # Errors
    /// Returns all [`Defects`] of the graph, not only the first.
    pub fn compile(self) -> Result<CompiledGraph<S>, Defects> {
        self.compile_with(())
    }
}

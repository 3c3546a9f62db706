//! Building a graph: nodes and edges go in, a [`CompiledGraph`] or every defect at once comes out. Runs nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::nearest::nearest;

use super::check::check;
use super::checkpoint::CheckpointStore;
use super::choice::Choice;
use super::clock::Clock;
use super::defect::{Defect, DefectKind, Defects};
use super::draft::{Draft, DraftEdge, DraftNode, Site};
use super::id::Digest;
use super::node::{ErasedNode, IntoNode};
use super::plan::{BranchIx, NodeIx, Planner, Target};
use super::policy::NodePolicy;
use super::state::State;
use super::topology::Topology;

/// A choice with its type erased to the state's: gives the index of a label.
pub type ErasedChoice<S> = Arc<dyn Fn(&S) -> usize + Send + Sync>;

/// A graph under construction. Mistakes are collected and come out of [`compile`](Self::compile) together.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use stategraph::engine::{END, START, State, StateGraph};
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
    draft: Draft,
    nodes: Vec<(Arc<dyn ErasedNode<S, D>>, NodePolicy)>,
    choices: BTreeMap<usize, (ErasedChoice<S>, Vec<String>)>,
    /// What `goto` declared of nodes that are not added yet.
    early_goto: Vec<(String, Vec<String>)>,
}

impl<S: State, D: Send + Sync + 'static> StateGraph<S, D> {
    /// An empty graph.
    pub fn new(name: impl Into<String>) -> Self {
        let draft = Draft { name: name.into(), ..Draft::default() };
        Self { draft, nodes: Vec::new(), choices: BTreeMap::new(), early_goto: Vec::new() }
    }

    /// Says what the graph is for, in a line.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.draft.about = about.into();
        self
    }

    /// Adds a node. See [`IntoNode`] for what can be one.
    #[must_use]
    pub fn node<M>(self, name: impl Into<String>, node: impl IntoNode<S, D, M>) -> Self {
        self.node_with(name, NodePolicy::default(), node)
    }

    /// Adds a node that is run under a policy: retries, a limit of time.
    #[must_use]
    pub fn node_with<M>(
        self,
        name: impl Into<String>,
        policy: NodePolicy,
        node: impl IntoNode<S, D, M>,
    ) -> Self {
        let described = DraftNode { name: name.into(), ..DraftNode::default() };
        self.erased_node(described, policy, node.into_node())
    }

    /// Adds a node whose types are erased already; for graph files.
    #[must_use]
    pub fn erased_node(
        mut self,
        mut described: DraftNode,
        policy: NodePolicy,
        node: Arc<dyn ErasedNode<S, D>>,
    ) -> Self {
        for (_, targets) in self.early_goto.extract_if(.., |(from, _)| *from == described.name) {
            described.goto.extend(targets);
        }
        self.draft.nodes.push(described);
        self.nodes.push((node, policy));
        self
    }

    /// Declares where a node may go by [`Command::goto`](super::Command::goto).
    #[must_use]
    pub fn goto<T: Into<String>>(
        mut self,
        from: impl Into<String>,
        targets: impl IntoIterator<Item = T>,
    ) -> Self {
        let (from, targets) = (from.into(), targets.into_iter().map(Into::into));
        if let Some(node) = self.draft.nodes.iter_mut().find(|node| node.name == from) {
            node.goto.extend(targets);
        } else {
            let targets = targets.collect();
            self.early_goto.push((from, targets));
        }
        self
    }

    /// `to` runs after `from`. Several edges from one node lead to tasks that run at once; several into one node from tasks of
    /// the same superstep run it once, from different supersteps once each (use [`join`](Self::join) to wait).
    #[must_use]
    pub fn edge(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.draft.edges.push(DraftEdge::Static { from: from.into(), to: to.into() });
        self
    }

    /// `to` runs once, after all of `from` have run since it last did.
    #[must_use]
    pub fn join<T: Into<String>>(mut self, from: impl IntoIterator<Item = T>, to: impl Into<String>) -> Self {
        let from = from.into_iter().map(Into::into).collect();
        self.draft.edges.push(DraftEdge::Join { from, to: to.into() });
        self
    }

    /// After `from`, a choice made on the state that the next superstep will see (D12) decides what runs. Every label needs an arm.
    #[must_use]
    pub fn branch<C: Choice, T: Into<String>>(
        self,
        from: impl Into<String>,
        choose: impl Fn(&S) -> C + Send + Sync + 'static,
        arms: impl IntoIterator<Item = (C, T)>,
    ) -> Self {
        let arms = arms.into_iter().map(|(choice, to)| (choice.label().to_owned(), to.into())).collect();
        let labels = C::LABELS.iter().map(|label| (*label).to_owned()).collect();
        self.erased_branch(from, Arc::new(move |state: &S| choose(state).index()), labels, arms)
    }

    /// Adds a branch whose types are erased already; for graph files.
    #[must_use]
    pub fn erased_branch(
        mut self,
        from: impl Into<String>,
        choose: ErasedChoice<S>,
        labels: Vec<String>,
        arms: Vec<(String, String)>,
    ) -> Self {
        self.choices.insert(self.draft.edges.len(), (choose, labels.clone()));
        self.draft.edges.push(DraftEdge::Branch { from: from.into(), labels, arms });
        self
    }

    /// The graph as names, for whoever wants to check or draw it before it compiles.
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Everything that is wrong with it; empty when it compiles.
    pub fn defects(&self) -> Vec<Defect> {
        let mut found = check(&self.draft);
        let names = || self.draft.nodes.iter().map(|node| node.name.as_str());
        found.extend(self.early_goto.iter().map(|(name, _)| Defect {
            kind: DefectKind::UnknownNode { name: name.clone(), nearest: nearest(name, names()) },
            site: Site::Graph,
        }));
        for (at, (described, (_, policy))) in self.draft.nodes.iter().zip(&self.nodes).enumerate() {
            found.extend(policy.problem().map(|reason| Defect {
                kind: DefectKind::BadPolicy { name: described.name.clone(), reason },
                site: Site::Node(at),
            }));
        }
        found
    }

    /// Checks the graph and makes it ready to run, with the services that its nodes use.
    pub fn compile_with(self, services: D) -> Result<CompiledGraph<S, D>, Defects> {
        let list = self.defects();
        if !list.is_empty() {
            return Err(Defects { graph: self.draft.name, list });
        }
        let planner = Planner::new(&self.draft);
        let index = |name: &str| planner.node(name);
        let mut nodes: Vec<CompiledNode<S, D>> = self
            .draft
            .nodes
            .iter()
            .zip(self.nodes)
            .map(|(described, (run, policy))| CompiledNode {
                name: described.name.as_str().into(),
                run,
                plain: policy.is_default(),
                policy,
                goto: described.goto.clone(),
            })
            .collect();
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        let branches = self.draft.edges.iter().enumerate().map(|(at, edge)| {
            let DraftEdge::Branch { arms, .. } = edge else { return None };
            let (choose, labels) = self.choices[&at].clone();
            let target = |label: &String| {
                let arm = arms.iter().find(|(covered, _)| covered == label);
                arm.and_then(|(_, to)| index(to))
            };
            Some(CompiledBranch { choose, targets: labels.iter().map(target).collect() })
        });
        let topology = Topology::of(&self.draft);
        let inner = Inner {
            name: self.draft.name.as_str().into(),
            branches: branches.collect(),
            digest: topology.digest(),
            schema: S::fingerprint(),
            topology,
            nodes,
            planner,
        };
        Ok(CompiledGraph {
            inner: Arc::new(inner),
            services: Arc::new(services),
            store: None,
            clock: Clock::SYSTEM,
        })
    }
}

impl<S: State> StateGraph<S> {
    /// Checks the graph and makes it ready to run.
    pub fn compile(self) -> Result<CompiledGraph<S>, Defects> {
        self.compile_with(())
    }
}

/// A graph without defects, ready to run as often as wanted, at once too. Clones share everything.
pub struct CompiledGraph<S: State, D: Send + Sync + 'static = ()> {
    pub(crate) inner: Arc<Inner<S, D>>,
    pub(crate) services: Arc<D>,
    pub(crate) store: Option<Arc<dyn CheckpointStore>>,
    pub(crate) clock: Clock,
}

impl<S: State, D: Send + Sync + 'static> Clone for CompiledGraph<S, D> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            services: self.services.clone(),
            store: self.store.clone(),
            clock: self.clock.clone(),
        }
    }
}

pub(crate) struct Inner<S: State, D> {
    pub(crate) name: Arc<str>,
    pub(crate) topology: Topology,
    pub(crate) digest: Digest,
    pub(crate) schema: Digest,
    pub(crate) planner: Planner,
    /// By [`NodeIx`].
    pub(crate) nodes: Vec<CompiledNode<S, D>>,
    /// By [`BranchIx`]; `None` where the draft's edge is no branch.
    branches: Vec<Option<CompiledBranch<S>>>,
}

pub(crate) struct CompiledNode<S: State, D> {
    pub(crate) name: Arc<str>,
    pub(crate) run: Arc<dyn ErasedNode<S, D>>,
    pub(crate) policy: NodePolicy,
    /// Whether the policy says nothing.
    pub(crate) plain: bool,
    pub(crate) goto: Vec<String>,
}

struct CompiledBranch<S> {
    choose: ErasedChoice<S>,
    /// By the index of the label.
    targets: Vec<Target>,
}

impl<S: State, D> Inner<S, D> {
    /// Where a branch leads, given the state.
    pub(crate) fn choose(&self, branch: BranchIx, state: &S) -> Target {
        let branch = self.branches[branch.0].as_ref().expect("the planner numbered this branch");
        branch.targets[(branch.choose)(state)]
    }

    pub(crate) fn node(&self, node: NodeIx) -> &CompiledNode<S, D> {
        &self.nodes[node.at()]
    }
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// The same graph with other services.
    #[must_use]
    pub fn with_services(mut self, services: Arc<D>) -> Self {
        self.services = services;
        self
    }

    /// The same graph with a store for its checkpoints.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn CheckpointStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// The same graph with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// The graph's name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Its shape.
    pub fn topology(&self) -> &Topology {
        &self.inner.topology
    }

    /// The digest of its shape, as checkpoints carry it.
    pub fn digest(&self) -> Digest {
        self.inner.digest
    }
}

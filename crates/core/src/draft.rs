//! An unchecked graph: names only, no types, no functions. The builder and the graph files both make drafts, so that the same rules
//! (`check.rs`) check both.

/// The name of the start of a graph, which is no node: the edges from it lead to the first nodes of a run.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// // A run begins with the targets of `START`, and a path ends at `END`.
/// let graph = StateGraph::<Count>::new("line").node("a", async |_: &Count| {}).edge(START, "a").edge("a", END).compile()?;
/// assert_eq!(graph.run(Count::default()).await?.steps, 1);
/// # Ok(()) }) }
/// ```
pub const START: &str = "START";

/// The name of the end of a graph, which is no node: an edge to it leads nowhere.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// assert!(counter().edge(END, "add").compile().is_err(), "nothing comes after the end");
/// # Ok(()) }) }
/// ```
pub const END: &str = "END";

/// The description of a graph by the names of its nodes and edges, not yet checked and without functions. `StateGraph` has one;
/// drawings are made from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// The graph's name.
    pub name: String,
    /// The purpose of the graph, in one line.
    pub about: String,
    /// The nodes, in the order of declaration.
    pub nodes: Vec<DraftNode>,
    /// The edges, in the order of declaration.
    pub edges: Vec<DraftEdge>,
}

/// A node of a [`Draft`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftNode {
    /// The name of the node.
    pub name: String,
    /// The purpose of the node, in one line.
    pub about: String,
    /// The nodes that it may go to by `goto`; empty by default.
    pub goto: Vec<String>,
    /// The nodes that it may dispatch items to; empty by default.
    pub dispatch: Vec<String>,
    /// The type of the items that it takes; `None` for a node without items.
    pub takes: Option<String>,
    /// The time at which it runs after an edge led to it.
    pub timing: Timing,
    /// The nodes of the outer graph that it may run next with `goto_parent`; empty by default.
    pub parent: Vec<String>,
    /// The nodes that may run next in place of the targets of its edges: the targets of its error handler,
    /// and those that the graph inside it may choose with `goto_parent`.
    pub instead: Vec<String>,
}

/// The time at which a node runs after an edge led to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Timing {
    /// In the next superstep.
    #[default]
    Next,
    /// As soon as no other node is left to run (LangGraph F20).
    Deferred,
}

/// An edge of a [`Draft`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftEdge {
    /// `to` runs after `from`.
    Static {
        /// The source.
        from: String,
        /// The target.
        to: String,
    },
    /// `to` runs once after all of `from` have run since `to` last ran (LangGraph F4).
    Join {
        /// The sources.
        from: Vec<String>,
        /// The target.
        to: String,
    },
    /// A conditional edge: a choice on the state decides which node runs after `from` (LangGraph F5).
    Branch {
        /// The source.
        from: String,
        /// All labels that the choice can return.
        labels: Vec<String>,
        /// The targets of each label; several run concurrently.
        arms: Vec<(String, Vec<String>)>,
    },
    /// After `from`, `to` runs once for each of a list of items made from the state (LangGraph F21).
    FanOut {
        /// The source.
        from: String,
        /// The node that takes the items.
        to: String,
        /// The node that runs when there are no items; `None` ends the path.
        empty: Option<String>,
    },
}

/// A place in a [`Draft`], by indexes from 0. A reader of graph files maps it to a line of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// The graph as a whole.
    Graph,
    /// The n-th node.
    Node(usize),
    /// The `goto` target of a node.
    Goto {
        /// The node.
        node: usize,
        /// Index among its `goto` targets, from 0.
        target: usize,
    },
    /// The n-th edge.
    Edge(usize),
    /// A source of an edge.
    From {
        /// The edge.
        edge: usize,
        /// Index among the sources; 0 unless the edge is a join.
        source: usize,
    },
    /// The target of a static edge, a join or a fan-out.
    To(usize),
    /// An arm of a branch, or the target of a fan-out without items.
    Arm {
        /// The edge.
        edge: usize,
        /// Index of the arm; 0 for a fan-out.
        arm: usize,
    },
}

impl DraftEdge {
    /// Returns the names of the source nodes: several for a join, else one. May contain `START`.
    pub fn sources(&self) -> &[String] {
        match self {
            Self::Static { from, .. } | Self::Branch { from, .. } | Self::FanOut { from, .. } => {
                std::slice::from_ref(from)
            }
            Self::Join { from, .. } => from,
        }
    }

    /// Returns the name of each target with its place. `edge` is the index of this edge in the draft.
    pub fn targets(&self, edge: usize) -> Vec<(Site, &str)> {
        match self {
            Self::Static { to, .. } | Self::Join { to, .. } => vec![(Site::To(edge), to.as_str())],
            Self::Branch { arms, .. } => arms
                .iter()
                .enumerate()
                .flat_map(|(arm, (_, targets))| {
                    targets.iter().map(move |target| (Site::Arm { edge, arm }, target.as_str()))
                })
                .collect(),
            Self::FanOut { to, empty, .. } => {
                let empty = empty.iter().map(|target| (Site::Arm { edge, arm: 0 }, target.as_str()));
                std::iter::once((Site::To(edge), to.as_str())).chain(empty).collect()
            }
        }
    }
}

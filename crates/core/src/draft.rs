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
    /// The nodes of the outer graph that it may send that graph to; empty by default.
    pub parent: Vec<String>,
    /// The nodes that it may go to instead of following its edges: the targets that the graph inside it may send it to.
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
        /// The target without items; `END` by default.
        empty: Option<String>,
    },
}

/// A place in a [`Draft`], by position, so that the maker of the draft can map it to a place in its own source.
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
        /// Which of its targets.
        target: usize,
    },
    /// The n-th edge.
    Edge(usize),
    /// A source of an edge.
    From {
        /// The edge.
        edge: usize,
        /// Which source; 0 unless the edge is a join.
        source: usize,
    },
    /// The target of a static edge, a join or a fan-out.
    To(usize),
    /// An arm of a branch, or the target of a fan-out without items.
    Arm {
        /// The edge.
        edge: usize,
        /// Which arm.
        arm: usize,
    },
}

impl DraftEdge {
    /// Returns the sources.
    pub fn sources(&self) -> &[String] {
        match self {
            Self::Static { from, .. } | Self::Branch { from, .. } | Self::FanOut { from, .. } => {
                std::slice::from_ref(from)
            }
            Self::Join { from, .. } => from,
        }
    }

    /// Returns the targets with their places, given this edge's position in the draft.
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

//! A graph as it was written down, before anybody checked it: names only, no types, no functions.
//! The builder and the graph files both end here, so that both are checked by the same rules (`check.rs`).

/// The name of the place where every run starts.
pub const START: &str = "START";

/// The name of the place where a path of a run ends.
pub const END: &str = "END";

/// A graph of names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// The graph's name.
    pub name: String,
    /// What it is for, in a line.
    pub about: String,
    /// The nodes, in the order of declaration.
    pub nodes: Vec<DraftNode>,
    /// The edges, in the order of declaration.
    pub edges: Vec<DraftEdge>,
}

/// A node of a [`Draft`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftNode {
    /// Its name.
    pub name: String,
    /// What it does, in a line.
    pub about: String,
    /// Where it may go by `goto`; empty when it does not use it.
    pub goto: Vec<String>,
    /// What it may dispatch to; empty when it does not.
    pub dispatch: Vec<String>,
    /// The type of the items it takes; none when it is run without.
    pub takes: Option<String>,
    /// When it runs.
    pub timing: Timing,
    /// Where it may send the graph around its own; empty when it does not.
    pub parent: Vec<String>,
    /// Where it may go instead of along its edges: what the graph inside it may send it to.
    pub instead: Vec<String>,
}

/// When a node runs that something has led to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Timing {
    /// In the next superstep.
    #[default]
    Next,
    /// As soon as nothing else is left to run (LangGraph F20).
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
    /// `to` runs once, after all of `from` have run since it last did (LangGraph F4).
    Join {
        /// The sources.
        from: Vec<String>,
        /// The target.
        to: String,
    },
    /// A choice made on the state decides what runs after `from` (LangGraph F5).
    Branch {
        /// The source.
        from: String,
        /// Every label that the choice can return.
        labels: Vec<String>,
        /// Label to target.
        arms: Vec<(String, String)>,
    },
    /// After `from`, `to` runs once for each of a list of items made from the state (LangGraph F21).
    FanOut {
        /// The source.
        from: String,
        /// The node that takes the items.
        to: String,
        /// What runs when there are none; `END` unless said.
        empty: Option<String>,
    },
}

/// A place in a [`Draft`], by position, so that whoever wrote the draft can say where that stood.
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
    /// An arm of a branch; of a fan-out, what runs when there are no items.
    Arm {
        /// The edge.
        edge: usize,
        /// Which arm.
        arm: usize,
    },
}

impl DraftEdge {
    /// The sources.
    pub fn sources(&self) -> &[String] {
        match self {
            Self::Static { from, .. } | Self::Branch { from, .. } | Self::FanOut { from, .. } => {
                std::slice::from_ref(from)
            }
            Self::Join { from, .. } => from,
        }
    }

    /// The targets with their places, given this edge's position in the draft.
    pub fn targets(&self, edge: usize) -> Vec<(Site, &str)> {
        match self {
            Self::Static { to, .. } | Self::Join { to, .. } => vec![(Site::To(edge), to.as_str())],
            Self::Branch { arms, .. } => arms
                .iter()
                .enumerate()
                .map(|(arm, (_, target))| (Site::Arm { edge, arm }, target.as_str()))
                .collect(),
            Self::FanOut { to, empty, .. } => {
                let empty = empty.iter().map(|target| (Site::Arm { edge, arm: 0 }, target.as_str()));
                std::iter::once((Site::To(edge), to.as_str())).chain(empty).collect()
            }
        }
    }
}

//! What can be wrong with a graph before it ever runs. Found by `check.rs`, all at once.

use super::nesting::NESTING_MAX;
use std::fmt;

use super::draft::Site;

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Defect {
    /// What.
    pub kind: DefectKind,
    /// Where in the draft.
    pub site: Site,
}

impl Defect {
    /// Returns a defect of this kind at this place.
    pub fn new(kind: DefectKind, site: Site) -> Self {
        Self { kind, site }
    }
}

/// The kinds of [`Defect`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefectKind {
    /// A graph or node has an empty name.
    #[error("a name is empty")]
    EmptyName,
    /// A node is called `START` or `END`, or has a character that other parts use (LangGraph F2).
    #[error("`{name}` cannot be the name of a node: {reason}")]
    BadName {
        /// The name.
        name: String,
        /// Why.
        reason: &'static str,
    },
    /// Two nodes have one name.
    #[error("there are two nodes `{name}`")]
    DuplicateNode {
        /// The name.
        name: String,
    },
    /// The same edge is written twice.
    #[error("the edge from `{from}` to `{to}` is written twice")]
    DuplicateEdge {
        /// The source, or the sources of a join.
        from: String,
        /// The target.
        to: String,
    },
    /// An edge, arm or goto names a node that does not exist (D1).
    #[error("there is no node `{name}`")]
    UnknownNode {
        /// The name.
        name: String,
        /// The existing name that is nearest, if any is near.
        nearest: Option<String>,
    },
    /// `END` as a source.
    #[error("nothing can follow END")]
    FromEnd,
    /// `START` as a target.
    #[error("nothing can lead to START")]
    ToStart,
    /// A join of fewer than two sources, or one that names a source twice, or `START`.
    #[error("a join waits for two or more different nodes")]
    BadJoin,
    /// No edge leaves `START`.
    #[error("nothing leads from START: the graph has no entry")]
    NoEntry,
    /// No path from `START` reaches the node.
    #[error("no path leads from START to `{name}`")]
    Unreachable {
        /// The node.
        name: String,
    },
    /// A node from which nothing leads on.
    #[error("nothing follows `{name}`")]
    DeadEnd {
        /// The node.
        name: String,
    },
    /// A cycle that no edge leaves.
    #[error("no path leads from {} to END: the run would never finish", quoted(nodes))]
    EndlessCycle {
        /// The nodes of the cycle, sorted.
        nodes: Vec<String>,
    },
    /// A label of the choice has no arm.
    #[error("the choice after `{from}` can be `{label}`, and no arm says where that leads")]
    UncoveredLabel {
        /// The node.
        from: String,
        /// The label.
        label: String,
    },
    /// An arm for a label that the choice does not have.
    #[error("the choice after `{from}` is never `{label}`")]
    UnknownLabel {
        /// The node.
        from: String,
        /// The label.
        label: String,
        /// The existing label that is nearest, if any is near.
        nearest: Option<String>,
    },
    /// Two arms for one label.
    #[error("the choice after `{from}` has two arms for `{label}`")]
    DuplicateArm {
        /// The node.
        from: String,
        /// The label.
        label: String,
    },
    /// A node uses `goto` and has an edge of another kind as well (D2).
    #[error("`{name}` chooses where to go by goto and has an edge as well")]
    GotoAndEdge {
        /// The node.
        name: String,
    },
    /// A node dispatches and has an edge as well (D2).
    #[error("`{name}` dispatches by itself and has an edge as well")]
    DispatchAndEdge {
        /// The node.
        name: String,
    },
    /// A node is sent items and takes none (F21).
    #[error("`{name}` is sent items and takes none")]
    TakesNoItems {
        /// The node.
        name: String,
    },
    /// An edge, arm or goto leads to a node that takes items, and brings none.
    #[error("`{name}` takes items, and nothing is dispatched to it here")]
    NeedsItem {
        /// The node.
        name: String,
    },
    /// A node has more graphs inside each other than a run may have.
    #[error("`{name}` has {depth} graphs inside each other, the most is {NESTING_MAX}")]
    TooDeep {
        /// The node.
        name: String,
        /// How many graphs.
        depth: usize,
    },
    /// A node is declared to take items of two types.
    #[error("`{name}` takes items of two types, `{first}` and `{second}`")]
    TwoItemTypes {
        /// The node.
        name: String,
        /// One of them.
        first: &'static str,
        /// The other one.
        second: &'static str,
    },
    /// A node or choice has a policy that cannot work.
    #[error("`{name}`: {reason}")]
    BadPolicy {
        /// The node.
        name: String,
        /// Why.
        reason: String,
    },
    /// A step between versions of the state that can never be taken.
    #[error("a migration leads nowhere: {reason}")]
    BadMigration {
        /// Which, and why.
        reason: String,
    },
}

impl DefectKind {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::EmptyName => "give it a name".to_owned(),
            Self::BadName { .. } => "choose another name".to_owned(),
            Self::DuplicateNode { .. } => "rename one of them".to_owned(),
            Self::DuplicateEdge { .. } | Self::DuplicateArm { .. } => "remove one of them".to_owned(),
            Self::UnknownNode { nearest, .. } => match nearest {
                Some(name) => format!("did you mean `{name}`?"),
                None => "declare the node, or correct the name".to_owned(),
            },
            Self::FromEnd | Self::ToStart => "turn the edge round, or remove it".to_owned(),
            Self::BadJoin => "name each source once; for a single source use a plain edge".to_owned(),
            Self::NoEntry => "add an edge from START".to_owned(),
            Self::Unreachable { .. } => "add an edge that leads to it, or remove the node".to_owned(),
            Self::DeadEnd { name } => format!("add an edge from `{name}`; to END if the path ends there"),
            Self::EndlessCycle { .. } => {
                "add a branch that leaves the cycle, with an arm that leads to END".to_owned()
            }
            Self::UncoveredLabel { label, .. } => format!("add an arm for `{label}`"),
            Self::UnknownLabel { nearest, .. } => match nearest {
                Some(label) => format!("did you mean `{label}`?"),
                None => "remove the arm".to_owned(),
            },
            Self::GotoAndEdge { .. } => {
                "remove the edge and declare its target as a goto target, or do not use goto".to_owned()
            }
            Self::DispatchAndEdge { .. } => {
                "remove the edge and declare its target as a goto target, or fan out by an edge".to_owned()
            }
            Self::TakesNoItems { name } => {
                format!("declare the type with `takes`, or lead to `{name}` by an edge or goto")
            }
            Self::NeedsItem { name } => format!("dispatch to `{name}`, or fan out to it"),
            Self::TooDeep { .. } => "run the inner graphs by a loop, or one after the other".to_owned(),
            Self::TwoItemTypes { .. } => "send one type; an enum can hold several".to_owned(),
            Self::BadPolicy { .. } => "correct the value".to_owned(),
            Self::BadMigration { .. } => {
                "give each older version one step, and the last one to the state of the graph; `#[state(version = 2)]` tells versions with the same channels apart".to_owned()
            }
        }
    }
}

/// Everything that is wrong with a graph; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defects {
    /// The graph's name.
    pub graph: String,
    /// The defects, in the order of the draft.
    pub list: Vec<Defect>,
}

impl std::error::Error for Defects {}

impl fmt::Display for Defects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.list.len();
        write!(f, "graph `{}` has {count} defect{}", self.graph, if count == 1 { "" } else { "s" })?;
        self.list.iter().try_for_each(|defect| write!(f, "\n  {} ({})", defect.kind, defect.kind.hint()))
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

//! The mistakes of a graph that are found before it runs. `check.rs` finds them, all at once.

use super::nesting::NESTING_MAX;
use std::fmt;

use super::draft::Site;

/// A mistake in a graph, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Defect {
    /// The kind of mistake.
    pub kind: DefectKind,
    /// The place in the draft.
    pub site: Site,
}

impl Defect {
    /// Makes a defect of this kind at this place.
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
    /// A node is called `START` or `END`, or its name has a character with a meaning in namespaces and ids (LangGraph F2).
    #[error("`{name}` cannot be the name of a node: {reason}")]
    BadName {
        /// The name.
        name: String,
        /// The reason.
        reason: &'static str,
    },
    /// Two nodes have the same name.
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
        /// The most similar existing name; `None` when none is similar.
        nearest: Option<String>,
    },
    /// `END` as a source.
    #[error("nothing can follow END")]
    FromEnd,
    /// `START` as a target.
    #[error("nothing can lead to START")]
    ToStart,
    /// A join has fewer than two sources, names a source twice, or names `START`.
    #[error("a join waits for two or more different nodes")]
    BadJoin,
    /// A join waits for two nodes of which at most one runs: they follow different arms of one branch.
    #[error(
        "the join of `{first}` and `{second}` never runs by itself: the branch after `{branch}` starts only one of them"
    )]
    DeadJoin {
        /// The first node.
        first: String,
        /// The second node.
        second: String,
        /// The source of the branch.
        branch: String,
    },
    /// No edge leaves `START`.
    #[error("nothing leads from START: the graph has no entry")]
    NoEntry,
    /// No path from `START` reaches the node.
    #[error("no path leads from START to `{name}`")]
    Unreachable {
        /// The node.
        name: String,
    },
    /// No edge or route leaves the node.
    #[error("nothing follows `{name}`")]
    DeadEnd {
        /// The node.
        name: String,
    },
    /// No edge leaves the cycle.
    #[error("no path leads from {} to END: the run would never finish", quote_names(nodes))]
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
    /// An arm has a label that the choice does not have.
    #[error("the choice after `{from}` is never `{label}`")]
    UnknownLabel {
        /// The node.
        from: String,
        /// The label.
        label: String,
        /// The most similar existing label; `None` when none is similar.
        nearest: Option<String>,
    },
    /// A label has two arms.
    #[error("the choice after `{from}` has two arms for `{label}`")]
    DuplicateArm {
        /// The node.
        from: String,
        /// The label.
        label: String,
    },
    /// A node uses `goto` and also has an edge (D2).
    #[error("`{name}` chooses where to go by goto and has an edge as well")]
    GotoAndEdge {
        /// The node.
        name: String,
    },
    /// A node dispatches items and also has an edge (D2).
    #[error("`{name}` dispatches by itself and has an edge as well")]
    DispatchAndEdge {
        /// The node.
        name: String,
    },
    /// Items are sent to a node that does not take any (F21).
    #[error("`{name}` is sent items and takes none")]
    TakesNoItems {
        /// The node.
        name: String,
    },
    /// An edge, arm or goto without an item leads to a node that takes items.
    #[error("`{name}` takes items, and nothing is dispatched to it here")]
    NeedsItem {
        /// The node.
        name: String,
    },
    /// A node contains more nested graphs than a run may have.
    #[error("`{name}` has {depth} graphs inside each other, the most is {NESTING_MAX}")]
    TooDeep {
        /// The node.
        name: String,
        /// The number of nested graphs.
        depth: usize,
    },
    /// A node is declared to take items of two types.
    #[error("`{name}` takes items of two types, `{first}` and `{second}`")]
    TwoItemTypes {
        /// The node.
        name: String,
        /// The first type.
        first: &'static str,
        /// The second type.
        second: &'static str,
    },
    /// A node or choice has a policy that cannot work, such as a timeout of 0.
    #[error("`{name}`: {reason}")]
    BadPolicy {
        /// The node.
        name: String,
        /// The reason.
        reason: String,
    },
    /// A migration step can never be taken.
    #[error("a migration leads nowhere: {reason}")]
    BadMigration {
        /// The step and the reason.
        reason: String,
    },
}

impl DefectKind {
    /// Returns advice for correcting the mistake.
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
            Self::DeadJoin { .. } => "write an edge of its own for each of them, instead of the join".to_owned(),
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

/// The defects of a graph; never empty.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// let defects = counter().edge("ad", END).compile().err().ok_or("an unknown name is a defect")?;
/// assert_eq!(defects.list[0].kind.to_string(), "there is no node `ad`");
/// assert_eq!(defects.list[0].kind.hint(), "did you mean `add`?");
/// # Ok(()) }) }
/// ```
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

fn quote_names(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

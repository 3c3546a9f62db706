//! The edges of a graph file: static edges, joins, registered choices and lists, and conditions. The conditions from
//! one node become one
//! conditional edge.

use schemars::JsonSchema;

use super::super::expression::{Expression, Names};
use super::super::object::Object;
use super::super::read::{Holes, Reader};
use super::super::source::Span;
use super::super::spot::Spot;
use super::super::tree::{Tree, Value};
use super::Entries;

/// An edge: a plain one, a join of several nodes, a choice, one for each item of a list, or one with a condition.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Edge", untagged, deny_unknown_fields)]
pub(crate) enum EdgeFile {
    /// `to` runs after `from`; after a list of nodes, once all of them have run.
    Follows {
        /// A node or `START`; a list of two or more nodes makes a join.
        from: Sources,
        /// A node or `END`.
        to: Spot<String>,
        /// Span of the whole edge.
        #[schemars(skip)]
        span: Span,
    },
    /// A choice made on the state decides what runs after `from`.
    Chooses {
        /// A node or `START`.
        from: Spot<String>,
        /// The registered choice, such as `ard.verdict`.
        choose: Spot<String>,
        /// For each label of the choice, the node that runs, or `END`.
        arms: Entries<Spot<String>>,
        /// Span of the key `arms`.
        #[schemars(skip)]
        arms_key: Span,
    },
    /// `to` runs once for each of a list of items that Rust makes from the state.
    Each {
        /// A node or `START`.
        from: Spot<String>,
        /// The registered list, such as `doc-phases.components`.
        each: Spot<String>,
        /// The node that takes the items.
        to: Spot<String>,
        /// What runs when there are none: a node or `END`. Left out: the path ends.
        empty: Option<Spot<String>>,
    },
    /// `to` runs after `from` when the condition holds. Of several such edges from one node the first counts.
    When {
        /// A node or `START`.
        from: Spot<String>,
        /// The condition.
        when: Expression,
        /// Span of the condition.
        #[schemars(skip)]
        when_at: Span,
        /// A node or `END`.
        to: Spot<String>,
    },
    /// What runs after `from` when no condition of the other edges from it holds.
    Else {
        /// A node or `START`.
        from: Spot<String>,
        /// A node or `END`.
        #[schemars(rename = "else")]
        to: Spot<String>,
    },
    /// All conditional edges from one node. A file cannot write it; it is made of those edges after reading.
    #[schemars(skip)]
    Cases {
        /// A node or `START`.
        from: Spot<String>,
        /// Conditions, in the order of the file.
        cases: Vec<Case>,
        /// Target if no condition holds.
        otherwise: Spot<String>,
    },
}

/// A condition with its target.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Case {
    pub(crate) when: Expression,
    pub(crate) when_at: Span,
    pub(crate) to: Spot<String>,
}

/// The sources of an edge.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(untagged, inline)]
pub(crate) enum Sources {
    /// One node or `START`.
    One(Spot<String>),
    /// A join.
    All(#[schemars(length(min = 2))] Vec<Spot<String>>),
}

/// Label of the arm that is taken if no condition holds.
pub(crate) const ELSE: &str = "else";

impl EdgeFile {
    pub(super) fn read(reader: &mut Reader, tree: Tree, names: &Names<'_>) -> Option<Self> {
        let Some(mut object) = reader.object("an edge", tree) else { return reader.lose() };
        let edge = if object.has("choose") || object.has("arms") {
            Self::read_choice(reader, &mut object)
        } else if object.has("each") || object.has("empty") {
            Self::read_each(reader, &mut object)
        } else if object.has("when") {
            Self::read_when(reader, &mut object, names)
        } else if object.has("else") {
            Self::read_else(reader, &mut object)
        } else {
            Self::read_follows(reader, &mut object)
        };
        object.finish(reader);
        edge.or_else(|| reader.lose())
    }

    fn read_choice(reader: &mut Reader, object: &mut Object) -> Option<Self> {
        object.call("an edge with `choose`");
        let from = object.need("from").and_then(|tree| reader.name("`from` of a choice", tree));
        let choose = object.need("choose").and_then(|tree| reader.name("`choose`", tree));
        let arms_key = object.key("arms");
        let arms = object.need("arms").and_then(|tree| reader.entries("`arms`", "label", tree));
        let arms = arms?.into_iter().filter_map(|(label, tree)| {
            let target = reader.name("the target of an arm", tree).or_else(|| reader.lose());
            Some((label, target?))
        });
        let arms = Entries(arms.collect());
        Some(Self::Chooses { from: from?, choose: choose?, arms, arms_key })
    }

    fn read_each(reader: &mut Reader, object: &mut Object) -> Option<Self> {
        object.call("an edge with `each`");
        let from = object.need("from").and_then(|tree| reader.name("`from` of a list", tree));
        let each = object.need("each").and_then(|tree| reader.name("`each`", tree));
        let to = object.need("to").and_then(|tree| reader.name("`to`", tree));
        let empty = match object.take("empty") {
            Some(tree) => Some(reader.name("`empty`", tree)?),
            None => None,
        };
        Some(Self::Each { from: from?, each: each?, to: to?, empty })
    }

    fn read_when(reader: &mut Reader, object: &mut Object, names: &Names<'_>) -> Option<Self> {
        object.call("an edge with `when`");
        let from = object.need("from").and_then(|tree| reader.name("`from` of a condition", tree));
        let condition = object.need("when").and_then(|tree| {
            let at = tree.span.clone();
            Some((reader.expression("`when`", tree, names)?, at))
        });
        let to = object.need("to").and_then(|tree| reader.name("`to`", tree));
        let (when, when_at) = condition?;
        Some(Self::When { from: from?, when, when_at, to: to? })
    }

    fn read_else(reader: &mut Reader, object: &mut Object) -> Option<Self> {
        object.call("an edge with `else`");
        let from = object.need("from").and_then(|tree| reader.name("`from` of an `else`", tree));
        let to = object.need("else").and_then(|tree| reader.name("`else`", tree));
        Some(Self::Else { from: from?, to: to? })
    }

    fn read_follows(reader: &mut Reader, object: &mut Object) -> Option<Self> {
        let start = object.start();
        let from = object.need("from").and_then(|tree| match tree.value {
            Value::List(_) => reader.names("`from`", tree).map(Sources::All),
            _ => reader.name("`from`", tree).map(Sources::One),
        });
        let to = object.need("to").and_then(|tree| reader.name("`to`", tree));
        object.suggest(&["choose", "arms", "each", "empty", "when", "else"]);
        let (from, to) = (from?, to?);
        let end = from.all().iter().chain([&to]).map(|name| name.span.end).max().unwrap_or(start);
        Some(Self::Follows { from, to, span: start..end })
    }

    /// Merges the conditional edges from each node into one, at the position of the first of them.
    pub(super) fn gathered(reader: &mut Reader, edges: Vec<Self>) -> Vec<Self> {
        let mut gathered: Vec<Gathered> = Vec::new();
        for edge in edges {
            let from = match &edge {
                Self::When { from, .. } | Self::Else { from, .. } => from.clone(),
                _ => {
                    gathered.push(Gathered::Whole(edge));
                    continue;
                }
            };
            let known = gathered.iter().position(
                |group| matches!(group, Gathered::Cases { from: known, .. } if known.value == from.value),
            );
            let at = known.unwrap_or_else(|| {
                gathered.push(Gathered::Cases { from, cases: Vec::new(), otherwise: None });
                gathered.len() - 1
            });
            gathered[at].add(reader, edge);
        }
        gathered.into_iter().filter_map(|group| group.whole(reader)).collect()
    }
}

/// An edge, or the conditional edges from one node that are being merged.
enum Gathered {
    Whole(EdgeFile),
    Cases { from: Spot<String>, cases: Vec<Case>, otherwise: Option<Spot<String>> },
}

impl Gathered {
    fn add(&mut self, reader: &mut Reader, edge: EdgeFile) {
        let Self::Cases { from, cases, otherwise } = self else { return };
        match edge {
            EdgeFile::When { when, when_at, to, .. } => {
                if otherwise.is_some() {
                    let message = format!("this condition of `{}` stands after its `else`", from.value);
                    reader.push(&when_at, message, "move the `else` below the conditions");
                }
                if cases.iter().any(|case| case.when.text() == when.text()) {
                    let message =
                        format!("`{}` has this condition twice: the second is never asked", from.value);
                    reader.push(&when_at, message, "remove one of them");
                    return;
                }
                cases.push(Case { when, when_at, to });
            }
            EdgeFile::Else { from: again, .. } if otherwise.is_some() => {
                let message = format!("`{}` has two edges with `else`", again.value);
                reader.push(&again.span, message, "keep one: what runs when no condition holds");
            }
            EdgeFile::Else { to, .. } => *otherwise = Some(to),
            _ => {}
        }
    }

    fn whole(self, reader: &mut Reader) -> Option<EdgeFile> {
        match self {
            Self::Whole(edge) => Some(edge),
            // The missing `else` may be in a part that could not be read.
            Self::Cases { otherwise: None, .. } if reader.holes == Holes::Some => None,
            Self::Cases { from, cases, otherwise } if cases.is_empty() => {
                let message = format!("`{}` has an `else` and no condition", from.value);
                reader.push(&from.span, message, "write `to` instead of `else`, or add edges with `when`");
                let to = otherwise?;
                let span = from.span.start..to.span.end.max(from.span.end);
                Some(EdgeFile::Follows { from: Sources::One(from), to, span })
            }
            Self::Cases { from, cases, otherwise: None } => {
                let message = format!("what runs when no condition of `{}` holds is not said", from.value);
                let hint = format!("add {{ from: {}, else: NODE }}, or END as the node", from.value);
                reader.push(&cases[0].when_at, message, hint);
                reader.lose()
            }
            Self::Cases { from, cases, otherwise: Some(otherwise) } => {
                Some(EdgeFile::Cases { from, cases, otherwise })
            }
        }
    }
}

impl Sources {
    /// Returns the source names.
    pub(crate) fn all(&self) -> &[Spot<String>] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::All(names) => names,
        }
    }
}

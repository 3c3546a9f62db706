//! The edges of a graph file: static edges, joins, registered choices and lists, and conditions. The conditions from
//! one node become one conditional edge.

use schemars::JsonSchema;
use stategraph_yaml::{YamlNode, YamlValue};

use super::super::expression::{DeclaredNames, Expression};
use super::super::located::Located;
use super::super::object::Object;
use super::super::read::{Completeness, Reader};
use super::super::source::Span;
use super::Entries;

/// An edge: a plain one, a join of several nodes, a choice, one for each item of a list, or one with a condition.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Edge", untagged, deny_unknown_fields)]
pub(crate) enum EdgeFile {
    /// `to` runs after `from`; after a list of nodes, once all of them have run.
    Static {
        /// A node or `START`; a list of two or more nodes makes a join.
        from: Sources,
        /// A node or `END`.
        to: Located<String>,
        /// Span of the whole edge.
        #[schemars(skip)]
        span: Span,
    },
    /// A choice made on the state decides what runs after `from`.
    Choice {
        /// A node or `START`.
        from: Located<String>,
        /// The registered choice, such as `ard.verdict`.
        choose: Located<String>,
        /// For each label of the choice, the node that runs, or `END`.
        arms: Entries<Located<String>>,
        /// Span of the key `arms`.
        #[schemars(skip)]
        arms_key: Span,
    },
    /// `to` runs once for each of a list of items that Rust makes from the state.
    FanOut {
        /// A node or `START`.
        from: Located<String>,
        /// The registered list, such as `doc-phases.components`.
        each: Located<String>,
        /// The node that takes the items.
        to: Located<String>,
        /// Target if there are no items: a node or `END`. Default: the path ends.
        empty: Option<Located<String>>,
    },
    /// `to` runs after `from` when the condition holds. Of several such edges from one node the first counts.
    Condition {
        /// A node or `START`.
        from: Located<String>,
        /// The condition.
        when: Expression,
        /// Span of the condition.
        #[schemars(skip)]
        when_at: Span,
        /// A node or `END`.
        to: Located<String>,
    },
    /// Edge that is taken if no condition of the other edges from `from` holds.
    Else {
        /// A node or `START`.
        from: Located<String>,
        /// A node or `END`.
        #[schemars(rename = "else")]
        to: Located<String>,
    },
    /// All conditional edges from one node. A file cannot write it; it is made of those edges after reading.
    #[schemars(skip)]
    Conditional {
        /// A node or `START`.
        from: Located<String>,
        /// Conditions, in the order of the file.
        cases: Vec<ConditionArm>,
        /// Target if no condition holds.
        otherwise: Located<String>,
    },
}

/// A condition with its target.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConditionArm {
    pub(crate) when: Expression,
    pub(crate) when_at: Span,
    pub(crate) to: Located<String>,
}

/// The sources of an edge.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(untagged, inline)]
pub(crate) enum Sources {
    /// One node or `START`.
    One(Located<String>),
    /// A join.
    All(#[schemars(length(min = 2))] Vec<Located<String>>),
}

/// Label of the arm that is taken if no condition holds.
pub(crate) const ELSE: &str = "else";

impl EdgeFile {
    pub(super) fn read(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        let Some(mut object) = reader.read_object("an edge", tree) else { return reader.mark_incomplete() };
        let edge = if object.has("choose") || object.has("arms") {
            Self::read_choice(reader, &mut object)
        } else if object.has("each") || object.has("empty") {
            Self::read_fan_out(reader, &mut object)
        } else if object.has("when") {
            Self::read_condition(reader, &mut object, names)
        } else if object.has("else") {
            Self::read_else(reader, &mut object)
        } else {
            Self::read_static(reader, &mut object)
        };
        object.finish(reader);
        edge.or_else(|| reader.mark_incomplete())
    }

    fn read_choice(reader: &mut Reader, object: &mut Object) -> Option<Self> {
        object.set_description("an edge with `choose`");
        let from = object.require("from").and_then(|tree| reader.read_name("`from` of a choice", tree));
        let choose = object.require("choose").and_then(|tree| reader.read_name("`choose`", tree));
        let arms_key = object.key_span("arms");
        let arms = object.require("arms").and_then(|tree| reader.read_entries("`arms`", "label", tree));
        let arms = arms?.into_iter().filter_map(|(label, tree)| {
            let target = reader.read_name("the target of an arm", tree).or_else(|| reader.mark_incomplete());
            Some((label, target?))
        });
        let arms = Entries(arms.collect());
        Some(Self::Choice { from: from?, choose: choose?, arms, arms_key })
    }

    fn read_fan_out(reader: &mut Reader, object: &mut Object) -> Option<Self> {
        object.set_description("an edge with `each`");
        let from = object.require("from").and_then(|tree| reader.read_name("`from` of a list", tree));
        let each = object.require("each").and_then(|tree| reader.read_name("`each`", tree));
        let to = object.require("to").and_then(|tree| reader.read_name("`to`", tree));
        let empty = match object.take("empty") {
            Some(tree) => Some(reader.read_name("`empty`", tree)?),
            None => None,
        };
        Some(Self::FanOut { from: from?, each: each?, to: to?, empty })
    }

    fn read_condition(reader: &mut Reader, object: &mut Object, names: &DeclaredNames<'_>) -> Option<Self> {
        object.set_description("an edge with `when`");
        let from = object.require("from").and_then(|tree| reader.read_name("`from` of a condition", tree));
        let condition = object.require("when").and_then(|tree| {
            let at = tree.span.clone();
            Some((reader.read_expression("`when`", tree, names)?, at))
        });
        let to = object.require("to").and_then(|tree| reader.read_name("`to`", tree));
        let (when, when_at) = condition?;
        Some(Self::Condition { from: from?, when, when_at, to: to? })
    }

    fn read_else(reader: &mut Reader, object: &mut Object) -> Option<Self> {
        object.set_description("an edge with `else`");
        let from = object.require("from").and_then(|tree| reader.read_name("`from` of an `else`", tree));
        let to = object.require("else").and_then(|tree| reader.read_name("`else`", tree));
        Some(Self::Else { from: from?, to: to? })
    }

    fn read_static(reader: &mut Reader, object: &mut Object) -> Option<Self> {
        let start = object.start();
        let from = object.require("from").and_then(|tree| match tree.value {
            YamlValue::List(_) => reader.read_names("`from`", tree).map(Sources::All),
            _ => reader.read_name("`from`", tree).map(Sources::One),
        });
        let to = object.require("to").and_then(|tree| reader.read_name("`to`", tree));
        object.suggest(&["choose", "arms", "each", "empty", "when", "else"]);
        let (from, to) = (from?, to?);
        let end = from.all().iter().chain([&to]).map(|name| name.span.end).max().unwrap_or(start);
        Some(Self::Static { from, to, span: start..end })
    }

    /// Merges the conditional edges from each node into one, at the position of the first of them.
    pub(super) fn group_conditions(reader: &mut Reader, edges: Vec<Self>) -> Vec<Self> {
        let mut groups: Vec<EdgeGroup> = Vec::new();
        for edge in edges {
            let from = match &edge {
                Self::Condition { from, .. } | Self::Else { from, .. } => from.clone(),
                _ => {
                    groups.push(EdgeGroup::Single(edge));
                    continue;
                }
            };
            let known = groups.iter().position(
                |group| matches!(group, EdgeGroup::Conditional { from: known, .. } if known.value == from.value),
            );
            let at = known.unwrap_or_else(|| {
                groups.push(EdgeGroup::Conditional { from, cases: Vec::new(), otherwise: None });
                groups.len() - 1
            });
            groups[at].add(reader, edge);
        }
        groups.into_iter().filter_map(|group| group.into_edge(reader)).collect()
    }
}

/// An edge, or the conditional edges from one node that are being merged.
enum EdgeGroup {
    Single(EdgeFile),
    Conditional { from: Located<String>, cases: Vec<ConditionArm>, otherwise: Option<Located<String>> },
}

impl EdgeGroup {
    fn add(&mut self, reader: &mut Reader, edge: EdgeFile) {
        let Self::Conditional { from, cases, otherwise } = self else { return };
        match edge {
            EdgeFile::Condition { when, when_at, to, .. } => {
                if otherwise.is_some() {
                    let message = format!("this condition of `{}` stands after its `else`", from.value);
                    reader.report(&when_at, message, "move the `else` below the conditions");
                }
                if cases.iter().any(|case| case.when.text() == when.text()) {
                    let message =
                        format!("`{}` has this condition twice: the second is never asked", from.value);
                    reader.report(&when_at, message, "remove one of them");
                    return;
                }
                cases.push(ConditionArm { when, when_at, to });
            }
            EdgeFile::Else { from: again, .. } if otherwise.is_some() => {
                let message = format!("`{}` has two edges with `else`", again.value);
                reader.report(&again.span, message, "keep one: what runs when no condition holds");
            }
            EdgeFile::Else { to, .. } => *otherwise = Some(to),
            _ => {}
        }
    }

    fn into_edge(self, reader: &mut Reader) -> Option<EdgeFile> {
        match self {
            Self::Single(edge) => Some(edge),
            // The missing `else` may be in a part that could not be read.
            Self::Conditional { otherwise: None, .. } if reader.completeness == Completeness::Incomplete => {
                None
            }
            Self::Conditional { from, cases, otherwise } if cases.is_empty() => {
                let message = format!("`{}` has an `else` and no condition", from.value);
                reader.report(&from.span, message, "write `to` instead of `else`, or add edges with `when`");
                let to = otherwise?;
                let span = from.span.start..to.span.end.max(from.span.end);
                Some(EdgeFile::Static { from: Sources::One(from), to, span })
            }
            Self::Conditional { from, cases, otherwise: None } => {
                let message = format!(
                    "`{}` has conditional edges and no edge for the case that no condition holds",
                    from.value
                );
                let hint = format!("add {{ from: {}, else: NODE }}, or END as the node", from.value);
                reader.report(&cases[0].when_at, message, hint);
                reader.mark_incomplete()
            }
            Self::Conditional { from, cases, otherwise: Some(otherwise) } => {
                Some(EdgeFile::Conditional { from, cases, otherwise })
            }
        }
    }
}

impl Sources {
    /// Returns the source names.
    pub(crate) fn all(&self) -> &[Located<String>] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::All(names) => names,
        }
    }
}

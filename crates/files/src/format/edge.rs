//! The edges of a graph file: static edges, joins, registered choices, lists of items, and conditions. Reads none; see
//! `edge_read.rs`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::super::expression::Expression;
use super::super::located::Located;
use super::super::source::Span;
use super::entries::Entries;

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
    /// `to` runs once for each item of a list, concurrently.
    FanOut {
        /// A node or `START`.
        from: Located<String>,
        /// The list: an expression, or with a registered state the name of a registered list.
        each: ItemList,
        /// The node that runs for each item, which its expressions see as `item`.
        to: Located<String>,
        /// Target if there are no items: a node or `END`. Default: the path ends.
        empty: Option<Located<String>>,
    },
    /// `to` runs after `from` when the condition holds. Of several such edges from one node and of one group the first counts.
    Condition {
        /// A node or `START`.
        from: Located<String>,
        /// The condition.
        when: Expression,
        /// Span of the condition.
        #[schemars(skip)]
        when_at: Span,
        /// A node or `END`; several nodes run concurrently.
        to: EdgeTargets,
        /// Group of conditions; each group of a node makes a decision of its own. Default: the group without a name.
        group: Option<Located<String>>,
    },
    /// Edge that is taken if no condition of the other edges from `from` in its group holds.
    Else {
        /// A node or `START`.
        from: Located<String>,
        /// A node or `END`; several nodes run concurrently.
        #[schemars(rename = "else")]
        to: EdgeTargets,
        /// Group of conditions.
        group: Option<Located<String>>,
    },
    /// All conditional edges of one group from one node. A file cannot write it; it is made of those edges after reading.
    #[schemars(skip)]
    Conditional {
        /// A node or `START`.
        from: Located<String>,
        /// Conditions, in the order of the file.
        cases: Vec<ConditionArm>,
        /// Targets if no condition holds.
        otherwise: EdgeTargets,
    },
}

/// A condition of a conditional edge, with the targets that run if it holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConditionArm {
    pub(crate) when: Expression,
    pub(crate) when_at: Span,
    pub(crate) to: EdgeTargets,
}

/// The list of a fan-out.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(untagged, inline)]
pub(crate) enum ItemList {
    /// Name of a list that Rust makes from a registered state.
    Registered(Located<String>),
    /// A list that an expression makes from the channels.
    Computed(Expression),
}

/// The targets of a conditional edge: one or more nodes, or `END`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct EdgeTargets(pub(crate) Vec<Located<String>>);

/// The written form of [`EdgeTargets`].
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
#[expect(dead_code, reason = "only its schema is used")]
enum EdgeTargetsForm {
    /// One node or `END`.
    One(String),
    /// Several nodes, which run concurrently.
    Several(#[schemars(length(min = 1))] Vec<String>),
}

impl JsonSchema for EdgeTargets {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "EdgeTargets".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        EdgeTargetsForm::json_schema(generator)
    }
}

impl EdgeTargets {
    /// Returns the span of the first target; `0..0` without targets.
    pub(crate) fn span(&self) -> Span {
        self.0.first().map_or(0..0, |target| target.span.clone())
    }

    /// Returns the names of the targets.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(|target| target.value.clone()).collect()
    }
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

impl Sources {
    /// Returns the names of all sources of an edge: one, or several for a join.
    pub(crate) fn all(&self) -> &[Located<String>] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::All(names) => names,
        }
    }
}

//! The key `goto` of a node: the nodes that run after it, chosen by conditions that see its result (LangGraph's
//! `Command(goto=…)`, F22). A node with `goto` has no edges (D2).

use schemars::JsonSchema;

use super::super::expression::{DeclaredNames, Expression};
use super::super::located::Located;
use super::super::naming::truncate_name;
use super::super::read::Reader;
use super::super::source::Span;
use super::edge::EdgeTargets;
use super::state::StateFile;
use stategraph_yaml::{YamlNode, YamlValue};

/// The key `goto` of a node.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Goto", untagged)]
pub(crate) enum GotoFile {
    /// With `uses`: the nodes that the node in Rust may go to.
    Declared(Vec<Located<String>>),
    /// With every other kind: rules, of which the first that holds counts. The last one has no `when`.
    Rules(#[schemars(length(min = 1))] Vec<RouteFile>),
}

/// A rule of `goto`: a condition, and the next nodes.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Route", deny_unknown_fields)]
pub(crate) struct RouteFile {
    /// Condition on `state` and `result`; left out in the last rule.
    pub(crate) when: Option<Expression>,
    /// A node or `END`; several nodes run concurrently.
    pub(crate) to: Option<EdgeTargets>,
    /// In the last rule: the same as `to`.
    #[schemars(rename = "else")]
    pub(crate) otherwise: Option<EdgeTargets>,
    /// A list: `to` is one node, which runs once for each item.
    pub(crate) each: Option<Expression>,
    /// Target if `each` has no items. Default: the path ends.
    pub(crate) empty: Option<Located<String>>,
    /// Instead of `to`: a node of the graph that runs this one as a sub-graph, which then ends.
    pub(crate) parent: Option<Located<String>>,
}

/// A rule of `goto` in the form in which a node uses it. The first rule whose condition holds gives the next
/// nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteRule {
    /// The condition; `None` if the rule always holds.
    pub when: Option<Expression>,
    /// The nodes that run next.
    pub next: RouteTarget,
}

/// The targets of a [`RouteRule`]: nodes, a node for each item of a list, or a node of the parent graph.
#[derive(Debug, Clone, PartialEq)]
pub enum RouteTarget {
    /// These nodes, or `END`.
    Nodes(Vec<String>),
    /// One node for each item of a list.
    Each {
        /// The list.
        items: Expression,
        /// The node.
        to: String,
        /// The node without items, or `END`; `None` ends the path.
        empty: Option<String>,
    },
    /// A node of the graph around this one.
    Parent(String),
}

impl GotoFile {
    /// Reads the key. `names` are the names that its expressions may read, among them `result`. An unreadable
    /// rule makes the graph incomplete.
    pub(super) fn read(
        reader: &mut Reader,
        tree: YamlNode,
        state: &StateFile,
        names: &DeclaredNames<'_>,
    ) -> Option<Self> {
        if matches!(state, StateFile::Registered(_)) {
            return reader.read_names("`goto`", tree).map(Self::Declared);
        }
        let span = tree.span.start..tree.span.start + 1;
        // A single rule may stand without a list.
        let rules = match tree.value {
            YamlValue::Map(_) => vec![tree],
            YamlValue::Text(_) => {
                let target = reader.read_name("`goto`", tree)?;
                let hint = format!("write `goto: {{ to: {} }}`", target.value);
                reader.report(&target.span, "`goto` is text, expected rules".to_owned(), hint);
                return reader.mark_incomplete();
            }
            _ => reader.read_list("`goto`", "rules", tree)?,
        };
        if rules.is_empty() {
            reader.report(&span, "`goto` has no rule".to_owned(), "such as { to: NODE }, or leave it out");
            return reader.mark_incomplete();
        }
        let count = rules.len();
        let is_open = |rule: &YamlNode| match &rule.value {
            YamlValue::Map(entries) => !entries.iter().any(|entry| entry.key == "when"),
            _ => false,
        };
        // Only the rule that always holds is reported, and not the last one too.
        let last = if rules[..count - 1].iter().any(is_open) { RulePlace::Any } else { RulePlace::Last };
        let place = |at: usize| if at + 1 == count { last } else { RulePlace::Inner };
        let read: Vec<RouteFile> = rules
            .into_iter()
            .enumerate()
            .filter_map(|(at, tree)| RouteFile::read(reader, tree, place(at), names))
            .collect();
        if read.len() == count { Some(Self::Rules(read)) } else { reader.mark_incomplete() }
    }

    /// Returns the nodes to which `goto` can lead without items: the targets of rules without `each`, then
    /// those of `empty`. May contain `END`; excludes nodes of the parent graph.
    pub(crate) fn targets(&self) -> Vec<&Located<String>> {
        match self {
            Self::Declared(names) => names.iter().collect(),
            Self::Rules(rules) => rules
                .iter()
                .filter(|rule| rule.each.is_none())
                .filter_map(RouteFile::all_targets)
                .flat_map(|targets| &targets.0)
                .chain(rules.iter().filter_map(|rule| rule.empty.as_ref()))
                .collect(),
        }
    }

    /// Returns the nodes that run for items: the target of each rule with `each`.
    pub(crate) fn item_targets(&self) -> Vec<&Located<String>> {
        let Self::Rules(rules) = self else { return Vec::new() };
        let sending = rules.iter().filter(|rule| rule.each.is_some());
        sending.filter_map(|rule| rule.all_targets()?.0.first()).collect()
    }

    /// Returns the nodes of the parent graph, which runs this one as a sub-graph, that rules with `parent`
    /// name.
    pub(crate) fn parent_targets(&self) -> Vec<&Located<String>> {
        let Self::Rules(rules) = self else { return Vec::new() };
        rules.iter().filter_map(|rule| rule.parent.as_ref()).collect()
    }

    /// Returns the rules in the form in which a node uses them; empty for `goto` of a node in Rust.
    pub(crate) fn to_rules(&self) -> Vec<RouteRule> {
        let Self::Rules(rules) = self else { return Vec::new() };
        rules.iter().map(|rule| RouteRule { when: rule.when.clone(), next: rule.target() }).collect()
    }
}

impl RouteFile {
    fn read(
        reader: &mut Reader,
        tree: YamlNode,
        place: RulePlace,
        names: &DeclaredNames<'_>,
    ) -> Option<Self> {
        if let YamlValue::Text(name) = &tree.value {
            let hint = format!("write {{ to: {} }}", truncate_name(name));
            reader.report(&tree.span, "a rule of `goto` is text, expected a map".to_owned(), hint);
            return None;
        }
        let mut object = reader.read_object("a rule of `goto`", tree)?;
        let before = reader.diagnostics.len();
        let (start, when_key) = (object.start(), object.key_span("when"));
        let has_when = object.has("when");
        let is_else = object.has("else");
        let goes = ["to", "else", "parent"].into_iter().filter(|key| object.has(key)).collect::<Vec<_>>();
        let target_key = goes.get(1).map(|key| object.key_span(key));
        let keys = RouteKeys { each: object.key_span("each"), empty: object.key_span("empty") };
        let when = object.take("when").and_then(|tree| reader.read_expression("`when`", tree, names));
        let to = object.take("to").and_then(|tree| EdgeTargets::read(reader, "`to`", tree));
        let otherwise = object.take("else").and_then(|tree| EdgeTargets::read(reader, "`else`", tree));
        let each = object.take("each").and_then(|tree| reader.read_expression("`each`", tree, names));
        let empty = object.take("empty").and_then(|tree| reader.read_name("`empty`", tree));
        let parent = object.take("parent").and_then(|tree| reader.read_name("`parent`", tree));
        let misspelled = object.has_misspelled(&["when", "to", "else", "parent"]);
        object.finish(reader);
        if reader.diagnostics.len() > before || misspelled {
            return None;
        }
        let rule = Self { when, to, otherwise, each, empty, parent };
        match (goes.as_slice(), target_key) {
            ([], _) => reader.report(
                &(start..start + 1),
                "a rule of `goto` leads nowhere".to_owned(),
                "add `to: NODE`, or END as the node",
            ),
            ([first, second, ..], Some(key)) => {
                let message = format!("a rule of `goto` has both `{first}` and `{second}`");
                reader.report(&key, message, "make two rules of it");
            }
            _ => rule.check_items(reader, &keys),
        }
        match (has_when, place) {
            (true, RulePlace::Last) => reader.report(
                &when_key,
                "no rule of `goto` says what runs if no condition holds".to_owned(),
                "add a last rule { else: NODE }, or END as the node",
            ),
            (false, RulePlace::Inner) => reader.report(
                &(start..start + 1),
                "this rule of `goto` always holds, and others stand below it".to_owned(),
                "add `when`, or move it to the end",
            ),
            _ if is_else && has_when => reader.report(
                &when_key,
                "a rule of `goto` has both `when` and `else`".to_owned(),
                "write `to` instead of `else`",
            ),
            _ => {}
        }
        (reader.diagnostics.len() == before).then_some(rule)
    }

    /// Reports `each` without exactly one target, and `empty` without `each`.
    fn check_items(&self, reader: &mut Reader, keys: &RouteKeys) {
        let targets = self.all_targets().map_or(0, |targets| targets.0.len());
        if self.each.is_some() && targets != 1 {
            let message = "`each` sends items to one node".to_owned();
            reader.report(&keys.each, message, "name one node under `to`");
        } else if self.each.is_none() && self.empty.is_some() {
            let message = "`empty` belongs to `each`".to_owned();
            reader.report(&keys.empty, message, "add `each: LIST`, or remove `empty`");
        }
    }

    fn all_targets(&self) -> Option<&EdgeTargets> {
        self.to.as_ref().or(self.otherwise.as_ref())
    }

    fn target(&self) -> RouteTarget {
        if let Some(parent) = &self.parent {
            return RouteTarget::Parent(parent.value.clone());
        }
        let names = self.all_targets().map(EdgeTargets::names).unwrap_or_default();
        match &self.each {
            Some(items) => RouteTarget::Each {
                items: items.clone(),
                to: names.into_iter().next().unwrap_or_default(),
                empty: self.empty.as_ref().map(|empty| empty.value.clone()),
            },
            None => RouteTarget::Nodes(names),
        }
    }
}

/// The position of a rule in its list, which decides whether it needs `when`.
#[derive(Debug, Clone, Copy)]
enum RulePlace {
    /// Other rules stand below it, so it needs a condition.
    Inner,
    /// It is the last rule, so it must have no condition.
    Last,
    /// It is the last rule, but an earlier one always holds. Only that one is reported.
    Any,
}

/// The positions of the keys `each` and `empty` of a rule in the file, for diagnostics.
struct RouteKeys {
    each: Span,
    empty: Span,
}

/// Returns the names of the nodes to which `goto` rules with `each` send items. It looks at the unread YAML,
/// because a node may be read before the rule that sends it items.
pub(super) fn item_targets(nodes: &[(Located<String>, YamlNode)]) -> Vec<String> {
    let of_rule = |rule: &YamlNode| {
        rule.get("each")?;
        match &rule.get("to").or_else(|| rule.get("else"))?.value {
            YamlValue::Text(name) => Some(name.clone()),
            _ => None,
        }
    };
    let of_node = |(_, node): &(Located<String>, YamlNode)| -> Vec<String> {
        match node.get("goto") {
            Some(YamlNode { value: YamlValue::List(rules), .. }) => {
                rules.iter().filter_map(of_rule).collect()
            }
            Some(rule) => of_rule(rule).into_iter().collect(),
            None => Vec::new(),
        }
    };
    nodes.iter().flat_map(of_node).collect()
}

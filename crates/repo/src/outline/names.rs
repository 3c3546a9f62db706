//! The names that a node defines. The kinds of the symbols are decided in extract.rs.

use std::ops::Range;

use tree_sitter::Node;

use super::exports;
use super::spec::{Names, Rule, Spec};
use super::targets::text;

/// A name that a node defines.
pub(super) struct Name<'t> {
    /// The name of the symbol, without quotes and type arguments.
    pub(super) text: String,
    /// The node of the name.
    pub(super) node: Node<'t>,
    /// The form of the definition, by its declarator or its value.
    pub(super) shape: DeclaratorForm,
}

/// The form of a definition by its declarator or value: for example, a variable whose value is a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclaratorForm {
    /// As the rule for the node says.
    Plain,
    /// A function that is declared without a body.
    Declared,
    /// A function, as a value or with a body.
    Callable,
    /// A class as a value.
    Class,
    /// A struct type, as in Go's `type S struct`.
    Struct,
    /// An interface type, as in Go's `type I interface`.
    Interface,
}

/// Maximum nesting of declarators that is followed, as of `int ********…x`.
const DECLARATORS: usize = 64;
/// Maximum number of names that one node defines.
const NAMES: usize = 500;

/// Returns the names that the node defines by `rule`, each with the form of its definition; empty if it
/// defines none.
pub(super) fn names<'t>(rule: &Rule, spec: &Spec, node: Node<'t>, source: &str) -> Vec<Name<'t>> {
    let mut found = match rule.names {
        Names::Field(field) if is_exported_variable(node) => plain(parts(by_field(node, field)), source),
        Names::Field(field) | Names::Each(field) => plain(by_field(node, field), source),
        Names::Kind(kind) => plain(children(node).filter(|child| child.kind() == kind).collect(), source),
        Names::Declarators => {
            by_field(node, "declarator").into_iter().filter_map(|at| declarator_name(at, source)).collect()
        }
        Names::Left => plain(assignment_targets(node, &["identifier", "variable_name"]), source),
        Names::Constants => plain(assignment_targets(node, &["constant"]), source),
        Names::Functions => plain(function_target(node), source),
        Names::Called(function) => plain(string_argument(node, function, source), source),
    };
    let shape = value_shape(spec, node);
    for name in &mut found {
        if name.shape == DeclaratorForm::Plain {
            name.shape = shape;
        }
        if name.shape == DeclaratorForm::Declared && node.child_by_field_name("body").is_some() {
            name.shape = DeclaratorForm::Callable;
        }
    }
    found.retain(|name| !name.text.is_empty() && !name.node.is_missing());
    if matches!(rule.names, Names::Functions)
        && shape == DeclaratorForm::Plain
        && !exports::is_member(node, source)
    {
        found.clear();
    }
    found
}

fn children(node: Node) -> impl Iterator<Item = Node> {
    let mut cursor = node.walk();
    let all: Vec<Node> = node.named_children(&mut cursor).take(NAMES).collect();
    all.into_iter()
}

fn by_field<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor).take(NAMES).collect()
}

fn plain<'t>(nodes: Vec<Node<'t>>, source: &str) -> Vec<Name<'t>> {
    let named = nodes.into_iter().filter(|node| !is_pattern(node.kind()));
    named.map(|node| Name { text: bare(text(node, source)), node, shape: DeclaratorForm::Plain }).collect()
}

/// Returns true if a node of this kind is a pattern, which may bind several names or none.
fn is_pattern(kind: &str) -> bool {
    kind.ends_with("_pattern") && kind != "shorthand_property_identifier_pattern"
}

/// Returns true for a declarator in `export const …` of JavaScript.
fn is_exported_variable(node: Node) -> bool {
    let is_declarator = node.kind() == "variable_declarator";
    let around = || node.parent()?.parent();
    is_declarator && around().is_some_and(|around| around.kind() == "export_statement")
}

/// Returns the name nodes in patterns, in order: `a`, `b` and `d` of `{ a, c: b, ...d }`.
fn parts(mut waiting: Vec<Node>) -> Vec<Node> {
    let mut found = Vec::new();
    while let Some(node) = waiting.pop() {
        let inner = match node.kind() {
            "pair_pattern" => node.child_by_field_name("value").into_iter().collect(),
            "assignment_pattern" | "object_assignment_pattern" => {
                node.child_by_field_name("left").into_iter().collect()
            }
            "object_pattern" | "array_pattern" | "rest_pattern" => children(node).collect(),
            _ => Vec::new(),
        };
        if matches!(node.kind(), "identifier" | "shorthand_property_identifier_pattern") {
            found.push(node);
        }
        if found.len() + waiting.len() < NAMES {
            waiting.extend(inner);
        }
    }
    found.sort_by_key(Node::start_byte);
    found
}

/// Returns a name without quotes, type arguments and line breaks. The names of C++ operators keep `<`.
fn bare(name: &str) -> String {
    let name = name.trim_matches(['"', '\'']);
    // `<<` of Ruby is a name.
    let is_operator =
        name.starts_with("operator") || !name.contains(|c: char| c.is_alphanumeric() || c == '_');
    let name = if is_operator { name } else { name.split('<').next().unwrap_or(name) };
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ")
}

/// Returns the name in a declarator of C, as `Declared` if it declares a function; `None` if it has no name.
fn declarator_name<'t>(declarator: Node<'t>, source: &str) -> Option<Name<'t>> {
    let (mut at, mut shape) = (declarator, DeclaratorForm::Plain);
    for _ in 0..DECLARATORS {
        match at.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "operator_name"
            | "destructor_name"
            | "template_function"
            | "operator_cast"
            | "primitive_type" => {
                return Some(Name { text: bare(text(at, source)), node: at, shape });
            }
            "function_declarator" => {
                let inner = at.child_by_field_name("declarator")?;
                let is_pointer = inner.kind() == "parenthesized_declarator"
                    && inner.named_child(0).is_some_and(|of| of.kind() != "identifier");
                shape = if is_pointer { DeclaratorForm::Plain } else { DeclaratorForm::Declared };
                at = inner;
            }
            _ => at = at.child_by_field_name("declarator").or_else(|| children(at).last())?,
        }
    }
    None
}

/// Returns the nodes on the left of an assignment, or in a list there, that have one of these kinds.
fn assignment_targets<'t>(node: Node<'t>, kinds: &[&str]) -> Vec<Node<'t>> {
    let Some(left) = node.child_by_field_name("left") else { return Vec::new() };
    if kinds.contains(&left.kind()) {
        return vec![left];
    }
    let is_list = matches!(left.kind(), "pattern_list" | "tuple_pattern" | "left_assignment_list");
    children(left).filter(|name| is_list && kinds.contains(&name.kind())).collect()
}

/// Returns the name to which an assignment assigns a function: `foo` of `A.prototype.foo = function …`.
fn function_target(node: Node) -> Vec<Node> {
    let Some(left) = node.child_by_field_name("left") else { return Vec::new() };
    match left.kind() {
        "identifier" => vec![left],
        "member_expression" => left.child_by_field_name("property").into_iter().collect(),
        _ => Vec::new(),
    }
}

fn string_argument<'t>(node: Node<'t>, function: &str, source: &str) -> Vec<Node<'t>> {
    let is_it = node.child_by_field_name("function").is_some_and(|called| text(called, source) == function);
    let arguments = node.child_by_field_name("arguments").filter(|_| is_it);
    let first = arguments.and_then(|arguments| arguments.named_child(0)?.named_child(0));
    first.filter(|first| first.kind() == "string").into_iter().collect()
}

/// Returns the node of the value of a variable, an assignment or a key-value pair, without parentheses and types around it:
/// `<Runner>((a) => a)`, `value as const`.
pub(super) fn value(node: Node) -> Option<Node> {
    let mut value = node.child_by_field_name("value").or_else(|| node.child_by_field_name("right"))?;
    for _ in 0..WRAPPERS {
        let count = u32::try_from(value.named_child_count()).unwrap_or_default();
        let inner = match value.kind() {
            "parenthesized_expression" | "as_expression" | "satisfies_expression" => value.named_child(0),
            "type_assertion" => value.named_child(count.saturating_sub(1)),
            _ => None,
        };
        match inner {
            Some(inner) => value = inner,
            None => break,
        }
    }
    Some(value)
}

/// Maximum number of parentheses and types around a value.
const WRAPPERS: usize = 6;

/// Returns the form of a definition by its type or value: a struct, an interface, a function, a class, or
/// plain.
fn value_shape(spec: &Spec, node: Node) -> DeclaratorForm {
    match node.child_by_field_name("type").map(|of| of.kind()) {
        // A field may hold anything: `meta interface{}`.
        Some("interface_type") if node.kind() == "field_declaration" => return DeclaratorForm::Plain,
        Some("struct_type") => return DeclaratorForm::Struct,
        Some("interface_type") => return DeclaratorForm::Interface,
        _ => {}
    }
    let Some(value) = value(node) else { return DeclaratorForm::Plain };
    match value.kind() {
        kind if spec.callables.contains(&kind) => DeclaratorForm::Callable,
        kind if spec.classes.contains(&kind) => DeclaratorForm::Class,
        _ => DeclaratorForm::Plain,
    }
}

/// Converts a byte range to the form that outlines store. Parsed files are shorter than 4 GiB.
pub(super) fn span(range: Range<usize>) -> (u32, u32) {
    (u32::try_from(range.start).unwrap_or(u32::MAX), u32::try_from(range.end).unwrap_or(u32::MAX))
}

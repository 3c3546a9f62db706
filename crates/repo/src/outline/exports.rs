//! The exports of a JavaScript module that are not marked at the definition: `module.exports = A`, `exports.b = b`, `export { c as d }`.
//! Also exports without a definition: `exports.b = f()`, `export default {…}`.

use std::collections::BTreeSet;

use tree_sitter::{Node, Tree};

use super::symbol::{SymbolInfo, Visibility};
use super::targets::text;

/// Maximum number of chained assignments that are followed: `exports = module.exports = A` has two.
const CHAIN: usize = 8;

/// Makes the top-level symbols that the module exports without a mark at their definition public.
pub(super) fn mark(tree: &Tree, source: &str, symbols: &mut [SymbolInfo]) {
    let mut names = BTreeSet::new();
    let root = tree.root_node();
    let mut cursor = root.walk();
    for statement in root.named_children(&mut cursor) {
        match statement.kind() {
            "export_statement" if statement.child_by_field_name("source").is_none() => {
                collect_export_clause(statement, source, &mut names);
            }
            "expression_statement" => {
                collect_assignments(statement.named_child(0), source, &mut names);
            }
            _ => {}
        }
    }
    let is_export = |symbol: &SymbolInfo| {
        ["module.exports ", "module.exports.", "exports."]
            .iter()
            .any(|start| symbol.signature.starts_with(start))
    };
    let is_told = |symbol: &&mut SymbolInfo| names.contains(symbol.name.as_str()) || is_export(symbol);
    for symbol in symbols.iter_mut().filter(is_told) {
        symbol.visibility = Visibility::Public;
    }
}

/// Adds the local names in `export { a, b as c }` and `export default a` to `names`.
fn collect_export_clause<'s>(statement: Node, source: &'s str, names: &mut BTreeSet<&'s str>) {
    let mut cursor = statement.walk();
    for part in statement.named_children(&mut cursor) {
        match part.kind() {
            "identifier" => drop(names.insert(text(part, source))),
            "export_clause" => {
                let mut cursor = part.walk();
                let all = part.named_children(&mut cursor).filter_map(|one| one.child_by_field_name("name"));
                names.extend(all.map(|name| text(name, source)));
            }
            _ => {}
        }
    }
}

/// Returns true for an assignment such as `exports.a = f()`, which exports a value that has no name of its
/// own. A named value is defined elsewhere; `void 0` is a placeholder that compilers write.
pub(super) fn is_member(assignment: Node, source: &str) -> bool {
    let target = assignment.child_by_field_name("left").filter(|left| left.kind() == "member_expression");
    let of = target.and_then(|target| target.child_by_field_name("object"));
    let is_exports = of.is_some_and(|of| matches!(text(of, source), "exports" | "module.exports"));
    is_exports && last_value(assignment).is_some_and(|value| is_nameless(value, source))
}

/// Returns true if `pair` is in the object of `module.exports = {…}` and its value has no name of its own.
pub(super) fn is_pair(pair: Node, source: &str) -> bool {
    let object = pair.parent().filter(|object| object.kind() == "object");
    let assigned =
        object.and_then(|object| object.parent()).filter(|at| at.kind() == "assignment_expression");
    let target = assigned.and_then(|assigned| assigned.child_by_field_name("left"));
    let is_exports =
        target.is_some_and(|target| matches!(text(target, source), "exports" | "module.exports"));
    let value = pair.child_by_field_name("value");
    is_exports && value.is_some_and(|value| is_nameless(value, source))
}

/// Returns the word `default` and the value of `export default {…}`, if the value has no name; otherwise
/// `None`.
pub(super) fn nameless_default<'t>(statement: Node<'t>, source: &str) -> Option<(Node<'t>, Node<'t>)> {
    let value = statement.child_by_field_name("value").filter(|value| is_nameless(*value, source))?;
    let mut cursor = statement.walk();
    let word = statement.children(&mut cursor).find(|child| child.kind() == "default")?;
    Some((word, value))
}

fn is_nameless(value: Node, source: &str) -> bool {
    !matches!(value.kind(), "identifier" | "undefined") && !text(value, source).starts_with("void ")
}

/// Returns the value at the end of chained assignments: `c` of `a = b = c`. `None` if the chain is too long.
fn last_value(assignment: Node) -> Option<Node> {
    let mut at = assignment;
    for _ in 0..CHAIN {
        let value = at.child_by_field_name("right")?;
        if value.kind() != "assignment_expression" {
            return Some(value);
        }
        at = value;
    }
    None
}

/// Adds the names that `module.exports = a`, `module.exports = { a, b: c }` or `exports.a = b` exports to
/// `names`.
fn collect_assignments<'s>(statement: Option<Node>, source: &'s str, names: &mut BTreeSet<&'s str>) {
    let (mut at, mut exports) = (statement, false);
    for _ in 0..CHAIN {
        let Some(node) = at.filter(|node| node.kind() == "assignment_expression") else { break };
        let target = node.child_by_field_name("left").map_or("", |left| text(left, source));
        exports |= ["module.exports", "exports"].iter().any(|start| {
            target.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        at = node.child_by_field_name("right");
    }
    let Some(value) = at.filter(|_| exports) else { return };
    if value.kind() == "identifier" {
        names.insert(text(value, source));
    }
    let mut cursor = value.walk();
    for property in value.named_children(&mut cursor).filter(|_| value.kind() == "object") {
        let exported = match property.kind() {
            "shorthand_property_identifier" => Some(property),
            "pair" => match property.child_by_field_name("value") {
                Some(value) if value.kind() == "identifier" => Some(value),
                _ => property.child_by_field_name("key"),
            },
            "method_definition" => property.child_by_field_name("name"),
            _ => None,
        };
        names.extend(exported.map(|name| text(name, source).trim_matches(['"', '\''])));
    }
}

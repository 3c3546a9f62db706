//! What a JavaScript module exports behind its definitions: `module.exports = A`, `exports.b = b`, `export { c as d }`. The
//! definitions themselves do not say so.

use std::collections::BTreeSet;

use tree_sitter::{Node, Tree};

use super::symbol::{SymbolInfo, Visibility};
use super::targets::text;

/// Most assignments in a row that are followed: `exports = module.exports = A`.
const CHAIN: usize = 8;

/// Makes public what is exported.
pub(super) fn mark(tree: &Tree, source: &str, symbols: &mut [SymbolInfo]) {
    let mut names = BTreeSet::new();
    let root = tree.root_node();
    let mut cursor = root.walk();
    for statement in root.named_children(&mut cursor) {
        match statement.kind() {
            "export_statement" if statement.child_by_field_name("source").is_none() => {
                exported(statement, source, &mut names);
            }
            "expression_statement" => {
                assigned(statement.named_child(0), source, &mut names);
            }
            _ => {}
        }
    }
    for symbol in symbols.iter_mut().filter(|symbol| names.contains(symbol.name.as_str())) {
        symbol.visibility = Visibility::Public;
    }
}

/// `export { a, b as c }`, `export default a`.
fn exported<'s>(statement: Node, source: &'s str, names: &mut BTreeSet<&'s str>) {
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

/// `module.exports = a`, `module.exports = { a, b: c }`, `exports.a = b`.
fn assigned<'s>(statement: Option<Node>, source: &'s str, names: &mut BTreeSet<&'s str>) {
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
            "pair" => property.child_by_field_name("value").filter(|value| value.kind() == "identifier"),
            _ => None,
        };
        names.extend(exported.map(|name| text(name, source)));
    }
}

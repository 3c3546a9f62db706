//! Go: package, imports, and the names of packages and of the own package.

use std::collections::HashSet;

use tree_sitter::Node;

use super::{FileNames, Imported, ImportedName, Position, copy_text, text, visit};

pub(super) fn collect(root: Node, source: &str, found: &mut FileNames) {
    let mut bound: HashSet<String> = HashSet::new();
    visit(root, |node| {
        match node.kind() {
            "package_clause" => {
                found.packages.extend(node.named_child(0).map(|name| vec![copy_text(name, source)]));
            }
            "import_spec" => import(node, source, found),
            "qualified_type" => {
                pair(node, "package", "name", source, found);
                return false;
            }
            "selector_expression" => pair(node, "operand", "field", source, found),
            "type_identifier" => found.write(vec![copy_text(node, source)], Position::of(node)),
            "identifier" => {
                if is_bound(node) {
                    bound.insert(copy_text(node, source));
                } else {
                    found.write(vec![copy_text(node, source)], Position::of(node));
                }
            }
            _ => {}
        }
        true
    });
    // A local variable hides a package's name for a part of the file; a name that is both is not resolved.
    found.names.retain(|name| name.path.len() > 1 || !bound.contains(&name.path[0]));
    found.deduplicate();
}

/// Returns true if the identifier declares a local variable or a parameter at this place.
fn is_bound(node: Node) -> bool {
    let Some(parent) = node.parent() else { return false };
    let is_name = parent.child_by_field_name("name") == Some(node);
    match parent.kind() {
        "parameter_declaration" | "variadic_parameter_declaration" => {
            let mut cursor = parent.walk();
            parent.children_by_field_name("name", &mut cursor).any(|name| name == node)
        }
        "var_spec" | "const_spec" => {
            is_name && parent.parent().and_then(|it| it.parent()).is_some_and(|it| it.kind() != "source_file")
        }
        "expression_list" => parent.parent().is_some_and(|outer| {
            matches!(outer.kind(), "short_var_declaration" | "range_clause" | "receive_statement")
                && outer.child_by_field_name("left") == Some(parent)
        }),
        _ => false,
    }
}

fn pair(node: Node, first: &str, second: &str, source: &str, found: &mut FileNames) {
    let field = |name: &str| node.child_by_field_name(name);
    let (Some(first), Some(second)) = (field(first), field(second)) else { return };
    if matches!(first.kind(), "identifier" | "package_identifier") {
        found.write(vec![copy_text(first, source), copy_text(second, source)], Position::of(node));
    }
}

fn import(node: Node, source: &str, found: &mut FileNames) {
    let Some(path) = node.child_by_field_name("path") else { return };
    let path = text(path, source).trim_matches(['"', '`']).to_owned();
    let name = node.child_by_field_name("name").map(|name| copy_text(name, source));
    let what = if name.as_deref() == Some(".") { Imported::All } else { Imported::Path };
    let alias = name.unwrap_or_else(|| default_name(&path));
    found.import(ImportedName { path: vec![path], what, alias, is_public: false, at: Position::of(node) });
}

/// Returns the name under which Go code uses an import path: its last part that is no major version (`a/b/v2`
/// → `b`).
fn default_name(path: &str) -> String {
    let is_version = |name: &&str| name.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    path.rsplit('/').find(|name| !is_version(name)).unwrap_or(path).to_owned()
}

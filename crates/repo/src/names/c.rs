//! C and C++: types that a file declares and does not define.

use tree_sitter::Node;

use super::{FileNames, Position, WrittenName, parts, text, visit};

/// Maximum number of declared types that are recorded for one file.
const DECLARED: usize = 2_000;

/// Records the types that a file declares without defining them, such as `class A;` or `typedef struct a a;`,
/// with the namespaces around them, as `defined`.
pub(super) fn collect(root: Node, source: &str, found: &mut FileNames) {
    visit(root, |node| {
        match node.kind() {
            "class_specifier" | "struct_specifier" | "union_specifier" if is_declaration(node) => {
                let name = node.child_by_field_name("name").filter(|name| name.kind() == "type_identifier");
                if let Some(name) = name.filter(|_| found.defined.len() < DECLARED) {
                    let mut path = namespaces(node, source);
                    path.push(text(name, source).to_owned());
                    found.defined.push(WrittenName { path, at: Position::of(node) });
                }
                false
            }
            // No type is declared for others in a body.
            "compound_statement" | "field_declaration_list" => false,
            _ => true,
        }
    });
}

fn is_declaration(node: Node) -> bool {
    let around = node.parent().map_or("", |parent| parent.kind());
    let is_own = matches!(around, "translation_unit" | "declaration_list" | "type_definition")
        || around.starts_with("preproc_");
    is_own && node.child_by_field_name("body").is_none()
}

/// Returns the names of the namespaces around a node, the outermost first.
fn namespaces(node: Node, source: &str) -> Vec<String> {
    let around = std::iter::successors(node.parent(), Node::parent);
    let spaces = around.filter(|it| it.kind() == "namespace_definition");
    let mut names: Vec<Vec<String>> = spaces
        .filter_map(|it| it.child_by_field_name("name"))
        .map(|name| parts(text(name, source), ':'))
        .collect();
    names.reverse();
    names.concat()
}

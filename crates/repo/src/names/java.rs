//! Java: packages, imports, and the types that code names.

use std::collections::HashSet;

use tree_sitter::Node;

use super::{
    FileNames, Imported, ImportedName, Position, children, copy_text, is_capitalised, parts, text, visit,
};

pub(super) fn collect(root: Node, source: &str, found: &mut FileNames) {
    let mut parameters = HashSet::new();
    visit(root, |node| {
        match node.kind() {
            "package_declaration" => {
                let name = children(node).into_iter().find(|child| child.kind().ends_with("identifier"));
                found.packages.extend(name.map(|name| parts(text(name, source), '.')));
                return false;
            }
            "import_declaration" => {
                import(node, source, found);
                return false;
            }
            "type_parameter" => {
                let name = children(node).into_iter().find(|child| child.kind() == "type_identifier");
                parameters.extend(name.map(|name| copy_text(name, source)));
            }
            "type_identifier" => found.write(vec![copy_text(node, source)], Position::of(node)),
            "scoped_type_identifier" => {
                let written = text(node, source);
                if !written.contains(['<', '@']) {
                    found.write(parts(written, '.'), Position::of(node));
                    return false;
                }
            }
            "annotation" | "marker_annotation" => {
                let name = node.child_by_field_name("name");
                name.into_iter()
                    .for_each(|name| found.write(parts(text(name, source), '.'), Position::of(name)));
            }
            "method_invocation" => add_call(node, source, found),
            "field_access" => {
                node.child_by_field_name("object").into_iter().for_each(|it| receiver(it, source, found));
            }
            "method_reference" => {
                node.named_child(0).into_iter().for_each(|first| receiver(first, source, found));
            }
            // A constant that is imported by its name.
            "identifier" if is_constant(text(node, source)) => {
                found.write(vec![copy_text(node, source)], Position::of(node));
            }
            _ => {}
        }
        true
    });
    found.names.retain(|name| name.path.len() > 1 || !parameters.contains(&name.path[0]));
    found.deduplicate();
}

/// Records the type before the dot of a call (`Shop` of `Shop.open()`), or the name of a call without a dot,
/// which may be imported.
fn add_call(node: Node, source: &str, found: &mut FileNames) {
    if let Some(object) = node.child_by_field_name("object") {
        receiver(object, source, found);
    } else if let Some(name) = node.child_by_field_name("name") {
        found.write(vec![copy_text(name, source)], Position::of(name));
    }
}

/// Records the name before a dot if it looks like a type: `Strict` of `Strict.of()`, `a.b.C` of `a.b.C.D`.
fn receiver(node: Node, source: &str, found: &mut FileNames) {
    let written = text(node, source);
    let is_name =
        node.kind() == "identifier" || node.kind() == "field_access" || node.kind() == "scoped_identifier";
    let path = parts(written, '.');
    let is_type = path.iter().any(|part| is_capitalised(part));
    if is_name
        && is_type
        && path.iter().all(|part| part.chars().all(|c| c.is_alphanumeric() || "_$".contains(c)))
    {
        found.write(path, Position::of(node));
    }
}

fn is_constant(name: &str) -> bool {
    name.len() > 1 && is_capitalised(name) && !name.contains(char::is_lowercase)
}

fn import(node: Node, source: &str, found: &mut FileNames) {
    let written = text(node, source);
    let is_static = written.trim_start_matches("import").trim_start().starts_with("static ");
    let parts_of = |node: Node| parts(text(node, source), '.');
    let name = children(node).into_iter().find(|child| child.kind().ends_with("identifier"));
    let Some(mut path) = name.map(parts_of) else { return };
    let all = children(node).iter().any(|child| child.kind() == "asterisk");
    let what = match (all, is_static) {
        (true, _) => Imported::All,
        (false, true) => path.pop().map_or(Imported::All, Imported::Name),
        (false, false) => Imported::Path,
    };
    let alias = match &what {
        Imported::Name(name) => name.clone(),
        _ => path.last().cloned().unwrap_or_default(),
    };
    found.import(ImportedName { path, what, alias, is_public: false, at: Position::of(node) });
}

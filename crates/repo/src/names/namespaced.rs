//! C# and PHP: namespaces, imports, and the types that code names.

use tree_sitter::Node;

use super::{FileNames, Imported, ImportedName, Position, children, copy_text, parts, text, visit};

/// Records the namespaces, imports and used names of a C# file. All capitalised identifiers are recorded,
/// because a type can stand where a value can.
pub(super) fn csharp(root: Node, source: &str, found: &mut FileNames) {
    visit(root, |node| {
        match node.kind() {
            "namespace_declaration" | "file_scoped_namespace_declaration" => {
                let name = node.child_by_field_name("name");
                found.packages.extend(name.map(|name| parts(text(name, source), '.')));
            }
            // The name of a namespace is no use of another one.
            "qualified_name"
                if node.parent().is_some_and(|it| it.kind().ends_with("namespace_declaration")) =>
            {
                return false;
            }
            "using_directive" => {
                using(node, source, found);
                return false;
            }
            "qualified_name" | "member_access_expression" => {
                let path = parts(text(node, source).split('<').next().unwrap_or_default(), '.');
                // A member of a small name is one of a local value.
                let is_value = node.kind() == "member_access_expression"
                    && !path.first().is_some_and(|first| super::is_capitalised(first));
                let is_name = |part: &String| part.chars().all(|c| c.is_alphanumeric() || c == '_');
                if !is_value && path.iter().all(is_name) {
                    found.write(path, Position::of(node));
                }
            }
            "identifier" if super::is_capitalised(text(node, source)) && !is_declared(node) => {
                found.write(vec![copy_text(node, source)], Position::of(node));
            }
            _ => {}
        }
        true
    });
    found.deduplicate();
}

/// Returns true if the identifier is not a use of a name by itself: the name of a definition, a member after
/// a dot, or the name of an argument.
fn is_declared(node: Node) -> bool {
    let Some(parent) = node.parent() else { return false };
    let is_name = parent.child_by_field_name("name") == Some(node);
    match parent.kind() {
        "attribute" => false,
        "name_colon" | "name_equals" => true,
        _ => is_name,
    }
}

fn using(node: Node, source: &str, found: &mut FileNames) {
    let written = text(node, source).trim_end_matches(';');
    let (head, name) = match written.split_once('=') {
        Some((head, name)) => (head, name),
        None => (written, written.rsplit(' ').next().unwrap_or_default()),
    };
    let path = parts(name, '.');
    let alias = written.contains('=').then(|| head.split_whitespace().last().unwrap_or_default().to_owned());
    let is_static = head.split_whitespace().any(|word| word == "static");
    let what = if alias.is_some() { Imported::Path } else { Imported::All };
    let is_public = head.split_whitespace().any(|word| word == "global");
    let alias = alias.or_else(|| is_static.then(|| path.last().cloned()).flatten()).unwrap_or_default();
    let at = Position { scope: namespaces(node, source), ..Position::of(node) };
    found.import(ImportedName { path, what, alias, is_public, at });
}

/// Returns the names of the namespaces around a `using` directive, outermost first.
fn namespaces(node: Node, source: &str) -> Vec<String> {
    let around = std::iter::successors(node.parent(), Node::parent);
    let spaces = around.filter(|it| it.kind() == "namespace_declaration");
    let mut names: Vec<Vec<String>> = spaces
        .filter_map(|it| it.child_by_field_name("name"))
        .map(|name| parts(text(name, source), '.'))
        .collect();
    names.reverse();
    names.concat()
}

/// Records the namespaces, imports and used names of a PHP file.
pub(super) fn php(root: Node, source: &str, found: &mut FileNames) {
    visit(root, |node| {
        match node.kind() {
            "namespace_definition" => {
                let name = node.child_by_field_name("name");
                found.packages.extend(name.map(|name| parts(text(name, source), '\\')));
            }
            "namespace_use_declaration" => {
                uses(node, source, found);
                return false;
            }
            "qualified_name" => {
                found.write(php_path(text(node, source)), Position::of(node));
                return false;
            }
            "name" if is_php_type(node) => found.write(vec![copy_text(node, source)], Position::of(node)),
            _ => {}
        }
        true
    });
    found.deduplicate();
}

/// Returns the parts of a PHP name. An absolute name gives `\` as its first part.
fn php_path(name: &str) -> Vec<String> {
    let absolute = name.starts_with('\\').then(|| "\\".to_owned());
    absolute.into_iter().chain(parts(name, '\\')).collect()
}

fn is_php_type(node: Node) -> bool {
    let Some(parent) = node.parent() else { return false };
    let is_first = parent.named_child(0) == Some(node);
    match parent.kind() {
        "named_type"
        | "object_creation_expression"
        | "base_clause"
        | "class_interface_clause"
        | "use_declaration" => true,
        "attribute" | "class_constant_access_expression" => is_first,
        "scoped_call_expression" | "scoped_property_access_expression" => {
            parent.child_by_field_name("scope") == Some(node)
        }
        "binary_expression" => parent.child_by_field_name("right") == Some(node),
        "function_call_expression" => parent.child_by_field_name("function") == Some(node),
        _ => false,
    }
}

fn uses(node: Node, source: &str, found: &mut FileNames) {
    let before = children(node).into_iter().find(|child| child.kind() == "namespace_name");
    let prefix = before.map(|name| parts(text(name, source), '\\')).unwrap_or_default();
    visit(node, |clause| {
        if clause.kind() != "namespace_use_clause" {
            return true;
        }
        let name = children(clause).into_iter().find(|child| child.kind().ends_with("name"));
        let own = name.map(|name| parts(text(name, source), '\\')).unwrap_or_default();
        let path: Vec<String> = prefix.iter().cloned().chain(own).collect();
        let alias = clause.child_by_field_name("alias").map(|alias| copy_text(alias, source));
        let alias = alias.or_else(|| path.last().cloned()).unwrap_or_default();
        let at = Position::of(clause);
        found.import(ImportedName { path, what: Imported::Path, alias, is_public: false, at });
        false
    });
}

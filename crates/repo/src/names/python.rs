//! Python: imports and the names that they bring. Relative modules begin with one part a dot: `.`.

use tree_sitter::Node;

use super::{FileNames, Imported, ImportedName, Position, children, parts, text, visit};

pub(super) fn collect(root: Node, source: &str, found: &mut FileNames) {
    visit(root, |node| {
        match node.kind() {
            "import_statement" => modules(node, source, found),
            "import_from_statement" => names(node, source, found),
            _ => return true,
        }
        false
    });
}

/// Returns the parts of the imported name, and its alias after `as`, if any.
fn split_alias(node: Node, source: &str) -> (Vec<String>, Option<String>) {
    let name = node.child_by_field_name("name").unwrap_or(node);
    let alias = node.child_by_field_name("alias").map(|alias| text(alias, source).to_owned());
    (parts(text(name, source), '.'), alias)
}

fn modules(node: Node, source: &str, found: &mut FileNames) {
    let mut cursor = node.walk();
    for name in node.children_by_field_name("name", &mut cursor) {
        let (path, alias) = split_alias(name, source);
        let alias = alias.or_else(|| path.first().cloned()).unwrap_or_default();
        found.import(ImportedName {
            path,
            what: Imported::Path,
            alias,
            is_public: true,
            at: Position::of(name),
        });
    }
}

fn names(node: Node, source: &str, found: &mut FileNames) {
    let Some(module) = node.child_by_field_name("module_name") else { return };
    let written = text(module, source);
    let dots = written.chars().take_while(|c| *c == '.').count();
    let path: Vec<String> =
        std::iter::repeat_n(".".to_owned(), dots).chain(parts(&written[dots..], '.')).collect();
    let mut add = |what: Imported, alias: String, at: Node| {
        found.import(ImportedName { path: path.clone(), what, alias, is_public: true, at: Position::of(at) });
    };
    if children(node).iter().any(|child| child.kind() == "wildcard_import") {
        add(Imported::All, String::new(), node);
    }
    let mut cursor = node.walk();
    for name in node.children_by_field_name("name", &mut cursor) {
        let (path, alias) = split_alias(name, source);
        let name_in_module = path.join(".");
        add(Imported::Name(name_in_module.clone()), alias.unwrap_or(name_in_module), name);
    }
}

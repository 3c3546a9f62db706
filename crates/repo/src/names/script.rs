//! JavaScript and TypeScript: imports, exports and re-exports.

use tree_sitter::Node;

use super::{FileNames, Imported, ImportedName, Position, children, copy_text, text, visit};

pub(super) fn collect(root: Node, source: &str, found: &mut FileNames) {
    visit(root, |node| {
        match node.kind() {
            "import_statement" => {
                import(node, source, found);
                return false;
            }
            "export_statement" => export(node, source, found),
            "call_expression" => call(node, source, found),
            "module" => {
                let name = node.child_by_field_name("name").filter(|name| name.kind() == "string");
                name.into_iter().for_each(|name| whole(name, source, found));
            }
            _ => {}
        }
        true
    });
}

fn unquote(node: Node, source: &str) -> String {
    text(node, source).trim_matches(['"', '\'', '`']).to_owned()
}

/// Records the import of a module as a whole, without a name. `from` is the string with its path.
fn whole(from: Node, source: &str, found: &mut FileNames) {
    add(found, unquote(from, source), Imported::Path, String::new(), false, from);
}

fn add(found: &mut FileNames, module: String, what: Imported, alias: String, is_public: bool, at: Node) {
    found.import(ImportedName { path: vec![module], what, alias, is_public, at: Position::of(at) });
}

fn import(node: Node, source: &str, found: &mut FileNames) {
    let required = || {
        let clause = children(node).into_iter().find(|child| child.kind() == "import_require_clause");
        clause.and_then(|clause| clause.child_by_field_name("source"))
    };
    let Some(from) = node.child_by_field_name("source").or_else(required) else { return };
    let module = unquote(from, source);
    whole(from, source, found);
    let Some(clause) = children(node).into_iter().find(|child| child.kind() == "import_clause") else {
        return;
    };
    for part in children(clause) {
        match part.kind() {
            "identifier" => {
                add(
                    found,
                    module.clone(),
                    Imported::Name("default".into()),
                    copy_text(part, source),
                    false,
                    part,
                );
            }
            "namespace_import" => {
                let alias = part.named_child(0).map(|name| copy_text(name, source)).unwrap_or_default();
                add(found, module.clone(), Imported::Path, alias, false, part);
            }
            "named_imports" => {
                for (name, alias, at) in specifiers(part, source) {
                    add(found, module.clone(), Imported::Name(name), alias, false, at);
                }
            }
            _ => {}
        }
    }
}

/// Returns name, alias and node of each entry in `{ a, b as c }`. The alias of an entry without `as` is its
/// name.
fn specifiers<'a>(list: Node<'a>, source: &str) -> Vec<(String, String, Node<'a>)> {
    let of = |part: Node<'a>| {
        let name = unquote(part.child_by_field_name("name")?, source);
        let alias = part.child_by_field_name("alias").map(|alias| unquote(alias, source));
        Some((name.clone(), alias.unwrap_or(name), part))
    };
    children(list).into_iter().filter_map(of).collect()
}

fn export(node: Node, source: &str, found: &mut FileNames) {
    let list = children(node).into_iter().find(|child| child.kind() == "export_clause");
    let specified = list.map(|list| specifiers(list, source)).unwrap_or_default();
    let Some(from) = node.child_by_field_name("source") else {
        for (name, alias, at) in specified {
            let at = Position::of(at);
            found.exports.push(ImportedName {
                path: Vec::new(),
                what: Imported::Name(name),
                alias,
                is_public: true,
                at,
            });
        }
        let value = node.child_by_field_name("value").filter(|value| value.kind() == "identifier");
        // `export default class A`: other files import it by any name.
        let is_default = children_text(node, source).any(|word| word == "default");
        let declared = node.child_by_field_name("declaration").filter(|_| is_default);
        let declared = declared.and_then(|declared| declared.child_by_field_name("name"));
        if let Some(value) = value.or(declared) {
            let (what, alias) = (Imported::Name(copy_text(value, source)), "default".to_owned());
            found.exports.push(ImportedName {
                path: Vec::new(),
                what,
                alias,
                is_public: true,
                at: Position::of(value),
            });
        }
        return;
    };
    let module = unquote(from, source);
    whole(from, source, found);
    let space = children(node).into_iter().find(|child| child.kind() == "namespace_export");
    if let Some(space) = space {
        let alias = space.named_child(0).map(|name| copy_text(name, source)).unwrap_or_default();
        add(found, module, Imported::Path, alias, true, node);
    } else if list.is_none() {
        add(found, module, Imported::All, String::new(), true, node);
    } else {
        for (name, alias, at) in specified {
            add(found, module.clone(), Imported::Name(name), alias, true, at);
        }
    }
}

/// Returns the texts of the first four children of a node.
fn children_text<'s>(node: Node, source: &'s str) -> impl Iterator<Item = &'s str> {
    let mut cursor = node.walk();
    let words: Vec<&str> = node.children(&mut cursor).take(4).map(|child| text(child, source)).collect();
    words.into_iter()
}

/// Records the module that `require('x')` or `import('x')` loads, if its path is a string literal.
fn call(node: Node, source: &str, found: &mut FileNames) {
    let called = node.child_by_field_name("function").map(|called| text(called, source));
    if !matches!(called, Some("require" | "import" | "require.resolve")) {
        return;
    }
    let argument = node.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
    argument.filter(|it| it.kind() == "string").into_iter().for_each(|from| whole(from, source, found));
}

//! Rust: `use` trees, declared modules, and the paths that code writes, in macros too.

use tree_sitter::Node;

use super::{
    DeclaredModule, FileNames, Imported, ImportedName, Position, WrittenName, children, copy_text,
    is_capitalised, text,
};

/// Maximum nesting of braces in a `use`.
const USE_DEPTH: usize = 16;

pub(super) fn collect(root: Node, source: &str, found: &mut FileNames) {
    // Each node with the position that holds for its children. Modules and tests nest; other nodes keep the position around them.
    let mut open: Vec<(Node, Position)> = vec![(root, Position::default())];
    while let Some((node, around)) = open.pop() {
        let at = Position { line: node.start_position().row + 1, ..around.clone() };
        match node.kind() {
            "use_declaration" => {
                let is_public = children(node).iter().any(|child| child.kind() == "visibility_modifier");
                if let Some(tree) = node.child_by_field_name("argument") {
                    UseTree { source, is_public, at: &at }.expand(&[], tree, USE_DEPTH, found);
                }
                continue;
            }
            "extern_crate_declaration" => {
                extern_crate(node, source, at, found);
                continue;
            }
            "mod_item" if node.child_by_field_name("body").is_none() => {
                let name =
                    node.child_by_field_name("name").map(|name| copy_text(name, source)).unwrap_or_default();
                found.modules.push(DeclaredModule { name, paths: given_paths(node, source), at });
                continue;
            }
            "attribute_item"
            | "inner_attribute_item"
            | "visibility_modifier"
            | "line_comment"
            | "block_comment" => {
                continue;
            }
            "scoped_identifier" | "scoped_type_identifier" => {
                if let Some(path) = flatten(node, source) {
                    found.write(path, at.clone());
                    types_inside(node, &around, &mut open);
                    continue;
                }
            }
            "type_identifier" => found.write(vec![copy_text(node, source)], at.clone()),
            "identifier" if is_called(node) || is_capitalised(text(node, source)) => {
                found.write(vec![copy_text(node, source)], at.clone());
            }
            "token_tree" => {
                tokens(node, source, &at, found);
                if is_item(node) {
                    definitions(node, source, &at, found);
                }
            }
            _ => {}
        }
        let inside = match node.kind() {
            "mod_item" => {
                let name = node.child_by_field_name("name").map(|name| copy_text(name, source));
                Position { scope: around.scope.iter().cloned().chain(name).collect(), ..around.clone() }
            }
            _ => around,
        };
        push_children(node, source, &inside, &mut open);
    }
    found.names.sort_by_key(|name| name.at.line);
    found.deduplicate();
}

/// Pushes the children of a node on the stack `open`, the last first, so that the first is visited next. An
/// item after a test attribute such as `#[cfg(test)]` is marked as test code.
fn push_children<'a>(node: Node<'a>, source: &str, around: &Position, open: &mut Vec<(Node<'a>, Position)>) {
    let first = open.len();
    let mut is_test = around.is_test;
    for child in children(node) {
        if child.kind() == "attribute_item" {
            is_test |= is_test_attribute(text(child, source));
            continue;
        }
        if child.kind().ends_with("comment") {
            continue;
        }
        open.push((child, Position { is_test, ..around.clone() }));
        is_test = around.is_test;
    }
    open[first..].reverse();
}

/// Maximum length of an attribute that is examined, in bytes. A longer one counts as no test attribute.
const ATTRIBUTE: usize = 400;

/// Returns true if an attribute of Rust marks code that is compiled for tests only: `#[cfg(all(test,
/// unix))]`, `#[tokio::test(…)]`, `#[rstest]`.
pub fn is_test_attribute(attribute: &str) -> bool {
    if attribute.len() > ATTRIBUTE {
        return false;
    }
    let bare: String = attribute.split_whitespace().collect();
    let Some(inner) = bare.strip_prefix("#[").or_else(|| bare.strip_prefix("#![")) else { return false };
    let path = inner.split(['(', ']']).next().unwrap_or_default();
    // `#[cfg(feature = "test")]` names a feature, `#[cfg(test_helpers)]` another condition.
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = bare.split('"').step_by(2).flat_map(|part| part.split(|c| !is_part(c)));
    let is_condition = path == "cfg" && !bare.contains("not(") && words.any(|word| word == "test");
    is_condition || path.ends_with("test")
}

/// Returns true if the identifier is the name of a called function or macro, or of a tuple pattern.
fn is_called(node: Node) -> bool {
    let Some(parent) = node.parent() else { return false };
    let field = match parent.kind() {
        "call_expression" | "generic_function" => "function",
        "macro_invocation" => "macro",
        "tuple_struct_pattern" => "type",
        _ => return false,
    };
    parent.child_by_field_name(field) == Some(node)
}

/// Returns the parts of a path without type arguments: `a::B::<C>::d` gives `a`, `B`, `d`. `None` if it
/// begins with a type in brackets: `<T as A>::b`.
fn flatten(node: Node, source: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut at = Some(node);
    while let Some(node) = at {
        match node.kind() {
            "scoped_identifier" | "scoped_type_identifier" => {
                names.push(copy_text(node.child_by_field_name("name")?, source));
                at = node.child_by_field_name("path");
            }
            "generic_type" | "generic_type_with_turbofish" => at = node.child_by_field_name("type"),
            "identifier" | "type_identifier" | "crate" | "self" | "super" => {
                names.push(copy_text(node, source));
                at = None;
            }
            "metavariable" if text(node, source) == "$crate" => {
                names.push("crate".into());
                at = None;
            }
            _ => return None,
        }
    }
    names.reverse();
    Some(names)
}

/// Pushes the type arguments in a path, such as `<C>` of `a::B::<C>::d`, on the stack `open`.
fn types_inside<'a>(path: Node<'a>, around: &Position, open: &mut Vec<(Node<'a>, Position)>) {
    let mut at = Some(path);
    while let Some(node) = at {
        let arguments = node.child_by_field_name("type_arguments");
        open.extend(arguments.map(|arguments| (arguments, around.clone())));
        at = node.child_by_field_name("path").or_else(|| node.child_by_field_name("type"));
    }
}

/// Records the names in the arguments of a macro, which are only tokens: paths with `::`, and capitalised
/// names.
fn tokens(node: Node, source: &str, at: &Position, found: &mut FileNames) {
    let mut cursor = node.walk();
    let all: Vec<Node> = node.children(&mut cursor).collect();
    let mut path: Vec<String> = Vec::new();
    let mut index = 0;
    while index < all.len() {
        let token = all[index];
        let is_name = matches!(token.kind(), "identifier" | "crate" | "self" | "super")
            || (token.kind() == "metavariable" && text(token, source) == "$crate");
        if is_name {
            path.push(text(token, source).trim_start_matches('$').to_owned());
            if all.get(index + 1).is_some_and(|next| next.kind() == "::") {
                index += 2;
                continue;
            }
            let is_field = path.len() == 1 && index > 0 && all[index - 1].kind() == ".";
            if !is_field && (path.len() > 1 || is_capitalised(&path[0])) {
                let line = token.start_position().row + 1;
                found.write(std::mem::take(&mut path), Position { line, ..at.clone() });
            }
        }
        path.clear();
        index += 1;
    }
}

/// Returns true for the tokens of a macro that is called among the items of a module, not inside a function.
fn is_item(tokens: Node) -> bool {
    let called = tokens.parent().filter(|parent| parent.kind() == "macro_invocation");
    let around = called.and_then(|called| called.parent());
    let around =
        around.map(|it| if it.kind() == "expression_statement" { it.parent().unwrap_or(it) } else { it });
    around.is_some_and(|around| matches!(around.kind(), "source_file" | "declaration_list"))
}

/// Words before the name of a definition.
const DEFINING: &[&str] = &["struct", "enum", "union", "trait", "type", "fn", "const", "static"];

/// Records the names that the tokens of a macro seem to define: `A` of `pin_project! { pub struct A { … } }`.
fn definitions(node: Node, source: &str, at: &Position, found: &mut FileNames) {
    let mut cursor = node.walk();
    let all: Vec<Node> = node.children(&mut cursor).collect();
    for pair in all.windows(2) {
        if DEFINING.contains(&text(pair[0], source)) && pair[1].kind() == "identifier" {
            let line = pair[1].start_position().row + 1;
            found.defined.push(WrittenName {
                path: vec![copy_text(pair[1], source)],
                at: Position { line, ..at.clone() },
            });
        }
    }
}

fn extern_crate(node: Node, source: &str, at: Position, found: &mut FileNames) {
    let field = |name: &str| node.child_by_field_name(name).map(|child| copy_text(child, source));
    let Some(name) = field("name") else { return };
    let alias = field("alias").unwrap_or_else(|| name.clone());
    found.import(ImportedName { path: vec![name], what: Imported::Path, alias, is_public: false, at });
}

/// Returns the paths that attributes above a module give: `x.rs` of `#[path = "x.rs"]` and `#[cfg_attr(unix,
/// path = "x.rs")]`.
fn given_paths(node: Node, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = node.prev_named_sibling();
    while let Some(attribute) =
        before.filter(|it| it.kind() == "attribute_item" || it.kind().ends_with("comment"))
    {
        let written = text(attribute, source);
        let values = written.match_indices("path").filter_map(|(at, word)| {
            let is_word = !written[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"'));
            let value = written[at + word.len()..].trim_start().strip_prefix('=')?.trim_start();
            value.strip_prefix('"')?.split('"').next().filter(|_| is_word)
        });
        if attribute.kind() == "attribute_item" {
            found.extend(values.map(str::to_owned));
        }
        before = attribute.prev_named_sibling();
    }
    found
}

/// A `use` declaration that is expanded to single imports.
struct UseTree<'a> {
    source: &'a str,
    is_public: bool,
    at: &'a Position,
}

impl UseTree<'_> {
    fn expand(&self, prefix: &[String], tree: Node, depth: usize, found: &mut FileNames) {
        if depth == 0 {
            return;
        }
        let joined = |path: Option<Node>| {
            let own = path.and_then(|path| flatten(path, self.source)).unwrap_or_default();
            prefix.iter().cloned().chain(own).collect::<Vec<String>>()
        };
        match tree.kind() {
            "use_list" => {
                children(tree).into_iter().for_each(|child| self.expand(prefix, child, depth - 1, found));
            }
            "scoped_use_list" => {
                let prefix = joined(tree.child_by_field_name("path"));
                if let Some(list) = tree.child_by_field_name("list") {
                    self.expand(&prefix, list, depth - 1, found);
                }
            }
            "use_as_clause" => {
                let alias = tree.child_by_field_name("alias").map(|alias| copy_text(alias, self.source));
                self.add(tree, joined(tree.child_by_field_name("path")), Imported::Path, alias, found);
            }
            "use_wildcard" => {
                let path = children(tree).into_iter().find(|child| !child.kind().ends_with("comment"));
                self.add(tree, joined(path), Imported::All, None, found);
            }
            // `use a::{self}` imports `a`.
            "self" if !prefix.is_empty() => self.add(tree, prefix.to_vec(), Imported::Path, None, found),
            "identifier" | "scoped_identifier" | "crate" | "self" | "super" => {
                self.add(tree, joined(Some(tree)), Imported::Path, None, found);
            }
            _ => {}
        }
    }

    /// Adds one import. Its line is that of its own name, because a group may have many lines.
    fn add(
        &self,
        name: Node,
        mut path: Vec<String>,
        what: Imported,
        alias: Option<String>,
        found: &mut FileNames,
    ) {
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let alias = alias.or_else(|| path.last().cloned()).unwrap_or_default();
        let at = Position { line: name.start_position().row + 1, ..self.at.clone() };
        found.import(ImportedName { path, what, alias, is_public: self.is_public, at });
    }
}

//! Calls, constructions, subscripts with a literal, and rows of tables.

use tree_sitter::Node;

use super::arguments::{argument, arguments, literal, plain};
use super::holders::is_written;
use super::walk::{FoundSite, SiteWalk};
use super::{ARGUMENTS, NAME, SiteArgument, SiteKind, tokens};
use crate::outline::{Language, text};

/// JavaScript objects whose members are environment variables.
const ENVIRONMENTS: &[&str] = &["process.env", "import.meta.env", "Bun.env"];

/// Kinds of nodes that are calls.
const CALLS: &[&str] = &[
    "call_expression",
    "invocation_expression",
    "function_call_expression",
    "call",
    "method_invocation",
    "member_call_expression",
    "nullsafe_member_call_expression",
    "scoped_call_expression",
    "new_expression",
    "object_creation_expression",
];

/// Returns the sites that begin at a node, except keywords and attributes: calls, macros, constructions,
/// subscripts with a literal, and rows of tables. Usually none or one.
pub(super) fn calls(walk: &SiteWalk, node: Node) -> Vec<FoundSite> {
    let source = walk.source;
    let field = |name: &str| node.child_by_field_name(name);
    let one = |found: Option<FoundSite>| found.into_iter().collect();
    match node.kind() {
        kind if CALLS.contains(&kind) => {
            let arguments = argument_list(node).map(|list| arguments(list, source)).unwrap_or_default();
            // A call without a name is a site too, because the site of its own method promises that it follows.
            one(Some(FoundSite::call(call_name(node, source).unwrap_or_else(|| "?".to_owned()), arguments)))
        }
        "macro_invocation" => {
            let mut cursor = node.walk();
            let tree = node.named_children(&mut cursor).find(|child| child.kind() == "token_tree");
            let arguments = tree.map(|tree| tokens::arguments(tree, source)).unwrap_or_default();
            let name = field("macro").and_then(|name| path(text(name, source)));
            one(name.map(|name| FoundSite { kind: SiteKind::Macro, name, arguments }))
        }
        "command" => one(command(node, source)),
        "expansion" => one(expansion(node, source)),
        // The name keeps its sign, so that it is told from a command.
        "simple_expansion" => {
            let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            let name =
                text(node, source).strip_prefix('$').filter(|name| name.contains('_') && name.len() <= NAME);
            let name = name.filter(|name| name.chars().all(is_part));
            one(name.map(|name| FoundSite::call(format!("${name}"), Vec::new())))
        }
        // Types of locks and counters of Go are written as fields and variables.
        "qualified_type" if walk.language == Language::Go => {
            let package = field("package").map(|package| text(package, source));
            let is_known = matches!(package, Some("sync" | "atomic" | "errgroup" | "semaphore"));
            one(path(text(node, source)).filter(|_| is_known).map(|name| FoundSite::call(name, Vec::new())))
        }
        "composite_literal" => {
            let name = field("type").and_then(|name| path(text(name, source)));
            // Its type is a site of its own.
            let name = name.filter(|name| !name.starts_with("sync.") && !name.starts_with("errgroup."));
            let arguments = field("body").map(|body| arguments(body, source)).unwrap_or_default();
            one(name.map(|name| FoundSite::call(name, arguments)))
        }
        "subscript"
        | "subscript_expression"
        | "index_expression"
        | "element_reference"
        | "element_access_expression" => one(subscript(walk, node)),
        "comparison_operator" => one(membership(node, source)),
        "member_expression" => one(member(walk, node)),
        "variable_declarator" => read_destructuring(node, source),
        "initializer_list" => one(row(walk, node)),
        "identifier" if walk.language == Language::Ruby && text(node, source) == "raise" => one(walk
            .above()
            .next()
            .filter(|above| above.kind() != "call")
            .map(|_| FoundSite::call("raise".into(), Vec::new()))),
        "declaration" | "field_declaration" if walk.language == Language::Cpp => {
            one(read_standard_type(node, source))
        }
        _ => Vec::new(),
    }
}

/// Returns the node of the argument list of a call; `None` if it has none.
pub(super) fn argument_list(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.child_by_field_name("arguments")
        .or_else(|| {
            node.named_children(&mut cursor)
                .find(|child| matches!(child.kind(), "arguments" | "argument_list"))
        })
        .filter(|list| list.kind() != "template_string")
}

/// Returns the name of the function or type that a node calls, as [`Site::name`](super::Site::name)
/// describes; `None` if it is no call or has no plain name.
pub(super) fn call_name(node: Node, source: &str) -> Option<String> {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "call_expression" | "invocation_expression" | "function_call_expression" => {
            read_callee(field("function")?, source)
        }
        "call" => match field("function") {
            Some(function) => read_callee(function, source),
            None => method(field("receiver"), field("method")?, ".", source),
        },
        "method_invocation" => method(field("object"), field("name")?, ".", source),
        "member_call_expression" | "nullsafe_member_call_expression" => {
            method(field("object"), field("name")?, ".", source)
        }
        "scoped_call_expression" => method(field("scope"), field("name")?, "::", source),
        "new_expression" => path(text(field("constructor").or_else(|| field("type"))?, source)),
        "object_creation_expression" => {
            let named = || {
                let mut cursor = node.walk();
                node.named_children(&mut cursor)
                    .find(|child| matches!(child.kind(), "name" | "qualified_name"))
            };
            path(text(field("type").or_else(named)?, source))
        }
        _ => None,
    }
}

/// Returns the name in the node of a called function; `None` if it has no plain name.
fn read_callee(function: Node, source: &str) -> Option<String> {
    let part = |names: &[&str]| names.iter().find_map(|name| function.child_by_field_name(name));
    match function.kind() {
        "generic_function" => read_callee(function.child_by_field_name("function")?, source),
        "field_expression"
        | "member_expression"
        | "attribute"
        | "selector_expression"
        | "member_access_expression" => {
            let receiver = part(&["value", "object", "operand", "expression", "argument"]);
            method(receiver, part(&["field", "property", "attribute", "name"])?, ".", source)
        }
        "conditional_access_expression" => {
            method(function.named_child(0), function.named_child(1)?, ".", source)
        }
        _ => path(text(function, source)),
    }
}

/// Returns the name of a method call: after its receiver's path, or after `.` if the receiver is a call, or
/// after `?.` if it is any other value.
fn method(receiver: Option<Node>, name: Node, separator: &str, source: &str) -> Option<String> {
    let name = path(text(name, source))?;
    let name = name.trim_start_matches('.');
    let Some(mut receiver) = receiver else { return Some(name.to_owned()) };
    for _ in 0..8 {
        let is_wrapper = matches!(
            receiver.kind(),
            "parenthesized_expression"
                | "await_expression"
                | "await"
                | "try_expression"
                | "non_null_expression"
                | "reference_expression"
        );
        match receiver.named_child(0).filter(|_| is_wrapper) {
            Some(inner) => receiver = inner,
            None => break,
        }
    }
    if CALLS.contains(&receiver.kind()) {
        return Some(format!(".{name}"));
    }
    match path(text(receiver, source)) {
        Some(receiver) => Some(format!("{receiver}{separator}{name}")),
        None => Some(format!("?.{name}")),
    }
}

/// Returns a path without white space and type arguments, with `.` for `->` and `?.`; `None` if it is
/// computed or too long.
pub(super) fn path(written: &str) -> Option<String> {
    if written.len() > NAME * 2 {
        return None;
    }
    let mut depth = 0_usize;
    let mut name = String::with_capacity(written.len());
    let dotted = written.replace("->", ".").replace("?.", ".").replace("&.", ".").replace("!.", ".");
    for c in dotted.chars() {
        match c {
            '<' | '[' => depth += 1,
            '>' | ']' => depth = depth.saturating_sub(1),
            c if c.is_whitespace() || depth > 0 => {}
            c => name.push(c),
        }
    }
    let name = name.replace("::::", "::").trim_matches(':').trim_start_matches('\\').to_owned();
    let is_path =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':' | '@' | '#' | '?' | '!' | '\\');
    let is_name = !name.is_empty() && name.len() <= NAME && name.chars().all(is_path);
    (is_name && !name.starts_with(|c: char| c.is_ascii_digit())).then_some(name)
}

fn command(node: Node, source: &str) -> Option<FoundSite> {
    let name = text(node.child_by_field_name("name")?, source);
    let mut cursor = node.walk();
    let given = node.children_by_field_name("argument", &mut cursor).take(ARGUMENTS);
    let given = given.map(|given| argument(None, given, source)).collect();
    let is_plain = name.len() <= NAME && !name.contains(['$', '`', '\n']);
    is_plain.then(|| FoundSite::call(name.to_owned(), given))
}

/// Returns `${X:-default}` of a shell as a call of `$` with the name and the default; `None` for other
/// expansions.
fn expansion(node: Node, source: &str) -> Option<FoundSite> {
    let operator = text(node.child_by_field_name("operator")?, source);
    if !matches!(operator, ":-" | "-" | ":=" | "=" | ":?" | "?") {
        return None;
    }
    let mut cursor = node.walk();
    let mut named = node.named_children(&mut cursor).filter(|child| child.kind() != "comment");
    let name = named.next().filter(|name| name.kind() == "variable_name")?;
    let name = SiteArgument { name: None, text: text(name, source).to_owned(), is_literal: true };
    let mut given = vec![name];
    if !operator.ends_with('?') {
        let rest: Vec<Node> = named.collect();
        given.extend(match rest[..] {
            [] => Some(SiteArgument { name: None, text: String::new(), is_literal: true }),
            [only] => Some(argument(None, only, source)),
            [first, .., last] => source.get(first.start_byte()..last.end_byte()).map(|it| plain(None, it)),
        });
    }
    Some(FoundSite::call("$".to_owned(), given))
}

/// Returns a subscript with a literal, such as `os.environ["X"]`, as a call of `os.environ` with that
/// literal. `None` if a value is assigned to it.
fn subscript(walk: &SiteWalk, node: Node) -> Option<FoundSite> {
    let source = walk.source;
    let part = |names: &[&str]| names.iter().find_map(|name| node.child_by_field_name(name));
    let object = part(&["value", "object", "operand", "expression"]).or_else(|| node.named_child(0))?;
    let mut index = part(&["subscript", "index"]).or_else(|| node.named_child(1))?;
    for _ in 0..2 {
        if matches!(index.kind(), "bracketed_argument_list" | "argument") {
            index = index.named_child(0)?;
        }
    }
    let key = literal(index, source)?;
    let name = path(text(object, source)).filter(|_| !is_written(walk, node))?;
    Some(FoundSite::call(name, vec![SiteArgument { name: None, text: key, is_literal: true }]))
}

/// Returns `"X" in os.environ` of Python as a call of `os.environ` with `X`.
fn membership(node: Node, source: &str) -> Option<FoundSite> {
    let key = literal(node.named_child(0)?, source)?;
    let object = text(node.named_child(1)?, source);
    let is_environment = object == "os.environ" || object == "environ";
    is_environment.then(|| {
        FoundSite::call(object.to_owned(), vec![SiteArgument { name: None, text: key, is_literal: true }])
    })
}

/// Returns `process.env.X` as a call of `process.env` with `X`; `None` for other objects and for assignments.
fn member(walk: &SiteWalk, node: Node) -> Option<FoundSite> {
    let object = text(node.child_by_field_name("object")?, walk.source);
    let name = text(node.child_by_field_name("property")?, walk.source);
    let is_environment = ENVIRONMENTS.contains(&object) && !is_written(walk, node);
    is_environment.then(|| {
        FoundSite::call(
            object.to_owned(),
            vec![SiteArgument { name: None, text: name.to_owned(), is_literal: true }],
        )
    })
}

/// Returns `const { A, B = "1" } = process.env` as a call of `process.env` for each variable, with its
/// default.
fn read_destructuring(node: Node, source: &str) -> Vec<FoundSite> {
    let field = |name: &str| node.child_by_field_name(name);
    let (Some(pattern), Some(value)) = (field("name"), field("value")) else { return Vec::new() };
    let object = text(value, source);
    if pattern.kind() != "object_pattern" || !ENVIRONMENTS.contains(&object) {
        return Vec::new();
    }
    let mut cursor = pattern.walk();
    let parts = pattern.named_children(&mut cursor).take(ARGUMENTS);
    let read = parts.filter_map(|part| {
        let (name, default) = match part.kind() {
            "shorthand_property_identifier_pattern" => (part, None),
            "object_assignment_pattern" => {
                (part.child_by_field_name("left")?, part.child_by_field_name("right"))
            }
            "pair_pattern" => (part.child_by_field_name("key")?, None),
            _ => return None,
        };
        let name = SiteArgument { name: None, text: text(name, source).to_owned(), is_literal: true };
        let default = default.map(|default| argument(None, default, source));
        Some(FoundSite::call(object.to_owned(), std::iter::once(name).chain(default).collect()))
    });
    read.collect()
}

/// Returns a row of a C table, such as `{"port", required_argument, NULL, 'p'}`, as a call of the table's
/// type. `None` for rows without a literal.
fn row(walk: &SiteWalk, node: Node) -> Option<FoundSite> {
    let mut above = walk.above();
    above.next().filter(|outer| outer.kind() == "initializer_list")?;
    let table = above.take(3).find(|outer| outer.kind() == "declaration")?;
    let name = text(table.child_by_field_name("type")?, walk.source);
    let name = path(name.trim_start_matches("struct ").trim_start_matches("const "))?;
    let given = arguments(node, walk.source);
    given.iter().any(|given| given.is_literal).then(|| FoundSite::call(name, given))
}

/// Returns a C++ variable whose type is of the standard library, such as `std::mutex m;`, as a call of the
/// type.
fn read_standard_type(node: Node, source: &str) -> Option<FoundSite> {
    let name = path(text(node.child_by_field_name("type")?, source))?;
    name.starts_with("std::").then(|| FoundSite::call(name, Vec::new()))
}

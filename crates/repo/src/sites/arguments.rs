//! Arguments and literals.

use tree_sitter::Node;

use super::{ARGUMENTS, LITERAL, SiteArgument, TEXT, beginning};
use crate::outline::text;

/// Maximum nesting of a joined literal such as `"a" + "b" + "c"`.
const DEPTH: usize = 32;

/// Kinds of nodes that are computed parts of a string.
const COMPUTED: &[&str] = &[
    "interpolation",
    "template_substitution",
    "string_interpolation",
    "variable_name",
    "dynamic_variable_name",
    "member_access_expression",
    "subscript_expression",
    "simple_expansion",
    "expansion",
    "command_substitution",
    "arithmetic_expansion",
];

/// Returns the arguments in an argument list, at most [`ARGUMENTS`]. The fields of a JavaScript object follow
/// it as named arguments.
pub(super) fn arguments(list: Node, source: &str) -> Vec<SiteArgument> {
    let mut found = Vec::new();
    let mut cursor = list.walk();
    for child in list.named_children(&mut cursor) {
        if found.len() >= ARGUMENTS {
            break;
        }
        if child.kind().ends_with("comment") {
            continue;
        }
        let (name, value) = split_name(child, source);
        found.push(argument(name, value, source));
        if value.kind() == "object" {
            fields(value, source, &mut found);
        }
    }
    found
}

/// Adds the fields of a JavaScript object as named arguments.
fn fields(object: Node, source: &str, found: &mut Vec<SiteArgument>) {
    let mut cursor = object.walk();
    for pair in object.named_children(&mut cursor).take(ARGUMENTS) {
        if pair.kind() == "pair" {
            let (name, value) = split_name(pair, source);
            found.push(argument(name, value, source));
        }
    }
}

/// Returns the name of a named argument, if it has one, and the node of its value.
fn split_name<'t>(node: Node<'t>, source: &str) -> (Option<String>, Node<'t>) {
    let last = || {
        let mut cursor = node.walk();
        node.named_children(&mut cursor).last().unwrap_or(node)
    };
    let name = |field: &str| {
        let name = node.child_by_field_name(field)?;
        let bare = literal(name, source).unwrap_or_else(|| text(name, source).to_owned());
        Some(bare.trim_matches(':').to_owned())
    };
    let value = || node.child_by_field_name("value").unwrap_or_else(last);
    match node.kind() {
        "keyword_argument" => (name("name"), value()),
        "argument" | "attribute_argument" => (name("name"), last()),
        "pair" | "element_value_pair" => (name("key"), value()),
        "keyed_element" => (name("key"), inner(value())),
        "literal_element" => (None, inner(node)),
        _ => (None, node),
    }
}

/// Returns the node inside a wrapper that Go's grammar puts around elements; other nodes unchanged.
fn inner(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "literal_element" => node.named_child(0).unwrap_or(node),
        _ => node,
    }
}

/// Makes an argument from the node of its value: the content of a literal, or else the beginning of its
/// source.
pub(super) fn argument(name: Option<String>, value: Node, source: &str) -> SiteArgument {
    match literal(value, source) {
        Some(content) => SiteArgument { name, text: content, is_literal: true },
        None => plain(name, text(value, source)),
    }
}

/// Makes an argument that is no literal, with its source cut at [`TEXT`] bytes.
pub(super) fn plain(name: Option<String>, text: &str) -> SiteArgument {
    SiteArgument { name, text: beginning(text, TEXT).to_owned(), is_literal: false }
}

/// Returns the content of a string literal, or of several that are joined; `None` for other values and for
/// literals with computed parts.
pub(super) fn literal(node: Node, source: &str) -> Option<String> {
    let mut content = String::new();
    join(node, source, DEPTH, &mut content).then_some(content)
}

/// Appends the content of a literal, or of joined literals, to `content`. Returns false if a part is computed
/// or no literal.
fn join(node: Node, source: &str, depth: usize, content: &mut String) -> bool {
    if depth == 0 || content.len() > LITERAL {
        return false;
    }
    match node.kind() {
        "concatenated_string" | "chained_string" | "parenthesized_expression" | "string_expression" => {
            let mut cursor = node.walk();
            let mut count = 0;
            let all = node.named_children(&mut cursor).all(|part| {
                count += 1;
                part.kind().ends_with("comment") || join(part, source, depth - 1, content)
            });
            all && count > 0
        }
        "binary_expression" | "binary_operator" | "binary" => {
            let operator = node.child_by_field_name("operator").map(|it| text(it, source));
            let side = |field: &str| node.child_by_field_name(field);
            let (Some("+" | "."), Some(left), Some(right)) = (operator, side("left"), side("right")) else {
                return false;
            };
            join(left, source, depth - 1, content) && join(right, source, depth - 1, content)
        }
        "string_literal"
        | "raw_string_literal"
        | "string"
        | "raw_string"
        | "template_string"
        | "interpreted_string_literal"
        | "encapsed_string"
        | "verbatim_string_literal" => {
            if is_computed(node) {
                return false;
            }
            content.push_str(&unquote(beginning(text(node, source), LITERAL)));
            true
        }
        // Words of a shell are literals without quotes.
        "word" | "extglob_pattern" => {
            content.push_str(beginning(text(node, source), LITERAL));
            true
        }
        _ => false,
    }
}

fn is_computed(node: Node) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|part| COMPUTED.contains(&part.kind()))
}

/// Returns the content of a string literal without prefix and quotes. Simple escapes such as `
/// ` are replaced.
fn unquote(written: &str) -> String {
    let Some(open) = written.find(['"', '\'', '`']) else { return written.to_owned() };
    let prefix = &written[..open];
    let quote = if written[open..].starts_with("\"\"\"") || written[open..].starts_with("'''") {
        &written[open..open + 3]
    } else {
        &written[open..=open]
    };
    let hashes = &prefix[prefix.find('#').unwrap_or(prefix.len())..];
    let body = &written[open + quote.len()..];
    let body = body.strip_suffix(hashes).unwrap_or(body);
    let body = body.strip_suffix(quote).unwrap_or(body);
    let is_raw = prefix.contains(['r', 'R', '@']) || written.starts_with('`');
    if is_raw || !body.contains('\\') { body.to_owned() } else { unescape(body) }
}

fn unescape(body: &str) -> String {
    let mut plain = String::with_capacity(body.len());
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            None | Some('r') => {}
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('\n') => {
                let rest = chars.as_str();
                chars = rest.trim_start_matches([' ', '\t']).chars();
            }
            Some(escape @ ('u' | 'x' | '0')) => plain.extend(['\\', escape]),
            Some(other) => plain.push(other),
        }
    }
    plain
}

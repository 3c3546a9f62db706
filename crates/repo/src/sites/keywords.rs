//! Constructs of the languages that are no calls: they throw, catch, lock or start something.

use tree_sitter::Node;

use super::SiteKind;
use super::arguments::{argument, plain};
use super::calls::call_name;
use super::walk::{FoundSite, SiteWalk};
use crate::outline::{Language, text};

/// Kinds of nodes with the keyword under which they are recorded.
const NODES: &[(&str, &str)] = &[
    ("raise_statement", "raise"),
    ("throw_statement", "throw"),
    ("throw_expression", "throw"),
    ("try_statement", "try"),
    ("try_with_resources_statement", "try"),
    ("except_clause", "except"),
    ("except_group_clause", "except"),
    ("catch_clause", "catch"),
    ("rescue", "rescue"),
    ("rescue_modifier", "rescue"),
    ("go_statement", "go"),
    ("defer_statement", "defer"),
    ("select_statement", "select"),
    ("send_statement", "<-"),
    ("channel_type", "chan"),
    ("synchronized_statement", "synchronized"),
    ("lock_statement", "lock"),
    ("co_await_expression", "co_await"),
    ("async_block", "async"),
    ("case_item", "case"),
];

/// Kinds of functions that can be marked as `async`.
const FUNCTIONS: &[&str] = &[
    "function_definition",
    "function_item",
    "function_declaration",
    "function_expression",
    "arrow_function",
    "method_definition",
    "method_declaration",
    "local_function_statement",
    "lambda_expression",
];

/// Returns the keyword that a node is, such as `throw` or `try`, as a site with the thrown, caught or locked
/// value as its argument. `None` for other nodes.
pub(super) fn keyword(walk: &SiteWalk, node: Node) -> Option<FoundSite> {
    let found =
        |word: &str, arguments| Some(FoundSite { kind: SiteKind::Keyword, name: word.to_owned(), arguments });
    let kind = node.kind();
    if !node.is_named() {
        let is_number = walk.above().next().is_some_and(|above| above.kind().contains("expression"));
        let is_background = kind == "&" && walk.language == Language::Bash && !is_number;
        return if is_background { found("&", Vec::new()) } else { None };
    }
    if FUNCTIONS.contains(&kind) {
        return find_marker(node, walk.source).and_then(|word| found(word, Vec::new()));
    }
    let is_receive = kind == "unary_expression"
        && walk.language == Language::Go
        && text(node, walk.source).starts_with("<-");
    if is_receive {
        return found("<-", Vec::new());
    }
    let (_, word) = NODES.iter().find(|(known, _)| *known == kind)?;
    let field = |name: &str| node.child_by_field_name(name);
    let first = || node.named_child(0).filter(|child| !child.kind().ends_with("comment"));
    let arguments = match *word {
        // Options of a script are branches of a `case`.
        "case" => {
            let mut cursor = node.walk();
            let values = node.children_by_field_name("value", &mut cursor);
            let mut arguments: Vec<_> =
                values.take(super::ARGUMENTS).map(|value| argument(None, value, walk.source)).collect();
            let of = walk.above().next().and_then(|above| above.child_by_field_name("value"));
            arguments.extend(of.map(|of| plain(Some("of".to_owned()), text(of, walk.source))));
            arguments
        }
        "raise" | "throw" => {
            first().map(|value| plain(None, &read_thrown_type(value, walk.source))).into_iter().collect()
        }
        "except" => field("value")
            .map(|value| plain(None, read_caught_type(value, walk.source)))
            .into_iter()
            .collect(),
        "catch" => {
            let of = field("type").or_else(|| field("parameters")).or_else(first);
            of.filter(|of| of.kind() != "block" && of.kind() != "compound_statement")
                .map(|of| plain(None, read_caught_type(of, walk.source)))
                .into_iter()
                .collect()
        }
        "rescue" => field("exceptions").map(|of| plain(None, text(of, walk.source))).into_iter().collect(),
        "synchronized" | "lock" => first().map(|of| plain(None, text(of, walk.source))).into_iter().collect(),
        _ => Vec::new(),
    };
    found(word, arguments)
}

/// Returns `async` or `synchronized` if the function at the node is marked so.
fn find_marker(node: Node, source: &str) -> Option<&'static str> {
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "async" => return Some("async"),
            "modifier" if text(child, source) == "async" => return Some("async"),
            "function_modifiers" if has_word(text(child, source), "async") => return Some("async"),
            "modifiers" if has_token(child, "synchronized") => return Some("synchronized"),
            "block" | "body" | "compound_statement" | "statement_block" => return None,
            _ => {}
        }
    }
    None
}

fn has_word(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|each| each == word)
}

fn has_token(node: Node, token: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == token)
}

/// Returns the type of a thrown value that is constructed in place, or else the source of the thrown
/// expression.
fn read_thrown_type(value: Node, source: &str) -> String {
    call_name(value, source).unwrap_or_else(|| super::beginning(text(value, source), super::TEXT).to_owned())
}

/// Returns the source of the type in a `catch` clause, without the name of the caught value.
fn read_caught_type<'a>(value: Node, source: &'a str) -> &'a str {
    let kinds = ["catch_type", "type", "tuple"];
    let inner = match value.kind() {
        "as_pattern" => value.named_child(0),
        "catch_formal_parameter" | "catch_declaration" => {
            let mut cursor = value.walk();
            let typed = value.named_children(&mut cursor).find(|child| kinds.contains(&child.kind()));
            value.child_by_field_name("type").or(typed)
        }
        "parameter_list" => value.named_child(0).and_then(|it| it.child_by_field_name("type")),
        _ => None,
    };
    text(inner.unwrap_or(value), source)
}

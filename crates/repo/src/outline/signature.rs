//! A definition's first lines as one: what a reader sees of it in an outline (CTX-127). Sees texts and the node's fields.

use std::ops::Range;

use tree_sitter::Node;

use super::names::value;
use super::spec::Spec;
use super::symbol::SymbolKind;
use crate::limit::SIGNATURE_CHARS;

/// Returns the byte offset at which the signature of a definition ends: before its body, or before a value of
/// several lines. Parentheses after a name belong to it: `struct Point(f64, f64)`.
pub(super) fn end(spec: &Spec, node: Node) -> usize {
    let body = |node: Node| {
        let bodies = spec.bodies.iter().filter_map(|field| node.child_by_field_name(field));
        bodies
            .filter(|body| body.kind() != "ordered_field_declaration_list")
            .map(|body| body.start_byte())
            .next()
    };
    let value = value(node);
    let is_function =
        |value: &Node| spec.callables.contains(&value.kind()) || spec.classes.contains(&value.kind());
    let is_long = |value: &Node| {
        value.start_position().row != value.end_position().row && value.kind() != "object_type"
    };
    let of_value = || value.filter(is_function).and_then(body);
    let before_value = || value.filter(is_long).map(|value| value.start_byte());
    body(node).or_else(of_value).or_else(before_value).unwrap_or(node.end_byte())
}

/// Maximum number of nodes that are searched for comments inside a signature.
const NODES: usize = 2_000;

/// Returns the source in `range` without the comments in it, which are nodes below `node`.
pub(super) fn without_comments(node: Node, source: &str, range: Range<usize>) -> String {
    let text = source.get(range.clone()).unwrap_or_default();
    if !["#", "//", "/*", "--"].iter().any(|mark| text.contains(mark)) {
        return text.to_owned();
    }
    let mut comments = Vec::new();
    let mut open = vec![node];
    let mut seen = 0;
    while let Some(node) = open.pop().filter(|_| seen < NODES) {
        seen += 1;
        if node.kind().contains("comment") {
            comments.push(node.byte_range());
            continue;
        }
        let mut cursor = node.walk();
        let inside = |it: &Node| it.start_byte() < range.end && it.end_byte() > range.start;
        open.extend(node.children(&mut cursor).filter(inside));
    }
    comments.sort_by_key(|comment| comment.start);
    let mut kept = String::with_capacity(text.len());
    let mut at = range.start;
    for comment in comments.iter().filter(|it| it.start >= range.start && it.end <= range.end) {
        kept.push_str(source.get(at..comment.start).unwrap_or_default().trim_end());
        at = at.max(comment.end);
        if source[at..].starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            kept.push(' ');
        }
    }
    kept.push_str(source.get(at..range.end).unwrap_or_default());
    kept
}

/// Returns a signature as one line of at most [`SIGNATURE_CHARS`] characters, without the opening bracket of
/// a body. `text` is the source up to the body.
pub(super) fn signature(text: &str, kind: SymbolKind) -> String {
    let text = match kind {
        SymbolKind::Macro if text.starts_with("macro_rules") => text.split(['{', '(']).next().unwrap_or(text),
        SymbolKind::Macro => text.lines().next().unwrap_or_default().trim_end_matches('\\'),
        SymbolKind::Type
        | SymbolKind::Struct
        | SymbolKind::Interface
        | SymbolKind::Variable
        | SymbolKind::Field
            if text.contains('\n') =>
        {
            text.split('{').next().unwrap_or(text)
        }
        _ => text.strip_suffix("end").filter(|text| text.trim_end().ends_with(';')).unwrap_or(text),
    };
    let mut joined = String::new();
    let mut shown = 0;
    for word in code_words(text) {
        let gap = usize::from(!joined.is_empty());
        let length = word.chars().count();
        if shown + gap + length > SIGNATURE_CHARS {
            let room = SIGNATURE_CHARS.saturating_sub(shown + gap);
            joined.extend((gap > 0).then_some(' '));
            joined.extend(word.chars().take(room));
            joined.push('…');
            return joined;
        }
        joined.extend((gap > 0).then_some(' '));
        joined.push_str(word);
        shown += gap + length;
    }
    // The name of a writer of Ruby ends with `=`.
    if kind == SymbolKind::Method && joined.starts_with("alias ") {
        return joined;
    }
    joined
        .trim_end_matches(|c: char| c.is_whitespace() || "{=;:,".contains(c))
        .trim_end_matches("=>")
        .trim_end()
        .to_owned()
}

/// Maximum length of a string literal whose white space stays, in bytes.
const LITERAL: usize = 400;

/// Splits code at its white space, but not inside of string literals that end on their line.
pub fn code_words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut end_of_literal) = (None, 0);
    for (at, c) in text.char_indices() {
        if at < end_of_literal {
            continue;
        }
        if c.is_whitespace() {
            found.extend(start.take().and_then(|start| text.get(start..at)));
            continue;
        }
        start.get_or_insert(at);
        if matches!(c, '"' | '`' | '\'') {
            let inside = &text[at + 1..];
            let inside = &inside[..inside.floor_char_boundary(LITERAL)];
            let inside = inside.lines().next().unwrap_or_default();
            end_of_literal = closing_quote(inside, c).map_or(0, |length| at + 1 + length + 1);
        }
    }
    found.extend(start.and_then(|start| text.get(start..)));
    found
}

/// Returns the byte offset of the first quote of this kind that no backslash stands before.
fn closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if c == quote && !is_escaped {
            return Some(at);
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::outline::{Language, outline};

    #[test]
    fn an_alias_of_a_writer_keeps_its_equals_sign() {
        let text = "class Result\n  def []=(flag, value)\n  end\n  alias set []=\nend\n";
        let file = crate::outline::outline(crate::Language::Ruby, "a.rb", text);
        let mut signatures = file.walk().map(|(_, symbol)| symbol.signature.as_str());
        assert!(signatures.any(|signature| signature == "alias set []="));
    }

    #[test]
    fn remarks_for_a_linter_are_no_part_of_a_signature() {
        for (language, path, text, expected) in [
            (Language::Python, "a.py", "class A:  # noqa: one\n    pass\n", "class A"),
            (
                Language::Python,
                "a.py",
                "def f(a: str = '#1', # old\n      b=2) -> None: # no\n    pass\n",
                "def f(a: str = '#1', b=2) -> None",
            ),
            (Language::Go, "a.go", "package a\nfunc F(a int /* one */, b int) {}\n", "func F(a int, b int)"),
        ] {
            assert_eq!(outline(language, path, text).symbols[0].signature, expected);
        }
    }
}

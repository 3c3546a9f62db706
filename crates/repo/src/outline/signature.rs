//! A definition's first lines as one: what a reader sees of it in an outline (CTX-127). Sees texts and the node's fields.

use tree_sitter::Node;

use super::names::value;
use super::spec::Spec;
use super::symbol::SymbolKind;
use crate::limit::SIGNATURE_CHARS;

/// Returns the end of the signature of `node`: before its body, or before a value of several lines. Parentheses after a name are no body:
/// `struct Point(f64, f64)`.
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

/// Returns the signature in its text.
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
    for word in text.split_whitespace() {
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
    joined
        .trim_end_matches(|c: char| c.is_whitespace() || "{=;:,".contains(c))
        .trim_end_matches("=>")
        .trim_end()
        .to_owned()
}

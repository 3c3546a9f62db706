//! Finds the texts that a `switch`, a `match` or a chain of conditions compares one value with.

use super::seeds::push;
use super::{MemberKind, SiblingSet};
use crate::facts::SourceLines;
use crate::repo::{CodeStatement, CodeTree, FileOutline, StatementPart};

/// Minimum number of texts in one statement.
const LEAST: usize = 4;
/// Maximum number of bytes of a text.
const BYTES: usize = 40;

/// Adds the sets of texts that the functions of a file compare with. A set is titled with the function.
pub(super) fn of_file(path: &str, outline: &FileOutline, text: &str, found: &mut Vec<SiblingSet>) {
    let Some(tree) = CodeTree::parse(outline.language, text) else { return };
    for (_, symbol) in outline.walk().filter(|(_, symbol)| symbol.kind.is_callable() && !symbol.is_test()) {
        for statement in tree.body(symbol.line, symbol.line_end).unwrap_or_default() {
            of_statement(path, &symbol.name, &statement, found);
        }
    }
}

/// Adds the sets of a statement and of those inside it.
fn of_statement(path: &str, function: &str, statement: &CodeStatement, found: &mut Vec<SiblingSet>) {
    let codes = |statement: &CodeStatement| -> Vec<String> {
        let codes = statement.parts.iter().filter_map(|part| match part {
            StatementPart::Code(code) => Some(code.clone()),
            StatementPart::Block(_) => None,
        });
        codes.collect()
    };
    let mut add = |members: Vec<String>, (start, end): (usize, usize)| {
        if members.len() >= LEAST {
            let source = SourceLines { path: path.to_owned(), start, end };
            push(found, MemberKind::Case, function, source, members);
        }
    };
    let lines = (statement.line, statement.line_end);
    add(codes(statement).iter().flat_map(|code| compared_texts(code)).collect(), lines);
    for part in &statement.parts {
        let StatementPart::Block(inner) = part else { continue };
        let cases = inner.iter().filter_map(|case| codes(case).into_iter().next());
        add(cases.flat_map(|case| pattern(&case)).collect(), lines);
    }
    for part in &statement.parts {
        let StatementPart::Block(inner) = part else { continue };
        inner.iter().for_each(|inner| of_statement(path, function, inner, found));
    }
}

/// Returns the texts in the pattern of a case: `a`, `b` of `case "a", "b":`. Empty for other statements.
fn pattern(case: &str) -> Vec<String> {
    let pattern = match case.strip_prefix("case ").or_else(|| case.strip_prefix("when ")) {
        Some(rest) => rest.split(": ").next().unwrap_or(rest),
        None if case.starts_with(['"', '\'']) => case.split_once("=>").map_or("", |(pattern, _)| pattern),
        None => "",
    };
    texts(pattern.split(" if ").next().unwrap_or(pattern))
}

/// Returns the text that a condition compares a value with: `a` of `else if (b === "a") {`.
fn compared_texts(code: &str) -> Vec<String> {
    let is_condition =
        ["if ", "if(", "elif ", "elsif ", "else if", "} else if"].iter().any(|word| code.starts_with(word));
    let Some((_, value)) = code.split_once("== ").filter(|_| is_condition) else { return Vec::new() };
    let value = value.trim_start_matches('=').trim_start();
    if value.starts_with(['"', '\'', ':']) { texts(value).into_iter().take(1).collect() } else { Vec::new() }
}

/// Returns the texts and symbols in a piece of code.
fn texts(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '\'', ':']) {
        let sign = rest[at..].chars().next().unwrap_or('"');
        let inner = &rest[at + 1..];
        let end = match sign {
            ':' => inner.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(inner.len()),
            quote => match inner.find(quote) {
                Some(end) => end,
                None => break,
            },
        };
        let text = &inner[..end];
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        if (2..=BYTES).contains(&text.len())
            && text.chars().all(is_name)
            && text.contains(char::is_alphabetic)
        {
            found.push(text.to_owned());
        }
        rest = inner.get(end + usize::from(sign != ':')..).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_cases_and_of_conditions_are_found() {
        assert_eq!(pattern("case \"file\", \"to-dir\":"), ["file", "to-dir"]);
        assert_eq!(pattern("when :hour, :day"), ["hour", "day"]);
        assert_eq!(pattern("\"a b\" | \"left\" if b == \"x\" => {"), ["left"]);
        assert!(pattern("return \"left\"").is_empty());
        assert_eq!(compared_texts("} else if (kind === 'left') {"), ["left"]);
        assert!(compared_texts("if (kind === LEFT) {").is_empty());
    }
}

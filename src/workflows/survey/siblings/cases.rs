//! Finds the texts that a `switch`, a `match` or a chain of conditions compares one value with.

use super::seeds::push;
use super::{MemberKind, SiblingSet};
use crate::facts::SourceLines;
use crate::repo::{CodeStatement, CodeTree, FileOutline, Language, StatementPart};

/// Minimum number of texts in one statement.
const LEAST: usize = 4;
/// Maximum number of functions of a file that are read.
const FUNCTIONS: usize = 2_000;
/// Maximum number of bytes of a text.
const BYTES: usize = 40;

/// Adds the sets of texts that the functions of a file compare with. A set is titled with the function.
pub(super) fn of_file(path: &str, outline: &FileOutline, text: &str, found: &mut Vec<SiblingSet>) {
    let Some(tree) = CodeTree::parse(outline.language, text) else { return };
    let functions = outline
        .walk()
        .map(|(_, symbol)| symbol)
        .filter(|symbol| symbol.kind.is_callable() && !symbol.is_test());
    for symbol in functions.take(FUNCTIONS) {
        let inner = |line: usize| {
            let mut callables = symbol.children.iter().filter(|child| child.kind.is_callable());
            callables.any(|child| (child.line..=child.line_end).contains(&line))
        };
        let has_symbols = outline.language == Language::Ruby;
        let reader = CaseReader { path, function: &symbol.name, has_symbols };
        for statement in tree.body(symbol).unwrap_or_default().iter().filter(|it| !inner(it.line)) {
            reader.read(statement, found);
        }
    }
}

/// Reads the texts that the statements of one function compare with.
struct CaseReader<'t> {
    path: &'t str,
    function: &'t str,
    /// True if `:name` is a text.
    has_symbols: bool,
}

impl CaseReader<'_> {
    /// Adds the sets of a statement and of those inside it.
    fn read(&self, statement: &CodeStatement, found: &mut Vec<SiblingSet>) {
        let codes = |statement: &CodeStatement| -> Vec<String> {
            let codes = statement.parts.iter().filter_map(|part| match part {
                StatementPart::Code(code) => Some(code.clone()),
                StatementPart::Block(_) => None,
            });
            codes.collect()
        };
        let mut add = |members: Vec<String>| {
            if members.len() >= LEAST {
                let (start, end) = (statement.line, statement.line_end);
                let source = SourceLines { path: self.path.to_owned(), start, end };
                push(found, MemberKind::Case, self.function, source, members);
            }
        };
        add(codes(statement).iter().flat_map(|code| compared_texts(code, self.has_symbols)).collect());
        let blocks = || {
            statement.parts.iter().filter_map(|part| match part {
                StatementPart::Block(inner) => Some(inner),
                StatementPart::Code(_) => None,
            })
        };
        for inner in blocks() {
            let cases = inner.iter().filter_map(|case| codes(case).into_iter().next());
            add(cases.flat_map(|case| pattern(&case, self.has_symbols)).collect());
        }
        blocks().flatten().for_each(|inner| self.read(inner, found));
    }
}

/// Returns the texts in the pattern of a case: `a`, `b` of `case "a", "b":`. Empty for other statements.
fn pattern(case: &str, has_symbols: bool) -> Vec<String> {
    let pattern = match case.strip_prefix("case ").or_else(|| case.strip_prefix("when ")) {
        Some(rest) => rest.split(": ").next().unwrap_or(rest),
        None if case.starts_with(['"', '\'']) => case.split_once("=>").map_or("", |(pattern, _)| pattern),
        None => "",
    };
    texts(pattern.split(" if ").next().unwrap_or(pattern), has_symbols)
}

/// Returns the text that a condition compares a value with: `a` of `else if (b === "a") {`.
fn compared_texts(code: &str, has_symbols: bool) -> Vec<String> {
    let is_condition =
        ["if ", "if(", "elif ", "elsif ", "else if", "} else if"].iter().any(|word| code.starts_with(word));
    let Some((_, value)) = code.split_once("== ").filter(|_| is_condition) else { return Vec::new() };
    let value = value.trim_start_matches('=').trim_start();
    if value.starts_with(['"', '\'', ':']) {
        texts(value, has_symbols).into_iter().take(1).collect()
    } else {
        Vec::new()
    }
}

/// Returns the texts in a piece of code, with the symbols of Ruby if `has_symbols`.
fn texts(code: &str, has_symbols: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(|c| matches!(c, '"' | '\'') || has_symbols && c == ':') {
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
        assert_eq!(pattern("case \"file\", \"to-dir\":", false), ["file", "to-dir"]);
        assert_eq!(pattern("when :hour, :day", true), ["hour", "day"]);
        assert_eq!(pattern("\"a b\" | \"left\" if b == \"x\" => {", false), ["left"]);
        assert!(pattern("return \"left\"", false).is_empty());
        assert_eq!(compared_texts("} else if (kind === 'left') {", false), ["left"]);
        assert!(compared_texts("if (kind === LEFT) {", false).is_empty());
        assert!(pattern("case Color::Red:", false).is_empty());
    }
}

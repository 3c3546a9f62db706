//! Comments that stand over a definition and are not about it: of a group of values, and of names that are commented out.

use crate::repo::{Language, SymbolInfo, SymbolKind};

/// Returns true for languages in which an ordinary comment above a definition is its documentation.
fn has_plain_comments(language: Language) -> bool {
    matches!(language, Language::Go | Language::Ruby | Language::C | Language::Cpp | Language::Bash)
}

fn is_value(symbol: &SymbolInfo) -> bool {
    symbol.kind.is_value() || symbol.kind == SymbolKind::Macro && !symbol.signature.contains('(')
}

/// Returns true if the comment above the value `symbol` describes a group of values: it does not name
/// `symbol`, and the value `next` follows directly without a comment. `before` and `next` are its neighbours.
pub(in crate::workflows::doc_phases) fn is_group_comment(
    language: Language,
    before: Option<&SymbolInfo>,
    symbol: &SymbolInfo,
    next: Option<&SymbolInfo>,
) -> bool {
    let Some(said) = symbol.docstring.as_deref() else { return false };
    let names_it = said
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| word.eq_ignore_ascii_case(&symbol.name));
    let is_alike = |next: &SymbolInfo| {
        next.docstring.is_none() && next.line == symbol.line_end + 1 && next.kind == symbol.kind
    };
    // A member with a comment among members with comments has its own.
    let is_one_of_many =
        before.is_some_and(|before| before.docstring.is_some() && before.line + 2 >= symbol.line);
    has_plain_comments(language)
        && is_value(symbol)
        && !names_it
        && !is_one_of_many
        && next.is_some_and(is_alike)
}

/// Returns the comment `said` of a constant or macro without commented-out code: the text after its last line
/// such as `name = 3`, or all of it if there is no such line. `None` if nothing is left. Other comments are
/// unchanged.
pub(in crate::workflows::doc_phases) fn without_code(
    language: Language,
    kind: SymbolKind,
    said: String,
) -> Option<String> {
    if !has_plain_comments(language) || !(kind.is_value() || kind == SymbolKind::Macro) {
        return Some(said);
    }
    let lines: Vec<&str> = said.lines().collect();
    let rest = match lines.iter().rposition(|line| is_code(line)) {
        Some(last) => lines[last + 1..].join("\n"),
        // Outlines join the lines.
        None => match behind_code(&said) {
            Some(rest) => rest,
            None => return Some(said),
        },
    };
    Some(rest).filter(|rest| !rest.trim().is_empty())
}

/// Returns the text behind the last `name = 3` in a comment on one line, if a sentence begins there; `None`
/// without such code.
fn behind_code(said: &str) -> Option<String> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let is_code_at = |at: usize| words.get(at..at + 3).is_some_and(|three| is_code(&three.join(" ")));
    let last = (0..words.len()).rev().find(|at| is_code_at(*at))?;
    let rest = words[last + 3..].join(" ");
    let begins = rest.is_empty() && last == 0 || rest.starts_with(|c: char| c == '(' || c.is_uppercase());
    begins.then_some(rest)
}

/// Returns true for a line that assigns one word to a name, such as `name = 3`.
fn is_code(line: &str) -> bool {
    let Some((name, value)) = line.trim().split_once('=') else { return false };
    let name = name.trim_end_matches(':').trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name && !value.trim().is_empty() && value.split_whitespace().count() == 1
}

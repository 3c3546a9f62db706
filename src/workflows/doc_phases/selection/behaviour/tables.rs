//! Literal tables: the entries of constants. A computed value is no entry.

use std::ops::Range;

use super::LiteralEntry;
use super::defaults::parameters;
use super::literals::{LiteralPart, is_constant, split};
use super::mask::MaskedText;
use crate::repo::{Language, SymbolInfo};

/// Maximum of entries of a table.
const ENTRIES: usize = 30;
/// Maximum number of lines of a table that is read.
const LINES: usize = 400;

/// Calls that take one collection and keep its entries.
const WRAPPERS: [&str; 10] = [
    "frozenset",
    "set",
    "dict",
    "tuple",
    "list",
    "OrderedDict",
    "MappingProxyType",
    "Object.freeze",
    "Set",
    "Map",
];
/// Calls whose arguments are the entries of a collection.
const LISTS: [&str; 6] =
    ["dict", "List.of", "Set.of", "Arrays.asList", "ImmutableSet.of", "ImmutableList.of"];

/// Returns the entries of a constant that is a literal table (list, map, set), at most [`ENTRIES`], and the
/// number of those left out. Empty for another value, and for a table with a computed entry.
pub(super) fn entries(
    language: Language,
    symbol: &SymbolInfo,
    text: &MaskedText,
) -> (Vec<LiteralEntry>, usize) {
    read(language, symbol, text).unwrap_or_default()
}

fn read(language: Language, symbol: &SymbolInfo, text: &MaskedText) -> Option<(Vec<LiteralEntry>, usize)> {
    let whole = text.range_of(symbol, LINES);
    let value = whole.start + assignment(&text.bare[whole.clone()])?;
    let parts = split(text, collection(text, value, whole.end)?);
    let total = parts.len();
    // A table with one computed entry is none.
    let literal = parts.into_iter().map(|part| LiteralPart::read(language, text, part));
    let literal = literal.collect::<Option<Vec<LiteralPart>>>()?;
    let mut all: Vec<LiteralEntry> = literal.iter().filter_map(|part| part.quote(text)).collect();
    all.truncate(ENTRIES);
    let more = total - all.len();
    (!all.is_empty()).then_some((all, more))
}

/// Returns the byte position behind the first `=` outside of brackets.
fn assignment(bare: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let bytes = bare.as_bytes();
    for (at, c) in bare.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '=' if depth == 0 && !matches!(bytes.get(at + 1), Some(b'=' | b'>')) => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Returns the byte range between the brackets of a collection that is the whole value; `None` for any other
/// value. Looks through wrappers such as `frozenset([…])`.
fn collection(text: &MaskedText, start: usize, end: usize) -> Option<Range<usize>> {
    let value = &text.bare[start..end];
    let open = value.find(['(', '[', '{'])?;
    // `&[`, `vec![`, `map[string]int{`, `new Set([`: the text before the bracket.
    let before = value[..open].trim().trim_start_matches('&').trim_start_matches("new ").trim();
    let at = start + open;
    let close = text.closing(at, end)?;
    let behind = text.bare[close..end].trim();
    if value.as_bytes()[open] == b'[' && matches!(before, "" | "map") {
        let of_go = typed_braces(text, close, end);
        if of_go.is_some() {
            return of_go;
        }
    }
    // A subscript, a method call or an operator on it makes another value.
    let is_whole = matches!(behind, "" | ";" | ".freeze")
        || behind.starts_with("as ")
        || behind.starts_with("satisfies ");
    if !is_whole {
        return None;
    }
    let inside = at + 1..close - 1;
    if matches!(before, "" | "vec!") {
        return Some(inside);
    }
    if value.as_bytes()[open] != b'(' {
        return None;
    }
    let name = before.rsplit("::").next().unwrap_or(before);
    let name = name.split('<').next().unwrap_or(name);
    // `frozenset({…})`: the inner brackets have the entries.
    let arguments = split(text, inside.clone());
    let first = text.bare[inside.clone()].trim_start();
    let opened = inside.end - first.len();
    if WRAPPERS.contains(&name) && arguments.len() == 1 && first.starts_with(['[', '{', '(']) {
        let inner = text.closing(opened, inside.end)?;
        let is_alone = matches!(text.bare[inner..inside.end].trim(), "" | ",");
        return is_alone.then_some(opened + 1..inner - 1);
    }
    LISTS.contains(&name).then_some(inside)
}

/// Returns the byte range between the braces of a Go literal such as `[]string{…}`, whose first bracket
/// closes at `close`.
fn typed_braces(text: &MaskedText, close: usize, end: usize) -> Option<Range<usize>> {
    let rest = &text.bare[close..end];
    let brace = rest.find('{')?;
    let of = rest[..brace].trim();
    let is_type =
        !of.is_empty() && of.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '*' | '[' | ']'));
    let inner = text.closing(close + brace, end).filter(|_| is_type)?;
    text.bare[inner..end].trim().is_empty().then_some(close + brace + 1..inner - 1)
}

/// Returns the constant defaults that a JavaScript function adds to the options of its caller: `limit` of
/// `{limit: 3, ...options}`.
pub(super) fn completed_options(
    language: Language,
    function: &SymbolInfo,
    text: &MaskedText,
) -> Vec<LiteralEntry> {
    let whole = text.range_of(function, LINES);
    let bare = &text.bare[whole.clone()];
    let parameters = parameters(function);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_spread = |at: &usize| {
        let name = bare[at + 3..].split(|c| !is_part(c)).next().unwrap_or_default();
        // Behind a literal, and last; a rest parameter stands in round brackets.
        let rest = bare[at + 3 + name.len()..].trim_start();
        let is_last = rest.strip_prefix(',').unwrap_or(rest).trim_start().starts_with('}');
        is_last && bare[..*at].trim_end().ends_with(',') && parameters.iter().any(|one| one == name)
    };
    let Some(spread) = bare.match_indices("...").map(|(at, _)| at).find(is_spread) else { return Vec::new() };
    // The bracket around the spread.
    let mut depth = 0_usize;
    let open = bare[..spread].char_indices().rev().find(|(_, c)| match c {
        ')' | ']' | '}' => {
            depth += 1;
            false
        }
        '(' | '[' | '{' if depth == 0 => true,
        '(' | '[' | '{' => {
            depth -= 1;
            false
        }
        _ => false,
    });
    let Some((open, _)) = open.filter(|(_, c)| *c == '{') else { return Vec::new() };
    let parts = split(text, whole.start + open + 1..whole.start + spread);
    let constant = |part: LiteralPart| {
        let value = part.value.clone()?;
        is_constant(language, text, value, &parameters)
            .then(|| part.quote(text))?
            .filter(|one| one.value.is_some())
    };
    let literal = parts.into_iter().filter_map(|part| LiteralPart::read(language, text, part));
    literal.filter_map(constant).take(ENTRIES).collect()
}

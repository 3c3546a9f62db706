//! Literal tables: the entries of constants, and the values that a constructor gives to fields. A computed value is no entry.

use std::collections::BTreeMap;
use std::ops::Range;

use super::LiteralEntry;
use super::mask::MaskedText;
use crate::facts::visible;
use crate::repo::{Language, SymbolInfo};
use stategraph_base::has_secret;

/// Maximum of entries of a table.
const ENTRIES: usize = 30;
/// Maximum length of a key and of a value, in characters.
const KEY: usize = 60;
const VALUE: usize = 90;
/// Maximum number of lines of a table that is read.
const LINES: usize = 400;

/// Calls whose arguments are the entries of a collection.
const COLLECTIONS: [&str; 16] = [
    "frozenset",
    "set",
    "dict",
    "tuple",
    "list",
    "OrderedDict",
    "Map.of",
    "Map.ofEntries",
    "List.of",
    "Set.of",
    "Arrays.asList",
    "ImmutableMap.of",
    "ImmutableSet.of",
    "ImmutableList.of",
    "Object.freeze",
    "MappingProxyType",
];

/// Returns the entries of a constant with a literal table, and the number of further ones; nothing for another value.
pub(super) fn entries(symbol: &SymbolInfo, text: &MaskedText) -> (Vec<LiteralEntry>, usize) {
    let start = text.line(symbol.line).start;
    let end = text.line(symbol.line_end.min(symbol.line + LINES)).end;
    let Some(equals) = assignment(&text.bare[start..end]) else { return (Vec::new(), 0) };
    let Some(inside) = collection(text, start + equals, end) else { return (Vec::new(), 0) };
    let mut all: Vec<LiteralEntry> =
        split(text, inside).into_iter().filter_map(|range| entry(text, range)).collect();
    // A table of calls and computed values is none.
    let is_told = |entry: &LiteralEntry| !has_secret(&entry.key) && visible(&entry.key) == entry.key;
    let total = all.len();
    all.retain(is_told);
    if all.len() < total || all.is_empty() {
        return (Vec::new(), 0);
    }
    all.truncate(ENTRIES);
    let more = total - all.len();
    (all, more)
}

/// Returns the position behind the sign of an assignment.
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

/// Returns the content of the collection with which a value begins; `None` for another value.
fn collection(text: &MaskedText, start: usize, end: usize) -> Option<Range<usize>> {
    let value = text.bare.get(start..end)?;
    let open = value.find(['(', '[', '{'])?;
    // `&[`, `vec![`, `map[string]int{`, `new Set([`: what stands before the bracket.
    let before = value[..open].trim().trim_start_matches('&').trim_start_matches("new ").trim();
    let bracket = value.as_bytes()[open];
    let at = start + open;
    let close = text.closing(at, end)?;
    let inside = at + 1..close - 1;
    let is_plain = before.is_empty() || before == "vec!";
    if bracket == b'(' && !is_plain {
        let name = before.rsplit("::").next().unwrap_or(before);
        let name = name.split('<').next().unwrap_or(name);
        if matches!(name, "Set" | "Map") || COLLECTIONS.contains(&name) {
            // `frozenset({…})`: the inner brackets have the entries.
            let first = text.bare[inside.clone()].trim_start();
            let skipped = text.bare[inside.clone()].len() - first.len();
            if first.starts_with(['[', '{', '(']) && !name.contains('.') || name == "Object.freeze" {
                let inner = text.closing(inside.start + skipped, inside.end)?;
                return Some(inside.start + skipped + 1..inner - 1);
            }
            return Some(inside);
        }
        return None;
    }
    // Of Go, the type stands before the braces: `[]string{`, `map[string]T{`.
    if bracket == b'[' && (before == "map" || before.is_empty()) {
        let rest = &text.bare[close..end];
        let brace = rest.find('{').filter(|brace| {
            let of = rest[..*brace].trim();
            !of.is_empty()
                && of.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '*' | '[' | ']'))
        });
        if let Some(brace) = brace {
            let inner = text.closing(close + brace, end)?;
            return Some(close + brace + 1..inner - 1);
        }
    }
    let is_end = text.bare[close..end].trim_start_matches([' ', '\n']).chars().next();
    // A subscript or a method call on it makes another value.
    let is_whole =
        is_end.is_none_or(|c| matches!(c, ';' | ',' | 'a')) || text.bare[close..end].starts_with('\n');
    (is_plain && is_whole).then_some(inside)
}

/// Splits the content of brackets at its outer commas.
fn split(text: &MaskedText, inside: Range<usize>) -> Vec<Range<usize>> {
    let (mut depth, mut start) = (0_usize, inside.start);
    let mut found = Vec::new();
    for (offset, c) in text.bare[inside.clone()].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(start..inside.start + offset);
                start = inside.start + offset + 1;
            }
            _ => {}
        }
    }
    found.push(start..inside.end);
    // The commas between the parameters of a lambda and of a closure split nothing.
    let mut whole: Vec<Range<usize>> = Vec::new();
    for range in found {
        match whole.last_mut().filter(|last| is_open(&text.bare[(*last).clone()])) {
            Some(last) => last.end = range.end,
            None => whole.push(range),
        }
    }
    let mut found = whole;
    found.retain(|range| !text.code[range.clone()].trim().is_empty());
    found
}

/// Returns true for a text that ends inside of the parameters of a lambda or a closure.
fn is_open(bare: &str) -> bool {
    let lambda = bare.rfind("lambda ").is_some_and(|at| !bare[at..].contains(':'));
    lambda || bare.matches('|').count() % 2 == 1 && !bare.contains("||")
}

fn entry(text: &MaskedText, range: Range<usize>) -> Option<LiteralEntry> {
    let shift = text.code[range.clone()].len() - text.code[range.clone()].trim_start().len();
    let range = range.start + shift..range.end;
    let line = text.line_of(range.start);
    let bare = &text.bare[range.clone()];
    let code = &text.code[range];
    // `("key", value)` of Rust.
    if bare.starts_with('(') && bare.trim_end().ends_with(')') {
        let comma = bare.find(',')?;
        let close = bare.rfind(')')?;
        let value = quoted(code.get(comma + 1..close)?.trim_end_matches([',', ' ', '\n']), VALUE);
        return Some(LiteralEntry { key: quoted(&code[1..comma], KEY)?, value, line });
    }
    match separator(bare) {
        Some((at, length)) => {
            let key = quoted(&code[..at], KEY)?;
            Some(LiteralEntry { key, value: quoted(&code[at + length..], VALUE), line })
        }
        None => Some(LiteralEntry { key: quoted(code, VALUE)?, value: None, line }),
    }
}

/// Returns the position and the length of the sign between key and value.
fn separator(bare: &str) -> Option<(usize, usize)> {
    let mut depth = 0_usize;
    let bytes = bare.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'=' if depth == 0 && bytes.get(at + 1) == Some(&b'>') => return Some((at, 2)),
            b'=' if depth == 0 && bytes.get(at + 1) != Some(&b'=') => return Some((at, 1)),
            // `::` belongs to a path.
            b':' if bytes.get(at + 1) == Some(&b':') => at += 1,
            b':' if depth == 0 => return Some((at, 1)),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns a text on one line; `None` if it is too long, hides characters or has a secret.
fn quoted(text: &str, most: usize) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let fits = !text.is_empty() && text.chars().count() <= most;
    (fits && !has_secret(&text) && visible(&text) == text).then_some(text)
}

/// Names of functions that make a value with its defaults.
const CONSTRUCTORS: [&str; 6] = ["new", "default", "__init__", "constructor", "defaults", "initialize"];

/// Returns the type that a constructor makes, and the literals that it gives to fields; `None` for another function.
pub(super) fn defaults(
    language: Language,
    owner: Option<&str>,
    function: &SymbolInfo,
    text: &MaskedText,
    is_type: &dyn Fn(&str) -> bool,
) -> Option<(String, BTreeMap<String, LiteralEntry>)> {
    let is_made = CONSTRUCTORS.contains(&function.name.as_str())
        || ["New", "Default", "new_", "default_"].iter().any(|start| function.name.starts_with(start))
        || function.name.strip_prefix("new").is_some_and(|rest| rest.starts_with(char::is_uppercase));
    if !is_made || function.line_end > function.line + LINES {
        return None;
    }
    let range = text.line(function.line).start..text.line(function.line_end).end;
    let parameters = parameters(&text.bare[range.clone()]);
    let is_literal = |value: &str| is_literal(value, &parameters);
    if matches!(language, Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx) {
        return Some((owner?.to_owned(), assigned(text, function, is_literal)));
    }
    let (of, inside) = literal_of_type(language, owner, text, range, is_type)?;
    let mut found = BTreeMap::new();
    for part in split(text, inside) {
        let Some(entry) = entry(text, part) else { continue };
        let Some(value) = entry.value.clone().filter(|value| is_literal(value)) else { continue };
        found.insert(entry.key.clone(), LiteralEntry { value: Some(value), ..entry });
    }
    Some((of, found))
}

/// Returns the words between the first brackets of a function, which name its parameters.
fn parameters(bare: &str) -> Vec<String> {
    let Some(open) = bare.find('(') else { return Vec::new() };
    let end = bare[open..].find(['{', ';']).map_or(bare.len(), |end| open + end);
    let head: String = bare[open..end].chars().take(2_000).collect();
    let words = head.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Returns the fields that statements `self.x = literal` and `this.x = literal` set, each if it is set once.
fn assigned(
    text: &MaskedText,
    function: &SymbolInfo,
    is_literal: impl Fn(&str) -> bool,
) -> BTreeMap<String, LiteralEntry> {
    let mut found: BTreeMap<String, Option<LiteralEntry>> = BTreeMap::new();
    for line in function.line + 1..=function.line_end {
        let code = text.code[text.line(line)].trim();
        let Some(rest) = code.strip_prefix("self.").or_else(|| code.strip_prefix("this.")) else { continue };
        let Some((name, value)) = rest.split_once(" = ") else { continue };
        let name = name.split(':').next().unwrap_or(name).trim();
        let is_field = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_field {
            continue;
        }
        let value = quoted(value.trim_end_matches(';'), VALUE).filter(|value| is_literal(value));
        let entry = value.map(|value| LiteralEntry { key: name.to_owned(), value: Some(value), line });
        // A field that is set twice has no single value.
        let is_known = found.contains_key(name);
        found.insert(name.to_owned(), entry.filter(|_| !is_known));
    }
    found.into_iter().filter_map(|(name, entry)| Some((name, entry?))).collect()
}

/// Returns the type of the first literal `Type { … }` in a function, and its content.
fn literal_of_type(
    language: Language,
    owner: Option<&str>,
    text: &MaskedText,
    range: Range<usize>,
    is_type: &dyn Fn(&str) -> bool,
) -> Option<(String, Range<usize>)> {
    let bare = &text.bare[range.clone()];
    let body = bare.find('{')? + 1;
    for (offset, _) in bare[body..].match_indices('{') {
        let at = body + offset;
        let before = bare[..at].trim_end_matches(' ');
        let start = before.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
        let name = &before[start..];
        if name != "Self" && !is_type(name) {
            continue;
        }
        // `-> Self {` and `if x == Y {` open a block.
        let line_start = before[..start].trim_end();
        let is_block = ["->", "==", "if", "match", "while", "impl", "struct", "&&", "||", "for", "in", "."]
            .iter()
            .any(|word| line_start.ends_with(word));
        if is_block {
            continue;
        }
        let of = if name == "Self" { owner?.to_owned() } else { name.to_owned() };
        let close = text.closing(range.start + at, range.end)?;
        // A value inside of another value is not the one that is made.
        let is_whole = matches!(language, Language::Rust | Language::Go | Language::C | Language::Cpp);
        return is_whole.then_some((of, range.start + at + 1..close - 1));
    }
    None
}

/// Conversions of numbers in Go.
const CONVERSIONS: [&str; 10] =
    ["int", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64"];

/// Returns the literals of an object with which a function of JavaScript completes the options of its caller: `{limit: 3, ...options}`.
pub(super) fn completed_options(function: &SymbolInfo, text: &MaskedText) -> Vec<LiteralEntry> {
    let range = text.line(function.line).start..text.line(function.line_end.min(function.line + LINES)).end;
    let parameters = parameters(&text.bare[range.clone()]);
    let bare = &text.bare[range.clone()];
    let Some(spread) = bare.match_indices("...").find(|(at, _)| {
        let name =
            bare[at + 3..].split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        let before = bare[..*at].trim_end();
        // Behind a literal; a rest parameter stands in round brackets.
        before.ends_with(',') && parameters.iter().any(|one| one == name)
    }) else {
        return Vec::new();
    };
    // The bracket around the spread.
    let mut depth = 0_usize;
    let open = bare[..spread.0].char_indices().rev().find(|(_, c)| match c {
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
    let parts = split(text, range.start + open + 1..range.start + spread.0);
    let entries = parts.into_iter().filter_map(|part| entry(text, part));
    let is_told =
        |one: &LiteralEntry| one.value.as_deref().is_some_and(|value| is_literal(value, &parameters));
    entries.filter(is_told).take(ENTRIES).collect()
}

/// Returns true for a value that is the same in every call: it names no parameter, and is no lone local name.
fn is_literal(value: &str, parameters: &[String]) -> bool {
    let words = || value.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let is_name = value.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && value.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        && !matches!(value, "true" | "false" | "nil" | "null" | "undefined");
    let plain =
        ["true", "false", "nil", "null", "None", "True", "False", "Some", "Duration", "String", "Vec"];
    let takes_parameter =
        words().any(|word| parameters.iter().any(|one| one == word) && !plain.contains(&word));
    // A call of a local function may return anything; one of a type makes a plain value.
    let is_call = value.find('(').is_some_and(|open| {
        let of = value[..open].trim();
        let is_conversion =
            CONVERSIONS.contains(&of) && value[open + 1..].starts_with(|c: char| c.is_ascii_digit());
        !is_conversion && (of.is_empty() || of.starts_with(|c: char| c.is_ascii_lowercase() || c == '_'))
    });
    !is_name && !takes_parameter && !is_call && !value.contains(['|', '?', ';'])
}

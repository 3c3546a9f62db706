//! The literals that a constructor gives to the fields of a new value. A field is told only if nothing else in the constructor names it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::LiteralEntry;
use super::literals::{LiteralPart, is_balanced, is_constant, quoted, split, trimmed};
use super::mask::MaskedText;
use crate::repo::{Language, SymbolInfo};

/// Maximum number of lines of a constructor that is read.
const LINES: usize = 400;
/// Longest value of a field, in characters.
const VALUE: usize = 90;

/// Returns the type that a constructor (`new`, `__init__`) makes, and the constant values that it gives to
/// fields, by the name of the field. `None` if the function is no constructor of one of `types`, the types of
/// its file. `owner` is the type that the function belongs to.
pub(super) fn defaults(
    language: Language,
    owner: Option<&str>,
    function: &SymbolInfo,
    text: &MaskedText,
    types: &BTreeSet<&str>,
) -> Option<(String, BTreeMap<String, LiteralEntry>)> {
    if !is_constructor(language, &function.name) || function.line_end > function.line + LINES {
        return None;
    }
    let whole = text.range_of(function, LINES);
    let body = ConstructorBody::of(language, function, text, whole)?;
    if matches!(language, Language::Rust | Language::Go) {
        let (of, inside) = body.made_value(owner, types)?;
        Some((of, body.literals_of(inside)))
    } else {
        let of = owner.filter(|owner| types.contains(owner))?;
        Some((of.to_owned(), body.assigned()))
    }
}

/// Returns true if functions of this name make a value with its defaults: `__init__` in Python, `constructor`
/// in JavaScript, `new…` and `default…` in Rust and Go.
fn is_constructor(language: Language, name: &str) -> bool {
    match language {
        Language::Python => name == "__init__",
        Language::JavaScript | Language::TypeScript | Language::Tsx => name == "constructor",
        Language::Rust => ["new", "default", "defaults"].iter().any(|start| {
            name.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        }),
        Language::Go => ["New", "Default", "new", "default"].iter().any(|start| {
            name.strip_prefix(start)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_uppercase))
        }),
        _ => false,
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the byte positions at which a word occurs as a whole word in a text.
pub(super) fn positions<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_whole = move |at: &usize| {
        !text[..*at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part) && !word.is_empty()
    };
    text.match_indices(word).map(|(at, _)| at).filter(is_whole)
}

/// Returns the names of the parameters in a function's signature. May have further words of the signature
/// where names and types cannot be told apart.
pub(super) fn parameters(function: &SymbolInfo) -> Vec<String> {
    let head = &function.signature;
    let name = positions(head, &function.name).next().map_or(0, |at| at + function.name.len());
    let Some(open) = head[name..].find('(').map(|at| name + at + 1) else { return Vec::new() };
    let (mut depth, mut found, mut is_name) = (0_usize, Vec::new(), true);
    let mut word = String::new();
    for c in head[open..].chars().chain([',']) {
        if is_part(c) {
            word.push(c);
            continue;
        }
        let word = std::mem::take(&mut word);
        if is_name && !word.is_empty() {
            found.push(word);
        }
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' if depth == 0 => break,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => is_name = true,
            ':' | '=' if depth == 0 => is_name = false,
            _ => {}
        }
    }
    found
}

/// Body of a constructor in the masked text of its file, from which the default values of fields are read.
struct ConstructorBody<'a> {
    language: Language,
    text: &'a MaskedText,
    parameters: Vec<String>,
    /// The words between the parameters and the body: the result.
    result: &'a str,
    /// Its bytes, behind the sign that opens it, to the end of the function.
    range: Range<usize>,
}

impl<'a> ConstructorBody<'a> {
    fn of(
        language: Language,
        function: &SymbolInfo,
        text: &'a MaskedText,
        whole: Range<usize>,
    ) -> Option<Self> {
        let bare = &text.bare[whole.clone()];
        let name = positions(bare, &function.name).next()? + function.name.len();
        let open = name + bare[name..].find('(')?;
        let close = text.closing(whole.start + open, whole.end)?;
        let sign = if language == Language::Python { ':' } else { '{' };
        let begin = close + text.bare[close..whole.end].find(sign)?;
        // Another brace opens a type of the result.
        if sign == '{' && text.closing(begin, whole.end) != Some(whole.end) {
            return None;
        }
        let result = &text.bare[close..begin];
        Some(Self { language, text, parameters: parameters(function), result, range: begin + 1..whole.end })
    }

    /// Returns the fields with constant values in a literal `Type { a: 1, b: x }`, by name; `inside` are the
    /// bytes between its braces.
    fn literals_of(&self, inside: Range<usize>) -> BTreeMap<String, LiteralEntry> {
        let parts = split(self.text, inside);
        let constant = |part: Range<usize>| {
            let part = LiteralPart::read(self.language, self.text, part)?;
            let entry = self.is_constant(part.value.clone()?).then(|| part.quote(self.text))??;
            entry.value.is_some().then(|| (entry.key.clone(), entry))
        };
        parts.into_iter().filter_map(constant).collect()
    }

    fn is_constant(&self, value: Range<usize>) -> bool {
        is_constant(self.language, self.text, value, &self.parameters)
    }

    /// Returns the fields that a statement `self.x = constant` or `this.x = constant` at the outer level of
    /// the body sets, by name. Omits fields that the function names more than once.
    fn assigned(&self) -> BTreeMap<String, LiteralEntry> {
        let receiver = if self.language == Language::Python { "self." } else { "this." };
        let bare = &self.text.bare[self.range.clone()];
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, _) in bare.match_indices(receiver) {
            let name = bare[at + receiver.len()..].split(|c| !is_part(c)).next().unwrap_or_default();
            *named.entry(name).or_default() += 1;
        }
        let first = self.text.line_of(self.range.start) + 1;
        let last = self.text.line_of(self.range.end.saturating_sub(1));
        let line_of = |line: usize| self.text.line_in(line, &self.range);
        let indent = |line: usize| {
            let bare = &self.text.bare[line_of(line)];
            (!bare.trim().is_empty()).then(|| bare.len() - bare.trim_start().len())
        };
        let Some(own) = (first..=last).find_map(indent) else { return BTreeMap::new() };
        let statement = |line: usize| {
            let range = trimmed(self.text, line_of(line));
            let bare = &self.text.bare[range.clone()];
            let (target, value) = bare.strip_prefix(receiver)?.split_once(" = ")?;
            let name = target.split(':').next()?.trim();
            let value = range.end - value.len()..range.end - usize::from(bare.ends_with(';'));
            let next = (line + 1..=last).find(|line| indent(*line).is_some()).map(line_of);
            let next = next.map_or("", |next| self.text.bare[next].trim_start());
            // Without a semicolon, an operator on the next line continues the statement.
            let is_whole = self.language == Language::Python
                || bare.ends_with(';')
                || next.starts_with(|c: char| c == '}' || is_part(c));
            let is_told =
                named.get(name) == Some(&1) && is_whole && is_balanced(&self.text.bare[value.clone()]);
            let value = Some(value).filter(|value| is_told && self.is_constant(value.clone()))?;
            let value = Some(quoted(&self.text.code[value], VALUE)?);
            Some((name.to_owned(), LiteralEntry { key: name.to_owned(), value, line }))
        };
        (first..=last).filter(|line| indent(*line) == Some(own)).filter_map(statement).collect()
    }

    /// Returns the type of the literal `Type { … }` that a constructor of Rust or Go returns, and the bytes
    /// between its braces. `None` if the function has several such literals, or if the literal is in a branch
    /// or changed before it is returned.
    fn made_value(&self, owner: Option<&str>, types: &BTreeSet<&str>) -> Option<(String, Range<usize>)> {
        let bare = &self.text.bare[self.range.clone()];
        let result: BTreeSet<&str> = self.result.split(|c| !is_part(c)).collect();
        let of_name = |name: &str| match owner {
            Some(owner) if name == "Self" || name == owner => Some(owner.to_owned()),
            None if self.language == Language::Go => Some(name.to_owned()),
            _ => None,
        };
        let is_made = |name: &str| result.contains(name) || name != "Self" && result.contains("Self");
        let mut open: Vec<usize> = Vec::new();
        let mut found = None;
        for (at, c) in bare.char_indices() {
            match c {
                '{' => {
                    let before = bare[..at].trim_end_matches(' ');
                    let start = before.trim_end_matches(is_part).len();
                    // `[]*core{` is a list, `other::Core {` another type.
                    let is_own =
                        is_made(&before[start..]) && !before[..start].ends_with([']', '*', '.', ':']);
                    let of = of_name(&before[start..]).filter(|of| is_own && types.contains(of.as_str()));
                    if let Some(of) = of {
                        // Of several literals none is sure.
                        if found.is_some() {
                            return None;
                        }
                        found = Some((of, start, at, open.clone()));
                    }
                    open.push(at);
                }
                '(' | '[' => open.push(at),
                ')' | ']' | '}' => {
                    open.pop();
                }
                _ => {}
            }
        }
        let (of, start, at, around) = found?;
        let wraps = |open: &usize| {
            let before = &bare[..*open];
            bare[*open..].starts_with('(')
                && ["Ok", "Some", "new"].iter().any(|word| ends_with_word(before, word))
        };
        let close = self.text.closing(self.range.start + at, self.range.end)?;
        let end = close - self.range.start;
        let is_plain = around.iter().all(wraps) && !bare[end..].trim_start().starts_with(['.', '?', '[']);
        (is_plain && self.is_returned(bare, start, end)).then_some((of, self.range.start + at + 1..close - 1))
    }

    /// Returns true if the literal at `start..end` is the result of the function: its last expression, behind
    /// `return`, or in a variable that is only returned.
    fn is_returned(&self, bare: &str, start: usize, end: usize) -> bool {
        let begin = bare[..start].rfind([';', '{', '}', '\n']).map_or(0, |at| at + 1);
        let head = bare[begin..start].trim();
        let is_go = self.language == Language::Go;
        let Some((target, _)) = head.split_once('=') else {
            let rest = bare[end..].trim_matches(|c: char| c.is_whitespace() || ")};,".contains(c));
            let head = head.trim_end_matches('&').trim_end();
            let is_end = rest.is_empty() && !is_go && !head.ends_with(['.', ':', '|']);
            return is_end || head.starts_with("return ") || head == "return";
        };
        let name =
            target.trim().trim_end_matches(':').trim().trim_start_matches("let ").trim_start_matches("mut ");
        let name = name.split(':').next().unwrap_or(name).trim();
        let mut found = positions(&bare[end..], name).map(|at| end + at);
        let (Some(at), None) = (found.next(), found.next()) else { return false };
        let before = bare[..at].trim_end();
        let rest = &bare[at + name.len()..];
        let is_result = ends_with_word(before, "return")
            || !is_go && before.ends_with(['}', ';']) && rest.trim().trim_end_matches('}').is_empty()
            || ["Ok", "Some", "new"]
                .iter()
                .any(|word| before.strip_suffix('(').is_some_and(|head| ends_with_word(head, word)));
        is_result && !rest.trim_start().starts_with(['.', '?', '['])
    }
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|rest| !rest.ends_with(is_part))
}

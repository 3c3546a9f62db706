//! Calls whose errors a function hands to its caller: `f()?` of Rust, and `return err` of Go behind `err := f()`.

use super::LiteralEntry;
use super::branches::FunctionLines;
use super::mask::MaskedText;
use crate::repo::{Language, SymbolInfo};

/// Maximum of calls of one function.
const CALLS: usize = 8;
/// Maximum of bytes between the brackets of a call.
const CALL: usize = 2_000;
/// Maximum of question marks of one function that are looked at.
const MARKS: usize = 200;
/// Maximum of lines between the call and the `return` of its error.
const NEAR: usize = 6;
/// Methods of Rust that change an error or an option and cannot fail themselves.
const ADAPTERS: [&str; 10] = [
    "map_err",
    "context",
    "with_context",
    "wrap_err",
    "wrap_err_with",
    "await",
    "transpose",
    "map",
    "unwrap_or_default",
    "cloned",
];
/// Methods of Rust that make an error of a missing value: no call has failed.
const MAKERS: [&str; 2] = ["ok_or", "ok_or_else"];

/// Returns the calls with their lines, in the order of the text, each name once.
pub(super) fn of_function(language: Language, function: &SymbolInfo, text: &MaskedText) -> Vec<LiteralEntry> {
    let lines = FunctionLines::of(language, function, text);
    let bare = &text.bare[lines.whole.clone()];
    let mut found: Vec<LiteralEntry> = Vec::new();
    let mut add = |name: &str, at: usize| {
        if found.len() < CALLS && !found.iter().any(|known| known.key == name) {
            found.push(LiteralEntry {
                key: name.to_owned(),
                value: None,
                line: text.line_of(lines.whole.start + at),
            });
        }
    };
    match language {
        Language::Rust => {
            for (at, _) in bare.match_indices('?').take(MARKS) {
                // Only the end of the text is looked at: a search from its beginning would take quadratic time.
                let near = (at.saturating_sub(2 * CALL)..=at)
                    .find(|near| bare.is_char_boundary(*near))
                    .unwrap_or(at);
                if let Some((name, start)) = failing_call(&bare[near..at]) {
                    add(name, near + start);
                }
            }
        }
        Language::Go => {
            let rows: Vec<(usize, &str)> = rows(bare);
            for (number, (_, row)) in rows.iter().enumerate() {
                let Some(error) = returned_error(row) else { continue };
                let mut before = rows[number.saturating_sub(NEAR)..number].iter().rev();
                let call = before.find_map(|(start, row)| Some((assigned_call(row, error)?, *start)));
                if let Some((name, start)) = call {
                    add(name, start);
                }
            }
        }
        _ => {}
    }
    found
}

/// Returns the lines of a text with their positions.
fn rows(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let row = |line| {
        let start = at;
        at += str::len(line);
        (start, line)
    };
    text.split_inclusive('\n').map(row).collect()
}

/// Returns the name and the position of the call whose result `?` unwraps at the end of a text; `None` if it is no call.
fn failing_call(text: &str) -> Option<(&str, usize)> {
    let mut rest = text.trim_end();
    for _ in 0..ADAPTERS.len() {
        let is_call = rest.ends_with(')');
        let open = if is_call { opening(rest)? } else { rest.len() };
        // `parse::<u8>()` has its types between name and bracket.
        let head = rest[..open].trim_end();
        let head = if head.ends_with('>') { &head[..head.rfind("::<")?] } else { head };
        let start =
            head.rfind(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':')).map_or(0, |at| at + 1);
        let name = &head[start..];
        let last = name.rsplit(':').next().unwrap_or(name);
        if MAKERS.contains(&last) {
            return None;
        }
        let is_method = head[..start].ends_with('.');
        if is_method && ADAPTERS.contains(&last) {
            rest = head[..start - 1].trim_end();
            continue;
        }
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        return (is_call && is_name).then_some((name, start));
    }
    None
}

/// Returns the position of the bracket that the last one closes.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (count, (at, c)) in text.char_indices().rev().enumerate() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        if count > CALL {
            return None;
        }
    }
    None
}

/// Returns the variable in `return err` and `return nil, err`.
fn returned_error(line: &str) -> Option<&str> {
    let given = line.trim().strip_prefix("return ")?;
    let last = given.rsplit(',').next()?.trim();
    (last == "err" || last.starts_with("err") && last.chars().all(char::is_alphanumeric)).then_some(last)
}

/// Returns the function that a line calls to set a variable: `x, err := os.Open(path)`, `if err := f(); err != nil {`.
fn assigned_call<'a>(line: &'a str, variable: &str) -> Option<&'a str> {
    let (targets, value) = line.split_once(":=").or_else(|| line.split_once(" = "))?;
    let mut names = targets.trim().trim_start_matches("if ").split(',').map(str::trim);
    let is_set = names.any(|name| name == variable);
    let name = value.trim_start().split('(').next()?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    (is_set && is_name && value.contains('(')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_call_before_a_question_mark_is_found() {
        let name = |text: &str| failing_call(text).map(|(name, _)| name.to_owned());
        assert_eq!(name("let a = fs::read(path(b))").as_deref(), Some("fs::read"));
        assert_eq!(name("a.open(b).await").as_deref(), Some("open"));
        assert_eq!(name("a.parse::<u8>().map_err(|e| No(e))").as_deref(), Some("parse"));
        assert_eq!(name("a.get(0).ok_or_else(|| No)"), None);
        assert_eq!(name("result"), None);
        assert_eq!(name(")"), None);
    }

    #[test]
    fn the_call_that_sets_an_error_of_go_is_found() {
        assert_eq!(returned_error("\t\treturn nil, err"), Some("err"));
        assert_eq!(returned_error("\treturn errors.New(x)"), None);
        assert_eq!(assigned_call("\tin, err = os.Open(path)", "err"), Some("os.Open"));
        assert_eq!(assigned_call("\tif err := a.f(); err != nil {", "err"), Some("a.f"));
        assert_eq!(assigned_call("\tx := 1", "err"), None);
    }
}

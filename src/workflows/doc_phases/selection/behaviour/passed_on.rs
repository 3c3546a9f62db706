//! Calls whose errors a function hands to its caller: `f()?` of Rust, and `return err` of Go behind `err := f()`.

use std::ops::Range;

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
const ADAPTERS: [&str; 9] = [
    "map_err",
    "context",
    "with_context",
    "wrap_err",
    "wrap_err_with",
    "await",
    "transpose",
    "map",
    "cloned",
];
/// Methods of Rust that drop an error, that make an error of a missing value, or whose result is an option: no call has failed.
const WITHOUT_ERRORS: [&str; 31] = [
    "ok",
    "ok_or",
    "ok_or_else",
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
    "get",
    "get_mut",
    "first",
    "last",
    "next",
    "pop",
    "find",
    "position",
    "nth",
    "take",
    "to_str",
    "parent",
    "file_name",
    "extension",
    "strip_prefix",
    "strip_suffix",
    "split_once",
    "rsplit_once",
    "checked_add",
    "checked_sub",
    "checked_mul",
    "checked_div",
    "checked_rem",
    "checked_neg",
    "checked_pow",
];
/// Functions of Go that make an error: no call has failed.
const ERRORS: [&str; 3] = ["fmt.Errorf", "errors.New", "errors.Join"];

/// Returns the calls whose errors the function returns to its caller (`f()?` in Rust, `return err` in Go),
/// with their lines, each name once, at most [`CALLS`]; and true if there are more. None in other languages.
pub(super) fn of_function(
    language: Language,
    function: &SymbolInfo,
    text: &MaskedText,
) -> (Vec<LiteralEntry>, bool) {
    let lines = FunctionLines::of(language, function, text);
    let bare = &text.bare[lines.whole.clone()];
    let mut found: Vec<LiteralEntry> = Vec::new();
    let mut is_cut = false;
    let mut add = |name: &str, at: usize| {
        let is_new = !found.iter().any(|known| known.key == name);
        is_cut |= is_new && found.len() >= CALLS;
        if is_new && found.len() < CALLS {
            found.push(LiteralEntry {
                key: name.to_owned(),
                value: None,
                line: text.line_of(lines.whole.start + at),
            });
        }
    };
    match language {
        Language::Rust => {
            let inner = function.children.iter().filter(|inner| inner.kind.is_callable());
            let mut inside = closures(bare);
            inside.extend(inner.map(|inner| {
                let bytes = inner.bytes();
                bytes.start.saturating_sub(lines.whole.start)..bytes.end.saturating_sub(lines.whole.start)
            }));
            let marks =
                bare.match_indices('?').filter(|(at, _)| !inside.iter().any(|range| range.contains(at)));
            for (at, _) in marks.take(MARKS) {
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
                // Only the nearest value of the variable is returned.
                let nearest = before.find_map(|(start, row)| Some((assigned_value(row, error)?, *start)));
                if let Some((name, start)) =
                    nearest.and_then(|(value, start)| Some((called_function(value)?, start)))
                {
                    add(name, start);
                }
            }
        }
        _ => {}
    }
    (found, is_cut)
}

/// Returns true if a Rust signature returns a `Result`. Only then `?` passes an error on; with `Option` it
/// does not.
pub(super) fn returns_result(signature: &str) -> bool {
    let head = signature.split(" where ").next().unwrap_or(signature);
    let returns = head.rsplit_once("->").map_or("", |(_, returns)| returns.trim());
    returns.contains("Result") && !returns.starts_with("Option")
}

/// Maximum of closures and blocks of a function that are looked for.
const INNER: usize = 200;

/// Returns the byte ranges of the closures and `async` blocks in a Rust function. A `?` in them does not
/// return from the function.
fn closures(bare: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, mark) in bare.match_indices(['|', 'a']) {
        if found.len() >= INNER {
            break;
        }
        if found.last().is_some_and(|known| known.contains(&at)) {
            continue;
        }
        let rest = &bare[at..];
        let before = bare[..at].trim_end();
        let body = if mark == "|" {
            let is_closure = before.ends_with(['(', ',', '=', '{', ';', '>'])
                || ["move", "return", "async"].iter().any(|word| before.ends_with(word));
            rest[1..].find('|').filter(|_| is_closure).map(|end| at + end + 2)
        } else {
            let is_word = !bare[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let block = rest.strip_prefix("async").filter(|_| is_word).map(str::trim_start);
            let block = block.map(|rest| rest.strip_prefix("move").map_or(rest, str::trim_start));
            block.filter(|rest| rest.starts_with('{')).map(|rest| bare.len() - rest.len())
        };
        found.extend(body.map(|body| at..end_of_value(bare, body)));
    }
    found
}

/// Returns the byte position behind the expression that begins at `start`.
fn end_of_value(bare: &str, start: usize) -> usize {
    let is_block = bare[start..].trim_start().starts_with(['{', '-']);
    let mut depth = 0_usize;
    for (at, c) in bare[start..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' | ',' | ';' if depth == 0 => return start + at,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if c == '}' && depth == 0 && is_block {
            return start + at + 1;
        }
    }
    bare.len()
}

/// Returns the lines of a text, each with its byte position.
fn rows(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let row = |line| {
        let start = at;
        at += str::len(line);
        (start, line)
    };
    text.split_inclusive('\n').map(row).collect()
}

/// Returns the name and the byte position of the call whose error a `?` at the end of `text` passes on. Skips
/// adapters such as `map_err`. `None` if it is no call, or if the value comes from an option.
fn failing_call(text: &str) -> Option<(&str, usize)> {
    let mut rest = text.trim_end();
    for _ in 0..ADAPTERS.len() {
        let is_call = rest.ends_with(')');
        let open = if is_call { opening(rest)? } else { rest.len() };
        // `parse::<u8>()` has its types between name and bracket.
        let head = rest[..open].trim_end();
        let head = if head.ends_with('>') { &head[..head.rfind("::<")?] } else { head };
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
        let start = head.trim_end_matches(is_part).len();
        let name = &head[start..];
        let last = name.rsplit(':').next().unwrap_or(name);
        // `map_err(|_| …)` makes another error.
        let is_dropped = last == "map_err" && rest[open..].trim_start_matches(['(', ' ']).starts_with("|_");
        if WITHOUT_ERRORS.contains(&last) || is_dropped {
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

/// Returns the byte position of the bracket that the last character of a text closes; `None` if it is not
/// near.
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

/// Returns the error variable that a Go line returns: `err` in `return err` and `return nil, err`.
fn returned_error(line: &str) -> Option<&str> {
    let given = line.trim().strip_prefix("return ")?;
    let last = given.rsplit(',').next()?.trim();
    (last == "err" || last.starts_with("err") && last.chars().all(char::is_alphanumeric)).then_some(last)
}

/// Returns the expression that a Go line assigns to a variable: `os.Open(path)` in `x, err := os.Open(path)`.
fn assigned_value<'a>(line: &'a str, variable: &str) -> Option<&'a str> {
    let (targets, value) = line.split_once(":=").or_else(|| line.split_once(" = "))?;
    let mut names = targets.trim().trim_start_matches("if ").split(',').map(str::trim);
    names.any(|name| name == variable).then_some(value)
}

/// Returns the name of the function that a Go expression calls; `None` for no call, and for functions that
/// make an error.
fn called_function(value: &str) -> Option<&str> {
    let (name, _) = value.trim_start().split_once('(')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    (is_name && !ERRORS.contains(&name)).then_some(name)
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
        let call = |line: &'static str| assigned_value(line, "err").and_then(called_function);
        assert_eq!(call("\tin, err = os.Open(path)"), Some("os.Open"));
        assert_eq!(call("\tif err := a.f(); err != nil {"), Some("a.f"));
        assert_eq!(call("\tx := 1"), None);
        assert_eq!(call("\terr = fmt.Errorf(\"a\")"), None);
    }

    #[test]
    fn a_call_whose_error_is_dropped_or_made_elsewhere_is_not_told() {
        let name = |text: &str| failing_call(text).map(|(name, _)| name.to_owned());
        assert_eq!(name("a.open().unwrap_or_default()"), None);
        assert_eq!(name("a.first().context(b)"), None);
        assert_eq!(name("a.open().map_err(|_| No)"), None);
        assert_eq!(name("a.open().map_err(No::Opened)").as_deref(), Some("open"));
        // A character of several bytes before the name.
        assert_eq!(name("\u{2026}open(b)").as_deref(), Some("open"));
    }

    #[test]
    fn only_a_result_of_the_function_itself_passes_errors_on() {
        for (signature, expected) in [
            ("fn f() -> io::Result<u8>", true),
            ("fn f(g: impl Fn() -> Result<u8, E>) -> u8", false),
            ("fn f<G>(g: G) -> u8 where G: Fn() -> Result<u8, E>", false),
            ("fn f() -> Option<Result<u8, E>>", false),
            ("fn f(a: Result<u8, E>)", false),
        ] {
            assert_eq!(returns_result(signature), expected, "{signature}");
        }
        let text = "fn f() -> Result<(), E> {\n    a.each(|x| one(x)?);\n    b.run(move || { two()?; three() }).go()?;\n    let c = async move { four()? };\n    if d || five()? { six()?; }\n    Ok(())\n}\n";
        let outline = crate::repo::outline(Language::Rust, "a.rs", text);
        let (found, is_cut) =
            of_function(Language::Rust, &outline.symbols[0], &MaskedText::of(Language::Rust, text));
        let names: Vec<&str> = found.iter().map(|call| call.key.as_str()).collect();
        assert_eq!((names, is_cut), (vec!["go", "five", "six"], false));
    }

    #[test]
    fn the_nearest_error_of_go_is_the_returned_one() {
        let text = "package a\n\nfunc F() error {\n\terr := one()\n\tif err != nil {\n\t\terr = fmt.Errorf(\"a: %w\", err)\n\t\treturn err\n\t}\n\treturn nil\n}\n";
        let outline = crate::repo::outline(Language::Go, "a.go", text);
        let (found, _) = of_function(Language::Go, &outline.symbols[0], &MaskedText::of(Language::Go, text));
        assert_eq!(found, []);
    }
}

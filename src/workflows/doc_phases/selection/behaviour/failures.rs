//! Statements that raise an error or end the program, each with the head of the innermost branch around it.

use super::WrittenFailure;
use super::branches::{FunctionLines, on_one_line};
use super::mask::MaskedText;
use crate::facts::visible;
use crate::repo::{Language, SymbolInfo};
use stategraph_base::has_secret;

/// Maximum of failures of one name.
pub(super) const FAILURES: usize = 8;
/// Maximum length of a statement and of a branch, in characters.
const CHARS: usize = 200;
/// Maximum of lines of a statement.
const LINES: usize = 8;

/// Returns the failing statements (`raise`, `return Err(…)`, `panic!`) of a function with the branch around
/// each, in the order of the text, at most [`FAILURES`]; and true if there are more. Includes those of inner
/// functions.
pub(super) fn of_function(
    language: Language,
    function: &SymbolInfo,
    text: &MaskedText,
) -> (Vec<WrittenFailure>, bool) {
    let mut found: Vec<WrittenFailure> = Vec::new();
    let body = FunctionLines::of(language, function, text);
    let whole = body.whole.clone();
    let last = text.line_of(whole.end.saturating_sub(1));
    let mut line = function.line;
    let mut is_cut = false;
    while line <= last && !is_cut {
        let range = text.line_in(line, &whole);
        let Some(start) = start_of_failure(language, &text.bare[range.clone()]) else {
            line += 1;
            continue;
        };
        let at = range.start + start;
        let end = end_of_statement(text, at, text.line_in(last.min(line + LINES), &whole).end);
        let statement = text.code.get(at..end).map(on_one_line).unwrap_or_default();
        is_cut = found.len() >= FAILURES;
        if is_told(&statement) && !is_cut {
            let branch = body.branch(line, at);
            let inside = inner_function(function, line).map(|inner| inner.name.clone());
            found.push(WrittenFailure {
                line,
                statement,
                branch: branch.filter(|head| is_told(head)),
                inside,
            });
        }
        line = text.line_of(end).max(line) + 1;
    }
    (found, is_cut)
}

/// Returns the innermost function inside `function` that contains a line; `None` if the line is in no inner
/// function.
fn inner_function(function: &SymbolInfo, line: usize) -> Option<&SymbolInfo> {
    let mut found = None;
    let mut all = &function.children;
    while let Some(inner) = all.iter().find(|inner| inner.line <= line && line <= inner.line_end) {
        found = Some(inner).filter(|inner| inner.kind.is_callable()).or(found);
        all = &inner.children;
    }
    found
}

fn is_told(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= CHARS && !has_secret(text) && visible(text) == text
}

/// Returns the byte position of a failing statement in a line without strings and comments; `None` if the
/// line has none. Which statements count depends on the language.
fn start_of_failure(language: Language, line: &str) -> Option<usize> {
    if language == Language::Go
        && let Some(at) = start_of_go_error(line)
    {
        return Some(at);
    }
    let words: &[&str] = match language {
        Language::Python => &["raise ", "assert ", "sys.exit(", "os._exit("],
        Language::Rust => &[
            "return Err(",
            "Err(",
            ".expect(",
            "panic!(",
            "unreachable!(",
            "bail!(",
            "ensure!(",
            "assert!(",
            "assert_eq!(",
            "assert_ne!(",
            "std::process::exit(",
            "process::exit(",
        ],
        Language::Go => &["panic(", "os.Exit(", "log.Fatal(", "log.Fatalf(", "log.Fatalln("],
        Language::Ruby => &["raise ", "abort ", "exit "],
        Language::C | Language::Cpp => &["throw ", "abort(", "assert(", "exit("],
        Language::Bash => &["exit "],
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            &["throw ", "process.exit(", "Promise.reject("]
        }
        Language::Php => &["throw ", "exit(", "die("],
        Language::Java => &["throw ", "System.exit("],
        Language::CSharp => &["throw ", "Environment.Exit("],
    };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    words.iter().find_map(|word| {
        let at = line.find(word)?;
        let before = line[..at].trim_end();
        let is_method = word.starts_with('.');
        let given = line[at + word.len()..].trim_start();
        if word.to_ascii_lowercase().contains("exit") && is_good_end(given) {
            return None;
        }
        // A parser has a method of the same name.
        let is_text = ["\"", "r\"", "r#", "&format!"].iter().any(|start| given.starts_with(start));
        let is_of_value = !is_method || given.is_empty() || is_text;
        let is_whole = is_method || !line[..at].ends_with(is_part);
        // `Err(e) => …` and `if let Err(e)` are patterns; other values are built, not returned.
        let is_value =
            *word != "Err(" || before.is_empty() || before.ends_with("=>") || before.ends_with('{');
        let is_pattern = *word == "Err(" && (line[at..].contains("=>") || line[at..].contains(") = "));
        // A statement stands at the beginning, behind a condition or in an arm.
        let is_statement = match language {
            Language::Python => before.is_empty() || before.ends_with(':'),
            Language::Ruby | Language::Bash => before.is_empty() || before.ends_with(['{', ';', '|', '&']),
            _ => true,
        };
        (is_whole && is_value && is_of_value && !is_pattern && is_statement).then_some(if is_method {
            at + 1
        } else {
            at
        })
    })
}

/// Returns true if an exit call with these arguments reports success: `0)`, `)` or `EXIT_SUCCESS)`.
fn is_good_end(given: &str) -> bool {
    let code = given.split([')', ';', ' ']).next().unwrap_or(given);
    matches!(code, "" | "0" | "EXIT_SUCCESS" | "true")
}

/// Returns the byte position of a Go `return` with a new error (`fmt.Errorf(…)`) or a named one
/// (`ErrClosed`); `None` for any other line.
fn start_of_go_error(line: &str) -> Option<usize> {
    let at = line
        .find("return ")
        .filter(|at| line[..*at].trim_end().is_empty() || line[..*at].ends_with([' ', '{']))?;
    let given = &line[at + "return ".len()..];
    let is_known = |(found, _): (usize, &str)| {
        let before = given[..found].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
            && given[found + 3..].starts_with(|c: char| c.is_uppercase())
    };
    // A comparison with a known error returns a truth value.
    if ["errors.Is(", "errors.As(", "==", "!="].iter().any(|word| given.contains(word)) {
        return None;
    }
    let is_made = given.contains("fmt.Errorf(") || given.contains("errors.New(");
    (is_made || given.match_indices("Err").any(is_known)).then_some(at)
}

/// Returns the byte position behind the statement at `at`: the end of its line, or of the brackets that it
/// opens. At most `limit`; the first line if the brackets do not close before.
fn end_of_statement(text: &MaskedText, at: usize, limit: usize) -> usize {
    // `*x.expect("…") = y`: the call fails, not the assignment.
    if text.bare[at..limit].starts_with("expect(") {
        return text.closing(at + "expect".len(), limit).unwrap_or(limit);
    }
    let mut depth = 0_usize;
    for (offset, c) in text.bare.get(at..limit).unwrap_or_default().char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' | ';' | '\n' if depth == 0 => return at + offset,
            ')' | ']' | '}' => {
                depth -= 1;
                // A call is whole at its bracket; what follows belongs to its caller.
                if depth == 0 && c == ')' && !text.bare[at + offset + 1..].starts_with(['.', '[', '(']) {
                    let rest = text.bare[at + offset + 1..].trim_start_matches(' ');
                    if rest.starts_with([';', '\n', ',', '?', '}', ')']) || rest.is_empty() {
                        return at + offset + 1;
                    }
                }
            }
            _ => {}
        }
    }
    if depth == 0 {
        return limit;
    }
    // The brackets do not close near: the first line stands for the statement.
    text.bare.get(at..limit).and_then(|rest| rest.find('\n')).map_or(limit, |end| at + end)
}

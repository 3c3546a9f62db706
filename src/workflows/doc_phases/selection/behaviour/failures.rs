//! Statements that raise an error or end the program, each with the head of the innermost branch around it. The branch is found by
//! indentation, so code that is not indented has none.

use super::mask::MaskedText;
use super::{WrittenFailure, is_indented};
use crate::facts::visible;
use crate::repo::{Language, SymbolInfo};
use stategraph_base::has_secret;

/// Maximum of failures of one function.
const FAILURES: usize = 8;
/// Maximum length of a statement and of a branch, in characters.
const CHARS: usize = 200;
/// Maximum of lines of a statement.
const LINES: usize = 8;
/// Maximum of lines of a function that are read.
const FUNCTION: usize = 600;

/// Returns the failures of a function in the order of the text. Those of functions inside it count as its own.
pub(super) fn of_function(
    language: Language,
    function: &SymbolInfo,
    text: &MaskedText,
) -> Vec<WrittenFailure> {
    let mut found: Vec<WrittenFailure> = Vec::new();
    let last = function.line_end.min(function.line + FUNCTION);
    let mut line = function.line;
    while line <= last && found.len() < FAILURES {
        let range = text.line(line);
        let Some(start) = start_of_failure(language, &text.bare[range.clone()]) else {
            line += 1;
            continue;
        };
        let at = range.start + start;
        let end = end_of_statement(text, at, text.line(last.min(line + LINES)).end);
        let statement = text.code.get(at..end).map(on_one_line).unwrap_or_default();
        if is_told(&statement)
            && !found.iter().any(|known| known.statement == statement && known.line == line)
        {
            let branch = branch(language, text, function.line, line, at);
            found.push(WrittenFailure { line, statement, branch: branch.filter(|head| is_told(head)) });
        }
        line = text.line_of(end).max(line) + 1;
    }
    found
}

fn is_told(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= CHARS && !has_secret(text) && visible(text) == text
}

fn on_one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = words.replace("( ", "(").replace(", )", ")").replace(",)", ")").replace(" )", ")");
    words.trim_start_matches(['}', ' ']).trim_end_matches([';', ',']).to_owned()
}

/// Returns the position of a failing statement in a line of code without strings.
fn start_of_failure(language: Language, line: &str) -> Option<usize> {
    let words: &[&str] = match language {
        Language::Python => &["raise ", "assert ", "sys.exit("],
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
        ],
        Language::Go => &[
            "panic(",
            "return fmt.Errorf(",
            "return errors.New(",
            "return nil, fmt.Errorf(",
            "return nil, errors.New(",
        ],
        Language::Ruby => &["raise ", "abort "],
        Language::C | Language::Cpp => &["throw ", "abort(", "assert("],
        Language::Bash => &[],
        _ => &["throw "],
    };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    words.iter().find_map(|word| {
        let at = line.find(word)?;
        let before = line[..at].trim_end();
        let is_method = word.starts_with('.');
        let is_whole = is_method || !line[..at].ends_with(is_part);
        // `Err(e) => …` and `if let Err(e)` are patterns; other values are built, not returned.
        let is_value =
            *word != "Err(" || before.is_empty() || before.ends_with("=>") || before.ends_with('{');
        let is_pattern = *word == "Err(" && (line[at..].contains("=>") || line[at..].contains(") = "));
        // A statement stands at the beginning, behind a condition or in an arm.
        let is_statement = match language {
            Language::Python => before.is_empty() || before.ends_with(':'),
            _ => true,
        };
        (is_whole && is_value && !is_pattern && is_statement).then_some(if is_method { at + 1 } else { at })
    })
}

/// Returns the end of the statement at `at`: of its line, or of the brackets that are open there.
fn end_of_statement(text: &MaskedText, at: usize, limit: usize) -> usize {
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
    // The brackets do not close near: the first line stands for the statement.
    text.bare.get(at..limit).and_then(|rest| rest.find('\n')).map_or(limit, |end| at + end)
}

/// Returns the head of the innermost branch around the statement at `at`.
fn branch(language: Language, text: &MaskedText, first: usize, line: usize, at: usize) -> Option<String> {
    let own = text.line(line);
    let before = text.code[own.start..at].trim();
    // `if (x) throw …`, `None => return Err(…)`.
    let is_arm = |head: &str| language == Language::Rust && (head.ends_with("=> {") || head.ends_with("=>"));
    if is_head(before) || is_arm(before) {
        return Some(on_one_line(before));
    }
    let mut depth = indent(&text.bare[own])?;
    // The line of a chained call is not the beginning of its statement.
    let mut number = line;
    while number > first + 1 {
        number -= 1;
        let range = text.line(number);
        let Some(outer) = indent(&text.bare[range.clone()]).filter(|outer| *outer < depth) else { continue };
        let head = &text.bare[range.clone()];
        let trimmed = head.trim();
        // The last line of a head of several lines, such as `) {`.
        if trimmed.starts_with([')', ']']) || trimmed == "{" {
            depth = outer + 1;
            if let Some(start) = start_of_head(text, first, number, outer) {
                number = start;
                let whole = &text.code[text.line(start).start..range.end];
                if is_head(whole.trim_start()) {
                    return Some(on_one_line(whole));
                }
            }
            continue;
        }
        let opens =
            if is_indented(language) { trimmed.ends_with(':') } else { trimmed.ends_with(['{', ':']) };
        if is_else(trimmed) {
            return otherwise(text, first, number, outer);
        }
        if opens && (is_head(trimmed) || is_arm(trimmed)) {
            return Some(on_one_line(&text.code[range]));
        }
        // `let Some(x) = y else {`
        if opens && trimmed.ends_with("else {") && trimmed.starts_with("let ") {
            return Some(on_one_line(&text.code[range]));
        }
        if opens && !is_plain_block(trimmed) {
            return None;
        }
        depth = outer;
    }
    None
}

/// Returns the line that begins the head which ends in line `last`.
fn start_of_head(text: &MaskedText, first: usize, last: usize, depth: usize) -> Option<usize> {
    (first..last).rev().take(12).find(|number| {
        let line = &text.bare[text.line(*number)];
        indent(line) == Some(depth) && !line.trim().starts_with([')', ']', '}'])
    })
}

/// Returns `else of HEAD` for the branch of the condition that did not hold.
fn otherwise(text: &MaskedText, first: usize, number: usize, depth: usize) -> Option<String> {
    let found = (first..number).rev().find(|at| indent(&text.bare[text.line(*at)]) == Some(depth))?;
    let range = text.line(found);
    let head = text.bare[range.clone()].trim_start_matches(['}', ' ']);
    let is_condition =
        ["if ", "if(", "elif ", "else if ", "elsif "].iter().any(|word| head.starts_with(word));
    is_condition.then(|| format!("else of {}", on_one_line(&text.code[range]).trim_start_matches(['}', ' '])))
}

fn is_else(head: &str) -> bool {
    matches!(head.trim_start_matches(['}', ' ']), "else:" | "else {" | "else")
}

/// Returns true for the head of a branch, at the beginning of a line.
fn is_head(line: &str) -> bool {
    const WORDS: [&str; 16] = [
        "if ", "if(", "elif ", "else if ", "else if(", "elsif ", "elseif ", "unless ", "except ", "except:",
        "catch ", "catch(", "rescue", "case ", "when ", "default:",
    ];
    let line = line.trim_start().trim_start_matches(['}', ' ']);
    WORDS.iter().any(|word| line.starts_with(word))
}

/// Returns true for a block that is always entered, or entered once for each item.
fn is_plain_block(head: &str) -> bool {
    const WORDS: [&str; 14] = [
        "for ", "for(", "while ", "loop ", "try", "with ", "unsafe ", "do", "match ", "switch ", "select ",
        "return ", "let ", "{",
    ];
    let head = head.trim_start_matches(['}', ' ']);
    WORDS.iter().any(|word| head.starts_with(word))
}

/// Returns the indentation of a line; `None` for an empty one.
fn indent(line: &str) -> Option<usize> {
    let bare = line.trim_start();
    (!bare.is_empty()).then(|| line.len() - bare.len())
}

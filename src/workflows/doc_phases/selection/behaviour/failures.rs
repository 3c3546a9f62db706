//! Statements that raise an error or end the program, each with the head of the innermost branch around it. The branch is found by
//! indentation, so code that is not indented has none.

use std::ops::Range;

use super::literals::{is_balanced, trimmed};
use super::mask::MaskedText;
use super::{WrittenFailure, is_indented};
use crate::facts::visible;
use crate::repo::{Language, SymbolInfo};
use stategraph_base::has_secret;

/// Maximum of failures of one name.
pub(super) const FAILURES: usize = 8;
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
    let whole = text.range_of(function, FUNCTION);
    let body = FunctionLines { language, text, whole: whole.clone(), first: function.line };
    let last = text.line_of(whole.end.saturating_sub(1));
    let mut line = function.line;
    while line <= last && found.len() < FAILURES {
        let range = text.line_in(line, &whole);
        let Some(start) = start_of_failure(language, &text.bare[range.clone()]) else {
            line += 1;
            continue;
        };
        let at = range.start + start;
        let end = end_of_statement(text, at, text.line_in(last.min(line + LINES), &whole).end);
        let statement = text.code.get(at..end).map(on_one_line).unwrap_or_default();
        if is_told(&statement) {
            let branch = body.branch(line, at);
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
    // A backslash of Python continues a line.
    let words = text.split_whitespace().filter(|word| *word != "\\").collect::<Vec<_>>().join(" ");
    let words = words.replace("( ", "(").replace(", )", ")").replace(",)", ")").replace(" )", ")");
    words.trim_start_matches(['}', ' ']).trim_end_matches([';', ',']).to_owned()
}

/// Returns the position of a failing statement in a line of code without strings.
fn start_of_failure(language: Language, line: &str) -> Option<usize> {
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
        // `sys.exit(0)` is a good end.
        let given = line[at + word.len()..].trim_start();
        if word.ends_with("exit(") && (given.starts_with("0)") || given.starts_with(')')) {
            return None;
        }
        // A parser has a method of the same name.
        let is_of_value = !is_method || {
            let given = line[at + word.len()..].trim_start();
            given.is_empty() || ["\"", "r\"", "r#", "&format!"].iter().any(|start| given.starts_with(start))
        };
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
        (is_whole && is_value && is_of_value && !is_pattern && is_statement).then_some(if is_method {
            at + 1
        } else {
            at
        })
    })
}

/// Returns the end of the statement at `at`: of its line, or of the brackets that are open there.
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

/// The lines of a function, to find the branch around a statement.
struct FunctionLines<'a> {
    language: Language,
    text: &'a MaskedText,
    whole: Range<usize>,
    /// The line with the head of the function.
    first: usize,
}

impl FunctionLines<'_> {
    fn bare(&self, line: usize) -> &str {
        &self.text.bare[self.text.line_in(line, &self.whole)]
    }

    fn is_arm(&self, head: &str) -> bool {
        self.language == Language::Rust && (head.ends_with("=> {") || head.ends_with("=>"))
    }

    /// Returns the head of the innermost branch around the statement at `at`; `None` if there is none, or if it cannot be told.
    fn branch(&self, line: usize, at: usize) -> Option<String> {
        let own = self.text.line_in(line, &self.whole);
        if let Some(head) = self.head_before(own.start..at) {
            return Some(on_one_line(head));
        }
        let mut depth = indent(self.bare(line))?;
        // The line of a chained call is not the beginning of its statement.
        let mut number = line;
        while number > self.first + 1 {
            number -= 1;
            let Some(outer) = indent(self.bare(number)).filter(|outer| *outer < depth) else { continue };
            let trimmed = self.bare(number).trim();
            // The last line of a head of several lines, such as `) {`.
            if trimmed.starts_with([')', ']']) || trimmed == "{" {
                depth = outer + 1;
                if let Some(start) = self.start_of_head(number, outer) {
                    number = start;
                    if is_head(self.bare(start)) {
                        return self.head(start, line);
                    }
                }
                continue;
            }
            if is_else(trimmed) {
                return self.otherwise(number, outer);
            }
            let opens = if is_indented(self.language) {
                trimmed.ends_with(':')
            } else {
                trimmed.ends_with(['{', ':'])
            };
            let is_let = trimmed.ends_with("else {") && trimmed.starts_with("let ");
            if is_head(trimmed) || opens && (self.is_arm(trimmed) || is_let) {
                let is_near = |last: usize| (last + 1..line).all(|one| indent(self.bare(one)).is_none());
                let condition = || self.condition(number, line).filter(|(last, _)| is_near(*last));
                if let Some(head) = self.head(number, line).or_else(|| Some(condition()?.1)) {
                    return Some(head);
                }
            }
            if opens && !is_plain_block(trimmed) {
                return None;
            }
            depth = outer;
        }
        None
    }

    /// Returns the head on the line of a statement: `if (x) throw …`, `None => return Err(…)`, `if (x) { a(); throw …`.
    fn head_before(&self, range: Range<usize>) -> Option<&str> {
        let range = trimmed(self.text, range);
        let (bare, code) = (&self.text.bare[range.clone()], &self.text.code[range]);
        let end = if bare.ends_with(['}', ';']) { bare.rfind('{')? + 1 } else { bare.len() };
        let head = &bare[..end];
        let is_let = self.language == Language::Rust && head.starts_with("let ") && head.ends_with("else {");
        // Behind `if (x) {} else {` stands another branch.
        let is_one_head = !head.trim_end_matches('{').trim_start_matches('}').contains(['{', '}']);
        let is_open = !bare[end..].contains('}');
        (is_open && (is_let || self.is_arm(head) || is_head(head) && is_one_head)).then_some(&code[..end])
    }

    /// Returns the head that begins in a line, to the sign that opens its block above line `below`.
    fn head(&self, line: usize, below: usize) -> Option<String> {
        self.joined(line, below, |bare| {
            let signs = if is_indented(self.language) { &[':'][..] } else { &['{', ':'] };
            bare.ends_with(signs) || self.is_arm(bare) || self.language == Language::Ruby
        })
        // The last line of a pattern of several lines says nothing.
        .map(|(_, head)| head)
        .filter(|head| !head.starts_with("=>"))
    }

    /// Returns the condition without a block that begins in a line, and its last line: `if (x)`.
    fn condition(&self, line: usize, below: usize) -> Option<(usize, String)> {
        let has_block = is_indented(self.language) || matches!(self.language, Language::Rust | Language::Go);
        if has_block { None } else { self.joined(line, below, |bare| bare.ends_with(')')) }
    }

    /// Joins lines until their brackets close and the text is whole, above line `below`. Returns the last of them too.
    fn joined(&self, line: usize, below: usize, is_whole: impl Fn(&str) -> bool) -> Option<(usize, String)> {
        let start = self.text.line_in(line, &self.whole).start;
        (line..below.min(line + LINES)).find_map(|last| {
            let range = start..self.text.line_in(last, &self.whole).end;
            let bare = self.text.bare[range.clone()].trim();
            let is_closed = is_balanced(bare.trim_start_matches('}').trim_end_matches('{'));
            (is_closed && is_whole(bare)).then(|| (last, on_one_line(&self.text.code[range])))
        })
    }

    /// Returns the line that begins the head which ends in line `last`.
    fn start_of_head(&self, last: usize, depth: usize) -> Option<usize> {
        (self.first..last).rev().take(12).find(|number| {
            let line = self.bare(*number);
            indent(line) == Some(depth) && !line.trim().starts_with([')', ']', '}'])
        })
    }

    /// Returns `else of HEAD` for the branch of the condition that did not hold, and the whole of `let … else {`.
    fn otherwise(&self, number: usize, depth: usize) -> Option<String> {
        let mut found = (self.first..number).rev().find(|at| indent(self.bare(*at)) == Some(depth))?;
        if self.bare(found).trim() == "{" {
            found = self.start_of_head(found, depth)?;
        }
        let head = self.bare(found).trim_start_matches(['}', ' ']);
        if head.starts_with("let ") && self.language == Language::Rust {
            let whole = self.text.line(found).start..self.text.line(number).end;
            return Some(on_one_line(&self.text.code[whole]));
        }
        let is_condition =
            ["if ", "if(", "elif ", "else if ", "elsif "].iter().any(|word| head.starts_with(word));
        let head = self.head(found, number).or_else(|| Some(self.condition(found, number)?.1));
        let head = head.filter(|_| is_condition)?;
        Some(format!("else of {}", head.trim_start_matches(['}', ' '])))
    }
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

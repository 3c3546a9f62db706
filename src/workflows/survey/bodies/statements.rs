//! The statements of a function, as its lines and their indentation show them. Parses nothing: code that is not indented by its blocks gives
//! statements without blocks.

use crate::repo::Language;
use crate::workflows::survey::quoted::is_refused;

/// Most lines of a statement, and its longest text in bytes.
const LINES: usize = 18;
const BYTES: usize = 560;
/// Columns of a tab.
const TAB: usize = 4;

/// A statement on one line. One that opens a block ends with its sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CodeStatement {
    /// Its first line, from the first one of the function.
    pub(super) at: usize,
    indent: usize,
    /// Smallest column of a bracket or a word that closes a block between the statement before and this one.
    closed: Option<usize>,
    pub(super) text: String,
    /// Position of the statement around it.
    pub(super) parent: Option<usize>,
    /// True if a condition, a loop or another block begins with it.
    pub(super) is_opener: bool,
}

/// Returns the statements of a function without its signature. `raw` are its lines, `code` the same without comments and indentation.
pub(super) fn statements(language: Language, raw: &[&str], code: &[&str]) -> Vec<CodeStatement> {
    let mut found: Vec<CodeStatement> = Vec::new();
    let mut at = body_start(language, code);
    let mut closed: Option<usize> = None;
    while at < code.len() {
        if closes_block(code[at]) {
            let column = indent(raw[at]);
            closed = Some(closed.map_or(column, |closed| closed.min(column)));
        }
        let line = code[at].trim_start_matches(['}', ')', ' ', ';', ',']);
        if is_border(line) {
            at += 1;
            continue;
        }
        let (text, end) = joined(language, line, &code[at..]);
        let is_opener = opens(language, &text);
        let closed = closed.take();
        found.push(CodeStatement { at, indent: indent(raw[at]), closed, is_opener, text, parent: None });
        at += end;
    }
    set_parents(&mut found);
    // Here, because rules are cut.
    for statement in &mut found {
        if is_refused(&statement.text) {
            "…".clone_into(&mut statement.text);
        }
    }
    found
}

impl CodeStatement {
    /// Returns true for the beginning of a case, whose statements may stand in its own column.
    pub(super) fn is_case(&self) -> bool {
        self.text.starts_with("case ") || self.text.starts_with("default:")
    }

    fn is_switch(&self) -> bool {
        self.text.starts_with("switch")
    }
}

/// Returns the positions of the statements directly inside of one. Statements in the column of a case are not those of the case.
pub(super) fn block(statements: &[CodeStatement], of: usize) -> Vec<usize> {
    (of + 1..statements.len()).filter(|at| statements[*at].parent == Some(of)).collect()
}

fn set_parents(statements: &mut [CodeStatement]) {
    let mut open: Vec<usize> = Vec::new();
    for at in 0..statements.len() {
        let indent = statements[at].indent;
        let is_case = statements[at].is_case();
        let closed = statements[at].closed;
        while open.last().is_some_and(|last| {
            let last = &statements[*last];
            last.indent > indent
                || last.indent == indent && !(is_case && last.is_switch())
                || closed.is_some_and(|closed| closed <= last.indent)
        }) {
            open.pop();
        }
        statements[at].parent = open.last().copied();
        if statements[at].is_opener || is_case {
            open.push(at);
        }
    }
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { TAB } else { 1 }).sum()
}

/// Returns true for a line that closes a block at its beginning.
fn closes_block(line: &str) -> bool {
    line.starts_with('}') || matches!(line, "end" | "fi" | "done" | "esac")
}

/// Returns true for a line that only begins or ends a block.
fn is_border(line: &str) -> bool {
    matches!(line, "end" | "fi" | "done" | "esac" | "do" | "then")
        || !line.contains(|c: char| c.is_alphanumeric() || c == '_')
}

/// Returns the position of the first line behind the signature.
fn body_start(language: Language, code: &[&str]) -> usize {
    let mut depth = 0;
    for (at, line) in code.iter().enumerate() {
        depth += depth_of(line, &['(', '['], &[')', ']']);
        let ends = match language {
            Language::Python => line.ends_with(':'),
            Language::Ruby | Language::Bash => true,
            _ => line.ends_with('{') || line.ends_with("=>"),
        };
        if depth <= 0 && ends {
            return at + 1;
        }
    }
    code.len()
}

/// Returns the text of the statement that begins on the first line, and the number of its lines.
fn joined(language: Language, first: &str, code: &[&str]) -> (String, usize) {
    let mut text = first.to_owned();
    let mut end = 1;
    let has_braces = language != Language::Python;
    // The brace of a long value opens a block of its parts.
    let is_literal = has_braces && opens_literal(language, first) && closes(code);
    let counts_braces = is_literal || !has_braces;
    while end < code.len() && end < LINES && text.len() < BYTES {
        if text.ends_with('{') && !counts_braces {
            break;
        }
        let open = depth_of(&text, &['(', '['], &[')', ']'])
            + if counts_braces { depth_of(&text, &['{'], &['}']) } else { 0 };
        let next = code[end];
        let is_head = has_braces && next == "{" && opens(language, &format!("{text} {{"));
        if open <= 0 && !continues(next) && !is_head && !goes_on(&text) {
            break;
        }
        if !next.is_empty() {
            if !text.ends_with(['(', '[']) && !next.starts_with(['.', ')', ']']) {
                text.push(' ');
            }
            text.push_str(next);
        }
        end += 1;
    }
    (text, end)
}

/// Returns true if the brackets of a value close within the lines of a statement.
fn closes(code: &[&str]) -> bool {
    let mut depth = 0;
    code.iter().take(LINES).any(|line| {
        depth += depth_of(line, &['(', '[', '{'], &[')', ']', '}']);
        depth <= 0
    })
}

/// Returns true for a line that goes on with the statement above it.
fn continues(line: &str) -> bool {
    ["&&", "||", "?", ": ", "+ ", "and ", "or ", "== ", "."].iter().any(|start| line.starts_with(start))
        && !line.starts_with("...")
}

/// Returns true for a text that ends within an expression.
fn goes_on(text: &str) -> bool {
    ["||", "&&", " +", " =", " or", " and", " ?"].iter().any(|end| text.ends_with(end))
}

/// Returns true if the brace at the end of a text begins a value.
fn opens_literal(language: Language, text: &str) -> bool {
    let Some(open) = innermost_brace(text) else { return false };
    let before = text[..open].trim_end();
    let is_value =
        before.ends_with(['=', '(', ',', '[']) || before == "return" || before.ends_with(" return");
    let is_typed = matches!(language, Language::Go | Language::Rust)
        && before.ends_with(|c: char| c.is_alphanumeric())
        && !opens(language, text)
        && !before.contains("func")
        && !before.contains('|');
    is_value && !before.ends_with("=>") && !before.ends_with(") =") || is_typed
}

/// Returns the position of the first brace that is not closed.
fn innermost_brace(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    for (at, c) in outside(text) {
        match c {
            '{' => open.push(at),
            '}' => {
                open.pop();
            }
            _ => {}
        }
    }
    open.first().copied()
}

/// Returns true for the beginning of a block of statements.
fn opens(language: Language, text: &str) -> bool {
    const WORDS: &[&str] = &[
        "if",
        "else",
        "elif",
        "elsif",
        "elseif",
        "for",
        "while",
        "match",
        "switch",
        "try",
        "catch",
        "except",
        "finally",
        "with",
        "loop",
        "do",
        "unless",
        "until",
        "case",
        "when",
        "foreach",
        "select",
        "async",
        "unsafe",
        "def",
        "fn",
        "func",
        "function",
        "class",
        "using",
        "lock",
        "synchronized",
        "begin",
        "rescue",
    ];
    match language {
        Language::Python => text.ends_with(':'),
        Language::Ruby | Language::Bash => {
            let first = text.split([' ', ';']).next().unwrap_or_default();
            WORDS.contains(&first)
                || text.ends_with(" do")
                || text.ends_with('|')
                || text.ends_with(')') && text.contains("case")
        }
        _ => {
            let first = text.split([' ', '(', '{']).next().unwrap_or_default();
            let is_word = WORDS.contains(&first);
            let is_inner = [" match ", " if ", "|| {", "| {", "=> {", ") {", "loop {", "else {", "-> {"]
                .iter()
                .any(|part| text.contains(part));
            text.ends_with('{') && (is_word || is_inner)
                || is_word && text.ends_with(')')
                || first == "else" && text == "else"
        }
    }
}

/// Returns the number of opened brackets that a text does not close, without those in its literals.
pub(super) fn depth_of(text: &str, open: &[char], close: &[char]) -> i32 {
    outside(text).map(|(_, c)| i32::from(open.contains(&c)) - i32::from(close.contains(&c))).sum()
}

/// Returns the characters of a text that stand in no literal, with their positions. A single quote begins a literal only if another one ends it.
pub(super) fn outside(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote: Option<char> = None;
    let mut before = ' ';
    text.char_indices().filter(move |(at, c)| {
        let is_escaped = before == '\\';
        before = if is_escaped { ' ' } else { *c };
        match quote {
            Some(open) => {
                if *c == open && !is_escaped {
                    quote = None;
                }
                false
            }
            None if matches!(c, '"' | '`') || *c == '\'' && text[at + 1..].contains('\'') => {
                quote = Some(*c);
                false
            }
            None => true,
        }
    })
}

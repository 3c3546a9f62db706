//! Splits the lines of a function into statements, by brackets and indentation. Parses nothing: code
//! that is not indented by its blocks gives statements without blocks.

use std::collections::HashMap;

use super::cases::is_case;
use super::heads::{BlockHead, head};
use super::lines::LONG_LINE;
use crate::repo::Language;
use crate::workflows::survey::quoted::is_refused;

/// Maximum number of lines of a statement; its text has at most about `BYTES` bytes.
const LINES: usize = 18;
const BYTES: usize = 560;
/// Maximum number of lines without code inside a statement.
const COMMENT: usize = 4;
/// Columns of a tab, for lines that mix tabs and spaces.
const TAB: usize = 8;
/// Maximum number of statements of a function that are read.
const STATEMENTS: usize = 400;

/// Statement of a function, joined to one line. The head of a block ends with the sign that opens it.
/// `statements` makes it; `blocks` and `rules` read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CodeStatement {
    /// Index of its first line; line 0 is the first line of the function.
    pub(super) at: usize,
    /// Index of the line after its last one.
    pub(super) end: usize,
    indent: usize,
    /// Smallest column of a bracket or word that closes a block before this statement, if any.
    closed: Option<usize>,
    pub(super) text: String,
    pub(super) head: BlockHead,
    /// Index of the statement whose block contains it; `None` at the outermost level.
    pub(super) parent: Option<usize>,
    /// True for a Rust statement under `#[cfg(…)]`, which only some builds have.
    is_variant: bool,
}

/// Returns the statements in the body of a function. `raw` are its lines; `code` are the same lines
/// trimmed, with comments emptied. A statement that must not be quoted gets the text `…`.
pub(super) fn statements(language: Language, raw: &[&str], code: &[&str]) -> Vec<CodeStatement> {
    let code = without_variants(language, raw, code);
    let mut found: Vec<CodeStatement> = Vec::new();
    let mut at = body_start(language, &code);
    let (mut closed, mut is_variant) = (None::<usize>, false);
    while at < code.len() && found.len() < STATEMENTS {
        if closes_block(code[at]) {
            let column = indent(raw[at]);
            closed = Some(closed.map_or(column, |closed| closed.min(column)));
        }
        is_variant |= language == Language::Rust && raw[at].trim_start().starts_with("#[cfg(");
        let line = code[at].trim_start_matches(['}', ')', ' ', ';', ',']);
        if is_border(line) && line != LONG_LINE && !(is_variant && line == "{") {
            at += 1;
            continue;
        }
        let (text, end) = joined(language, line, &code[at..]);
        found.push(CodeStatement {
            at,
            end: at + end,
            indent: indent(raw[at]),
            closed: closed.take(),
            head: BlockHead::Statement,
            text,
            parent: None,
            is_variant: std::mem::take(&mut is_variant),
        });
        at += end;
    }
    set_parents(language, &mut found);
    // Here, because rules are cut.
    for statement in found.iter_mut().filter(|statement| is_refused(&statement.text)) {
        "…".clone_into(&mut statement.text);
        if statement.head != BlockHead::Statement {
            statement.head = BlockHead::Unknown;
        }
    }
    found
}

/// Returns the lines with those between `#if` and `#endif` emptied, because a C or C# preprocessor may
/// leave them out.
fn without_variants<'t>(language: Language, raw: &[&str], code: &[&'t str]) -> Vec<&'t str> {
    if !matches!(language, Language::C | Language::Cpp | Language::CSharp) {
        return code.to_vec();
    }
    let mut depth = 0_usize;
    let kept = raw.iter().zip(code).map(|(raw, line)| {
        let directive = raw.trim_start().strip_prefix('#').map_or("", str::trim_start);
        if directive.starts_with("if") {
            depth += 1;
        } else if directive.starts_with("endif") {
            depth = depth.saturating_sub(1);
        }
        if depth > 0 { "" } else { *line }
    });
    kept.collect()
}

/// Returns the indexes of the statements directly inside the block of the statement `of`.
pub(super) fn block(statements: &[CodeStatement], of: usize) -> Vec<usize> {
    (of + 1..statements.len()).filter(|at| statements[*at].parent == Some(of)).collect()
}

/// Sets `parent` and `head` of each statement by indentation. Cuts the list off where the indentation
/// does not match the braces.
fn set_parents(language: Language, statements: &mut Vec<CodeStatement>) {
    let mut open: Vec<usize> = Vec::new();
    // The column of the first statement of each block.
    let mut columns: HashMap<Option<usize>, usize> = HashMap::new();
    for at in 0..statements.len() {
        let CodeStatement { indent, closed, is_variant, .. } = statements[at];
        let may_be_case = is_case(language, &statements[at].text);
        while let Some(last) = open.last().map(|last| &statements[*last]) {
            // The block of a case may end in the column of the switch.
            let is_of_switch =
                may_be_case && last.indent == indent && matches!(last.head, BlockHead::Switch(_));
            let is_closed = closed.is_some_and(|closed| closed <= last.indent);
            if is_of_switch || !is_closed && last.indent < indent {
                break;
            }
            if last.text.ends_with('{') && closed.is_none() {
                // A text of several lines, for example.
                statements.truncate(at);
                return;
            }
            open.pop();
        }
        let parent = open.last().copied();
        let is_in_switch = parent.is_some_and(|at| matches!(statements[at].head, BlockHead::Switch(_)));
        // A statement behind a deeper indentation is of a block whose beginning is not known.
        let is_lost = indent > *columns.entry(parent).or_insert(indent);
        let text = statements[at].text.as_str();
        let opens = opens(language, text);
        let head = if is_variant || is_lost || text == LONG_LINE {
            BlockHead::Unknown
        } else {
            head(language, text, opens, is_in_switch)
        };
        if opens || text.ends_with('{') || matches!(head, BlockHead::Case(_)) {
            open.push(at);
        }
        statements[at].parent = parent;
        statements[at].head = head;
    }
}

/// Returns the column of the first character of a line. A tab ends at the next multiple of `TAB`.
fn indent(line: &str) -> usize {
    let blanks = line.chars().take_while(|c| c.is_whitespace());
    blanks.fold(0, |column, c| if c == '\t' { (column / TAB + 1) * TAB } else { column + 1 })
}

/// Returns true for a line that begins with the end of a block: `}`, `end`, `fi`, `done`, `esac`.
fn closes_block(line: &str) -> bool {
    line.starts_with('}') || matches!(line, "end" | "fi" | "done" | "esac") || line.starts_with("end.")
}

/// Returns true for a line that only begins or ends a block and has no statement.
pub(super) fn is_border(line: &str) -> bool {
    matches!(line, "end" | "fi" | "done" | "esac" | "do" | "then")
        || !line.contains(|c: char| c.is_alphanumeric() || c == '_')
}

/// Returns the index of the first line after the signature; the number of lines if the signature does
/// not end.
pub(super) fn body_start(language: Language, code: &[&str]) -> usize {
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

/// Joins the statement that begins with `first` to one line. `code` are the lines from there on.
/// Returns the text and the number of lines it took.
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
        if text.ends_with('\\') {
            text.truncate(text.trim_end_matches(['\\', ' ']).len());
            text.extend([" ", code[end]]);
            end += 1;
            continue;
        }
        let open = depth_of(&text, &['(', '['], &[')', ']'])
            + if counts_braces { depth_of(&text, &['{'], &['}']) } else { 0 };
        // A comment may stand between the parts of an expression.
        let filled = code[end..].iter().take(COMMENT).position(|line| !line.is_empty()).unwrap_or(0);
        if open <= 0 && filled > 0 && continues(code[end + filled]) {
            end += filled;
        }
        let next = code[end];
        if next == "then" && language == Language::Bash {
            text.push_str("; then");
            end += 1;
            break;
        }
        let is_head = next == "{" && !text.ends_with([';', '}']) && opens(language, &format!("{text} {{"))
            || next == "else {" && text.starts_with("let ");
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

/// Returns true if the brackets that the first line opens are closed within `LINES` lines.
fn closes(code: &[&str]) -> bool {
    let mut depth = 0;
    code.iter().take(LINES).any(|line| {
        depth += depth_of(line, &['(', '[', '{'], &[')', ']', '}']);
        depth <= 0
    })
}

/// Returns true for a line that begins with an operator or a dot, so that it continues the statement
/// above.
fn continues(line: &str) -> bool {
    ["&&", "||", "| ", "?", ": ", "+ ", "and ", "or ", "== ", "."].iter().any(|start| line.starts_with(start))
        && !line.starts_with("...")
}

/// Returns true for a text that ends with an operator, so that the next line continues it.
fn goes_on(text: &str) -> bool {
    const SIGNS: &[&str] = &[
        "||", "&&", " +", " =", " =>", " or", " and", " ?", " ??", "+=", "-=", "*=", "|=", " ==", " !=",
        " ===", " !==", " >=", " <=", " -", " *", " <<", " not", " return",
    ];
    SIGNS.iter().any(|end| text.ends_with(end)) && !text.ends_with("--") && !text.ends_with("++")
}

/// Returns true if the outermost open brace of a text begins a value (an object, a struct literal) and
/// not a block.
fn opens_literal(language: Language, text: &str) -> bool {
    let Some(open) = outermost_brace(text) else { return false };
    let before = text[..open].trim_end();
    let is_value =
        before.ends_with(['=', '(', ',', '[']) || before == "return" || before.ends_with(" return");
    let last = before.rsplit([' ', '(']).next().unwrap_or_default();
    let is_typed = matches!(language, Language::Go | Language::Rust)
        && before.ends_with(|c: char| c.is_alphanumeric())
        && !has_word_of_block(text)
        && !BLOCKS.contains(&last)
        && !before.contains("func")
        && !before.contains('|');
    is_value && !before.ends_with("=>") && !before.ends_with(") =") || is_typed
}

/// Returns the byte offset of the first `{` that stays open.
fn outermost_brace(text: &str) -> Option<usize> {
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

/// Keywords with which a block of statements begins.
const BLOCKS: &[&str] = &[
    "if", "else", "elif", "elsif", "elseif", "for", "while", "match", "switch", "try", "catch", "except",
    "finally", "with", "loop", "do", "unless", "until", "case", "when", "foreach", "select", "async", "move",
    "unsafe", "def", "fn", "func", "function", "class", "using", "lock", "begin", "rescue", "ensure",
];

/// Returns the text before the first space, `(`, `{` or `;`.
fn first_word(text: &str) -> &str {
    text.split([' ', '(', '{', ';']).next().unwrap_or_default()
}

/// Returns true for a text with a keyword or a sign of a block, so that a brace at its end opens a
/// block of statements.
fn has_word_of_block(text: &str) -> bool {
    BLOCKS.contains(&first_word(text))
        || [" match ", " if ", "| {", "=> {", ") {", "loop {", "else {", "-> "]
            .iter()
            .any(|part| text.contains(part))
}

/// Returns true for a text whose end opens a block of statements, or whose keyword announces one.
fn opens(language: Language, text: &str) -> bool {
    let begins = BLOCKS.contains(&first_word(text));
    match language {
        Language::Python => text.ends_with(':'),
        Language::Ruby | Language::Bash => begins || text.ends_with(" do") || text.ends_with(['|', '{']),
        _ => {
            text.ends_with('{') && (has_word_of_block(text) || !opens_literal(language, text))
                || begins && text.ends_with(')')
                || text == "else"
        }
    }
}

/// Returns the number of brackets in `open` minus those in `close`, outside of string literals.
pub(super) fn depth_of(text: &str, open: &[char], close: &[char]) -> i32 {
    outside(text).map(|(_, c)| i32::from(open.contains(&c)) - i32::from(close.contains(&c))).sum()
}

/// Returns the characters of a text outside of its string literals, with their byte offsets. A single
/// quote begins a literal only if another one follows.
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
            // A sign of a regular expression: `\[`.
            None if is_escaped => false,
            None if matches!(c, '"' | '`') || *c == '\'' && text[at + 1..].contains('\'') => {
                quote = Some(*c);
                false
            }
            None => true,
        }
    })
}

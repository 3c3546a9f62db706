//! Classifies the heads of statements (conditions, loops, cases, …) and extracts their conditions as
//! written. A head that is not understood is `Unknown`, because a rule without its condition would be
//! false.

use super::cases::{CaseHead, case, colon, is_switch, subject};
use super::statements::depth_of;
use crate::repo::Language;

/// Kind of a statement by its beginning, with the texts that rules show. `head` makes it; `rules` and
/// `blocks` read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BlockHead {
    /// A statement without a block.
    Statement,
    /// An `if`, `elif`, `unless` and the like.
    Condition(ConditionHead),
    /// An `else`, with the statement behind it on the same line; empty if a block follows.
    Else(String),
    /// A loop over values, `try`, `with` or `unsafe`; rules treat the statements in it like those
    /// around it.
    Plain,
    /// A loop with a condition: `while a > 5`.
    While(String),
    /// A `match`, `switch` or `select`, without its brace.
    Switch(String),
    /// A case of a `match` or `switch`.
    Case(CaseHead),
    /// Handles an error: `except KeyError`.
    Handler(String),
    /// A function without a name; the conditions around it do not hold for the statements in it.
    Closure,
    /// Any other block. No rule shows it or its statements.
    Unknown,
}

/// Condition of an `if` statement, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConditionHead {
    /// Text without `if`: `a > 5`, `unless a.valid?`, `let Some(a) = b else`.
    pub(super) text: String,
    /// True for `else if` and `elif`.
    pub(super) is_chained: bool,
    /// Statement behind the condition on the same line; empty if a block follows.
    pub(super) inline: String,
}

impl ConditionHead {
    /// Returns `text`, a possibly shortened form of the condition, behind its keyword: `else if a > 5`.
    /// Rust guards and `unless` conditions stay as they are.
    pub(super) fn with_keyword(&self, text: &str) -> String {
        let is_guard = self.text.starts_with("let ") && self.text.ends_with(" else");
        match () {
            () if self.is_chained => format!("else if {text}"),
            () if is_guard || self.text.starts_with("unless ") => text.to_owned(),
            () => format!("if {text}"),
        }
    }
}

/// Classifies a statement by its text. `opens` is true if its end opens a block; `is_in_switch` is true
/// directly inside a `match` or `switch`, where every statement must be a case.
pub(super) fn head(language: Language, text: &str, opens: bool, is_in_switch: bool) -> BlockHead {
    if is_in_switch {
        return case(language, text).map_or(BlockHead::Unknown, BlockHead::Case);
    }
    if let Some(head) = condition(language, text) {
        return BlockHead::Condition(head);
    }
    if let Some(inline) = alternative(text) {
        // Another condition that is not understood, or a block inside of the statement.
        let is_unknown = inline.starts_with("if") || inline.ends_with('{');
        return if is_unknown { BlockHead::Unknown } else { BlockHead::Else(inline) };
    }
    if case(language, text).is_some() && (text.starts_with("case ") || text.starts_with("default")) {
        return BlockHead::Unknown;
    }
    if !opens {
        return BlockHead::Statement;
    }
    if is_closure(language, text) {
        return BlockHead::Closure;
    }
    let bare = text.trim_end_matches(['{', ':', ' ']);
    if depth_of(bare, &['(', '[', '{'], &[')', ']', '}']) != 0 {
        return BlockHead::Unknown;
    }
    let first = bare.split([' ', '(']).next().unwrap_or_default();
    match first {
        "except" | "catch" | "rescue" => BlockHead::Handler(bare.to_owned()),
        _ if is_switch(language, text) => BlockHead::Switch(subject(bare)),
        _ if is_while(language, bare) => BlockHead::While(bare.trim_end_matches(" do").to_owned()),
        "for" | "foreach" | "while" | "until" | "with" | "using" | "lock" | "synchronized" => {
            BlockHead::Plain
        }
        // With more words it is a function.
        "loop" | "do" | "try" | "finally" | "ensure" | "begin" | "unsafe" if bare == first => {
            BlockHead::Plain
        }
        "try" if language == Language::Java => BlockHead::Plain,
        _ if is_loop(bare) => BlockHead::Plain,
        _ => BlockHead::Unknown,
    }
}

/// Returns true for a text that ends with the opening of a function without a name.
fn is_closure(language: Language, text: &str) -> bool {
    let Some(start) = text.strip_suffix('{').map(str::trim_end) else { return false };
    // The block behind the closure is that of the condition.
    let first = text.split([' ', '(']).next().unwrap_or_default();
    if ["if", "else", "for", "while", "switch", "match", "catch"].contains(&first) {
        return false;
    }
    match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx | Language::CSharp => {
            start.ends_with("=>") || text.contains("function (") || text.contains("function(")
        }
        Language::Java => start.ends_with("->"),
        Language::Go => text.contains("func("),
        Language::Rust => {
            start.ends_with('|') || start.ends_with("| async move") || start.ends_with("async move")
        }
        Language::Php => text.contains("function (") || text.contains("function("),
        _ => false,
    }
}

/// Returns true for a loop with a condition; endless loops and `while let` do not count.
fn is_while(language: Language, text: &str) -> bool {
    const ENDLESS: &[&str] = &["true", "True", "1", "true; do", ":; do"];
    let Some((word, condition)) = text.split_once([' ', '(']) else { return false };
    match word {
        "while" | "until" => {
            !ENDLESS.contains(&condition.trim_matches(['(', ')', ' '])) && !condition.starts_with("let ")
        }
        "for" => language == Language::Go && !condition.contains(';') && !condition.contains("range "),
        _ => false,
    }
}

/// Returns true for loops that do not begin with a keyword: `items.each do |`, `for_each(`, `'outer:
/// for …`, `x = loop`.
fn is_loop(text: &str) -> bool {
    let first = text.split([' ', '(']).next().unwrap_or_default().to_lowercase();
    let is_method = [".each do |", ".times do", ".each_with_index do |", "async for ", "async with "]
        .iter()
        .any(|part| text.contains(part));
    let is_value = [" = unsafe", " = loop", " = try"].iter().any(|end| text.ends_with(end));
    let is_named =
        text.starts_with('\'') && [": for ", ": loop", ": while "].iter().any(|it| text.contains(it));
    is_named || first.contains("for_each") || first.contains("foreach") || is_method || is_value
}

/// Splits a statement `if …` into its condition and the statement behind it on the same line. `None` if
/// it is no condition or is not understood.
fn condition(language: Language, text: &str) -> Option<ConditionHead> {
    let made = |text: &str, is_chained, inline: &str| {
        let is_whole = depth_of(text, &['(', '[', '{'], &[')', ']', '}']) == 0;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (is_whole && !text.is_empty()).then(|| ConditionHead { text, is_chained, inline: inline.to_owned() })
    };
    if language == Language::Rust
        && let Some(guard) = text.strip_suffix(" {").filter(|guard| guard.ends_with(" else"))
        && guard.starts_with("let ")
    {
        return made(guard, false, "");
    }
    // `let x = if a {` of Rust.
    let is_value = |head: &&str| language == Language::Rust && head.starts_with("let ");
    let text = text.split_once(" = ").filter(|(head, _)| is_value(head)).map_or(text, |(_, value)| value);
    let rest = after_keyword(language, text)?;
    let is_chained = text.starts_with("el");
    let (condition, behind) = match language {
        Language::Python => {
            let colon = colon(rest)?;
            (&rest[..colon], rest[colon + 1..].trim())
        }
        Language::Ruby => (rest.strip_suffix(" then").unwrap_or(rest), ""),
        Language::Bash => {
            let (condition, behind) = rest.split_once("; then")?;
            (condition, behind.strip_suffix("; fi").unwrap_or(behind).trim())
        }
        Language::Rust | Language::Go => (rest.strip_suffix('{')?, ""),
        _ => {
            let inner = inside_parentheses(rest)?;
            (inner, without_braces(rest[inner.len() + 2..].trim()))
        }
    };
    // `if (a):` of PHP, and a block inside of the statement.
    if behind.starts_with(':')
        || behind.ends_with('{')
        || language == Language::Ruby && condition.contains(" then ")
    {
        return None;
    }
    made(condition, is_chained, behind)
}

/// Returns the statement behind an `else` on the same line; empty if a block follows. `None` for a
/// statement that is no `else`.
fn alternative(text: &str) -> Option<String> {
    let rest = text.strip_prefix("else")?;
    match rest {
        "" | ":" | " {" | "{" => Some(String::new()),
        _ if rest.starts_with([' ', '{', ':']) => {
            Some(without_braces(rest.trim_start_matches(':').trim()).to_owned())
        }
        _ => None,
    }
}

/// Removes the braces around a statement. The text stays as it is if the braces at its ends do not form
/// a pair.
pub(super) fn without_braces(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('{') else { return text };
    // The brace at the end may close another block: `{ a } else { b }`.
    match inner.strip_suffix('}') {
        Some(whole)
            if !whole.contains('}') || depth_of(whole, &['{'], &['}']) == 0 && !whole.contains("} else") =>
        {
            whole.trim()
        }
        None if inner.trim().is_empty() => "",
        _ => text,
    }
}

/// Returns the text behind the `if` keyword of the language, from the parenthesis on if one is
/// required. `unless` stays, because it negates the condition. `None` for other statements.
fn after_keyword(language: Language, line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['}', ' ']);
    let keywords: &[&str] = match language {
        Language::Python | Language::Bash => &["if ", "elif "],
        Language::Ruby => &["if ", "elsif ", "unless "],
        Language::Rust | Language::Go => &["if ", "else if "],
        _ => &["if (", "if(", "else if (", "else if(", "elseif ("],
    };
    let keyword = keywords.iter().find(|keyword| line.starts_with(**keyword))?;
    // The word `unless` is a part of the condition, because it negates it.
    let from = if *keyword == "unless " { 0 } else { keyword.trim_end_matches('(').len() };
    Some(&line[from..])
}

/// Returns the text inside the parentheses with which a text begins; `None` if it begins with none or
/// they stay open.
fn inside_parentheses(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?;
    let mut depth = 1_usize;
    let mut quote: Option<char> = None;
    let mut before = ' ';
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open && before != '\\' => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => {
                depth -= 1;
                if depth == 0 {
                    return Some(&inner[..at]);
                }
            }
            _ => {}
        }
        before = if before == '\\' { ' ' } else { c };
    }
    None
}

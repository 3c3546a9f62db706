//! The heads of the branches that are open at a place inside a line: `if (a) return f()`, `A => Ok(f())`, `a ? f() : g()`. Reads the code before
//! that place without strings and comments.

use std::ops::Range;

use super::heads::{is_head, is_plain_block};
use crate::repo::Language;

/// Branch that a piece of code opens and does not close. Its ranges are bytes of that piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OpenHead {
    /// The branch of a head.
    Head(Range<usize>),
    /// The branch of a condition that did not hold.
    ElseOf(Range<usize>),
    /// An `else` whose condition is in a line before.
    Else,
}

/// Level of brackets while a line is read: the state of the statement inside the innermost open bracket, or
/// outside of all.
#[derive(Clone, Debug, Default)]
struct BracketLevel {
    /// Start of the bracket that opens it.
    opened: usize,
    /// Start of the current statement.
    start: usize,
    /// The statement before.
    before: Option<Range<usize>>,
    /// The label `case 1:` of the current statements.
    label: Option<Range<usize>>,
}

/// Returns the branches that are open at the end of `bare`, code without strings and comments, outer ones
/// first. `is_whole` is true for a whole line: then its last statement, which no bracket follows, opens no
/// branch.
pub(super) fn open_heads(language: Language, bare: &str, is_whole: bool) -> Vec<OpenHead> {
    let mut levels = vec![BracketLevel::default()];
    for (at, c) in bare.char_indices() {
        let is_inner = levels.len() > 1;
        let level = levels.last_mut().expect("the outermost level is never closed");
        match c {
            '(' | '[' | '{' => {
                levels.push(BracketLevel { opened: at, start: at + 1, ..BracketLevel::default() });
            }
            ')' | ']' | '}' => close(language, bare, at, &mut levels),
            ';' if !(language == Language::Go && is_statement_head(&bare[level.start..at])) => {
                level.end_statement(language, bare, at);
            }
            ',' if is_inner || language == Language::Rust => {
                level.end_statement(language, bare, at);
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (number, level) in levels.iter().enumerate() {
        let next = levels.get(number + 1);
        let end = next.map_or(bare.len(), |next| next.opened);
        let is_block = bare[end..].starts_with('{');
        found.extend(level.label.clone().map(OpenHead::Head));
        let piece = LinePiece { language, bare, range: level.start..end, is_block };
        // An arm may have its value in the next line.
        let is_arm = language == Language::Rust && bare.trim_end().ends_with("=>");
        if next.is_some() || !is_whole || is_arm {
            piece.add_heads(level.before.as_ref(), &mut found);
        }
    }
    found
}

/// Closes the innermost bracket level at the closing bracket `at`. After the block of a branch or a loop, a
/// new statement begins.
fn close(language: Language, bare: &str, at: usize, levels: &mut Vec<BracketLevel>) {
    let is_brace = bare[at..].starts_with('}');
    if levels.len() == 1 {
        levels[0] = BracketLevel { start: at + 1, ..BracketLevel::default() };
        return;
    }
    let opened = levels.pop().map_or(0, |inner| inner.opened);
    let Some(level) = levels.last_mut().filter(|_| is_brace) else { return };
    let head = bare[level.start..opened].trim();
    let rest = bare[at + 1..].trim_start();
    let goes_on = ["else", "catch", "=>", "|"].iter().any(|word| rest.starts_with(word));
    let is_control = head.is_empty() || is_head(head) || is_plain_block(head) || head.starts_with("else");
    if is_control && !goes_on && !(language == Language::Rust && head.starts_with("let ")) {
        level.start = at + 1;
        level.before = None;
    }
}

fn is_statement_head(text: &str) -> bool {
    let text = text.trim_start();
    ["if ", "switch ", "for ", "else if "].iter().any(|word| text.starts_with(word))
}

impl BracketLevel {
    fn end_statement(&mut self, language: Language, bare: &str, at: usize) {
        let piece = LinePiece { language, bare, range: self.start..at, is_block: false };
        let (label, behind) = piece.case_labels();
        if behind > piece.skip_spaces(self.start) {
            self.label = label;
        }
        self.before = Some(self.start..at);
        self.start = at + 1;
    }
}

/// Statement in a line of code, up to its end or to the bracket that it opens.
struct LinePiece<'a> {
    language: Language,
    bare: &'a str,
    range: Range<usize>,
    /// True if a brace follows.
    is_block: bool,
}

impl LinePiece<'_> {
    /// Appends the branches that the statement opens to `found`, outer ones first. `before` is the statement
    /// before it, to find the condition of an `else`.
    fn add_heads(&self, before: Option<&Range<usize>>, found: &mut Vec<OpenHead>) {
        let mut start = self.skip_spaces(self.range.start);
        if self.language == Language::Rust {
            if let Some(at) = self.outer(start, "=>") {
                // The last line of a pattern of several lines says nothing.
                let is_whole = !self.bare[start..].starts_with(['|', '=']);
                found.extend(is_whole.then(|| OpenHead::Head(start..self.with_brace(at + 2))));
                start = self.skip_spaces(at + 2);
            }
            if let Some(at) = self.outer(start, "= if ").filter(|_| !is_head(&self.bare[start..])) {
                start = at + 2;
            }
        }
        let (label, behind) = self.part(start..self.range.end).case_labels();
        found.extend(label.map(OpenHead::Head));
        start = behind;
        let text = self.bare[start..self.range.end].trim_end();
        let is_let = text.starts_with("let ") && text.ends_with(" else") && self.language == Language::Rust;
        if is_let && self.is_block {
            found.push(OpenHead::Head(start..self.range.end + 1));
            return;
        }
        if text == "else" || text.starts_with("else ") && !is_head(text) {
            let condition = before.and_then(|before| self.part(before.clone()).condition());
            found.push(condition.map_or(OpenHead::Else, OpenHead::ElseOf));
            return;
        }
        let own = self.part(start..self.range.end);
        match own.last_else() {
            Some(at) if is_head(&self.bare[at..self.range.end]) => {
                found.extend(self.part(at..self.range.end).condition().map(OpenHead::Head));
            }
            Some(at) => {
                let first = self.part(start..at);
                let open = self.bare[start..at].find('{').filter(|_| first.has_block_head());
                let condition = open.map(|length| start..start + length).or_else(|| first.condition());
                found.extend(condition.map(OpenHead::ElseOf));
            }
            None => {
                found.extend(own.condition().map(OpenHead::Head));
                found.extend(own.choice());
            }
        }
    }

    fn part(&self, range: Range<usize>) -> LinePiece<'_> {
        let is_block = self.is_block && range.end == self.range.end;
        LinePiece { language: self.language, bare: self.bare, range, is_block }
    }

    /// Returns true for Rust and Go, whose conditions have no brackets and end at the brace of the block.
    fn has_block_head(&self) -> bool {
        matches!(self.language, Language::Rust | Language::Go)
    }

    fn skip_spaces(&self, start: usize) -> usize {
        let text = &self.bare[start..self.range.end];
        start + (text.len() - text.trim_start().len())
    }

    /// Returns the end of a head that ends at `end`; behind the brace if only that follows.
    fn with_brace(&self, end: usize) -> usize {
        let is_last = self.bare[end..self.range.end].trim().is_empty();
        if self.is_block && is_last { self.range.end + 1 } else { end }
    }

    /// Returns the first position of `mark` outside of brackets, from `start` on.
    fn outer(&self, start: usize, mark: &str) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, c) in self.bare[start..self.range.end].char_indices() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && self.bare[start + at..self.range.end].starts_with(mark) {
                return Some(start + at);
            }
        }
        None
    }

    /// Returns the position of the last `else` that follows a closing brace.
    fn last_else(&self) -> Option<usize> {
        let text = &self.bare[self.range.clone()];
        let is_word = |at: &usize| {
            text[..*at].trim_end().ends_with('}') && !text[at + 4..].starts_with(char::is_alphanumeric)
        };
        let at = text.match_indices("else").map(|(at, _)| at).filter(is_word).last()?;
        Some(self.range.start + at)
    }

    /// Returns the range of the conditional head (`if (x)`) at the beginning of the statement; `None` if
    /// there is none, or if it does not end in the statement.
    fn condition(&self) -> Option<Range<usize>> {
        let start = self.skip_spaces(self.range.start);
        if !is_head(&self.bare[start..self.range.end]) {
            return None;
        }
        match self.language {
            Language::Rust | Language::Go => self.is_block.then_some(start..self.range.end + 1),
            Language::Python => self.outer(start, ":").map(|at| start..at + 1),
            Language::Ruby => self.outer(start, " then ").map(|at| start..at),
            _ => {
                let Some(open) = self.bare[start..self.range.end].find('(') else {
                    return self.is_block.then_some(start..self.range.end + 1);
                };
                let end = start + open + closing(&self.bare[start + open..self.range.end])?;
                Some(start..self.with_brace(end))
            }
        }
    }

    /// Returns the range of the `case` label at the beginning of the statement, and the position behind all
    /// labels. Of several labels, none is returned, because one alone would be wrong.
    fn case_labels(&self) -> (Option<Range<usize>>, usize) {
        let mut start = self.skip_spaces(self.range.start);
        let mut found = Vec::new();
        while let Some(label) = self.part(start..self.range.end).case_label() {
            start = self.skip_spaces(label.end);
            found.push(label);
        }
        (if let [label] = &found[..] { Some(label.clone()) } else { None }, start)
    }

    /// Returns the range of the first `case` label at the beginning of the statement: `case 1:`, or `case A
    /// ->` of Java.
    fn case_label(&self) -> Option<Range<usize>> {
        let start = self.skip_spaces(self.range.start);
        let text = &self.bare[start..self.range.end];
        let is_case = text.starts_with("case ") || text.starts_with("default:");
        if !is_case || matches!(self.language, Language::Rust | Language::Ruby) {
            return None;
        }
        if self.language == Language::Java
            && let Some(at) = self.outer(start, "->")
        {
            return Some(start..at + 2);
        }
        let mut at = self.outer(start, ":")?;
        while self.bare[at..].starts_with("::") || self.bare[at..].starts_with(":=") {
            at = self.outer(at + 2, ":")?;
        }
        Some(start..at + 1)
    }

    /// Returns the open branch of a conditional expression: `a ?` in `a ? f(`, the else branch in `a ? f() :
    /// g(`.
    fn choice(&self) -> Option<OpenHead> {
        if matches!(self.language, Language::Rust | Language::Go | Language::Python | Language::Bash) {
            return None;
        }
        let at = self.outer(self.range.start, " ? ")?;
        let before = &self.bare[self.range.start..at];
        let begins = ["return ", " = ", "=> ", "&& ", "|| "];
        let starts = begins.iter().filter_map(|word| before.rfind(word).map(|found| found + word.len()));
        let start = self.skip_spaces(self.range.start + starts.max().unwrap_or(0));
        let is_else = self.outer(at + 3, " : ").is_some();
        let condition = start..at + 2;
        (start < at).then_some(if is_else { OpenHead::ElseOf(condition) } else { OpenHead::Head(condition) })
    }
}

/// Returns the position behind the bracket that closes the first one of a text; `None` if it does not close.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the range of a condition that follows a call in its line: `if a` in `f(x) if a` of Ruby and in
/// `f(x) if a else g(x)` of Python. `rest` is the line from the call on. `None` in other languages.
pub(super) fn condition_behind(language: Language, rest: &str) -> Option<Range<usize>> {
    let words: &[&str] = match language {
        Language::Python => &[" if "],
        Language::Ruby => &[" if ", " unless "],
        _ => return None,
    };
    let (mut depth, mut start) = (0_usize, None);
    for (at, c) in rest.char_indices() {
        let here = &rest[at..];
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 && start.is_some() => return start.map(|start| start..at),
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ';' | ',' if depth == 0 => return start.map(|start| start..at),
            ' ' if depth == 0 && start.is_none() && words.iter().any(|word| here.starts_with(word)) => {
                start = Some(at + 1);
            }
            ' ' if depth == 0 && start.is_some() && here.starts_with(" else ") => {
                return start.map(|start| start..at);
            }
            _ => {}
        }
    }
    start.map(|start| start..rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, bare: &str, expect: &str) {
        let shown = |head: OpenHead| match head {
            OpenHead::Head(range) => bare[range].to_owned(),
            OpenHead::ElseOf(range) => format!("else of {}", &bare[range]),
            OpenHead::Else => "else".to_owned(),
        };
        let found: Vec<String> = open_heads(language, bare, false).into_iter().map(shown).collect();
        assert_eq!(found.join(" / "), expect, "{bare}");
    }

    #[test]
    fn heads_before_a_call_in_its_line_are_found() {
        check(Language::Rust, "A { b, .. } => Ok(", "A { b, .. } =>");
        check(Language::Rust, "match x { A => g(), B if c => ", "B if c =>");
        check(Language::Rust, "let x = if a { ", "if a {");
        check(Language::Rust, "A => if a { g() } else { ", "A => / else of if a ");
        check(Language::Rust, "let Some(x) = y() else { return Err(", "let Some(x) = y() else {");
        check(Language::Rust, "if a { g(); } ", "");
        check(Language::Rust, "if ", "");
        check(Language::Rust, "} else { ", "else");
        check(Language::Go, "if err := ", "");
        check(Language::Go, "if err := g(); err != nil { ", "if err := g(); err != nil {");
        check(Language::JavaScript, "if (a) return ", "if (a)");
        check(Language::JavaScript, "if (a) g(); else ", "else of if (a)");
        check(Language::JavaScript, "if (a) { g(); } else if (b) { h(); ", "else if (b) {");
        check(Language::JavaScript, "if (a && ", "");
        check(Language::JavaScript, "return a ? ", "a ?");
        check(Language::JavaScript, "const x = a ? g() : ", "else of a ?");
        check(Language::C, "case 1: g(); ", "case 1:");
        check(Language::C, "case A::B: ", "case A::B:");
        check(Language::C, "case 1: case 2: g(); ", "");
        check(Language::Go, "case a := <-b: ", "case a := <-b:");
        check(Language::C, "case 1: if (a) ", "case 1: / if (a)");
        check(Language::Python, "if a(1): ", "if a(1):");
        check(Language::Python, "if ", "");
        check(Language::Ruby, "when 1 then ", "when 1");
    }

    #[test]
    fn conditions_behind_a_call_are_found() {
        let of = |language, rest: &'static str| condition_behind(language, rest).map(|range| &rest[range]);
        assert_eq!(of(Language::Python, "f(x if y else z) if a(1) else g()"), Some("if a(1)"));
        assert_eq!(of(Language::Python, "f(x) for x in y if z]"), Some("if z"));
        assert_eq!(of(Language::Ruby, "f(x) unless a"), Some("unless a"));
        assert_eq!(of(Language::Ruby, "f(x)"), None);
        assert_eq!(of(Language::Go, "f(x) if a"), None);
    }
}

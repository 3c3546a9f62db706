//! Code without the content of strings and comments, so that words and brackets in them are not read as code. Works on characters; the
//! result has the length of the text.

use std::ops::Range;

use crate::repo::{Language, SymbolInfo};

/// Text of a source file with comments and strings replaced by spaces. Both versions have the byte positions
/// and lines of the original.
pub(super) struct MaskedText {
    /// The text without comments.
    pub(super) code: String,
    /// The text without comments and without the content of strings.
    pub(super) bare: String,
    /// Starts of the lines, in bytes, and the end of the text.
    starts: Vec<usize>,
}

/// State of the scanner between two characters: in code, a comment, a string or a regular expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MaskState {
    Code,
    LineComment,
    BlockComment,
    Text(Quote),
    /// A regular expression of JavaScript; a slash inside of its class `[…]` does not end it.
    Pattern {
        in_class: bool,
    },
}

/// Kind of a string literal: the mark that ends it, and the way it is read.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Quote {
    /// The mark at its end.
    mark: &'static str,
    /// Number of `#` behind the mark, of a raw string of Rust.
    hashes: usize,
    /// True if a backslash takes the next character.
    has_escapes: bool,
    /// True if it ends at the end of its line, because the mark was none: an apostrophe in the text of a page, or a language without
    /// strings of several lines.
    is_one_line: bool,
}

impl Quote {
    const fn new(mark: &'static str) -> Self {
        Self { mark, hashes: 0, has_escapes: true, is_one_line: false }
    }

    /// Returns the length of the closing mark, with its `#`, if `rest` begins with it.
    fn end(self, rest: &str) -> Option<usize> {
        let behind = rest.strip_prefix(self.mark)?.bytes().take(self.hashes);
        (behind.take_while(|c| *c == b'#').count() == self.hashes).then_some(self.mark.len() + self.hashes)
    }
}

impl MaskedText {
    pub(super) fn of(language: Language, text: &str) -> Self {
        let (code, bare) = mask(language, text);
        let mut starts: Vec<usize> =
            std::iter::once(0).chain(code.match_indices('\n').map(|(at, _)| at + 1)).collect();
        starts.push(code.len());
        Self { code, bare, starts }
    }

    /// Returns the byte range of a line, counted from 1, without its line break; an empty range beyond the
    /// last line.
    pub(super) fn line(&self, number: usize) -> Range<usize> {
        let end = self.code.len();
        let start = number.checked_sub(1).and_then(|at| self.starts.get(at)).copied().unwrap_or(end);
        let next = self.starts.get(number).copied().unwrap_or(end);
        let stop = if next > start && self.code[..next].ends_with('\n') { next - 1 } else { next };
        start..stop.max(start)
    }

    /// Returns the byte range of a definition, cut after `lines` lines behind its first one. Empty if the
    /// outline's bytes do not fit the text. Bytes are used because one line may have many definitions.
    pub(super) fn range_of(&self, symbol: &SymbolInfo, lines: usize) -> Range<usize> {
        let Range { start, end } = symbol.bytes();
        let end = end.min(self.line(symbol.line.saturating_add(lines)).end);
        let is_whole = self.bare.get(start..end).is_some() && self.code.get(start..end).is_some();
        if is_whole { start..end } else { 0..0 }
    }

    /// Returns the byte range of the part of a line that is in `whole`; an empty range if none is.
    pub(super) fn line_in(&self, number: usize, whole: &Range<usize>) -> Range<usize> {
        let line = self.line(number);
        let start = line.start.clamp(whole.start, whole.end);
        start..line.end.clamp(start, whole.end)
    }

    /// Returns the number of the line that contains a byte, from 1.
    pub(super) fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).max(1)
    }

    /// Returns the byte position behind the bracket that closes the one at `at`; `None` if it does not close
    /// before `end`.
    pub(super) fn closing(&self, at: usize, end: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (offset, c) in self.bare.get(at..end)?.char_indices() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at + offset + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

fn mask(language: Language, text: &str) -> (String, String) {
    let (mut code, mut bare) = (String::with_capacity(text.len()), String::with_capacity(text.len()));
    let mut state = MaskState::Code;
    let mut rest = text;
    // The last character of code that is no space.
    let mut last = None;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        let (shown, is_content) = match state {
            MaskState::Code => {
                let (next, length) = opening(language, rest, &code, last);
                let is_comment = matches!(next, MaskState::LineComment | MaskState::BlockComment);
                if next != MaskState::Code {
                    (state, taken) = (next, length);
                }
                last = if c.is_whitespace() || is_comment { last } else { Some(c) };
                (!is_comment, false)
            }
            MaskState::LineComment => {
                if c == '\n' {
                    state = MaskState::Code;
                }
                (false, false)
            }
            MaskState::BlockComment => {
                if rest.starts_with("*/") {
                    (state, taken) = (MaskState::Code, 2);
                }
                (false, false)
            }
            MaskState::Text(quote) => {
                if let Some(length) = quote.end(rest).or((c == '\n' && quote.is_one_line).then_some(1)) {
                    (state, taken) = (MaskState::Code, length);
                    (true, false)
                } else {
                    taken += if c == '\\' && quote.has_escapes { next_length(&rest[taken..]) } else { 0 };
                    (true, true)
                }
            }
            MaskState::Pattern { in_class } => {
                let is_end = c == '\n' || c == '/' && !in_class;
                state = match c {
                    _ if is_end => MaskState::Code,
                    '[' => MaskState::Pattern { in_class: true },
                    ']' => MaskState::Pattern { in_class: false },
                    _ => state,
                };
                taken += if c == '\\' { next_length(&rest[taken..]) } else { 0 };
                (true, !is_end)
            }
        };
        for c in rest[..taken].chars() {
            push(&mut code, c, shown);
            push(&mut bare, c, shown && !is_content);
        }
        rest = &rest[taken..];
    }
    (code, bare)
}

/// Returns the length of the first character in bytes; 0 for an empty text.
fn next_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// Appends a character to `text`, or as many spaces as it has bytes if it is not shown. Line breaks are
/// always kept.
fn push(text: &mut String, c: char, is_shown: bool) {
    if is_shown || c == '\n' {
        text.push(c);
    } else {
        text.extend(std::iter::repeat_n(' ', c.len_utf8()));
    }
}

fn is_script(language: Language) -> bool {
    matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx)
}

/// Returns the state of the scanner after the beginning of `rest`, such as a comment or a string, and the
/// bytes that its mark takes. `code` is the text before it, and `last` its last character that is no space.
fn opening(language: Language, rest: &str, code: &str, last: Option<char>) -> (MaskState, usize) {
    let has_hash = matches!(language, Language::Python | Language::Ruby | Language::Bash | Language::Php);
    let has_slash = !has_hash || language == Language::Php;
    let before = code.chars().next_back();
    let line = |mark| Quote { is_one_line: language != Language::Rust, ..Quote::new(mark) };
    match rest.as_bytes()[0] {
        // `#[` is an attribute of PHP; of Bash, `#` in a word is a part of it.
        b'#' if has_hash
            && !(language == Language::Php && rest.starts_with("#["))
            && (language != Language::Bash || before.is_none_or(char::is_whitespace)) =>
        {
            (MaskState::LineComment, 1)
        }
        b'/' if has_slash && rest.starts_with("//") => (MaskState::LineComment, 2),
        b'/' if has_slash && rest.starts_with("/*") => (MaskState::BlockComment, 2),
        b'/' if is_script(language) && begins_pattern(code, last) => {
            (MaskState::Pattern { in_class: false }, 1)
        }
        b'"' if rest.starts_with("\"\"\"") && !matches!(language, Language::Rust | Language::Go) => {
            (MaskState::Text(Quote::new("\"\"\"")), 3)
        }
        b'\'' if rest.starts_with("'''") && language == Language::Python => {
            (MaskState::Text(Quote::new("'''")), 3)
        }
        b'r' | b'b' | b'c' if language == Language::Rust && !before.is_some_and(is_word) => {
            raw_string(rest).unwrap_or((MaskState::Code, 1))
        }
        b'"' => (MaskState::Text(line("\"")), 1),
        // Lifetimes of Rust have one mark, characters two.
        b'\'' if language == Language::Rust => {
            let mut inner = rest[1..].chars();
            let first = inner.next();
            if first == Some('\\') || inner.next() == Some('\'') {
                (MaskState::Text(line("'")), 1)
            } else {
                (MaskState::Code, 1)
            }
        }
        b'\'' if matches!(language, Language::C | Language::Cpp) && is_in_number(code) => {
            (MaskState::Code, 1)
        }
        b'\'' => (MaskState::Text(line("'")), 1),
        b'`' if language == Language::Go => {
            (MaskState::Text(Quote { has_escapes: false, ..Quote::new("`") }), 1)
        }
        b'`' if is_script(language) => (MaskState::Text(Quote::new("`")), 1),
        _ => (MaskState::Code, 1),
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the state and the length of the mark if a raw string of Rust begins here: `r"`, `r##"`, `br#"`.
fn raw_string(rest: &str) -> Option<(MaskState, usize)> {
    let inner = rest.strip_prefix(['b', 'c']).unwrap_or(rest).strip_prefix('r')?;
    let opened = inner.trim_start_matches('#');
    let hashes = inner.len() - opened.len();
    let quote = Quote { hashes, has_escapes: false, ..Quote::new("\"") };
    opened.starts_with('"').then_some((MaskState::Text(quote), rest.len() - opened.len() + 1))
}

/// Returns true if a slash after this JavaScript code begins a regular expression. A slash after a value is a
/// division.
fn begins_pattern(code: &str, last: Option<char>) -> bool {
    let code = || code.trim_end();
    match last {
        Some('n') => code().strip_suffix("return").is_some_and(|rest| !rest.ends_with(is_word)),
        Some('>') => code().ends_with("=>"),
        Some(c) => "(,=:[!&|?{;".contains(c),
        None => true,
    }
}

/// Returns true if `code` ends in a number of C or C++, where a quote separates digits: `1'000`.
fn is_in_number(code: &str) -> bool {
    let before = code.trim_end_matches(char::is_alphanumeric);
    let word = &code[before.len()..];
    word.starts_with(|c: char| c.is_ascii_digit()) || !word.is_empty() && before.ends_with('\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the code of a text without the content of strings and comments, and without spaces.
    fn check(language: Language, text: &str, expect: &str) {
        let masked = MaskedText::of(language, text);
        assert_eq!((masked.code.len(), masked.bare.len()), (text.len(), text.len()), "{text}");
        assert_eq!(masked.bare.split_whitespace().collect::<String>(), expect, "{text}");
    }

    #[test]
    fn a_quote_that_is_none_hides_no_more_than_its_line() {
        check(Language::JavaScript, "s.replace(/\"/g, '');\nthrow x;", "s.replace(//g,'');throwx;");
        check(Language::JavaScript, "f(x => /[/\"]\\/'/.test(x));\nthrow x;", "f(x=>//.test(x));throwx;");
        check(Language::JavaScript, "return /'/;\na = b / c / 'd';", "return//;a=b/c/'';");
        check(Language::Tsx, "<p>Don't</p>\nthrow x;", "<p>Don'throwx;");
        check(Language::Php, "# don't\n#[A('x')]\nthrow $x; // don't\n", "#[A('')]throw$x;");
        check(
            Language::Cpp,
            "int n = 1'000'00u; char c = u8'\"', d = '\\'';\nthrow x;",
            "intn=1'000'00u;charc=u8'',d='';throwx;",
        );
        check(Language::Go, "a := `\\`\nb := \"x\"", "a:=``b:=\"\"");
    }

    #[test]
    fn raw_strings_of_rust_end_at_their_own_mark() {
        check(Language::Rust, "f(r##\"a\"# b\"##); panic!(\"x\")", "f(r##\"\"##);panic!(\"\")");
        check(Language::Rust, "f(br#\"a\"b\"#, r\"C:\\\", b\"x\\\"\"); g()", "f(br#\"\"#,r\"\",b\"\");g()");
        check(
            Language::Rust,
            "let r#type = bar\"x\n y\"; 'a: loop { f('\"', b'\\'') }",
            "letr#type=bar\"\";'a:loop{f('',b'')}",
        );
    }
}

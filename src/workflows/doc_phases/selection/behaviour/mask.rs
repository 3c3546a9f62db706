//! Code without the content of strings and comments, so that words and brackets in them are not read as code. Works on characters; the
//! result has the length of the text.

use crate::repo::Language;

/// A text with its two masks. All three have equal lengths and equal line breaks.
pub(super) struct MaskedText {
    /// The text without comments.
    pub(super) code: String,
    /// The text without comments and without the content of strings.
    pub(super) bare: String,
    /// Starts of the lines, in bytes, and the end of the text.
    starts: Vec<usize>,
}

/// The state between two characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MaskState {
    Code,
    LineComment,
    BlockComment,
    /// A string that ends at the given mark.
    Text(&'static str),
}

impl MaskedText {
    pub(super) fn of(language: Language, text: &str) -> Self {
        let (code, bare) = mask(language, text);
        let mut starts: Vec<usize> =
            std::iter::once(0).chain(code.match_indices('\n').map(|(at, _)| at + 1)).collect();
        starts.push(code.len());
        Self { code, bare, starts }
    }

    /// Returns the range of bytes of a line, from 1, without its line break; empty beyond the end.
    pub(super) fn line(&self, number: usize) -> std::ops::Range<usize> {
        let end = self.code.len();
        let start = number.checked_sub(1).and_then(|at| self.starts.get(at)).copied().unwrap_or(end);
        let next = self.starts.get(number).copied().unwrap_or(end);
        let stop = if next > start && self.code[..next].ends_with('\n') { next - 1 } else { next };
        start..stop.max(start)
    }

    /// Returns the number of the line with a byte, from 1.
    pub(super) fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).max(1)
    }

    /// Returns the end of the bracket that opens at `at`, behind its closing bracket; `None` if it does not close before `end`.
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
    let hash = matches!(language, Language::Python | Language::Ruby | Language::Bash);
    let (mut code, mut bare) = (String::with_capacity(text.len()), String::with_capacity(text.len()));
    let mut state = MaskState::Code;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        let (shown, is_content) = match state {
            MaskState::Code => {
                let (next, length) = opening(language, hash, rest, code.chars().next_back());
                let is_comment = matches!(next, MaskState::LineComment | MaskState::BlockComment);
                if next != MaskState::Code {
                    (state, taken) = (next, length);
                }
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
            MaskState::Text(mark) => {
                if c == '\\' && !matches!(mark, "`" | "\"#") {
                    taken += rest[taken..].chars().next().map_or(0, char::len_utf8);
                    (true, true)
                } else if rest.starts_with(mark) || c == '\n' && matches!(mark, "'" | "\"") && hash {
                    (state, taken) = (MaskState::Code, if c == '\n' { 1 } else { mark.len() });
                    (true, false)
                } else {
                    (true, true)
                }
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

/// Appends a character, or as many spaces as it has bytes. Line breaks stay.
fn push(text: &mut String, c: char, is_shown: bool) {
    if is_shown || c == '\n' {
        text.push(c);
    } else {
        text.extend(std::iter::repeat_n(' ', c.len_utf8()));
    }
}

/// Returns the state that begins at a text, and the length of its mark.
fn opening(language: Language, hash: bool, rest: &str, before: Option<char>) -> (MaskState, usize) {
    let is_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    match rest.as_bytes()[0] {
        b'#' if hash && language != Language::Bash => (MaskState::LineComment, 1),
        b'#' if hash && before.is_none_or(char::is_whitespace) => (MaskState::LineComment, 1),
        b'/' if !hash && rest.starts_with("//") => (MaskState::LineComment, 2),
        b'/' if !hash && rest.starts_with("/*") => (MaskState::BlockComment, 2),
        b'"' if rest.starts_with("\"\"\"") && !matches!(language, Language::Rust | Language::Go) => {
            (MaskState::Text("\"\"\""), 3)
        }
        b'\'' if rest.starts_with("'''") && language == Language::Python => (MaskState::Text("'''"), 3),
        b'r' if language == Language::Rust && rest.starts_with("r#\"") && !is_word => {
            (MaskState::Text("\"#"), 3)
        }
        b'"' => (MaskState::Text("\""), 1),
        // Lifetimes of Rust have one mark, characters two.
        b'\'' if language == Language::Rust => {
            let mut inner = rest[1..].chars();
            let first = inner.next();
            if first == Some('\\') || inner.next() == Some('\'') {
                (MaskState::Text("'"), 1)
            } else {
                (MaskState::Code, 1)
            }
        }
        b'\'' => (MaskState::Text("'"), 1),
        b'`' if matches!(
            language,
            Language::Go | Language::JavaScript | Language::TypeScript | Language::Tsx
        ) =>
        {
            (MaskState::Text("`"), 1)
        }
        _ => (MaskState::Code, 1),
    }
}

//! The file `.env`: its text as names and values with lines. Sets no variable and replaces none: a value such as `$SECRET` of a stranger's
//! file must not bring a variable of the user into a request. Known libraries replace variables, and give no lines.

use std::collections::BTreeMap;
use std::path::Path;

use super::locate;
use stategraph_base::regular::{Links, read_up_to};

/// Longest file that is read, in bytes.
const FILE_MAX: usize = 1 << 20;

/// The parsed content of a file `.env`.
#[derive(Debug, Default)]
pub(super) struct DotEnv {
    /// The last entry of each name, as a shell would have it.
    pub(super) entries: BTreeMap<String, DotEnvEntry>,
    /// The first line that is no variable, blank or comment.
    pub(super) skipped: Option<usize>,
}

/// A variable of the file: its value and its line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DotEnvEntry {
    pub(super) value: String,
    /// Line of the name, from 1.
    pub(super) line: usize,
    /// True for a value with `$NAME` or `${NAME}`, outside of single quotes.
    pub(super) is_template: bool,
}

impl DotEnv {
    /// Reads the file in a folder; a missing one has no variables. The error is the reason why the file cannot be used.
    pub(super) fn read(folder: &Path) -> Result<Self, String> {
        let Some(path) = locate(folder)? else { return Ok(Self::default()) };
        let bytes = read_up_to(&path, FILE_MAX, Links::Refused).map_err(|error| error.to_string())?;
        if bytes.len() > FILE_MAX {
            return Err(format!("it has more than {FILE_MAX} bytes"));
        }
        String::from_utf8(bytes).map(|text| Self::parse(&text)).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.split(|byte| *byte == b'\n').count();
            format!("line {line} is not UTF-8 text")
        })
    }

    /// Parses lines of `NAME=VALUE`, with an optional `export`, comments and quotes. A quoted value may have several lines.
    pub(super) fn parse(text: &str) -> Self {
        let mut file = Self::default();
        let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut line = 1;
        while !rest.is_empty() {
            let (first, after) = rest.split_once('\n').unwrap_or((rest, ""));
            let mut end = rest.len() - after.len();
            match Assignment::parse(first, rest) {
                Some(Assignment { name, value, is_template, length }) => {
                    end = end.max(length);
                    let entry = DotEnvEntry { value, line, is_template };
                    file.entries.insert(name.to_owned(), entry);
                }
                None if is_silent(first) => {}
                None => {
                    file.skipped.get_or_insert(line);
                }
            }
            line += rest[..end].matches('\n').count();
            rest = &rest[end..];
        }
        file
    }
}

/// Returns true for a blank line and for a comment.
fn is_silent(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

struct Assignment<'a> {
    name: &'a str,
    value: String,
    is_template: bool,
    /// Bytes of the text that it takes, to the end of its last line.
    length: usize,
}

impl<'a> Assignment<'a> {
    /// Parses the assignment `NAME=VALUE` at the beginning of `text`, whose first line is `first`. `None` if
    /// there is none, such as for a comment or a value without closing quote.
    fn parse(first: &'a str, text: &'a str) -> Option<Self> {
        let (name, value) = first.split_once('=')?;
        let name = name.trim();
        let name =
            name.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t'])).unwrap_or(name).trim();
        let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_name {
            return None;
        }
        let trimmed = value.trim_start();
        let start = first.len() - trimmed.len();
        let Some(quote) = trimmed.chars().next().filter(|first| matches!(first, '"' | '\'')) else {
            let value = without_comment(trimmed).trim().to_owned();
            return Some(Self { name, is_template: has_variable(&value), value, length: 0 });
        };
        let (value, length) = unquote(&text[start + 1..], quote)?;
        let after = &text[start + 1 + length..];
        let (tail, _) = after.split_once('\n').unwrap_or((after, ""));
        let is_template = quote == '"' && has_variable(&value);
        let length = (start + 1 + length + tail.len() + 1).min(text.len());
        is_silent(tail).then_some(Self { name, value, is_template, length })
    }
}

/// Parses a quoted value whose opening quote was read. Returns the value and the number of bytes with the
/// closing quote; `None` without one.
fn unquote(text: &str, quote: char) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            _ if c == quote => return Some((value, at + 1)),
            '\\' if quote == '"' => match chars.next()?.1 {
                'n' => value.push('\n'),
                'r' => value.push('\r'),
                't' => value.push('\t'),
                other => value.push(other),
            },
            _ => value.push(c),
        }
    }
    None
}

/// Returns an unquoted value without the comment behind it: a `#` at its beginning or after a blank.
fn without_comment(value: &str) -> &str {
    let is_comment = |at: &usize| value[..*at].chars().next_back().is_none_or(char::is_whitespace);
    let comment = value.match_indices('#').map(|(at, _)| at).find(is_comment);
    &value[..comment.unwrap_or(value.len())]
}

/// Returns true for a text with `$NAME`, `${` or `$(`.
fn has_variable(value: &str) -> bool {
    let follows = |at: usize| {
        value[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '{' | '('))
    };
    value.match_indices('$').any(|(at, _)| follows(at))
}

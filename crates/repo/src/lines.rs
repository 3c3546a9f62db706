//! A part of a text by its line numbers (CTX-42, 105 to 107, 137). Reads no file.

use std::fmt;

use thiserror::Error;

use super::limit::READ_LINES;

/// A range of lines of a text. Displays as the lines, and a last line with the number of lines after them
/// (DOC-67).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Number of the first line, from 1.
    pub first: usize,
    /// Number of the last line; `first - 1` if there are no lines.
    pub last: usize,
    /// Number of lines of the text.
    pub total: usize,
    /// The lines, joined by `\n` whatever the file's line breaks are.
    pub text: String,
}

/// Returns the lines `first` to `last`, counted from 1, both included. A range is cut at the end of the text
/// and at [`READ_LINES`] lines. Fails if `last` is before `first`, or `first` is past the end.
///
/// ```
/// use stategraph_repo::lines;
///
/// assert_eq!(lines("a\r\nb\r\nc", 2, 9).unwrap().text, "b\nc");
/// assert_eq!(lines("a\nb", 5, 9).unwrap_err().to_string(), "line 5 is past the end: the file has 2 lines");
/// ```
pub fn lines(text: &str, first: usize, last: usize) -> Result<Lines, LinesError> {
    let total = text.lines().count();
    let first = first.max(1);
    if last < first {
        return Err(LinesError::Backwards { first, last });
    }
    if first > total && !(total == 0 && first == 1) {
        return Err(LinesError::PastEnd { first, total });
    }
    let last = last.min(total).min(first + READ_LINES - 1);
    let kept: Vec<&str> = text.lines().skip(first - 1).take((last + 1).saturating_sub(first)).collect();
    Ok(Lines { first, last, total, text: kept.join("\n") })
}

/// Returns `count` lines from line `start` on, which is counted from 0. Fails for a negative start and for a
/// count of 0 or of more than [`READ_LINES`].
pub fn snippet(text: &str, start: i64, count: i64) -> Result<Lines, LinesError> {
    let first = usize::try_from(start).map_err(|_| LinesError::Negative { start })?;
    match usize::try_from(count) {
        Ok(count @ 1..=READ_LINES) => lines(text, first.saturating_add(1), first.saturating_add(count)),
        _ => Err(LinesError::Count { count }),
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match self.total.saturating_sub(self.last) {
            0 => Ok(()),
            more => write!(f, "\n[{more} more lines, {} in all]", self.total),
        }
    }
}

/// The reason why a range of lines cannot be returned.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinesError {
    /// The start is negative (CTX-105).
    #[error("start_line must be non-negative, not {start}")]
    Negative {
        /// As given.
        start: i64,
    },
    /// The count is not from 1 to [`READ_LINES`] (CTX-106).
    #[error("num_lines must be positive and at most {READ_LINES}, not {count}")]
    Count {
        /// As given.
        count: i64,
    },
    /// The last line is before the first.
    #[error("the last line {last} stands before the first, {first}")]
    Backwards {
        /// As given.
        first: usize,
        /// As given.
        last: usize,
    },
    /// The first line is past the end of the text (CTX-107).
    #[error("line {first} is past the end: the file has {total} lines")]
    PastEnd {
        /// As given.
        first: usize,
        /// The file's length.
        total: usize,
    },
}

impl LinesError {
    /// Returns a hint for the user: the next step after this error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Negative { .. } => "the first line is 0",
            Self::Count { .. } => "ask for the next lines in another call",
            Self::Backwards { .. } => "give the smaller number first",
            Self::PastEnd { .. } => "outline the file to see where things are",
        }
    }
}

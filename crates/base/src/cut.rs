//! Shortens text: never inside a character, and never silently (ENG-21).

use std::fmt;

/// The beginning of a text and the number of characters that are left out. It displays as the beginning and, if something is left out, a
/// last line with the numbers; that line does not count against the limit.
///
/// ```
/// use stategraph_base::cut;
///
/// assert_eq!(cut("naïve", 5).to_string(), "naïve");
/// assert_eq!(cut("naïve", 3).to_string(), "naï\n[cut: 2 of 5 characters left out]");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The beginning.
    pub kept: &'a str,
    /// Number of characters left out.
    pub left_out: usize,
    /// Number of characters of the whole text.
    pub total: usize,
}

/// Cuts `text` after `limit` characters (Unicode scalar values). The result has the kept beginning and the
/// counts of characters.
pub fn cut(text: &str, limit: usize) -> Cut<'_> {
    let end = text.char_indices().nth(limit).map_or(text.len(), |(at, _)| at);
    let (kept, rest) = text.split_at(end);
    let left_out = rest.chars().count();
    let total = if left_out == 0 { kept.chars().count() } else { limit + left_out };
    Cut { kept, left_out, total }
}

impl Cut<'_> {
    /// Returns the text for use inside a line: the beginning and, if something is left out, an ellipsis (`…`)
    /// instead of the line with the numbers. Blanks before the ellipsis are removed.
    ///
    /// ```
    /// assert_eq!(stategraph_base::cut("a long name", 7).in_line(), "a long…");
    /// ```
    pub fn in_line(&self) -> String {
        match self.left_out {
            0 => self.kept.to_owned(),
            _ => format!("{}…", self.kept.trim_end()),
        }
    }
}

impl fmt::Display for Cut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kept)?;
        if self.left_out == 0 {
            return Ok(());
        }
        write!(f, "\n[cut: {} of {} characters left out]", self.left_out, self.total)
    }
}

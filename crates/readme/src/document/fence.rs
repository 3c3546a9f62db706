//! A reader that tells, line by line, which lines of a text are in fenced code blocks. For parsed Markdown
//! with positions see `source.rs`.

/// A line-by-line reader of fenced code blocks. It remembers the fence that is open between two calls of
/// [`read`](Self::read).
#[derive(Debug, Default)]
pub(crate) struct FenceReader {
    /// Character and length of the fence that is open; `None` outside of blocks.
    open: Option<(char, usize)>,
}

/// The position of a line relative to a fenced code block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FenceLine {
    /// The line is the fence that opens a block.
    Opens,
    /// The line is content of a block.
    Inside,
    /// The line is the fence that closes a block.
    Closes,
    /// The line is outside of all blocks.
    Outside,
}

impl FenceReader {
    /// Reads the next line of the text, and returns its position relative to a fenced code block.
    pub(crate) fn read(&mut self, line: &str) -> FenceLine {
        let words = line.trim();
        let mark = words.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let length = mark.map_or(0, |mark| words.chars().take_while(|c| *c == mark).count());
        let rest = &words[length..];
        match (self.open, mark.filter(|_| length >= 3)) {
            (Some((open, least)), Some(mark)) if mark == open && length >= least && rest.is_empty() => {
                self.open = None;
                FenceLine::Closes
            }
            (Some(_), _) => FenceLine::Inside,
            // A line such as ` ```x``` ` is a code span.
            (None, Some(mark)) if mark == '~' || !rest.contains('`') => {
                self.open = Some((mark, length));
                FenceLine::Opens
            }
            (None, _) => FenceLine::Outside,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FenceLine::{Closes, Inside, Opens, Outside};
    use super::*;

    #[test]
    fn a_fence_ends_at_its_own_mark_only() {
        let mut reader = FenceReader::default();
        let text = "a\n````md\n```\n~~~\n````\n```x```\n~~~ a`b\nc\n~~~~ \n";
        let read: Vec<FenceLine> = text.lines().map(|line| reader.read(line)).collect();
        assert_eq!(read, [Outside, Opens, Inside, Inside, Closes, Outside, Opens, Inside, Closes]);
    }
}

//! Fences of code, read line by line, for readers that keep the lines of a text. For positions inside Markdown see `source.rs`.

/// The state of a reader between two lines.
#[derive(Debug, Default)]
pub(crate) struct FenceReader {
    /// Character and length of the open fence.
    open: Option<(char, usize)>,
}

/// The part that a line has in a block of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FenceLine {
    /// The line opens a block.
    Opens,
    /// The line stands in a block.
    Inside,
    /// The line closes a block.
    Closes,
    /// The line is outside of blocks.
    Outside,
}

impl FenceReader {
    /// Reads the next line.
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

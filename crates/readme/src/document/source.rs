//! Runs the Markdown parser on a text and gives its events positions in that text. The parser knows neither
//! byte order marks nor front matter, so both are skipped here. Also: the table of lines of a text.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, BrokenLinkCallback, CowStr, Event, LinkType, Options, Parser};

/// A Markdown text, and the offset at which its Markdown begins: behind a byte order mark and YAML front
/// matter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarkdownSource<'a> {
    text: &'a str,
    offset: usize,
}

/// A callback of the parser that records references of the forms `[text][label]` and `[label][]` without a
/// definition. The form `[label]` is not recorded, because it may be plain text in brackets, and there can
/// be very many.
struct BrokenLinkLog<'l, 'a>(&'l mut Vec<BrokenLink<'a>>);

impl<'a> BrokenLinkCallback<'a> for BrokenLinkLog<'_, 'a> {
    fn handle_broken_link(&mut self, link: BrokenLink<'a>) -> Option<(CowStr<'a>, CowStr<'a>)> {
        if matches!(link.link_type, LinkType::Reference | LinkType::Collapsed) {
            self.0.push(link);
        }
        None
    }
}

/// Returns the parser's options for the extensions that GitHub renders. Heading attributes are off, because
/// GitHub shows them as text, and so is mathematics, because a `$` rarely means it.
fn github_options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
}

impl<'a> MarkdownSource<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, offset: mark + front_matter_length(&text[mark..]) }
    }

    /// Returns the byte offset at which the Markdown begins: the length of byte order mark and front
    /// matter.
    pub(crate) fn offset(self) -> usize {
        self.offset
    }

    /// Parses the text as Markdown with the extensions of GitHub, and returns the events of the parser,
    /// each with its byte range in the whole text.
    pub(crate) fn events(self) -> impl Iterator<Item = (Event<'a>, Range<usize>)> {
        let offset = self.offset;
        let parser = Parser::new_ext(&self.text[offset..], github_options());
        parser.into_offset_iter().map(move |(event, range)| (event, range.start + offset..range.end + offset))
    }

    /// Passes all events to `visit`, then returns the references of the forms `[text][label]` and
    /// `[label][]` that have no definition, each with its byte range in the whole text.
    pub(crate) fn visit_with_broken_links(
        self,
        mut visit: impl FnMut(Event<'a>, Range<usize>),
    ) -> Vec<(Range<usize>, BrokenLink<'a>)> {
        let mut broken = Vec::new();
        let offset = self.offset;
        let parser = Parser::new_with_broken_link_callback(
            &self.text[offset..],
            github_options(),
            Some(BrokenLinkLog(&mut broken)),
        );
        for (event, range) in parser.into_offset_iter() {
            visit(event, range.start + offset..range.end + offset);
        }
        broken.into_iter().map(|link| (link.span.start + offset..link.span.end + offset, link)).collect()
    }
}

/// Returns the length in bytes of the YAML front matter at the start of a text, both `---` lines included;
/// 0 without one. A `---` at the start that no YAML line follows is a thematic break.
fn front_matter_length(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return 0 };
    let mut length = first.len();
    for (number, line) in lines.enumerate() {
        length += line.len();
        let content = line.trim_end();
        if number == 0 && !is_yaml_line(content) {
            return 0;
        }
        if content == "---" || content == "..." {
            return length;
        }
    }
    0
}

fn is_yaml_line(line: &str) -> bool {
    let is_key = |key: &str| {
        !key.is_empty()
            && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\''))
    };
    line.starts_with('#') || line.split_once(':').is_some_and(|(key, _)| is_key(key))
}

/// A table of the byte offsets at which the lines of a text begin, to convert between offsets and lines. A
/// line ends with LF, CRLF or CR, as in the parser. Lines are counted from 1.
#[derive(Debug, Clone)]
pub(crate) struct LineTable {
    starts: Vec<usize>,
    length: usize,
}

impl LineTable {
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        Self { starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect(), length: bytes.len() }
    }

    /// Returns the line (from 1) of the byte at offset `at`.
    pub(crate) fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }

    /// Returns the offset at which the line of the byte at offset `at` begins.
    pub(crate) fn start_of_line(&self, at: usize) -> usize {
        self.starts[self.line(at) - 1]
    }

    /// Returns the offset behind the line of the byte at offset `at`, that is, behind its line end.
    pub(crate) fn end_of_line(&self, at: usize) -> usize {
        self.starts.get(self.line(at)).copied().unwrap_or(self.length)
    }

    /// Returns the number of lines; a text that ends with a line end has an empty last line.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the byte range of a line (from 1) with its line end; an empty range at the end of the text
    /// for a line that does not exist.
    pub(crate) fn range(&self, line: usize) -> Range<usize> {
        let end = self.starts.get(line).copied().unwrap_or(self.length);
        self.starts.get(line - 1).copied().unwrap_or(self.length)..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_no_content_and_a_thematic_break_is() {
        assert_eq!(front_matter_length("---\ntitle: a\n---\n# A\n"), 17);
        assert_eq!(front_matter_length("---\r\ntitle: a\r\n---\r\n# A\r\n"), 20);
        assert_eq!(front_matter_length("---\n\ntext\n---\n"), 0);
        assert_eq!(front_matter_length("---\nHeading here\n---\n"), 0);
        assert_eq!(front_matter_length("---\ntitle: never closed\n"), 0);
    }

    #[test]
    fn lines_end_with_lf_crlf_or_cr() {
        let table = LineTable::new("a\r\nb\rc\nd");
        assert_eq!([0, 3, 5, 7].map(|at| table.line(at)), [1, 2, 3, 4]);
        assert_eq!((table.start_of_line(7), table.end_of_line(0), table.end_of_line(7)), (7, 3, 8));
        assert_eq!(table.range(2), 3..5);
    }
}

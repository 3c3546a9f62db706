//! Links and images of a text, in Markdown, in HTML and as bare addresses.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, Tag, TagEnd};
use regex::Regex;
use serde::{Deserialize, Serialize};

use super::source::{LineTable, MarkdownSource};

/// A link or an image in a Markdown text, as [`links`] returns it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentLink {
    /// Plain text of a link, alternative text of an image; the target for a bare address.
    pub text: String,
    /// Target as written, with references resolved.
    pub target: String,
    /// Line of its first character, from 1.
    pub line: usize,
    /// True for an image.
    pub is_image: bool,
}

/// Number of enclosing links and images, innermost first, that a text is added to. Images can be nested as
/// deep as a text is long.
const LINK_DEPTH: usize = 4;

static HTML_LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?is)<(a|img)\s[^<>]*?\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))"#)
        .expect("a valid pattern")
});
static URL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?i)\bhttps?://[^\s<>"`\\|^{}\x00-\x1f]+"#).expect("a valid pattern"));

/// Returns the links and images of a Markdown text (also in HTML tags, and bare `http` addresses) in the
/// order in which they begin. Code has none.
pub fn links(text: &str) -> Vec<DocumentLink> {
    let lines = LineTable::new(text);
    let mut reader = LinkReader::new(&lines);
    for (event, range) in MarkdownSource::new(text).events() {
        reader.visit(&event, &range);
    }
    reader.finish()
}

/// A collector of links and images. The caller passes it all events of the Markdown parser in order, so
/// that one pass can feed several readers; [`finish`](Self::finish) returns the result.
pub(crate) struct LinkReader<'l> {
    lines: &'l LineTable,
    found: Vec<DocumentLink>,
    /// Indices in `found` of the links and images that are open, outermost first.
    open: Vec<usize>,
    in_code: bool,
    /// Text since the last other event, with its offset. The parser cuts texts at `_` and `*`, also inside an address.
    text: String,
    text_at: usize,
}

impl<'l> LinkReader<'l> {
    pub(crate) fn new(lines: &'l LineTable) -> Self {
        Self { lines, found: Vec::new(), open: Vec::new(), in_code: false, text: String::new(), text_at: 0 }
    }

    /// Takes the next event of the Markdown parser, with its byte range in the text, and collects the links
    /// in it.
    pub(crate) fn visit(&mut self, event: &Event<'_>, range: &Range<usize>) {
        if let Event::Text(part) = event
            && self.open.is_empty()
        {
            if !self.in_code {
                if self.text.is_empty() {
                    self.text_at = range.start;
                }
                self.text.push_str(part);
            }
            return;
        }
        self.end_text();
        match event {
            Event::Start(
                tag @ (Tag::Link { dest_url: target, .. } | Tag::Image { dest_url: target, .. }),
            ) => {
                self.open.push(self.found.len());
                self.found.push(DocumentLink {
                    text: String::new(),
                    target: target.to_string(),
                    line: self.lines.line(range.start),
                    is_image: matches!(tag, Tag::Image { .. }),
                });
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                self.open.pop();
            }
            Event::Start(Tag::CodeBlock(_)) => self.in_code = true,
            Event::End(TagEnd::CodeBlock) => self.in_code = false,
            Event::Text(part) | Event::Code(part) => self.push(part),
            Event::SoftBreak | Event::HardBreak => self.push(" "),
            Event::Html(html) | Event::InlineHtml(html) => {
                self.found.extend(html_links(html, self.lines.line(range.start)));
            }
            _ => {}
        }
    }

    /// Returns the collected links and images in the order in which they begin.
    pub(crate) fn finish(mut self) -> Vec<DocumentLink> {
        self.end_text();
        self.found
    }

    /// Appends a text to the link texts of the innermost [`LINK_DEPTH`] open links and images.
    fn push(&mut self, part: &str) {
        self.open.iter().rev().take(LINK_DEPTH).for_each(|link| self.found[*link].text.push_str(part));
    }

    fn end_text(&mut self) {
        if self.text.is_empty() {
            return;
        }
        let line = self.lines.line(self.text_at);
        self.found.extend(find_urls(&self.text).map(|url| DocumentLink {
            text: url.to_owned(),
            target: url.to_owned(),
            line,
            is_image: false,
        }));
        self.text.clear();
    }
}

/// Returns the links (`<a href>`) and images (`<img src>`) of a piece of HTML, all with the given line and
/// no text. The parser passes an HTML block line by line, so a tag is found only if its address is on the
/// line where it begins.
fn html_links(html: &str, line: usize) -> impl Iterator<Item = DocumentLink> + '_ {
    HTML_LINK.captures_iter(html).map(move |captures| {
        let target = captures.iter().skip(2).flatten().next().map_or("", |target| target.as_str());
        let is_image = captures[1].eq_ignore_ascii_case("img");
        DocumentLink { text: String::new(), target: target.to_owned(), line, is_image }
    })
}

/// Returns the `http` and `https` addresses in a plain text, in order, without the punctuation of the
/// sentence around them.
pub(crate) fn find_urls(text: &str) -> impl Iterator<Item = &str> {
    URL.find_iter(text).map(|found| trim_url(found.as_str())).filter(|url| !url.ends_with("://"))
}

/// Cuts trailing punctuation from an address, and closing brackets that have no opening one in it. Brackets
/// are counted once, because an address can be as long as a file.
pub(crate) fn trim_url(url: &str) -> &str {
    let surplus = |close: char, open: char| {
        isize::try_from(url.matches(close).count()).unwrap_or(isize::MAX)
            - isize::try_from(url.matches(open).count()).unwrap_or(isize::MAX)
    };
    let (mut round, mut square) = (surplus(')', '('), surplus(']', '['));
    let mut end = url.len();
    for (at, last) in url.char_indices().rev() {
        let is_cut = match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | '~' | '…' | '’' | '”' | '»' => true,
            ')' if round > 0 => {
                round -= 1;
                true
            }
            ']' if square > 0 => {
                square -= 1;
                true
            }
            _ => false,
        };
        if !is_cut {
            break;
        }
        end = at;
    }
    &url[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_ends_before_the_punctuation_of_its_sentence() {
        let found: Vec<&str> =
            find_urls("(see https://a.example/b), https://c.example/d_(e)! https://").collect();
        assert_eq!(found, ["https://a.example/b", "https://c.example/d_(e)"]);
    }

    #[test]
    fn brackets_behind_an_address_are_counted_once() {
        let text = format!("https://a.example/{}", ")".repeat(20_000));
        assert_eq!(find_urls(&text).next(), Some("https://a.example/"));
    }
}

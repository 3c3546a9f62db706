//! Links and images of a text, in Markdown, in HTML and as bare addresses.

use std::sync::LazyLock;

use pulldown_cmark::{Event, Tag, TagEnd, TextMergeWithOffset};
use regex::Regex;
use serde::{Deserialize, Serialize};

use super::source::{LineTable, MarkdownSource};

/// A link or an image.
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

/// Number of links and images around a text that receive it. Images can be nested as deep as a text is long.
const LINK_DEPTH: usize = 4;

static HTML_LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?is)<(a|img)\s[^<>]*?\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))"#)
        .expect("a valid pattern")
});
static URL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?i)\bhttps?://[^\s<>"`\\|^{}\x00-\x1f]+"#).expect("a valid pattern"));

/// Returns the links and images of a text in the order of their beginnings. Code has none.
pub fn links(text: &str) -> Vec<DocumentLink> {
    let lines = LineTable::new(text);
    let mut found: Vec<DocumentLink> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut in_code = false;
    // The parser cuts texts at `_` and `*`, also inside an address.
    for (event, range) in TextMergeWithOffset::new(MarkdownSource::new(text).events()) {
        match event {
            Event::Start(tag @ (Tag::Link { .. } | Tag::Image { .. })) => {
                let is_image = matches!(tag, Tag::Image { .. });
                let (Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = tag else { continue };
                open.push(found.len());
                let line = lines.line(range.start);
                found.push(DocumentLink {
                    text: String::new(),
                    target: dest_url.into_string(),
                    line,
                    is_image,
                });
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                open.pop();
            }
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(part) if open.is_empty() && !in_code => {
                found.extend(find_urls(&part).map(|url| DocumentLink {
                    text: url.to_owned(),
                    target: url.to_owned(),
                    line: lines.line(range.start),
                    is_image: false,
                }));
            }
            Event::Text(part) | Event::Code(part) => {
                open.iter().rev().take(LINK_DEPTH).for_each(|link| found[*link].text.push_str(&part));
            }
            Event::SoftBreak | Event::HardBreak => {
                open.iter().rev().take(LINK_DEPTH).for_each(|link| found[*link].text.push(' '));
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                found.extend(html_links(&html, lines.line(range.start)));
            }
            _ => {}
        }
    }
    found
}

/// Returns the links of a piece of HTML. A tag that spans lines is read as far as its first line goes.
fn html_links(html: &str, line: usize) -> impl Iterator<Item = DocumentLink> + '_ {
    HTML_LINK.captures_iter(html).map(move |captures| {
        let target = captures.iter().skip(2).flatten().next().map_or("", |target| target.as_str());
        let is_image = captures[1].eq_ignore_ascii_case("img");
        DocumentLink { text: String::new(), target: target.to_owned(), line, is_image }
    })
}

/// Returns the addresses in a plain text, without the punctuation of the sentence around them.
pub(crate) fn find_urls(text: &str) -> impl Iterator<Item = &str> {
    URL.find_iter(text).map(|found| trim_url(found.as_str())).filter(|url| !url.ends_with("://"))
}

/// Cuts punctuation behind an address, and closing brackets that were not opened in it. Brackets are counted once, because an address can
/// be as long as a file.
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

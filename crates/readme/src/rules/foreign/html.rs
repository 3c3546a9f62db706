//! Replaces the HTML, images and unsafe links in texts from outside.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, Tag, TagEnd};
use regex::Regex;
use stategraph_base::is_text_element;

use super::inline::{code, escape, is_safe_target, is_web_address};
use crate::document::MarkdownSource;
use crate::validate::is_local_target;

/// HTML elements that are removed, besides those that style or arrange text. Other names in angle brackets
/// are placeholders, such as `<hostname>`, and stay visible.
#[rustfmt::skip]
const ELEMENTS: &[&str] = &[
    "base", "embed", "fieldset", "form", "frame", "iframe", "input", "label", "link", "mark", "math", "meta",
    "noscript", "object", "option", "script", "section", "select", "style", "svg", "template", "textarea",
];

static TAG: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^</?([A-Za-z][A-Za-z0-9-]*)[^<>]*>").expect("a valid pattern"));

/// Returns the replacements (byte range and new text, in order) that make a Markdown text safe. HTML is
/// removed, images become their description, links to anything but public web addresses become text, and
/// bare addresses become links.
pub(super) fn find_edits(text: &str) -> Vec<(Range<usize>, String)> {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut replaced: Option<ReplacedLink> = None;
    for (event, range) in MarkdownSource::new(text).events() {
        if let Some(ReplacedLink { range: whole, words, .. }) = &mut replaced {
            match event {
                Event::End(TagEnd::Link | TagEnd::Image) if range == *whole => {
                    edits.extend(replaced.take().map(|link| (range, link.text(text))));
                }
                Event::Text(part) => words.push_str(&escape(&part)),
                Event::Code(part) => words.push_str(&code(&part)),
                Event::SoftBreak | Event::HardBreak => words.push(' '),
                _ => {}
            }
            continue;
        }
        match event {
            Event::Start(Tag::Image { .. }) => {
                replaced = Some(ReplacedLink { range, words: String::new(), target: None, is_image: true });
            }
            Event::Start(Tag::Link { dest_url, .. })
                if !is_web_address(&dest_url) || is_local_target(&dest_url) =>
            {
                // The address of a console in one's own network is a fact, but no link.
                // One with a name to fill in is neither.
                let is_whole = is_web_address(&dest_url) && !dest_url.contains(['<', '{', '$', '%']);
                let target = is_whole.then(|| dest_url.into_string());
                replaced = Some(ReplacedLink { range, words: String::new(), target, is_image: false });
            }
            Event::Text(part)
                if is_local_target(&part)
                    && !part.contains(char::is_whitespace)
                    && text[range.clone()] == *part =>
            {
                edits.push((range, code(&part)));
            }
            // An address alone is no text of a link.
            Event::Text(part) if is_bare_address(&part) && text[range.clone()] == *part => {
                let words = part.trim_start_matches("https://").trim_start_matches("http://");
                edits.push((range, format!("[{}]({part})", escape(words.trim_end_matches('/')))));
            }
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => {
                let html = &text[range.clone()];
                let kept = strip_html(html).replace(BRACKET, "&lt;");
                if kept != html {
                    edits.push((range, kept));
                }
            }
            _ => {}
        }
    }
    edits
}

/// A link or image that is being replaced by text. Its words are collected until its end.
struct ReplacedLink {
    range: Range<usize>,
    words: String,
    /// Address to show as code behind the words; `None` for an image, and for a target that means nothing
    /// outside its source.
    target: Option<String>,
    is_image: bool,
}

impl ReplacedLink {
    /// Returns the text that replaces the link or image; empty for an image on a line of its own.
    fn text(self, source: &str) -> String {
        match self.target.map(|target| (code(&target), target)) {
            // The description of an image that is not there belongs to no sentence.
            None if self.is_image && is_line(source, &self.range) => String::new(),
            None => self.words,
            Some((shown, target)) if self.words.trim().is_empty() || target.contains(self.words.trim()) => {
                shown
            }
            Some((shown, _)) => format!("{} ({shown})", self.words),
        }
    }
}

/// Returns true if the text at the byte range is alone on its line, apart from white space.
fn is_line(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].trim_end_matches([' ', '\t']);
    let behind = text[range.end..].trim_start_matches([' ', '\t', '\r']);
    (before.is_empty() || before.ends_with('\n')) && (behind.is_empty() || behind.starts_with('\n'))
}

/// Returns true if a text is a safe `http` or `https` address and nothing else.
fn is_bare_address(text: &str) -> bool {
    let has_scheme = text.starts_with("https://") || text.starts_with("http://");
    has_scheme && is_safe_target(text)
}

/// Returns the text with the replacements applied, which must be in order; one that overlaps an earlier one
/// is dropped.
pub(super) fn apply(text: &str, edits: Vec<(Range<usize>, String)>) -> String {
    let (mut result, mut at) = (String::with_capacity(text.len()), 0);
    for (range, replacement) in edits {
        if range.start >= at {
            result.push_str(&text[at..range.start]);
            result.push_str(&replacement);
            at = range.end;
        }
    }
    result.push_str(&text[at..]);
    result
}

/// Placeholder for a `<` that readers shall see. [`clean`](super::clean) removes this character from input.
pub(super) const BRACKET: char = '\u{1}';

/// Removes comments, declarations and known elements (tags, or whole scripts and styles) from HTML. Every
/// other `<` becomes [`BRACKET`].
pub(super) fn strip_html(html: &str) -> String {
    let (mut kept, mut rest) = (String::new(), html);
    while let Some(at) = rest.find('<') {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        let lower = || rest.get(..9).unwrap_or(rest).to_ascii_lowercase();
        let end = if rest.starts_with("<!--") {
            Some(rest.find("-->").map_or(rest.len(), |end| end + 3))
        } else if rest.starts_with("<!") || rest.starts_with("<?") {
            Some(rest.find('>').map_or(rest.len(), |end| end + 1))
        } else if let Some(element) =
            ["script", "style", "template", "svg"].iter().find(|it| lower()[1..].starts_with(**it))
        {
            Some(end_of_element(rest, element))
        } else {
            let tag = TAG.captures(rest);
            tag.filter(|tag| is_element(&tag[1])).map(|tag| tag[0].len())
        };
        if let Some(end) = end {
            rest = &rest[end..];
        } else {
            kept.push(BRACKET);
            rest = &rest[1..];
        }
    }
    kept.push_str(rest);
    kept
}

fn is_element(name: &str) -> bool {
    is_text_element(name) || ELEMENTS.contains(&name.to_ascii_lowercase().as_str())
}

/// Returns the byte offset behind the closing tag of an element; the length of the text if it has none.
fn end_of_element(html: &str, element: &str) -> usize {
    let ends = html.match_indices("</").map(|(at, _)| at);
    let is_end = |at: &usize| {
        html.get(at + 2..at + 2 + element.len()).is_some_and(|name| name.eq_ignore_ascii_case(element))
    };
    let end = ends.filter(is_end).find_map(|at| html[at..].find('>').map(|close| at + close + 1));
    end.unwrap_or(html.len())
}

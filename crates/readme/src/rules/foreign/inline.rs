//! Converts short texts from outside to safe Markdown of one line: lines, sentences, code spans and links.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::LazyLock;

use pulldown_cmark::{Event, Tag, TagEnd};
use regex::Regex;
use stategraph_base::{cut, is_deceptive};

use super::html::{BRACKET, strip_html};
use super::{BUILD_TAG, clean};
use crate::document::MarkdownSource;

/// Maximum length of a line or code span, in characters; the rest is cut off.
const LINE_CHARS: usize = 1_000;

/// Pattern of a URL with placeholders, such as `https://<user>@<host name>`.
static PATTERN_ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"https?(?:\[s\])?://[^\s<`]*<[^<>\n`]{1,40}>(?:[^\s<`]|<[^<>\n`]{1,40}>)*(?:[^\s<`.,;]|<[^<>\n`]{1,40}>)")
        .expect("a valid pattern")
});

/// Texts of links, in lower case, that say nothing about the target.
const BARE_LINK_TEXTS: &[&str] = &[
    "",
    "here",
    "click here",
    "this",
    "this page",
    "link",
    "read more",
    "more",
    "this link",
    "learn more",
    "page",
];

/// Converts a text from outside to one line of safe Markdown. Its code spans and web links are kept; all
/// other characters are escaped where Markdown would read them as marks. Long texts are cut.
pub(in crate::rules) fn line(text: &str) -> String {
    let text = clean(text);
    let shortened = cut(&text, LINE_CHARS).in_line();
    // An address with names to fill in is code; as text its brackets would look like HTML.
    let shortened = if shortened.contains('`') {
        shortened
    } else {
        PATTERN_ADDRESS.replace_all(&shortened, "`$0`").into_owned()
    };
    let source = format!("\n{shortened}");
    let mut result = String::new();
    let mut targets: Vec<String> = Vec::new();
    let mut start_of_link = 0;
    for (event, _) in MarkdownSource::new(&source).events() {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                targets.push(dest_url.into_string());
                start_of_link = result.len();
            }
            Event::End(TagEnd::Link) => {
                let target = targets.pop().unwrap_or_default();
                let words = result.split_off(start_of_link.min(result.len()));
                result.push_str(&link(&words, &target));
            }
            Event::Text(part) => result.push_str(&escape(&part)),
            Event::Code(part) => result.push_str(&code(&part)),
            // The words of emphasis stand in the middle of a sentence.
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => {}
            Event::SoftBreak | Event::HardBreak | Event::End(_) => result.push(' '),
            Event::InlineHtml(html) | Event::Html(html) => {
                // The text between the elements was no Markdown, and it is none now.
                let kept = escape(&strip_html(&html).replace(BRACKET, "<"));
                result.push_str(if kept.trim().is_empty() { " " } else { &kept });
            }
            _ => {}
        }
    }
    escape_start(&result.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// Returns a Markdown link with these words; the words alone if the target is no safe web address. If the
/// words say nothing, such as "here", the target is shown behind them as code.
fn link(words: &str, target: &str) -> String {
    let is_safe = is_safe_target(target);
    let bare = words.trim().to_lowercase();
    match () {
        () if !is_safe => words.to_owned(),
        () if bare.starts_with("http") => words.to_owned(),
        () if BARE_LINK_TEXTS.contains(&bare.as_str()) => format!("{words} (`{target}`)"),
        () => format!("[{words}]({target})"),
    }
}

/// Returns a link as an item of a list of links: `[words](target)`, or only the target as code if the words
/// say nothing about it. A target that is no safe web address is shown behind the words as code.
pub(in crate::rules) fn link_words(words: &str, target: &str) -> String {
    let words = line(words);
    let is_safe = is_safe_target(target);
    match () {
        () if BARE_LINK_TEXTS.contains(&words.trim().to_lowercase().as_str())
            || words.starts_with("http") =>
        {
            code(target)
        }
        () if is_safe => format!("[{words}]({target})"),
        () => format!("{words}: {}", code(target)),
    }
}

pub(super) fn is_safe_target(target: &str) -> bool {
    is_web_address(target)
        && !target.contains(['(', ')', '<', '>', '|', '\\', '"', '`'])
        && target.chars().all(|c| !c.is_whitespace() && !c.is_control() && !is_deceptive(c))
}

/// Converts a text from outside with [`line()`], and adds a full stop if it has no final punctuation. Empty
/// for an empty text.
pub(in crate::rules) fn sentence(text: &str) -> String {
    let mut line = line(text);
    if !line.is_empty() && !line.ends_with(['.', '!', '?', ':', '…']) {
        line.push('.');
    }
    line
}

/// Converts a text from outside to a code span of one line, with enough backticks around it; empty for an
/// empty text.
pub(in crate::rules) fn code(text: &str) -> String {
    let cleaned = clean(text);
    let text = cleaned.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = cut(&text, LINE_CHARS).in_line();
    let text = BUILD_TAG.replace_all(&text, "{ {$1").replace("<!--", "<! --");
    if text.is_empty() {
        return text;
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Escapes the characters that Markdown, HTML or the build of packages would interpret. Vertical bars are
/// escaped by the writer of tables.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' if next == '#' || next.is_ascii_alphabetic() => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '[' | ']' | '~' => {
                let _ = write!(escaped, "\\{c}");
            }
            '_' if !(before.is_alphanumeric() && next.is_alphanumeric()) => escaped.push_str("\\_"),
            '{' if before == '{' => escaped.push_str(" {"),
            c => escaped.push(c),
        }
        before = c;
    }
    escaped
}

/// Escapes the beginning of a line that would make it a heading, list item, quote or rule.
fn escape_start(line: &str) -> Cow<'_, str> {
    if line.starts_with(['#', '>', '-', '+', '=', ':']) {
        return format!("\\{line}").into();
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line[digits..].chars().next() {
        Some('.' | ')') if digits > 0 => format!("{}\\{}", &line[..digits], &line[digits..]).into(),
        _ => line.into(),
    }
}

/// Returns true for a target with the scheme `http`, `https` or `mailto`.
pub(super) fn is_web_address(target: &str) -> bool {
    let lower = target.to_ascii_lowercase();
    ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme))
}

//! A document without markup, the common source of the three formats. Texts are unescaped; the renderers escape them.

use std::borrow::Cow;

use crate::facts::SourceLines;
use crate::repo::code_words;

/// A document without markup: path, title and blocks. The pages make it, and the renderer of each format
/// reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DocumentPage {
    /// Path without extension, relative to the folder of the documents.
    pub(super) path: String,
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
}

/// A block of a document: heading, paragraph, list, table or code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// A heading of level 2 to 4; level 1 is the title.
    Heading(u8, Text),
    Paragraph(Text),
    /// A highlighted remark.
    Note(Text),
    /// A paragraph that its document sets apart, such as a warning.
    Quote(Text),
    List(Vec<Text>),
    /// A list whose items have items.
    Tree(Vec<(Text, Vec<Text>)>),
    /// Numbered items.
    Steps(Vec<Text>),
    Table {
        head: Vec<Cow<'static, str>>,
        /// Rows; each has as many cells as the head.
        rows: Vec<Vec<Text>>,
    },
    /// Preformatted text.
    Code {
        /// A plain word; empty if the language is not known.
        language: Cow<'static, str>,
        text: String,
    },
}

/// Inline text of a block, as pieces with their formatting.
pub(super) type Text = Vec<Span>;

/// A piece of inline text with its formatting. Its strings are not escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Span {
    Plain(String),
    Code(String),
    Strong(String),
    Link { label: String, to: Target },
}

/// Target of a link in a document. Its address has only letters, digits and `.`, `_`, `-`, `/`, `%`, `#`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Another document, without extension.
    Page(String),
    /// A file that is the same in all formats.
    File(String),
    /// Lines of a file of the repository.
    Source(SourceLines),
}

/// Path from the folder of the documents to the repository; see [`DOCUMENTATION_FOLDER`](super::super::services::DOCUMENTATION_FOLDER).
const TO_REPOSITORY: &str = "../../";

impl DocumentPage {
    /// Returns the relative address of `target` from this document. `extension` is that of the other
    /// documents.
    pub(super) fn address(&self, target: &Target, extension: &str) -> String {
        let up = "../".repeat(self.path.matches('/').count());
        match target {
            Target::Page(path) => format!("{up}{path}.{extension}"),
            Target::File(path) => format!("{up}{path}"),
            Target::Source(lines) => {
                // In AsciiDoc a pair of underscores is markup even in the target of a link.
                let path = encode_path(&lines.path, extension == "adoc");
                let anchor = match lines.end {
                    end if end > lines.start => format!("#L{}-L{end}", lines.start),
                    _ => format!("#L{}", lines.start),
                };
                format!("{up}{TO_REPOSITORY}{path}{anchor}")
            }
        }
    }
}

/// Percent-encodes a path for an address; underscores only if `encode_underscores` is true.
fn encode_path(path: &str, encode_underscores: bool) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'_' if !encode_underscores => encoded.push('_'),
            b'.' | b'-' | b'/' => encoded.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => encoded.push(char::from(byte)),
            byte => encoded.extend(["%".to_owned(), format!("{byte:02X}")]),
        }
    }
    encoded
}

pub(super) fn plain(text: impl Into<String>) -> Span {
    Span::Plain(text.into())
}

pub(super) fn code(text: impl Into<String>) -> Span {
    Span::Code(text.into())
}

pub(super) fn link(label: impl Into<String>, to: Target) -> Span {
    Span::Link { label: label.into(), to }
}

/// Returns a link to lines of a file of the repository, labelled `path:start-end`. A path that leads out of
/// the repository gives a code span instead.
pub(super) fn source(lines: &SourceLines) -> Span {
    let leads_out = lines.path.starts_with('/') || lines.path.split('/').any(|name| name == "..");
    if leads_out { code(lines.to_string()) } else { link(lines.to_string(), Target::Source(lines.clone())) }
}

/// Splits a text of the repository or of a model into plain text and its code spans. Other markup in it is
/// plain text.
pub(super) fn prose(text: &str) -> Text {
    let mut spans = Text::new();
    let (mut read, mut search) = (0, 0);
    while let Some(at) = text[search..].find('`').map(|at| search + at) {
        let fence = text[at..].bytes().take_while(|byte| *byte == b'`').count();
        let inside = at + fence;
        match closing_fence(text, inside, fence).filter(|end| is_code(&text[inside..*end])) {
            Some(end) => {
                if read < at {
                    spans.push(plain(&text[read..at]));
                }
                spans.push(code(&text[inside..end]));
                (read, search) = (end + fence, end + fence);
            }
            None => search = inside,
        }
    }
    if read < text.len() || spans.is_empty() {
        spans.push(plain(&text[read..]));
    }
    spans
}

/// Returns true if a text between backticks is a code span: one line, not empty, without spaces at its ends.
fn is_code(text: &str) -> bool {
    !text.is_empty() && text == text.trim() && text == code_line(text)
}

/// Returns the byte position of the next run of exactly `fence` backticks, from `from` on.
fn closing_fence(text: &str, from: usize, fence: usize) -> Option<usize> {
    let mut search = from;
    while let Some(at) = text[search..].find('`').map(|at| search + at) {
        let run = text[at..].bytes().take_while(|byte| *byte == b'`').count();
        if run == fence {
            return Some(at);
        }
        search = at + run;
    }
    None
}

/// Returns a heading of plain text; `level` is 2 to 4.
pub(super) fn heading(level: u8, text: impl Into<String>) -> Block {
    Block::Heading(level, vec![plain(text)])
}

/// Returns a paragraph of a text whose code spans stay code; see [`prose`].
pub(super) fn paragraph(text: impl AsRef<str>) -> Block {
    Block::Paragraph(prose(text.as_ref()))
}

/// Splits a text at blank lines into paragraphs; see [`prose`].
pub(super) fn paragraphs(text: &str) -> Vec<Block> {
    let mut all: Vec<String> = vec![String::new()];
    for line in text.lines() {
        let current = all.last_mut().expect("it never gets empty");
        match line.trim() {
            "" if !current.is_empty() => all.push(String::new()),
            "" => {}
            line => current.extend([line, " "]),
        }
    }
    all.into_iter().filter(|text| !one_line(text).is_empty()).map(paragraph).collect()
}

/// Returns a list with an item for each text, see [`prose`]; `None` for no texts.
pub(super) fn list(texts: &[String]) -> Option<Block> {
    (!texts.is_empty()).then(|| Block::List(texts.iter().map(|text| prose(text)).collect()))
}

/// Joins the words of a text with single spaces; removes control characters and all kinds of line breaks.
pub(super) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Returns code on one line: white space is joined but inside of string literals. Control characters are removed.
pub(super) fn code_line(code: &str) -> String {
    let visible: String = code.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    code_words(&visible).join(" ")
}

/// Splits text into lines at all kinds of line breaks, because the formats disagree on them. Tabs become four
/// spaces; other control characters and trailing spaces are removed.
pub(super) fn normalize_lines(text: &str) -> Vec<String> {
    let breaks = |c: char| {
        matches!(c, '\n' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
    };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let line =
        |line: &str| line.replace('\t', "    ").chars().filter(|c| !c.is_control()).collect::<String>();
    text.trim_matches('\n').split(breaks).map(|text| line(text).trim_end().to_owned()).collect()
}

/// Returns `safe`, the escaped form of `text`, with one space at each end where `text` has white space, so
/// that adjacent pieces touch only if they did before.
pub(super) fn keep_outer_spaces(text: &str, safe: &str) -> String {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let space = |is: bool| if is { " " } else { "" };
    if safe.is_empty() {
        return space(!text.is_empty()).to_owned();
    }
    format!("{}{safe}{}", space(text.starts_with(blank)), space(text.ends_with(blank)))
}

/// Placeholder for a name without visible characters.
pub(super) const NAMELESS: &str = "(no name)";

/// Returns the plain text of a heading on one line; [`NAMELESS`] if it is empty.
pub(super) fn heading_text(text: &Text) -> String {
    let said = text.iter().map(|span| match span {
        Span::Plain(text) | Span::Code(text) | Span::Strong(text) | Span::Link { label: text, .. } => {
            text.as_str()
        }
    });
    let line = one_line(&said.collect::<String>());
    if line.is_empty() { NAMELESS.to_owned() } else { line }
}

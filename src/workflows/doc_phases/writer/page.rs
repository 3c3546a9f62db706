//! A document without its markup: what all three formats are made from. Texts are as they were found; escaping is the business of
//! whoever renders.

/// A document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DocumentPage {
    /// Where it goes, without extension, relative to the folder of all.
    pub(super) path: String,
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// A heading of a level from 2 to 4; the title has 1.
    Heading(u8, Text),
    Paragraph(Text),
    /// A remark that stands out.
    Note(Text),
    List(Vec<Text>),
    Table {
        head: Vec<&'static str>,
        /// Each as long as the head.
        rows: Vec<Vec<Text>>,
    },
    /// Text that is shown as it is.
    Code {
        language: &'static str,
        text: String,
    },
}

/// Text within a line.
pub(super) type Text = Vec<Span>;

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Span {
    Plain(String),
    Code(String),
    Strong(String),
    Link { label: String, to: Target },
}

/// What a link leads to, relative to the folder of all documents. Made of letters, digits, `.`, `_`, `-` and `/` alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Another document, without extension.
    Page(String),
    /// A file that is the same in all formats.
    File(String),
}

impl DocumentPage {
    /// What leads from this document to `target`.
    pub(super) fn address(&self, target: &Target, extension: &str) -> String {
        let up = "../".repeat(self.path.matches('/').count());
        match target {
            Target::Page(path) => format!("{up}{path}.{extension}"),
            Target::File(path) => format!("{up}{path}"),
        }
    }
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

/// A heading of plain text.
pub(super) fn heading(level: u8, text: impl Into<String>) -> Block {
    Block::Heading(level, vec![plain(text)])
}

/// A paragraph of plain text.
pub(super) fn paragraph(text: impl Into<String>) -> Block {
    Block::Paragraph(vec![plain(text)])
}

/// Foreign text of several lines: a paragraph for each run of lines that are not blank.
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

/// A list of plain texts, or nothing.
pub(super) fn list(texts: &[String]) -> Option<Block> {
    (!texts.is_empty()).then(|| Block::List(texts.iter().map(|text| vec![plain(text)]).collect()))
}

/// Words with one space between them: no control characters, no line breaks of any kind.
pub(super) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Lines as every format counts them: line breaks of all kinds become one, other controls go.
pub(super) fn normalize_lines(text: &str) -> Vec<String> {
    let breaks = |c: char| {
        matches!(c, '\n' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
    };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let line =
        |line: &str| line.replace('\t', "    ").chars().filter(|c| !c.is_control()).collect::<String>();
    text.trim_matches('\n').split(breaks).map(|text| line(text).trim_end().to_owned()).collect()
}

/// `safe` with the white space that `text` has at its ends, as one space each: pieces of a line touch only where they should.
pub(super) fn keep_outer_spaces(text: &str, safe: &str) -> String {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let space = |is: bool| if is { " " } else { "" };
    if safe.is_empty() {
        return space(!text.is_empty()).to_owned();
    }
    format!("{}{safe}{}", space(text.starts_with(blank)), space(text.ends_with(blank)))
}

/// What stands where a name should be that has no letters.
pub(super) const NAMELESS: &str = "(no name)";

/// The plain words of a line, for titles.
pub(super) fn heading_text(text: &Text) -> String {
    let said = text.iter().map(|span| match span {
        Span::Plain(text) | Span::Code(text) | Span::Strong(text) | Span::Link { label: text, .. } => {
            text.as_str()
        }
    });
    let line = one_line(&said.collect::<String>());
    if line.is_empty() { NAMELESS.to_owned() } else { line }
}

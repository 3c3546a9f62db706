//! The tree of sections of a document: parsing a text into it, writing the text back, and look-ups by
//! title.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::preserve::preserve_ranges;
use super::source::{LineTable, MarkdownSource};
use super::{DocumentSection, ReadmeDocument};

/// A heading at which the text is cut into sections, with the byte range of its source lines. Headings in
/// quotes, lists and protected blocks are not cuts.
struct HeadingCut {
    level: u8,
    title: String,
    lines: Range<usize>,
}

/// Parses a document into its tree of sections, which begin at level 2. Headings of level 1 are plain text
/// of the preamble or of the section above.
pub fn parse(text: &str) -> ReadmeDocument {
    build_tree(text, 2)
}

/// Parses a document as [`parse`] does, but with headings of level 1 as sections too, as in
/// `service_info.md` (SEC-36).
pub fn parse_all(text: &str) -> ReadmeDocument {
    build_tree(text, 1)
}

fn build_tree(text: &str, top_level: u8) -> ReadmeDocument {
    let lines = LineTable::new(text);
    let mut headings = HeadingReader::new(text);
    for (event, range) in MarkdownSource::new(text).events() {
        headings.visit(&event, &range, &lines);
    }
    headings.finish(&lines, top_level)
}

/// Ends the open sections whose level is `level` or deeper, because a heading of `level` follows (0 ends
/// all): moves each from `open` to the children of its parent, or to the sections of the document.
fn close_sections(open: &mut Vec<DocumentSection>, level: u8, document: &mut ReadmeDocument) {
    while open.last().is_some_and(|section| section.level >= level) {
        let section = open.pop().expect("the loop saw a last section");
        match open.last_mut() {
            Some(parent) => parent.children.push(section),
            None => document.sections.push(section),
        }
    }
}

/// A reader that collects the headings of a text and then cuts it into sections. The caller passes it all
/// events of the parser in order, so that one pass can feed several readers; [`finish`](Self::finish)
/// returns the document.
pub(crate) struct HeadingReader<'a> {
    text: &'a str,
    /// Byte offset at which the Markdown begins, behind byte order mark and front matter.
    offset: usize,
    cuts: Vec<HeadingCut>,
    /// Number of open blocks and spans around the next event; only headings at depth 0 cut the text.
    depth: usize,
    /// Plain text so far of the heading that is open; `None` outside of headings.
    title: Option<String>,
}

impl<'a> HeadingReader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let offset = MarkdownSource::new(text).offset();
        Self { text, offset, cuts: Vec::new(), depth: 0, title: None }
    }

    /// Takes the next event of the Markdown parser, with its byte range in the text, and collects the
    /// heading that it may end.
    pub(crate) fn visit(&mut self, event: &Event<'_>, range: &Range<usize>, lines: &LineTable) {
        match event {
            Event::Start(Tag::Heading { .. }) if self.depth == 0 => {
                self.title = Some(String::new());
                self.depth += 1;
            }
            Event::Start(_) => self.depth += 1,
            Event::End(end) => {
                self.depth -= 1;
                if let (TagEnd::Heading(level), Some(title)) = (end, self.title.take_if(|_| self.depth == 0))
                {
                    let last = range.end.saturating_sub(1).max(range.start);
                    // A byte order mark is no part of a heading.
                    let start = lines.start_of_line(range.start).max(self.offset);
                    let lines = start..lines.end_of_line(last);
                    self.cuts.push(HeadingCut { level: *level as u8, title: title.trim().to_owned(), lines });
                }
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some(title) = &mut self.title {
                    title.push_str(part);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(title) = &mut self.title {
                    title.push(' ');
                }
            }
            _ => {}
        }
    }

    /// Builds the document, with a section for each collected heading of `top_level` and deeper. Headings
    /// inside protected blocks do not cut it.
    pub(crate) fn finish(self, lines: &LineTable, top_level: u8) -> ReadmeDocument {
        let text = self.text;
        let mut cuts = self.cuts;
        cuts.retain(|cut| is_heading(&text[cut.lines.clone()]));
        // A section that begins inside a protected block would take one of its comments away from the other.
        let protected = preserve_ranges(text);
        cuts.retain(|cut| {
            let block = protected.partition_point(|range| range.end <= cut.lines.start);
            let is_free = protected.get(block).is_none_or(|range| cut.lines.start < range.start);
            is_free && cut.level >= top_level
        });
        cut_at(text, lines, cuts)
    }
}

/// Builds the tree of sections by cutting the text at the given headings, which are in text order.
fn cut_at(text: &str, lines: &LineTable, cuts: Vec<HeadingCut>) -> ReadmeDocument {
    let mut document = ReadmeDocument {
        preamble: text[..cuts.first().map_or(text.len(), |cut| cut.lines.start)].to_owned(),
        sections: Vec::new(),
    };
    let mut open: Vec<DocumentSection> = Vec::new();
    let mut cuts = cuts.into_iter().peekable();
    while let Some(cut) = cuts.next() {
        close_sections(&mut open, cut.level, &mut document);
        let end = cuts.peek().map_or(text.len(), |next| next.lines.start);
        open.push(DocumentSection {
            title: cut.title,
            level: cut.level,
            line: lines.line(cut.lines.start),
            body: text[cut.lines.end..end].to_owned(),
            heading: text[cut.lines].to_owned(),
            children: Vec::new(),
        });
    }
    close_sections(&mut open, 0, &mut document);
    document
}

/// Returns true if the source lines of a heading are a heading also without the text around them. The lines
/// of a setext heading may be code by themselves, and a section must mean the same at any place of a
/// document.
fn is_heading(lines: &str) -> bool {
    let is_atx = lines.trim_start_matches(' ').starts_with('#');
    is_atx || matches!(Parser::new(lines).next(), Some(Event::Start(Tag::Heading { .. })))
}

impl ReadmeDocument {
    /// Returns the source text of the whole document, byte for byte as it was parsed.
    pub fn text(&self) -> String {
        let mut text = self.preamble.clone();
        self.sections.iter().for_each(|section| section.write_to(&mut text));
        text
    }

    /// Returns all sections and their sub-sections in document order.
    pub fn flatten(&self) -> Vec<&DocumentSection> {
        let mut sections = Vec::new();
        self.sections.iter().for_each(|section| section.collect_into(&mut sections));
        sections
    }

    /// Returns the first section, at any level, with exactly this title, without regard to case; else the
    /// first whose title contains it; `None` if there is none, and for an empty title (SEC-44).
    pub fn find(&self, title: &str) -> Option<&DocumentSection> {
        let wanted = title.trim().to_lowercase();
        if wanted.is_empty() {
            return None;
        }
        let sections = self.flatten();
        let exact = sections.iter().find(|section| section.title.to_lowercase() == wanted);
        exact
            .or_else(|| sections.iter().find(|section| section.title.to_lowercase().contains(&wanted)))
            .copied()
    }

    /// Returns the parent of the section that [`find`](Self::find) returns for this title; `None` for an outermost one.
    pub fn parent_of(&self, title: &str) -> Option<&DocumentSection> {
        let child = self.find(title)?;
        let is_parent =
            |section: &&DocumentSection| section.children.iter().any(|it| std::ptr::eq(it, child));
        self.flatten().into_iter().find(is_parent)
    }

    /// Returns the sections, at any level, whose titles contain a keyword, without regard to case. Sections
    /// inside a returned one are left out, because their text is part of its text (SEC-148).
    pub fn find_by_keyword(&self, keyword: &str) -> Vec<&DocumentSection> {
        fn collect<'a>(sections: &'a [DocumentSection], keyword: &str, found: &mut Vec<&'a DocumentSection>) {
            for section in sections {
                if section.title.to_lowercase().contains(keyword) {
                    found.push(section);
                } else {
                    collect(&section.children, keyword, found);
                }
            }
        }
        let keyword = keyword.trim().to_lowercase();
        let mut found = Vec::new();
        if !keyword.is_empty() {
            collect(&self.sections, &keyword, &mut found);
        }
        found
    }
}

impl DocumentSection {
    /// Returns the source text of the section and all of its sub-sections.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write_to(&mut text);
        text
    }

    /// Returns the source text of the section, heading and body, without its sub-sections.
    pub fn own_text(&self) -> String {
        format!("{}{}", self.heading, self.body)
    }

    /// Returns the section and all sections below it in document order.
    pub fn flatten(&self) -> Vec<&DocumentSection> {
        let mut sections = Vec::new();
        self.collect_into(&mut sections);
        sections
    }

    fn collect_into<'a>(&'a self, sections: &mut Vec<&'a Self>) {
        sections.push(self);
        self.children.iter().for_each(|child| child.collect_into(sections));
    }

    fn write_to(&self, text: &mut String) {
        text.push_str(&self.heading);
        text.push_str(&self.body);
        self.children.iter().for_each(|child| child.write_to(text));
    }
}

//! Headings of a Markdown text, of all levels, with the ranges of their sections. The parser decides: `#` in a fence is no heading.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A heading at the top level of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutlineHeading {
    /// Level, 1 to 6.
    pub(crate) level: u8,
    /// Plain text.
    pub(crate) title: String,
    /// Range of the heading's lines.
    pub(crate) heading: Range<usize>,
    /// End of the body: the next heading of any level.
    pub(crate) body_end: usize,
    /// End of the section: the next heading of the same or a higher level.
    pub(crate) end: usize,
}

impl OutlineHeading {
    /// Returns the range of the text between the heading and the next one.
    pub(crate) fn body(&self) -> Range<usize> {
        self.heading.end..self.body_end
    }

    /// Returns the range of the section with its sub-sections.
    pub(crate) fn section(&self) -> Range<usize> {
        self.heading.start..self.end
    }
}

/// Returns the headings of a text. Headings in quotes and lists are none.
pub(crate) fn headings(text: &str) -> Vec<OutlineHeading> {
    let mut found: Vec<OutlineHeading> = Vec::new();
    let (mut depth, mut is_open) = (0_usize, false);
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                is_open = true;
                let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
                found.push(OutlineHeading {
                    level: level as u8,
                    title: String::new(),
                    heading: start..range.end,
                    body_end: text.len(),
                    end: text.len(),
                });
            }
            Event::End(TagEnd::Heading(_)) => is_open = false,
            Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition) => depth -= 1,
            Event::Text(part) | Event::Code(part) if is_open => {
                if let Some(heading) = found.last_mut() {
                    heading.title.push_str(&part);
                }
            }
            Event::SoftBreak | Event::HardBreak if is_open => {
                if let Some(heading) = found.last_mut() {
                    heading.title.push(' ');
                }
            }
            _ => {}
        }
    }
    set_ends(&mut found);
    found
}

/// Sets the ends of bodies and sections in one pass: a heading ends all open sections of its own level and deeper ones.
fn set_ends(found: &mut [OutlineHeading]) {
    let mut open: Vec<usize> = Vec::new();
    for at in 0..found.len() {
        let (start, level) = (found[at].heading.start, found[at].level);
        if at > 0 {
            found[at - 1].body_end = start;
        }
        while let Some(&last) = open.last().filter(|&&last| found[last].level >= level) {
            found[last].end = start;
            open.pop();
        }
        open.push(at);
    }
}

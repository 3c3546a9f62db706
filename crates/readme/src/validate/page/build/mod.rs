//! Reads the elements of a page from the events of the Markdown parser, in one pass.

mod html;
mod source;

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Tag, TagEnd};

use super::prose::{ProseKind, ProseText};
use super::{PageCode, PageHeading, PageLink, PageRow, PageSpan, TemplateTag};
use crate::document::{
    DocumentLink, HeadingReader, LineTable, LinkReader, MarkdownSource, ReadmeDocument, find_urls,
};
use source::{count_cells, find_tags, is_fence_closed, undefined_references};

/// The elements of a text that validators look at (headings, links, code, prose and so on), as
/// [`read_parts`] collects them.
#[derive(Default)]
pub(crate) struct PageParts<'a> {
    /// Headings in order, in Markdown and in HTML.
    pub(crate) headings: Vec<PageHeading>,
    pub(crate) code_blocks: Vec<PageCode>,
    pub(crate) code_spans: Vec<PageSpan>,
    pub(crate) links: Vec<PageLink>,
    pub(crate) prose: ProseText,
    /// Values of the HTML attributes `id` and `name`, which are anchors.
    pub(crate) html_ids: BTreeSet<String>,
    /// Labels of references `[text][label]` and `[label][]` without a definition.
    pub(crate) undefined: Vec<PageSpan>,
    pub(crate) table_rows: Vec<PageRow>,
    /// Template tags outside code.
    pub(crate) tags: Vec<TemplateTag>,
    /// Addresses in prose outside links, each with its byte offset.
    pub(crate) bare_urls: Vec<(usize, String)>,
    pub(super) comments: Vec<(Range<usize>, &'a str)>,
    /// Byte ranges of code and comments, sorted.
    pub(super) hidden: Vec<Range<usize>>,
    /// Tree of the sections, from level 2.
    pub(crate) document: ReadmeDocument,
    /// All links of the text as [`links`](crate::document::links) returns them; empty unless a reader of
    /// links was passed.
    pub(super) linked: Vec<DocumentLink>,
}

/// A reader that gets the events of the Markdown parser and collects the elements of the page.
struct PartsReader<'a, 'l> {
    text: &'a str,
    lines: &'l LineTable,
    parts: PageParts<'a>,
    depth: usize,
    quotes: usize,
    kind: ProseKind,
    heading: Option<PageHeading>,
    html_heading: Option<PageHeading>,
    code: Option<PageCode>,
    /// Indices in `parts.links` of the open links and images of Markdown.
    open: Vec<usize>,
    /// Number of open images.
    images: usize,
    /// Index in `parts.links` of the open HTML link.
    html_link: Option<usize>,
    /// Number of open HTML elements for code, such as `<code>`.
    html_code: usize,
    in_html_block: bool,
    in_metadata: bool,
}

/// Number of enclosing links and images, innermost first, that a text is added to. Images can be nested as
/// deep as a text is long.
const LINK_DEPTH: usize = 4;

/// Parses a text and returns its elements. The optional `link_reader` gets the same events, and its result
/// is in `PageParts::linked`.
pub(super) fn read_parts<'a>(
    text: &'a str,
    lines: &LineTable,
    mut link_reader: Option<LinkReader<'_>>,
) -> PageParts<'a> {
    let mut reader = PartsReader {
        text,
        lines,
        parts: PageParts { prose: ProseText::with_capacity(text.len()), ..PageParts::default() },
        depth: 0,
        quotes: 0,
        kind: ProseKind::Paragraph,
        heading: None,
        html_heading: None,
        code: None,
        open: Vec::new(),
        images: 0,
        html_link: None,
        html_code: 0,
        in_html_block: false,
        in_metadata: false,
    };
    let mut headings = HeadingReader::new(text);
    let broken = MarkdownSource::new(text).visit_with_broken_links(|event, range| {
        headings.visit(&event, &range, lines);
        if let Some(reader) = &mut link_reader {
            reader.visit(&event, &range);
        }
        reader.visit(event, range);
    });
    reader.end_block();
    let mut parts = reader.parts;
    parts.document = headings.finish(lines, 2);
    parts.linked = link_reader.map_or_else(Vec::new, LinkReader::finish);
    parts.undefined = undefined_references(text, broken);
    parts.hidden.extend(parts.code_blocks.iter().map(|code| code.at..code.content.end));
    parts.hidden.extend(parts.comments.iter().map(|(range, _)| range.clone()));
    parts.hidden.sort_by_key(|range| range.start);
    parts.tags = find_tags(text, &parts.hidden);
    parts.prose.mask();
    parts
}

impl<'a> PartsReader<'a, '_> {
    fn visit(&mut self, event: Event<'a>, range: Range<usize>) {
        match event {
            Event::Start(tag) => {
                self.start(tag, range);
                self.depth += 1;
            }
            Event::End(tag) => {
                self.depth -= 1;
                self.end(tag, &range);
            }
            Event::Text(text) => self.push_text(&text, range.start),
            Event::Code(code) => self.push_code(&code, range),
            Event::SoftBreak | Event::HardBreak => self.push_text(" ", range.start),
            // The lines of a block are read together, at its start.
            Event::Html(_) if self.in_html_block => {}
            Event::Html(_) | Event::InlineHtml(_) => self.push_html(range),
            Event::Rule => self.end_block(),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'a>, range: Range<usize>) {
        match tag {
            Tag::Link { link_type, dest_url, .. } => {
                let is_autolink = matches!(link_type, LinkType::Autolink | LinkType::Email);
                self.open_link(dest_url.into_string(), range, is_autolink, false);
            }
            Tag::Image { dest_url, .. } => {
                for link in self.outer_links() {
                    self.parts.links[link].has_image = true;
                }
                self.images += 1;
                self.push_mask(range.start);
                self.open_link(dest_url.into_string(), range, false, true);
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {}
            block => {
                self.end_block();
                self.start_block(block, range);
            }
        }
    }

    fn start_block(&mut self, tag: Tag<'a>, range: Range<usize>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.kind = ProseKind::Heading;
                let is_nested = self.depth > 0;
                let heading = PageHeading {
                    level: level as u8,
                    title: String::new(),
                    at: range.start,
                    is_html: false,
                    is_nested,
                };
                self.heading = Some(heading);
            }
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::TableCell => self.kind = ProseKind::Cell,
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Indented => None,
                    CodeBlockKind::Fenced(info) => Some(info.into_string()),
                };
                let is_closed = info.is_none() || is_fence_closed(&self.text[range.clone()]);
                self.code = Some(PageCode {
                    info,
                    content: range.end..range.start,
                    at: range.start,
                    is_empty: true,
                    is_closed,
                });
            }
            Tag::HtmlBlock => {
                self.in_html_block = true;
                self.push_html(range);
            }
            Tag::Table(columns) => self.read_rows(columns.len(), &range),
            Tag::MetadataBlock(_) => self.in_metadata = true,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Link | TagEnd::Image => {
                self.images -= usize::from(matches!(tag, TagEnd::Image));
                self.open.pop();
                return;
            }
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript => return,
            TagEnd::Heading(_) => self.parts.headings.extend(self.heading.take()),
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::CodeBlock => {
                if let Some(mut code) = self.code.take() {
                    if code.content.start > code.content.end {
                        code.content = range.end..range.end;
                    }
                    self.parts.code_blocks.push(code);
                }
            }
            TagEnd::HtmlBlock => self.in_html_block = false,
            TagEnd::MetadataBlock(_) => self.in_metadata = false,
            _ => {}
        }
        self.end_block();
        self.kind = ProseKind::Paragraph;
    }

    fn end_block(&mut self) {
        self.parts.prose.end_block();
        // A tag that is never closed masks its own block only.
        self.html_code = 0;
    }

    fn open_link(&mut self, target: String, range: Range<usize>, is_autolink: bool, is_image: bool) {
        self.open.push(self.parts.links.len());
        self.parts.links.push(PageLink {
            text: String::new(),
            alt: String::new(),
            target,
            at: range.start,
            end: range.end,
            is_image,
            is_html: false,
            is_autolink,
            has_image: false,
            lacks_alt: false,
        });
    }

    fn push_text(&mut self, text: &str, at: usize) {
        if self.in_metadata {
            return;
        }
        if let Some(code) = &mut self.code {
            code.content.start = code.content.start.min(at);
            code.content.end = code.content.end.max(at + text.len()).min(self.text.len());
            code.is_empty &= text.trim().is_empty();
            return;
        }
        let in_image = self.images > 0;
        self.push_visible(text, in_image);
        let is_autolink = self.open.last().is_some_and(|link| self.parts.links[*link].is_autolink);
        if is_autolink || self.html_code > 0 {
            self.push_mask(at);
        } else if !in_image {
            if self.open.is_empty() && self.html_link.is_none() && text.contains("://") {
                let start = text.find("http").unwrap_or_default();
                self.parts.bare_urls.extend(find_urls(text).map(|url| (at + start, url.to_owned())));
            }
            let kind = self.prose_kind();
            self.parts.prose.push(text, at, kind);
        }
    }

    fn push_code(&mut self, code: &str, range: Range<usize>) {
        let at = range.start;
        self.parts.hidden.push(range);
        let in_image = self.images > 0;
        self.push_visible(code, in_image);
        self.parts.code_spans.push(PageSpan { text: code.to_owned(), at });
        self.push_mask(at);
    }

    /// Appends text to the open heading and the open links; text of an image goes into their alternative
    /// texts.
    fn push_visible(&mut self, text: &str, in_image: bool) {
        for link in self.open.iter().rev().take(LINK_DEPTH) {
            let link = &mut self.parts.links[*link];
            if in_image && !link.is_image {
                link.alt.push_str(text);
            } else {
                link.text.push_str(text);
            }
        }
        if in_image {
            return;
        }
        if let Some(link) = self.html_link {
            self.parts.links[link].text.push_str(text);
        }
        for heading in [&mut self.heading, &mut self.html_heading].into_iter().flatten() {
            heading.title.push_str(text);
        }
    }

    fn push_mask(&mut self, at: usize) {
        let kind = self.prose_kind();
        self.parts.prose.push_mask(at, kind);
    }

    fn prose_kind(&self) -> ProseKind {
        if self.kind == ProseKind::Paragraph && self.quotes > 0 { ProseKind::Quote } else { self.kind }
    }

    /// Returns the indices of the open links and images, the innermost first.
    fn outer_links(&self) -> Vec<usize> {
        self.open.iter().rev().take(LINK_DEPTH).copied().chain(self.html_link).collect()
    }

    /// Counts the cells of each row of a table in the source, because the parser fills and cuts rows to the
    /// width of the table. `expected` is the number of columns.
    fn read_rows(&mut self, expected: usize, range: &Range<usize>) {
        let first = self.lines.line(range.start);
        let last = self.lines.line(range.end.saturating_sub(1).max(range.start));
        for line in first..=last {
            let row = self.lines.range(line);
            let content = self.text[row.clone()].trim_start_matches([' ', '\t', '>']).trim_end();
            // The delimiter row has the width of the table, or there would be none.
            if content.is_empty() || line == first + 1 {
                continue;
            }
            self.parts.table_rows.push(PageRow { at: row.start, cells: count_cells(content), expected });
        }
    }
}

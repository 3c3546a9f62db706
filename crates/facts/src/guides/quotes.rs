//! Quotes whole sections of the README and of the documentation for users, with paragraphs, lists, tables
//! and code in the order of the text.

mod audience;

use pulldown_cmark::{Event, Parser};
use serde::{Deserialize, Serialize};
use stategraph_base::redact_secrets;

use self::audience::Audience;
use super::crate_docs::{crate_documentation, shown_lines};
use super::documents::{BlockKind, DocumentBlock, ExampleCode, Section, sections_with_notes};
use super::rst;
use super::topics::{bare_heading, documents, leads_elsewhere, without_last_sentence};
use crate::collect::Texts;
use crate::fact::SourceLines;
use crate::text::{is_markdown, visible};

/// Maximum number of sections.
const SECTIONS: usize = 80;
/// Maximum size of all sections, in bytes.
const BYTES: usize = 100_000;
/// Maximum number of sections for contributors, and their size in bytes.
const CONTRIBUTOR_SECTIONS: usize = 40;
const CONTRIBUTOR_BYTES: usize = 40_000;
/// Maximum number of characters of the paragraphs and items of one section.
const CHARS: usize = 2_400;
/// Maximum number of code lines: of one section, and of one code block.
const CODE_LINES: (usize, usize) = (150, 100);
/// Maximum length of a line of code, in bytes.
const CODE_WIDTH: usize = 300;
/// Minimum number of letters of a section without code; a shorter one is dropped.
const LETTERS: usize = 30;
/// Maximum length of a heading, in characters.
const HEADING: usize = 200;
/// Maximum size of a table: rows and columns.
const TABLE: (usize, usize) = (30, 6);

/// A section quoted from a document for users. Made by `quoted_sections`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuotedSection {
    /// Headings from the outermost to its own; the title of a README is left out.
    pub headings: Vec<String>,
    /// Use of the section for a reader.
    pub usage: SectionUse,
    /// Content, in the order of the text.
    pub blocks: Vec<QuotedBlock>,
    /// Quoted lines of the document, including the heading.
    pub source: SourceLines,
    /// True if parts of the section are missing because of the bounds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

/// Use of a section for a reader, judged by its headings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SectionUse {
    /// Tells how to install the product.
    Install,
    /// Shows a first use.
    Start,
    /// Any other subject.
    Topic,
}

/// Piece of a quoted section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuotedBlock {
    /// A paragraph.
    Paragraph(String),
    /// The items of a list without numbers.
    Items(Vec<String>),
    /// The items of a list without numbers, each with the items of its inner lists.
    Tree(Vec<(String, Vec<String>)>),
    /// The items of a numbered list.
    Steps(Vec<String>),
    /// A paragraph of a quotation or a note.
    Note(String),
    /// The rows of a table; the first one is its head, and all have equally many cells.
    Table(Vec<Vec<String>>),
    /// A block of code.
    Code {
        /// The language as written; empty if none is.
        language: String,
        /// The code.
        text: String,
    },
}

/// Quotes the sections of all documents for users, at most 80; those of the README come first. Repeated
/// sections are dropped.
pub(crate) fn quoted_sections(texts: &Texts) -> Vec<QuotedSection> {
    quote_documents(texts, with_index(texts, documents(texts)), Audience::Users, (SECTIONS, BYTES))
}

/// Quotes the sections of the documents for contributors, then those of the README about development.
pub(crate) fn contributor_sections(texts: &Texts) -> Vec<QuotedSection> {
    const STARTS: [&str; 7] =
        ["contributing", "development", "developing", "developer", "hacking", "releasing", "testing"];
    let is_for_contributors = |path: &&String| {
        let lower = path.to_lowercase();
        let (folder, name) = lower.rsplit_once('/').unwrap_or(("", lower.as_str()));
        let is_text = is_markdown(&lower) || lower.ends_with(".rst");
        is_text
            && matches!(folder, "" | ".github" | "docs" | "doc")
            && STARTS.iter().any(|start| name.starts_with(start))
    };
    let mut paths: Vec<String> = texts.paths().filter(is_for_contributors).cloned().collect();
    let hidden = ".github/CONTRIBUTING.md".to_owned();
    if texts.exists(&hidden) && !paths.contains(&hidden) {
        paths.push(hidden);
    }
    paths.sort_by_key(|path| (!path.to_lowercase().contains("contributing"), path.clone()));
    let limits = (CONTRIBUTOR_SECTIONS, CONTRIBUTOR_BYTES);
    let mut found = quote_documents(texts, paths, Audience::Contributors, limits);
    let readme = documents(texts).into_iter().find(|path| path.to_lowercase().starts_with("readme"));
    found.extend(quote_documents(
        texts,
        readme.into_iter().collect(),
        Audience::ContributorsOfReadme,
        limits,
    ));
    found
}

/// Quotes the wanted sections of documents in this order, up to a number of sections and of bytes. Repeated sections are dropped.
fn quote_documents(
    texts: &Texts,
    paths: Vec<String>,
    audience: Audience,
    (most, most_bytes): (usize, usize),
) -> Vec<QuotedSection> {
    let mut found: Vec<QuotedSection> = Vec::new();
    let mut bytes = 0;
    for path in paths {
        let Some(text) = texts.read(&path) else { continue };
        let is_code = path.ends_with(".rs");
        let all = match () {
            () if is_code => sections_with_notes(&crate_documentation(&text)),
            () if is_markdown(&path) => sections_with_notes(&text),
            () => rst::sections_with_notes(&text),
        };
        let title = title_of(&all);
        let lines = text.lines().collect();
        let document = QuotedDocument { path: &path, lines, is_code, title, audience };
        let mut headings: Vec<(usize, String)> = Vec::new();
        for section in &all {
            headings.retain(|(level, _)| *level < section.level);
            headings.push((section.level, bare_heading(&section.heading)));
            let Some(quoted) = document.quote(section, &headings) else { continue };
            bytes += size(&quoted);
            if found.len() >= most || bytes > most_bytes {
                return found;
            }
            // A README is often the documentation of its crate too.
            if !found.iter().any(|known| known.blocks == quoted.blocks) {
                found.push(quoted);
            }
        }
    }
    found
}

/// Returns the title of a document: its first heading if that is of the first level or alone on its level; empty without one.
fn title_of(all: &[Section]) -> String {
    let named = || all.iter().filter(|section| !bare_heading(&section.heading).is_empty());
    let is_alone = |first: &&Section| named().filter(|section| section.level == first.level).count() == 1;
    let first = named().next().filter(|first| first.level == 1 || is_alone(first));
    first.map(|first| bare_heading(&first.heading)).unwrap_or_default()
}

/// Returns a heading without secrets, cut at 200 characters.
fn short_heading(name: &str) -> String {
    let cut: String = name.chars().take(HEADING).collect();
    redact_secrets(&visible(&cut)).into_owned()
}

/// Inserts the start page of the documentation, if there is one, after the documents of the root, because
/// it may tell how to install.
fn with_index(texts: &Texts, mut paths: Vec<String>) -> Vec<String> {
    const PAGES: [&str; 4] = ["docs/index.md", "docs/index.rst", "doc/index.md", "doc/index.rst"];
    if let Some(page) = PAGES.iter().find(|path| texts.exists(path)) {
        let at = paths.iter().position(|path| path.contains('/')).unwrap_or(paths.len());
        paths.insert(at, (*page).to_owned());
    }
    paths
}

/// Returns the number of bytes of the section's content.
fn size(section: &QuotedSection) -> usize {
    let of_block = |block: &QuotedBlock| match block {
        QuotedBlock::Paragraph(text) | QuotedBlock::Note(text) | QuotedBlock::Code { text, .. } => text.len(),
        QuotedBlock::Tree(items) => {
            items.iter().map(|(item, inner)| item.len() + inner.iter().map(String::len).sum::<usize>()).sum()
        }
        QuotedBlock::Items(items) | QuotedBlock::Steps(items) => items.iter().map(String::len).sum(),
        QuotedBlock::Table(rows) => rows.iter().flatten().map(String::len).sum(),
    };
    section.blocks.iter().map(of_block).sum()
}

/// A document that is being quoted, with its lines.
struct QuotedDocument<'a> {
    path: &'a str,
    lines: Vec<&'a str>,
    /// True for the documentation comments of a crate.
    is_code: bool,
    /// The first heading of the document; empty if it begins without one.
    title: String,
    audience: Audience,
}

impl QuotedDocument<'_> {
    /// Makes the quotation of a section. `headings` are the headings around it and its own, with their
    /// levels. Returns `None` if the section is not for users or has no content worth quoting.
    fn quote(&self, section: &Section, headings: &[(usize, String)]) -> Option<QuotedSection> {
        let names: Vec<&str> =
            headings.iter().map(|(_, name)| name.as_str()).filter(|name| !name.is_empty()).collect();
        let name = self.path.rsplit('/').next().unwrap_or(self.path).to_lowercase();
        // The title of another README names the package that it is about.
        let is_root = !self.path.contains('/');
        let has_title = name.starts_with("readme") && is_root || self.is_code;
        // Other headings of the highest level than the title are sections.
        let is_below = names.first().is_some_and(|first| *first == self.title);
        let inner = if has_title && is_below { names.get(1..).unwrap_or_default() } else { &names[..] };
        let usage = section_use(inner, has_title);
        if !self.audience.wants(&names, usage) {
            return None;
        }
        let (blocks, last, is_cut) = self.blocks(section);
        let has_code = blocks.iter().any(|block| matches!(block, QuotedBlock::Code { .. }));
        let is_address = |block: &DocumentBlock| block.text.starts_with("http") && !block.text.contains(' ');
        let letters =
            section.blocks.iter().flat_map(|block| block.text.chars()).filter(|c| c.is_alphabetic());
        let is_told = has_code
            || letters.take(LETTERS).count() == LETTERS
                && !section.blocks.iter().all(|block| leads_elsewhere(block) || is_address(block));
        if blocks.is_empty() || !is_told {
            return None;
        }
        Some(QuotedSection {
            headings: inner.iter().map(|name| short_heading(name)).collect(),
            usage,
            blocks,
            source: SourceLines {
                path: self.path.to_owned(),
                start: section.line.max(1),
                end: last.max(section.line).max(1),
            },
            is_cut,
        })
    }

    /// Returns the quoted pieces of a section within the bounds, the last line quoted, and true if
    /// something was left out.
    fn blocks(&self, section: &Section) -> (Vec<QuotedBlock>, usize, bool) {
        let (mut found, mut last, mut is_cut) = (Vec::new(), section.line, false);
        let (mut chars, mut code_lines) = (0, 0);
        let mut codes = section.codes.iter().peekable();
        let mut has_all = true;
        for block in section.blocks.iter().map(Some).chain([None]) {
            let before = block.map_or(usize::MAX, |block| block.start);
            while let Some(code) = codes.next_if(|code| code.start < before) {
                let text = if self.is_code { shown_lines(&code.text) } else { code.text.clone() };
                let Some(text) = whole_code(&text) else {
                    has_all = false;
                    continue;
                };
                code_lines += text.lines().count();
                if code_lines > CODE_LINES.0 {
                    is_cut = true;
                    break;
                }
                last = last.max(code.end);
                found.push(QuotedBlock::Code { language: language_of(code), text });
            }
            let Some(block) = block.filter(|_| !is_cut) else { break };
            let is_aside = block.is_link
                && section.blocks.len() > 1
                && leads_elsewhere(block)
                && !is_among_texts(&section.blocks, block);
            let Some((part, is_whole)) = self.part(block).filter(|_| !is_aside) else { continue };
            has_all &= is_whole;
            let Some(part) = part else { continue };
            chars += block.text.chars().count();
            if chars > CHARS {
                is_cut = true;
                break;
            }
            last = last.max(block.end);
            let number = usize::try_from(block.number).unwrap_or(usize::MAX);
            match (part, found.last_mut()) {
                (QuotedBlock::Items(new), Some(QuotedBlock::Tree(items))) => match items.last_mut() {
                    Some((_, inner)) if block.is_inner => inner.extend(new),
                    _ => items.extend(new.into_iter().map(|item| (item, Vec::new()))),
                },
                (QuotedBlock::Items(new), Some(QuotedBlock::Items(items))) if block.is_inner => {
                    let mut tree: Vec<(String, Vec<String>)> =
                        std::mem::take(items).into_iter().map(|item| (item, Vec::new())).collect();
                    tree.last_mut().into_iter().for_each(|(_, inner)| inner.extend_from_slice(&new));
                    found.pop();
                    found.push(QuotedBlock::Tree(tree));
                }
                (QuotedBlock::Items(new), Some(QuotedBlock::Items(items))) => items.extend(new),
                (QuotedBlock::Steps(new), Some(QuotedBlock::Steps(items))) if number == items.len() + 1 => {
                    items.extend(new);
                }
                // A list behind code would begin with 1 again.
                (QuotedBlock::Steps(new), _) if number != 1 => {
                    found.push(QuotedBlock::Paragraph(format!("{number}. {}", new.concat())));
                }
                (part, _) => found.push(part),
            }
        }
        drop_announcements(&mut found);
        (found, last, is_cut || !has_all)
    }

    /// Quotes one paragraph, list item or table. Returns `None` if it has no content. Otherwise returns the
    /// piece (none for a table that is too wide) and true if it is complete.
    fn part(&self, block: &DocumentBlock) -> Option<(Option<QuotedBlock>, bool)> {
        if let Some(rows) = self.table_lines(block) {
            let head = cells(rows[0]);
            if !(1..=TABLE.1).contains(&head.len()) {
                return Some((None, false));
            }
            let row = |line: &&str| {
                let mut row = cells(line);
                row.resize(head.len(), String::new());
                row
            };
            let told: Vec<Vec<String>> =
                std::iter::once(head.clone()).chain(rows.iter().skip(2).take(TABLE.0).map(row)).collect();
            let is_whole = rows.len() <= TABLE.0 + 2;
            return (told.len() > 1).then_some((Some(QuotedBlock::Table(told)), is_whole));
        }
        let text = redact_secrets(&visible(&block.text)).into_owned();
        // A row of pictures is no text, and neither is a table that cannot be read.
        let says_something = text.chars().any(char::is_alphanumeric) && text.matches('|').count() <= 2;
        let part = match block.kind {
            BlockKind::Paragraph => QuotedBlock::Paragraph(text),
            BlockKind::Step => QuotedBlock::Steps(vec![text]),
            BlockKind::Item => QuotedBlock::Items(vec![text]),
            BlockKind::Note => QuotedBlock::Note(text),
        };
        says_something.then_some((Some(part), true))
    }

    /// Returns the lines of a paragraph that is a Markdown table: its head, its rule and its rows; `None`
    /// for other blocks.
    fn table_lines(&self, block: &DocumentBlock) -> Option<&[&str]> {
        let lines = self.lines.get(block.start.checked_sub(1)?..block.end)?;
        let rule = lines.get(1)?;
        let is_rule = rule.contains('-') && rule.contains('|') && rule.chars().all(|c| " |:-".contains(c));
        (is_rule && block.kind == BlockKind::Paragraph && !self.is_code).then_some(lines)
    }
}

/// Splits a row of a Markdown table into its cells, without markup.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(line);
    let bars = line.replace("\\|", "\u{1}");
    bars.split('|').map(|cell| plain_words(&cell.replace('\u{1}', "|"))).collect()
}

/// Returns a Markdown text without markup and secrets; inline code keeps its backticks.
fn plain_words(text: &str) -> String {
    let mut words = String::new();
    for event in Parser::new(text.trim()) {
        match event {
            Event::Text(text) => words.push_str(&text),
            Event::Code(text) => words.extend(["`", &text, "`"]),
            Event::SoftBreak | Event::HardBreak => words.push(' '),
            _ => {}
        }
    }
    redact_secrets(&visible(&words)).into_owned()
}

/// Removes sentences that announce a list or code which is not quoted. They end in a colon.
fn drop_announcements(blocks: &mut Vec<QuotedBlock>) {
    for at in (0..blocks.len()).rev() {
        // A few words may stand between an announcement and its code: `Go >= 1.24`.
        let is_label = |text: &str| !text.ends_with(['.', '!', '?', ':']);
        let is_followed = blocks.get(at + 1).is_some_and(|next| match next {
            QuotedBlock::Paragraph(text) => {
                is_label(text) && matches!(blocks.get(at + 2), Some(QuotedBlock::Code { .. }))
            }
            _ => true,
        });
        let text = match &mut blocks[at] {
            QuotedBlock::Paragraph(text) => text,
            QuotedBlock::Items(items) | QuotedBlock::Steps(items) => {
                let Some(text) = items.last_mut() else { continue };
                text
            }
            _ => continue,
        };
        if !text.ends_with(':') || is_followed {
            continue;
        }
        *text = without_last_sentence(text).to_owned();
        let is_empty = text.is_empty();
        match &mut blocks[at] {
            QuotedBlock::Items(items) | QuotedBlock::Steps(items) if is_empty && items.len() > 1 => {
                drop(items.pop());
            }
            _ if is_empty => drop(blocks.remove(at)),
            _ => {}
        }
    }
}

/// Returns a code block without empty lines at its ends; `None` if it is too large, empty, or has invisible
/// characters.
fn whole_code(code: &str) -> Option<String> {
    let code = code.trim_matches('\n').trim_end();
    let fits = code.lines().count() <= CODE_LINES.1 && code.lines().all(|line| line.len() <= CODE_WIDTH);
    // Invisible characters would be lost: a quotation must be exact.
    let is_plain = visible(code) == code;
    (fits && is_plain && !code.is_empty()).then(|| redact_secrets(code).into_owned())
}

/// Returns the language of a code block in lower case; empty if it is no plain word.
fn language_of(code: &ExampleCode) -> String {
    let is_word = !code.language.is_empty()
        && code.language.len() <= 20
        && code.language.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#'));
    if is_word { code.language.to_lowercase() } else { String::new() }
}

/// Returns true for an item of a list that has other items than links: without it, the list would not be whole.
fn is_among_texts(blocks: &[DocumentBlock], block: &DocumentBlock) -> bool {
    let is_item = |block: &DocumentBlock| matches!(block.kind, BlockKind::Item | BlockKind::Step);
    let Some(at) = blocks.iter().position(|other| std::ptr::eq(other, block)).filter(|_| is_item(block))
    else {
        return false;
    };
    let before = blocks[..at].iter().rev().take_while(|other| is_item(other));
    let after = blocks[at..].iter().take_while(|other| is_item(other));
    before.chain(after).any(|other| !other.is_link)
}

/// Returns the use of a section by its headings. The section with only the title (`has_title`) introduces
/// the product.
fn section_use(headings: &[&str], has_title: bool) -> SectionUse {
    const INSTALL: [&str; 4] = ["install", "installation", "installing", "installer"];
    const START: [&str; 12] = [
        "usage",
        "quick start",
        "quickstart",
        "getting started",
        "get started",
        "example",
        "examples",
        "synopsis",
        "tutorial",
        "first steps",
        "how to use",
        "basic",
    ];
    let has = |heading: &str, words: &[&str]| {
        let lower = heading.to_lowercase();
        words.iter().any(|word| {
            lower.match_indices(word).any(|(at, _)| {
                !lower[..at].ends_with(char::is_alphanumeric)
                    && !lower[at + word.len()..].starts_with(char::is_alphanumeric)
            })
        })
    };
    match headings {
        [] if has_title => SectionUse::Start,
        _ if headings.iter().any(|name| has(name, &INSTALL)) => SectionUse::Install,
        // Below another heading something else is set up.
        [first, ..] if has(first, &["setup"]) => SectionUse::Install,
        _ if headings.iter().any(|name| has(name, &START)) => SectionUse::Start,
        _ => SectionUse::Topic,
    }
}

#[cfg(test)]
mod tests;

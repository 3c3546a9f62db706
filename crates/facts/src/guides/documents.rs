//! Reads Markdown documents as sections with text blocks and code blocks. Block quotes are read if a caller wants them.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::collect::Texts;
use crate::projects::folder_of;
use crate::text::{is_markdown, without_emoji, without_front_matter};

/// A section of a document: a heading with the content up to the next heading.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) heading: String,
    /// Level of the heading, from 1; 0 for the text before the first heading.
    pub(super) level: usize,
    /// Line of the heading, from 1.
    pub(super) line: usize,
    pub(super) blocks: Vec<DocumentBlock>,
    /// Its code blocks; `blocks` holds the text.
    pub(super) codes: Vec<ExampleCode>,
    /// Line of its first horizontal rule (`---`), after which the text may be about something else.
    pub(super) rule: Option<usize>,
}

impl Section {
    /// Returns the first code block of the section.
    pub(super) fn example(&self) -> Option<&ExampleCode> {
        self.codes.first()
    }
}

/// A code block of a Markdown or reStructuredText document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ExampleCode {
    pub(super) text: String,
    /// Language as written; empty if there is none.
    pub(super) language: String,
    /// Its first line, from 1.
    pub(super) start: usize,
    /// Its last line, from 1.
    pub(super) end: usize,
}

/// A paragraph or a list item of a Markdown or reStructuredText document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DocumentBlock {
    pub(super) kind: BlockKind,
    /// Number of a `Step` as written; 0 for other blocks.
    pub(super) number: u64,
    pub(super) text: String,
    /// True for an item of a nested list.
    pub(super) is_inner: bool,
    /// True if at least 80 % of the text is in links.
    pub(super) is_link: bool,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Kind of a [`DocumentBlock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Paragraph,
    /// An item of a numbered list that is not nested.
    Step,
    /// Any other list item.
    Item,
    /// A paragraph or an item of a block quotation or of a note; only `sections_with_notes` reads them.
    Note,
}

/// Maximum number of text blocks kept of a section.
const BLOCKS: usize = 400;
/// Maximum number of code blocks kept of a section.
const CODES: usize = 40;
/// Maximum length of the address of a link that is told, in bytes.
const ADDRESS: usize = 160;
/// Maximum number of documents that are read.
const DOCUMENTS: usize = 60;

/// Returns the paths of the Markdown documents for contributors, the most trusted first. The two paths
/// below `.github` are always included, even if the files do not exist.
pub(super) fn for_contributors(texts: &Texts) -> Vec<String> {
    const STARTS: &[&str] = &[
        "agents",
        "claude",
        "contributing",
        "development",
        "developing",
        "developer",
        "hacking",
        "style",
        "conventions",
        "architecture",
        "maintain",
        "testing",
        "guidelines",
        "coding",
    ];
    let rank = |path: &str| {
        let lower = path.to_lowercase();
        let (folder, name) = lower.rsplit_once('/').unwrap_or(("", lower.as_str()));
        let at = STARTS.iter().position(|start| name.starts_with(start));
        let is_dev = folder.split('/').any(|part| {
            matches!(
                part,
                "contributing"
                    | "development"
                    | "dev"
                    | "developers"
                    | "contributor"
                    | "contributors"
                    | "internals"
            )
        });
        let is_outer = folder.is_empty()
            || folder.starts_with("docs")
            || folder.starts_with("doc")
            || folder == "contributing"
            || is_dev;
        // Deeper in the documentation a page about tests or style is one for users.
        let is_page = matches!(
            at.map(|at| STARTS[at]),
            Some("testing" | "style" | "conventions" | "guidelines" | "coding")
        );
        if !is_markdown(&lower) || !is_outer || is_page && !folder.is_empty() && !is_dev {
            return None;
        }
        at.or(is_dev.then_some(STARTS.len()))
    };
    let mut found: Vec<(usize, usize, String)> = texts
        .paths()
        .filter_map(|path| Some((rank(path)?, path.matches('/').count(), path.clone())))
        .collect();
    found.push((2, 1, ".github/CONTRIBUTING.md".to_owned()));
    found.push((0, 1, ".github/copilot-instructions.md".to_owned()));
    found.sort();
    found.into_iter().take(DOCUMENTS).map(|(.., path)| path).collect()
}

/// Returns the paths of the Markdown documents for users: READMEs of the root and its direct folders, other
/// documents of the root and of `docs`. Changelogs, licences, instructions for agents and manual pages are
/// left out.
pub(super) fn for_users(texts: &Texts) -> Vec<String> {
    let speaks = |path: &&String| {
        let lower = path.to_lowercase();
        let folder = folder_of(&lower);
        let name = lower.rsplit('/').next().unwrap_or(&lower);
        let is_readme = name.starts_with("readme.") && folder.matches('/').count() <= 1;
        let is_doc = matches!(folder, "docs" | "doc") || folder.is_empty();
        let is_for_agents = ["agents", "claude", "gemini"].iter().any(|start| name.starts_with(start));
        let is_hidden =
            is_for_agents || folder.starts_with('.') || name.contains("-vs-") || name.contains("comparison");
        let is_history =
            ["changelog", "changes", "history", "news", "code_of_conduct", "security", "license"]
                .iter()
                .any(|start| name.starts_with(start));
        is_markdown(&lower) && (is_readme || is_doc) && !is_history && !is_hidden && !is_manual_page(name)
    };
    let mut found: Vec<String> = texts.paths().filter(speaks).cloned().collect();
    found.sort_by_key(|path| (path.matches('/').count(), !path.to_lowercase().starts_with("readme")));
    found.truncate(DOCUMENTS);
    found
}

/// Returns true for the source of a manual page, such as `tool.1.md`, which has its own markup.
pub(super) fn is_manual_page(name: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut parts = name.rsplitn(3, '.').skip(1);
    let is_section = parts.next().is_some_and(|part| part.len() == 1 && part.starts_with(is_digit));
    // `v1.0.md` has a version.
    is_section && parts.next().is_some_and(|stem| !stem.ends_with(is_digit))
}

/// Splits a Markdown document into sections. Front matter is skipped; the first section is the text before
/// any heading.
pub(super) fn sections(text: &str) -> Vec<Section> {
    read_sections(&without_front_matter(text), false)
}

/// Splits a Markdown document into sections like [`sections`], with its block quotations, and with the addresses behind links that
/// say only `here` or the like.
pub(super) fn sections_with_notes(text: &str) -> Vec<Section> {
    read_sections(&without_front_matter(text), true)
}

/// Does the work of `sections` for a text without front matter.
#[allow(clippy::too_many_lines, reason = "one arm for each event of the parser")]
fn read_sections(text: &str, with_notes: bool) -> Vec<Section> {
    let text_of = text;
    let mut found = vec![Section::default()];
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = |at: usize| starts.partition_point(|start| *start <= at);
    let mut open: Option<(BlockKind, String, usize)> = None;
    let mut heading: Option<String> = None;
    // The number of the next item of each open list; `None` for one without numbers.
    let mut lists: Vec<Option<u64>> = Vec::new();
    let mut number = 0;
    let (mut image, mut quote, mut code) = (0_usize, 0_usize, 0_usize);
    let mut is_kept = false;
    // Links around the current place, and bytes of the open block in links.
    let (mut links_around, mut in_links) = (0_usize, 0_usize);
    // The address of the link around the current place, and its words.
    let mut around: Option<(String, String)> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        let (linked, depth) = (in_links, lists.len());
        let close = |open: &mut Option<(BlockKind, String, usize)>, end: usize, found: &mut Vec<Section>| {
            let Some((kind, words, start)) = open.take() else { return };
            let text = without_emoji(&words.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned();
            let text = if kind == BlockKind::Note { named_note(&text) } else { text };
            let section = found.last_mut().filter(|it| !text.is_empty() && it.blocks.len() < BLOCKS);
            if let Some(section) = section {
                let is_link = linked * 10 >= text.len() * 8;
                section.blocks.push(DocumentBlock {
                    kind,
                    number: if kind == BlockKind::Step { number } else { 0 },
                    text,
                    is_link,
                    is_inner: depth > 1,
                    start: line(start),
                    end: line(text_of[..end].trim_end().len().saturating_sub(1)).max(line(start)),
                });
            }
        };
        let end = range.start + text[range.clone()].trim_end().len();
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                found.push(Section { level: level as usize, line: line(range.start), ..Section::default() });
                heading = Some(String::new());
            }
            Event::End(TagEnd::Heading(_)) => {
                if let (Some(words), Some(section)) = (heading.take(), found.last_mut()) {
                    words.trim().clone_into(&mut section.heading);
                }
            }
            Event::Start(Tag::List(first)) => {
                close(&mut open, range.start, &mut found);
                lists.push(first);
            }
            Event::End(TagEnd::List(_)) => {
                lists.pop();
            }
            Event::Start(Tag::Item) if quote == 0 => {
                let kind = if matches!(lists[..], [Some(_)]) { BlockKind::Step } else { BlockKind::Item };
                if let [Some(next)] = &mut lists[..] {
                    number = *next;
                    *next = next.saturating_add(1);
                }
                in_links = 0;
                open = Some((kind, String::new(), range.start));
            }
            Event::Start(Tag::Paragraph | Tag::Item) if quote > 0 && with_notes && open.is_none() => {
                in_links = 0;
                open = Some((BlockKind::Note, String::new(), range.start));
            }
            Event::Start(Tag::Paragraph) if quote == 0 && open.is_none() => {
                let kind = if lists.is_empty() { BlockKind::Paragraph } else { BlockKind::Item };
                in_links = 0;
                open = Some((kind, String::new(), range.start));
            }
            // The first paragraph of an item is the item.
            Event::End(TagEnd::Item | TagEnd::Paragraph) => close(&mut open, end, &mut found),
            Event::Start(Tag::CodeBlock(block)) => {
                close(&mut open, range.start, &mut found);
                code += 1;
                let example = begin_example(&block, line(range.start), line(end.saturating_sub(1)));
                is_kept = found.last().is_some_and(|section| section.codes.len() < CODES);
                if let Some(section) = found.last_mut().filter(|_| is_kept) {
                    section.codes.push(example);
                }
            }
            Event::End(TagEnd::CodeBlock) => code = code.saturating_sub(1),
            Event::Text(words) if code > 0 => {
                let example = found.last_mut().and_then(|section| section.codes.last_mut());
                if let Some(example) = example.filter(|_| is_kept) {
                    example.text.push_str(&words);
                }
            }
            Event::Rule if quote == 0 && lists.is_empty() => {
                found.last_mut().into_iter().for_each(|section| {
                    section.rule.get_or_insert(line(range.start));
                });
            }
            Event::Start(Tag::BlockQuote(_)) => {
                // The text behind a quotation may not go on with the text before it.
                let ends = quote == 0 && lists.is_empty() && !text_of.get(range.clone()).is_some_and(is_note);
                if let Some(section) = found.last_mut().filter(|_| ends) {
                    section.rule.get_or_insert(line(range.start));
                }
                if with_notes {
                    close(&mut open, range.start, &mut found);
                }
                quote += 1;
            }
            Event::End(TagEnd::BlockQuote(_)) => quote = quote.saturating_sub(1),
            Event::Start(Tag::Image { .. }) => image += 1,
            Event::End(TagEnd::Image) => image = image.saturating_sub(1),
            Event::Start(Tag::Link { dest_url, .. }) => {
                links_around += 1;
                around = with_notes.then(|| (dest_url.into_string(), String::new()));
            }
            Event::End(TagEnd::Link) => {
                links_around = links_around.saturating_sub(1);
                let address = around.take().filter(|(address, words)| needs_address(address, words));
                if let (Some((address, _)), Some((_, text, _))) = (address, &mut open) {
                    text.extend([" (", &address, ")"]);
                }
            }
            Event::Text(words) if image == 0 => {
                around.iter_mut().for_each(|(_, said)| said.push_str(&words));
                in_links += if links_around > 0 { words.len() } else { 0 };
                heading
                    .iter_mut()
                    .chain(open.iter_mut().map(|(_, text, _)| text))
                    .for_each(|it| it.push_str(&words));
            }
            Event::Code(words) => {
                heading
                    .iter_mut()
                    .chain(open.iter_mut().map(|(_, text, _)| text))
                    .for_each(|it| it.extend(["`", &words, "`"]));
            }
            Event::SoftBreak | Event::HardBreak => {
                open.iter_mut().for_each(|(_, text, _)| text.push(' '));
            }
            _ => {}
        }
    }
    found
}

/// Returns true for an address on the web whose link says nothing without it, such as `here`.
fn needs_address(address: &str, words: &str) -> bool {
    const WORDS: [&str; 14] = [
        "here",
        "this",
        "link",
        "issue",
        "this issue",
        "docs",
        "documentation",
        "more",
        "more info",
        "article",
        "page",
        "post",
        "see here",
        "this page",
    ];
    let is_plain =
        address.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '`' | '<' | '>' | '"' | '\\'));
    address.starts_with("https://")
        && address.len() <= ADDRESS
        && is_plain
        && WORDS.contains(&words.trim().to_lowercase().as_str())
}

/// Returns the text of a quotation with its kind in words: `[!NOTE] Do.` → `Note: Do.`
fn named_note(text: &str) -> String {
    let Some((kind, rest)) = text.strip_prefix("[!").and_then(|rest| rest.split_once(']')) else {
        return text.to_owned();
    };
    let mut letters = kind.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    format!("{}: {}", first.collect::<String>() + &letters.as_str().to_lowercase(), rest.trim_start())
}

/// Returns true for a note in the form of a quotation: `> [!NOTE]`, `> **Warning**: …`.
fn is_note(quotation: &str) -> bool {
    const WORDS: &[&str] =
        &["note", "warning", "tip", "important", "caution", "attention", "info", "hint", "see ", "nb"];
    let said = quotation.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    quotation.contains("[!") || WORDS.iter().any(|word| said.starts_with(word))
}

/// Makes a code block with its language and lines; its text is added later.
fn begin_example(block: &CodeBlockKind<'_>, start: usize, end: usize) -> ExampleCode {
    let language = match block {
        CodeBlockKind::Fenced(words) => words.split([' ', ',', '{']).next().unwrap_or_default(),
        CodeBlockKind::Indented => "",
    };
    ExampleCode { text: String::new(), language: language.to_owned(), start, end }
}

/// Splits a text into sentences, each trimmed. A full stop after an abbreviation or inside inline code ends
/// none.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    let mut in_code = false;
    for (at, c) in text.char_indices() {
        let after = at + c.len_utf8();
        let is_end = matches!(c, '.' | '!' | '?') && bytes.get(after).is_none_or(u8::is_ascii_whitespace);
        if !is_end {
            in_code ^= c == '`';
            continue;
        }
        let word = text[start..at].rsplit([' ', '(']).next().unwrap_or_default();
        let is_short = c == '.'
            && (word.contains('.') && !word.contains("://")
                || matches!(word, "etc" | "vs" | "e.g" | "i.e" | "cf" | "approx"));
        if !is_short && !in_code {
            found.push(text[start..after].trim());
            start = after;
        }
    }
    found.push(text[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_have_paragraphs_items_and_steps_with_their_lines() {
        let text = "Top text.\n\n# A `b`\n\nOne\ntwo.\n\n1. First\n   - inner\n2. Second\n\n```sh\nno\n```\n\n- item\n\n> quoted\n";
        let shown: Vec<String> = sections(text)
            .iter()
            .flat_map(|section| {
                section.blocks.iter().map(|it| {
                    format!("{}|{:?} {} {}-{}", section.heading, it.kind, it.text, it.start, it.end)
                })
            })
            .collect();
        assert_eq!(
            shown,
            [
                "|Paragraph Top text. 1-1",
                "A `b`|Paragraph One two. 5-6",
                "A `b`|Step First 8-8",
                "A `b`|Item inner 9-9",
                "A `b`|Step Second 10-10",
                "A `b`|Item item 16-16",
            ]
        );
        assert_eq!(sentences("See https://a.org. All is told."), ["See https://a.org.", "All is told."]);
        assert_eq!(sentences("Use e.g. this. `a. b` too! End"), ["Use e.g. this.", "`a. b` too!", "End"]);
    }
}

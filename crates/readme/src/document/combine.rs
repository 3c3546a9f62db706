//! Combining sections into one document below its title (SEC-39, SEC-45).

use super::disclosure::{DISCLOSURE, is_disclosure};
use super::source::{LineTable, MarkdownSource};
use super::{DocumentSection, NOT_POPULATED, parse, parse_all};
use pulldown_cmark::{CodeBlockKind, Event, Tag};

/// Words that end the title line of every document, behind the title of its package.
const TITLE_END: &str = "Integration for Elastic";

/// Joins the Markdown texts of `sections` to a document: title line `# <package_title> Integration for
/// Elastic`, disclosure note, sections, with one blank line between them and one line end at the end. A
/// text that is only a heading gets the body [`NOT_POPULATED`] (SEC-50); an empty text is left out.
/// Disclosure notes inside the sections are dropped, so that the document has one (SEC-46). Line ends are
/// those of the first text that has one.
pub fn combine(package_title: &str, sections: &[String]) -> String {
    let is_crlf = sections.iter().find_map(|text| text.find('\n').map(|at| text[..at].ends_with('\r')));
    let eol = if is_crlf == Some(true) { "\r\n" } else { "\n" };
    let mut parts = vec![title_line(package_title), DISCLOSURE.to_owned()];
    parts.extend(sections.iter().flat_map(|text| complete_sections(text, eol)));
    let mut document = parts.join(&eol.repeat(2));
    document.push_str(eol);
    document
}

/// Returns the document `text` with the title line `# <package_title> Integration for Elastic` (SEC-40): it
/// replaces the first heading of level 1, or is added at the top if there is none. Without that heading, a
/// byte order mark is dropped.
pub fn ensure_title(text: &str, package_title: &str) -> String {
    let title = title_line(package_title);
    let document = parse_all(text);
    let Some(old) = document.sections.iter().find(|section| section.level == 1) else {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let gap = if body.trim().is_empty() { "\n" } else { "\n\n" };
        return format!("{title}{gap}{}", body.trim_start_matches(['\n', '\r']));
    };
    let at = LineTable::new(text).range(old.line).start;
    let eol = old.heading.trim_end_matches(['\n', '\r']).len();
    // A setext title has two lines, of which the heading line stands for both.
    format!("{}{title}{}{}", &text[..at], &old.heading[eol..], &text[at + old.heading.len()..])
}

fn title_line(package_title: &str) -> String {
    let title = package_title.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = title.strip_suffix(TITLE_END).unwrap_or(&title);
    let lower = title.trim().to_lowercase();
    let bare =
        if lower.ends_with(" integration") { &title.trim()[..title.trim().len() - 12] } else { title.trim() };
    format!("# {bare} {TITLE_END}").replace("#  ", "# ")
}

/// Cuts the text of one or more sections at its headings, and returns the pieces (text before the first
/// heading included) without disclosure notes and surrounding blank lines. An empty piece is left out, a
/// piece that is only a heading gets [`NOT_POPULATED`] as body, and a block that the last piece leaves open
/// is closed.
fn complete_sections(text: &str, eol: &str) -> Vec<String> {
    let text = drop_disclosures(text);
    let document = parse(trim_blank_lines(&text));
    let parts =
        std::iter::once(document.preamble.clone()).chain(document.sections.iter().map(DocumentSection::text));
    let parts: Vec<String> =
        parts.map(|part| trim_blank_lines(&part).to_owned()).filter(|part| !part.is_empty()).collect();
    let last = parts.len().saturating_sub(1);
    let complete = parts.into_iter().enumerate().map(|(number, part)| {
        if is_empty_heading(&part) {
            return format!("{part}{eol}{eol}{}", NOT_POPULATED.replace('\n', eol));
        }
        // Only the last one can leave a block open, because a heading followed the others.
        if number == last { close_blocks(&part, eol) } else { part }
    });
    complete.collect()
}

fn is_empty_heading(section: &str) -> bool {
    let document = parse(section);
    let [only] = document.sections.as_slice() else { return false };
    document.preamble.trim().is_empty() && only.children.is_empty() && only.body.trim().is_empty()
}

/// Returns the text without blank lines at both ends and without its last line end. White space behind the
/// last word stays, because `-` without its space below a line of text would be the underline of a setext
/// heading.
fn trim_blank_lines(text: &str) -> &str {
    let content = text.trim_end().len();
    let end = text[content..].find(['\n', '\r']).map_or(text.len(), |at| content + at);
    let text = if content == 0 { "" } else { &text[..end] };
    let blank: usize =
        text.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    &text[blank..]
}

/// Removes the lines that are disclosure notes, except in code blocks and between the PRESERVE comments.
fn drop_disclosures(text: &str) -> String {
    if !text.lines().any(is_disclosure) {
        return text.to_owned();
    }
    // Without a note, a line may belong to another block than before, and be a note itself. Each round removes one at least.
    let once = drop_shown_disclosures(text);
    if once.len() == text.len() { once } else { drop_disclosures(&once) }
}

fn drop_shown_disclosures(text: &str) -> String {
    let lines = LineTable::new(text);
    let mut kept_ranges: Vec<_> = MarkdownSource::new(text)
        .events()
        .filter(|(event, _)| matches!(event, Event::Start(Tag::CodeBlock(_))))
        .map(|(_, range)| range)
        .collect();
    kept_ranges.extend(super::preserve::preserve_ranges(text));
    kept_ranges.sort_by_key(|range| range.start);
    let mut kept = String::with_capacity(text.len());
    let mut next = 0;
    for line in 1..=lines.count() {
        let range = lines.range(line);
        while kept_ranges.get(next).is_some_and(|kept| kept.end <= range.start) {
            next += 1;
        }
        let is_kept = kept_ranges.get(next).is_some_and(|kept| kept.start <= range.start);
        if is_kept || !is_disclosure(&text[range.clone()]) {
            kept.push_str(&text[range]);
        }
    }
    kept
}

/// Returns the section with the end of its last fence, comment or raw HTML element appended, if it leaves
/// one open that would hide the headings of later sections; otherwise, or if no end helps, the section as
/// it is.
fn close_blocks(section: &str, eol: &str) -> String {
    if !hides_what_follows(section) {
        return section.to_owned();
    }
    let fence = last_open_fence(section);
    let ends = ["-->", "</pre>", "</script>", "</style>", "</textarea>", "?>", "]]>", ">"];
    let candidates = fence.iter().map(String::as_str).chain(ends);
    let closed = candidates.map(|end| format!("{section}{eol}{end}")).find(|text| !hides_what_follows(text));
    closed.unwrap_or_else(|| section.to_owned())
}

fn hides_what_follows(section: &str) -> bool {
    let probe = "section that follows";
    let document = parse(&format!("{section}\n\n## {probe}\n"));
    document.flatten().last().is_none_or(|last| last.title != probe)
}

fn last_open_fence(section: &str) -> Option<String> {
    let is_fence =
        |event: &Event<'_>| matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))));
    let (_, range) = MarkdownSource::new(section).events().filter(|(event, _)| is_fence(event)).last()?;
    let opening = section[range.start..].trim_start();
    let mark = opening.chars().next()?;
    Some(opening.chars().take_while(|c| *c == mark).collect())
}

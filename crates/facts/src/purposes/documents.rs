//! Finds the first paragraph of a document that states a purpose, in Markdown, reST, AsciiDoc and plain
//! text.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::comments::{CommentStyle, first_told};
use super::headings::{is_later, is_news, warns};
use super::introductions::{definition, introduction};
use super::sentence::purpose_of;
use crate::collect::Texts;
use crate::fact::SourceLines;
use crate::projects::folder_of;
use crate::text::{is_markdown, without_emoji, without_front_matter};

/// A paragraph of a README or package page that says what the subject is, with its source lines.
pub(crate) struct Paragraph {
    pub(crate) text: String,
    pub(crate) source: SourceLines,
    /// True if it was found below a heading such as "Introduction" and not at the top.
    pub(crate) is_introduction: bool,
}

/// Returns true for the path of a README in any folder.
pub(super) fn is_readme(path: &str) -> bool {
    rank(path).is_some()
}

/// Returns a sort key for READMEs by their file ending, so that the preferred format (lowest number) comes
/// first; `None` for any other file.
fn rank(path: &str) -> Option<usize> {
    const ENDS: &[&str] =
        &[".md", ".markdown", ".mdown", ".rst", ".adoc", ".asciidoc", ".txt", ".org", ".mkd", ""];
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let end = name.strip_prefix("readme")?;
    ENDS.iter().position(|known| *known == end)
}

/// Folders that may contain the README of the repository, by the rules of GitHub.
const README_FOLDERS: &[&str] = &["", ".github", "docs"];

/// Returns the first paragraph in the README of the repository's root that says what the product is or
/// does.
pub(crate) fn repository_readme(texts: &Texts) -> Option<Paragraph> {
    README_FOLDERS.iter().find_map(|folder| readme_paragraph(folder, texts))
}

/// Returns the first paragraph that says what the subject is or does, in a README directly in this folder.
pub(crate) fn readme_paragraph(folder: &str, texts: &Texts) -> Option<Paragraph> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let mut all: Vec<&String> =
        texts.below(&prefix).filter(|path| folder_of(path) == folder && is_readme(path)).collect();
    all.sort_by_key(|path| rank(path));
    all.into_iter().find_map(|path| read(path, texts))
}

/// Returns the first paragraph of a document that states a purpose; in Markdown, else one below a heading
/// "Introduction", else the definition behind news and installation.
pub(super) fn read(path: &str, texts: &Texts) -> Option<Paragraph> {
    let text = texts.read(path)?;
    let lower = path.to_lowercase();
    let is_markdown = is_markdown(path);
    let found = if is_markdown { markdown(&text) } else { plain(&text, &lower) };
    let (told, is_introduction) = match found {
        Some(found) => (found, false),
        None if !is_markdown => return None,
        None => match introduction(&text) {
            Some(told) => (told, true),
            None => (definition(&text)?, false),
        },
    };
    let (text, start, end) = told;
    Some(Paragraph { text, source: SourceLines { path: path.to_owned(), start, end }, is_introduction })
}

/// Maximum number of headings before the wanted paragraph.
const HEADINGS: usize = 3;
/// Maximum number of paragraphs that are read.
const PARAGRAPHS: usize = 5;

/// Returns the first paragraph of a Markdown text that states a purpose, with its first and last line.
/// Badges, images, headings and lists of links are skipped. A paragraph in HTML or in a block quote counts
/// only if no other is found before the first instructing section. Sections about news are skipped.
fn markdown(text: &str) -> Option<(String, usize, usize)> {
    let plain = without_front_matter(text);
    let text = plain.as_ref();
    let mut open: Option<(String, usize)> = None;
    let mut heading: Option<String> = None;
    let mut html: Option<(String, usize)> = None;
    let mut second: Option<(String, usize, usize)> = None;
    let (mut image, mut quote, mut item) = (0_usize, 0_usize, 0_usize);
    // Bytes of the paragraph in links.
    let (mut links_around, mut in_links) = (0_usize, 0_usize);
    // Bytes of the paragraph before the open link.
    let mut before_link = 0_usize;
    // `news` is the level of the heading above news.
    let (mut is_warning, mut level, mut news) = (false, 0_usize, None::<usize>);
    let (mut paragraphs, mut headings) = (0_usize, 0_usize);
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_)) => quote += 1,
            Event::End(TagEnd::BlockQuote(_)) => quote = quote.saturating_sub(1),
            Event::Start(Tag::Item) => item += 1,
            Event::End(TagEnd::Item) => item = item.saturating_sub(1),
            Event::Start(Tag::Heading { level: started, .. }) => {
                heading = Some(String::new());
                level = started as usize;
                news = news.filter(|outer| *outer < level);
            }
            Event::End(TagEnd::Heading(_)) => {
                let words = heading.take().unwrap_or_default();
                let is_title = || headings == 0 && is_only_heading(&text[range.end..], level);
                news = news.or_else(|| (is_news(&words) && !is_title()).then_some(level));
                if news.is_some() {
                    continue;
                }
                headings += 1;
                is_warning = warns(&words);
                if is_later(&words) || headings > HEADINGS {
                    return second;
                }
            }
            // What follows code explains the code.
            Event::Start(Tag::CodeBlock(_)) if paragraphs > 0 && news.is_none() => return second,
            Event::Start(Tag::Paragraph) if item == 0 && news.is_none() => {
                open = Some((String::new(), range.start));
                in_links = 0;
            }
            Event::Start(Tag::Link { .. }) => {
                links_around += 1;
                before_link = open.as_ref().map_or(0, |(paragraph, _)| paragraph.len());
            }
            Event::End(TagEnd::Link) => {
                links_around = links_around.saturating_sub(1);
                if let Some((paragraph, _)) =
                    open.as_mut().filter(|(paragraph, _)| ends_in_linked_sentence(paragraph, before_link))
                {
                    in_links = in_links.saturating_sub(paragraph.len() - before_link);
                    paragraph.truncate(before_link);
                }
            }
            Event::Start(Tag::Image { .. }) => image += 1,
            Event::End(TagEnd::Image) => image = image.saturating_sub(1),
            Event::Text(words) if image == 0 => {
                in_links += if links_around > 0 { words.len() } else { 0 };
                open.iter_mut().for_each(|(paragraph, _)| paragraph.push_str(&words));
                heading.iter_mut().for_each(|heading| heading.push_str(&words));
            }
            Event::Code(words) => {
                open.iter_mut().for_each(|(paragraph, _)| paragraph.extend(["`", &words, "`"]));
                heading.iter_mut().for_each(|heading| heading.push_str(&words));
            }
            Event::SoftBreak | Event::HardBreak => {
                open.iter_mut().for_each(|(paragraph, _)| paragraph.push(' '));
            }
            Event::Html(words) => {
                let (block, _) = html.get_or_insert((String::new(), range.start));
                block.push_str(&words);
            }
            Event::End(TagEnd::HtmlBlock) => {
                if let Some((block, start)) = html.take().filter(|_| second.is_none() && news.is_none()) {
                    let told = html_told(&block);
                    second = told.map(|(words, from, to)| (words, line(start + from), line(start + to)));
                }
            }
            Event::End(TagEnd::Paragraph) => {
                let Some((paragraph, start)) = open.take() else { continue };
                let is_told = !is_warning
                    && states_purpose(&paragraph, in_links)
                    && !(paragraphs > 0 && begins_with_emoji(&paragraph));
                paragraphs += usize::from(paragraph.split_whitespace().count() >= 4);
                if !is_told && paragraphs >= PARAGRAPHS {
                    return second;
                }
                if !is_told {
                    continue;
                }
                let told = (paragraph, line(start), line(range.start + text[range.clone()].trim_end().len()));
                // A quotation may be the motto of the project, or a notice.
                if quote == 0 {
                    return Some(told);
                }
                second = second.or(Some(told).filter(|(words, ..)| words.split_whitespace().count() <= 40));
            }
            _ => {}
        }
    }
    second
}

/// Returns true if a paragraph with `in_links` bytes of links states a purpose. A paragraph of one link leads
/// elsewhere.
fn states_purpose(paragraph: &str, in_links: usize) -> bool {
    paragraph.split_whitespace().count() >= 4
        && in_links * 3 < paragraph.len() * 2
        && !is_navigation(paragraph)
        && purpose_of(paragraph).is_some()
}

/// Returns true if the link that begins at the byte `start` of a paragraph is its last sentence, which leads to
/// another document.
fn ends_in_linked_sentence(paragraph: &str, start: usize) -> bool {
    let before = paragraph.get(..start).map(str::trim_end);
    paragraph.ends_with(['.', '!', '?'])
        && before.is_some_and(|it| it.is_empty() || it.ends_with(['.', '!', '?']))
}

/// Returns true if no heading of the level or of an outer one is in the text that follows a heading. The
/// only heading of its level is the title.
fn is_only_heading(rest: &str, level: usize) -> bool {
    !Parser::new(rest).any(|event| match event {
        Event::Start(Tag::Heading { level: other, .. }) => other as usize <= level,
        _ => false,
    })
}

/// Returns true for a text that begins with the code of an emoji. Below the first paragraph it is one of
/// several slogans.
fn begins_with_emoji(paragraph: &str) -> bool {
    let first = paragraph.split(' ').next().unwrap_or_default();
    first.starts_with(':') && without_emoji(first).is_empty()
}

/// Returns true for a paragraph that is only a row of links or labels: "Forum | Wiki | Chat".
fn is_navigation(paragraph: &str) -> bool {
    [" | ", " · ", " • ", " :: "].iter().any(|mark| paragraph.matches(mark).count() >= 2)
}

/// Returns the words of an HTML block, or of its first paragraph or smaller heading, if they state a
/// purpose, with the byte offsets of their beginning and end.
fn html_told(block: &str) -> Option<(String, usize, usize)> {
    const PARTS: usize = 8;
    if let Some(words) = html_words(block) {
        return Some((words, 0, block.trim_end().len()));
    }
    // Below the name its line of description may be a smaller heading.
    for (tag, end) in [("<p", "</p>"), ("<h2", "</h2>"), ("<h3", "</h3>"), ("<h4", "</h4>")] {
        let mut at = 0;
        for part in block.split_inclusive(end).take(PARTS) {
            let from = at + part.rfind(tag).unwrap_or(0);
            at += part.len();
            let told =
                html_words(&block[from..at]).filter(|words| part.ends_with(end) && !is_navigation(words));
            if let Some(words) = told.filter(|words| !is_later(words)) {
                return Some((words, from, at));
            }
        }
    }
    None
}

/// Returns the words of an HTML block without tags if they state a purpose.
fn html_words(block: &str) -> Option<String> {
    let is_linked = block.matches("<a ").count() > 2;
    let plain: String = block
        .split('<')
        .map(|part| part.split_once('>').map_or(part, |(_, words)| words))
        .collect::<Vec<_>>()
        .join(" ");
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_sentence =
        words.split(' ').count() >= 5 && !is_linked && !block.contains("<!--") && !block.contains("<h1");
    (is_sentence && purpose_of(&words).is_some()).then_some(words)
}

/// Returns the first paragraph with a purpose in the page `package.html` of a Java package.
pub(super) fn package_page(path: &str, texts: &Texts) -> Option<Paragraph> {
    let text = texts.read(path)?;
    let (told, start, end) = page(&text)?;
    let source = SourceLines { path: path.to_owned(), start, end };
    Some(Paragraph { text: told, source, is_introduction: false })
}

/// Returns the first paragraph with a purpose in the body of an HTML page, with its first and last line.
fn page(text: &str) -> Option<(String, usize, usize)> {
    const PARTS: usize = 4;
    let lower = text.to_ascii_lowercase();
    let mut at = lower.find("<body")?;
    at += lower[at..].find('>')? + 1;
    for part in lower[at..].split("<p>").take(PARTS) {
        let end = at + part.find("</p>").or(part.find("</body")).unwrap_or(part.len());
        if let Some(words) = html_words(&text[at..end]) {
            let line = |at: usize| text[..at].matches('\n').count() + 1;
            let inner = &text[at..end];
            let first = at + inner.len() - inner.trim_start().len();
            return Some((words, line(first), line(at + inner.trim_end().len())));
        }
        at += part.len() + "<p>".len();
    }
    None
}

/// Returns the first paragraph of reST, AsciiDoc or plain text that states a purpose, with its first and
/// last line.
fn plain(text: &str, path: &str) -> Option<(String, usize, usize)> {
    const LINES: usize = 120;
    let is_asciidoc = path.ends_with(".adoc") || path.ends_with(".asciidoc");
    let marks: &[&str] = if is_asciidoc {
        &["=", ":", "image:", "//", "[", "ifdef", "endif", "include:", "|", "*"]
    } else {
        &[]
    };
    let lines: Vec<&str> = text
        .lines()
        .take(LINES)
        .map(|line| if marks.iter().any(|mark| line.starts_with(mark)) { "" } else { line })
        .collect();
    let is_heading = |at: &usize| {
        let line = lines.get(at + 1).copied().unwrap_or_default();
        line.len() >= 3 && line.chars().all(|c| "=-~^*".contains(c)) && !lines[*at].trim().is_empty()
    };
    let headings: Vec<usize> = (0..lines.len()).filter(is_heading).collect();
    let until = headings.iter().copied().find(|at| is_later(lines[*at])).unwrap_or(lines.len());
    let mut told = lines[..until].to_vec();
    for (number, at) in headings.iter().enumerate().filter(|(_, at)| **at < until && is_news(lines[**at])) {
        // Headings of one level have the same mark; the first one is the title if no other has it.
        let same = |other: &&usize| lines[**other + 1].chars().next() == lines[at + 1].chars().next();
        let next = headings[number + 1..].iter().find(same);
        if number > 0 || next.is_some() {
            told[*at..next.map_or(until, |next| until.min(*next))].fill("");
        }
    }
    let told = first_told(&told, CommentStyle::Docstring)?;
    let is_told = told.text.split_whitespace().count() >= 4;
    let words = if path.ends_with(".rst") { without_references(&told.text, text) } else { told.text };
    is_told.then_some((words, told.start + 1, told.end + 1))
}

/// Replaces references `name_` in a reST text by `name`, if the document defines a target of that name.
fn without_references(text: &str, document: &str) -> String {
    const TARGETS: usize = 500;
    let targets: BTreeSet<String> = document
        .lines()
        .filter_map(|line| line.trim().strip_prefix(".. _")?.split_once(':'))
        .map(|(name, _)| name.trim_matches('`').to_lowercase())
        .take(TARGETS)
        .collect();
    let plain = |word: &str| {
        let bare = word.trim_end_matches(['.', ',', ';', ':', ')', '!', '?']);
        let name = bare.trim_start_matches('(').trim_end_matches('_');
        let is_reference = bare.ends_with('_') && targets.contains(&name.to_lowercase());
        if is_reference {
            format!("{}{}", bare.trim_end_matches('_'), &word[bare.len()..])
        } else {
            word.to_owned()
        }
    };
    text.split(' ').map(plain).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paragraph_that_says_something_is_found() {
        for (text, expected) in [
            (
                "# Name\n\n[![ci](https://x/y.svg)](https://x)\n![logo](a.png)\n\n<p>html</p>\n\nA small tool\nfor `trees` of files.\n\nMore.\n",
                Some(("A small tool for `trees` of files.", 8, 9)),
            ),
            (
                "See the presentation [here](x).\n\nA clinic for small pets.\n",
                Some(("A clinic for small pets.", 3, 3)),
            ),
            (
                "# A\n\n[All things about the shop](https://a.b)\n\nThe shop sells things.\n",
                Some(("The shop sells things.", 5, 5)),
            ),
            (
                "# A\n\n[Forum](x) | [Wiki](y) (all words) | [#chat on the net](z) (with a bridge)\n\nThe shop sells things.\n",
                Some(("The shop sells things.", 5, 5)),
            ),
            (
                "# A\n\n## ⚠️ Warning\n\nThe shop sells dangerous things.\n\n## What is it?\n\nA shop for all things.\n",
                Some(("A shop for all things.", 9, 9)),
            ),
            (
                "---\nlayout: home of the shop and more\nx: y\n---\n\nThe shop sells things.\n",
                Some(("The shop sells things.", 6, 6)),
            ),
            ("---\n\nThe shop sells things.\n", Some(("The shop sells things.", 3, 3))),
            (
                "# Release versions\n\nThe newest shop is on the branch.\n\n## Version 3 breaking changes\n\nThe till no longer counts coins.\n\n# About\n\nA shop for all things.\n",
                Some(("A shop for all things.", 11, 11)),
            ),
            ("# Only\n\n- a list of some words\n", None),
            ("# A\n\n## Installation\n\nIt is installed by the package manager.\n", None),
            (
                "<p align=\"center\">\n  A fast router of HTTP requests.\n</p>\n\n## Install\n\nUse the shell for it.\n",
                Some(("A fast router of HTTP requests.", 1, 3)),
            ),
            (
                "<p>\n<h1>Shop</h1>\n</p>\n<p align=\"center\">A shop that sells all things.</p>\n<p><a href=x>a</a></p>\n",
                Some(("A shop that sells all things.", 4, 4)),
            ),
            (
                "<h1>Shop</h1>\n<h3 align=\"center\">A Till Written Purely in Shell</h3>\n",
                Some(("A Till Written Purely in Shell", 2, 2)),
            ),
            ("", None),
        ] {
            let found = markdown(text);
            assert_eq!(found.as_ref().map(|it| (it.0.as_str(), it.1, it.2)), expected, "{text}");
        }
        let html = "<html><body>\n<p>\nClasses that sell all\nkinds of things.\n</p>\n</body></html>";
        assert_eq!(page(html), Some(("Classes that sell all kinds of things.".to_owned(), 3, 4)));
        let rst = "Shop\n====\n\n.. image:: a.png\n   :alt: x\n\nShop sells\nmany things.\n\nInstall\n-------\n\nUse pip to get it.\n";
        assert_eq!(plain(rst, "readme.rst"), Some(("Shop sells many things.".to_owned(), 7, 8)));
        let news = "Shop\n====\n\nNews\n----\n\nThe till counts coins now.\n\nAbout\n-----\n\nSells many things to people.\n";
        assert_eq!(plain(news, "readme.rst"), Some(("Sells many things to people.".to_owned(), 12, 12)));
        let linked = "Shop\n====\n\nA port of the till_ of corner_shop for a_b_.\n\n.. _till: https://a.b\n.. _corner_shop: https://a.b\n";
        let expected = Some(("A port of the till of corner_shop for a_b_.".to_owned(), 4, 4));
        assert_eq!(plain(linked, "readme.rst"), expected);
        let posted = "A till for shops. [A post about how the till works.][post]\n\n[post]: https://a.b\n";
        assert_eq!(markdown(posted), Some(("A till for shops. ".to_owned(), 1, 1)));
        let adoc = "= Shop\n:toc:\nimage::a.png[]\n\nShop sells many things.\n";
        assert_eq!(plain(adoc, "readme.adoc"), Some(("Shop sells many things.".to_owned(), 5, 5)));
    }
}

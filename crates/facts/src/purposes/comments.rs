//! Splits comments and docstrings of any language into paragraphs, with their lines, and finds the one that
//! states a purpose.

use super::headings::is_later;
use super::sentence::{purpose_of, purpose_of_definition};

/// Form of a comment in source code, which decides the marks to remove from its lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CommentStyle {
    /// Every line may have a mark: `///`, `*`, `#`.
    Comment,
    /// Only the first and the last line have quotes.
    Docstring,
}

/// A paragraph of a source comment, joined into one line, with its first and last line in the comment, from
/// 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommentParagraph {
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Length of a paragraph, in bytes, from which no more lines are added.
const LONGEST: usize = 4_000;
/// Maximum number of paragraphs of a comment that are read.
const PARAGRAPHS: usize = 12;

/// Returns the first paragraph of a comment that states a purpose (says what the code is or does); `None`
/// if none does. Stops at a paragraph that leads to a list, because details follow. A title is returned
/// only if nothing better follows.
pub(super) fn first_told(lines: &[&str], style: CommentStyle) -> Option<CommentParagraph> {
    first_stating(lines, style, purpose_of)
}

/// Returns the first paragraph that states a purpose in the documentation of a type or function; `None` if
/// the documentation begins with a section such as "Parameters:".
pub(super) fn first_of_definition(lines: &[&str], style: CommentStyle) -> Option<CommentParagraph> {
    let first = lines.iter().map(|line| bare(line, style).trim()).find(|line| !line.is_empty())?;
    if begins_section(first) { None } else { first_stating(lines, style, purpose_of_definition) }
}

/// Returns true for the first line of a section about parameters, results, errors or use.
fn begins_section(line: &str) -> bool {
    const SECTIONS: &[&str] = &[
        "parameters",
        "params",
        "args",
        "arguments",
        "keyword arguments",
        "returns",
        "return",
        "raises",
        "throws",
        "yields",
        "usage",
        "example",
        "examples",
        "attributes",
    ];
    const TAGS: &[&str] = &["param", "return", "returns", "throws", "exception", "raises", "example", "see"];
    let bare = line.trim_start_matches(['#', '*', ' ', ':']);
    let lower = bare.to_lowercase();
    let (label, rest) = lower.split_once(':').unwrap_or((&lower, ""));
    let label = label.trim_end_matches(['*', ' ']);
    // "Returns the name" is a sentence.
    let is_label = lower.contains(':') || label.len() == lower.len() && line.split_whitespace().count() <= 2;
    is_label && !rest.starts_with(':') && SECTIONS.contains(&label)
        || tag(line).is_some_and(|name| TAGS.contains(&name))
}

/// Returns the first paragraph for which `purpose` returns a text; see `first_told`.
fn first_stating(
    lines: &[&str],
    style: CommentStyle,
    purpose: fn(&str) -> Option<String>,
) -> Option<CommentParagraph> {
    const LEADING: usize = 8;
    let mut title = None;
    let mut is_behind = false;
    for told in paragraphs(lines, style).into_iter().take(PARAGRAPHS) {
        if goes_on(&told.text, is_behind) {
            break;
        }
        if leads_to_code(&told, lines, style, is_behind) {
            is_behind = true;
            continue;
        }
        if purpose(&told.text).is_some() {
            // What follows a title says more.
            if title.is_none() && style == CommentStyle::Docstring && is_title(&told.text) {
                title = Some(told);
                continue;
            }
            return Some(told);
        }
        if told.text.ends_with(':') && told.text.split_whitespace().count() >= LEADING {
            break;
        }
        is_behind = true;
    }
    title
}

/// Returns true if a paragraph is not understood without the one before. `is_behind` tells that one without
/// a purpose precedes it.
fn goes_on(text: &str, is_behind: bool) -> bool {
    const ALWAYS: &[&str] = &["otherwise", "in this case", "in that case", "this way", "therefore", "hence"];
    const BEHIND: &[&str] = &[
        "this is used ",
        "this is needed ",
        "this is necessary ",
        "this is because ",
        "this means ",
        "this allows ",
        "this happens ",
        "this lets ",
        "this makes ",
    ];
    let lower: String = text.chars().take(20).collect::<String>().to_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| lower.starts_with(start));
    begins(ALWAYS) || is_behind && begins(BEHIND)
}

/// Returns true if a paragraph ends in the middle of a sentence and indented code goes on with it: "To test
/// it, run". `is_behind` tells that another paragraph precedes it; the first one may be a title without a
/// full stop.
fn leads_to_code(told: &CommentParagraph, lines: &[&str], style: CommentStyle, is_behind: bool) -> bool {
    const LAST: &[&str] = &["run", "use", "type", "do", "call", "execute", "with", "as", "enter", "write"];
    let level = |line: &str| match style {
        CommentStyle::Docstring => indent(line),
        CommentStyle::Comment => indent(bare(line, style)),
    };
    let is_open = !told.text.ends_with(['.', '!', '?', ')', '>']);
    let last = told.text.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let (Some(own), Some(below)) = (lines.get(told.end), lines.get(told.end + 1..)) else { return false };
    let code = below.iter().find(|line| !bare(line, style).trim().is_empty());
    let is_apart = below.first().is_some_and(|line| bare(line, style).trim().is_empty());
    let is_code = code.is_some_and(|line| level(line) > level(own) && told.end > 0);
    is_open && is_apart && is_code && (is_behind || LAST.contains(&last.as_str()))
}

/// Returns true for a short text in title case without a full stop: "Sellers And Their Tills".
fn is_title(text: &str) -> bool {
    let long = || text.split_whitespace().filter(|word| word.len() > 3);
    !text.ends_with(['.', '!', ':'])
        && text.split_whitespace().count() <= 8
        && long().count() >= 2
        && long().all(|word| word.starts_with(char::is_uppercase))
}

/// Returns a line without the marks of the comment, such as `///` or `*/`.
pub(super) fn bare(line: &str, style: CommentStyle) -> &str {
    const OPENERS: &[&str] =
        &["/**<", "/**", "/*!", "////", "///<", "///", "//!", "/*", "//", "*/", "**", "*", "##", "#"];
    let line = line.trim();
    if style == CommentStyle::Docstring {
        let opened = ["r\"\"\"", "R\"\"\"", "u\"\"\"", "\"\"\"", "r'''", "'''"]
            .iter()
            .find_map(|quote| line.strip_prefix(quote))
            .unwrap_or(line);
        let closed = ["\"\"\"", "'''"].iter().find_map(|quote| opened.strip_suffix(quote)).unwrap_or(opened);
        // A docstring of one line may have single quotes.
        let single = closed.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        let closed = single.filter(|it| !it.contains('"')).unwrap_or(closed);
        return closed.trim_end();
    }
    let opened = OPENERS.iter().find_map(|opener| line.strip_prefix(opener)).unwrap_or(line);
    let closed = opened.strip_suffix("*/").unwrap_or(opened);
    closed.strip_prefix(' ').unwrap_or(closed).trim_end().trim_end_matches("**")
}

/// Splits a comment into its paragraphs of prose. Lists, code, tables, headings and tags are left out.
fn paragraphs(lines: &[&str], style: CommentStyle) -> Vec<CommentParagraph> {
    let mut found: Vec<CommentParagraph> = Vec::new();
    let mut open: Option<CommentParagraph> = None;
    // A list, a directive or a tag goes on until an empty line.
    let (mut in_fence, mut skipping) = (false, false);
    // Indentation of the directive of reST whose text is skipped.
    let mut directive: Option<usize> = None;
    let margin = lines
        .iter()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| indent(line))
        .min()
        .unwrap_or(0);
    let width = lines.iter().map(|line| line.trim().len()).max().unwrap_or(0);
    let is_block = lines.first().is_some_and(|line| line.trim_start().starts_with("/*"));
    for (at, line) in lines.iter().enumerate() {
        let text = bare(line, style);
        let trimmed = text.trim();
        let is_deep = match style {
            CommentStyle::Docstring => at > 0 && indent(line) >= margin + 4,
            CommentStyle::Comment => indent(text) >= 4,
        };
        let level = match style {
            CommentStyle::Docstring => indent(line),
            CommentStyle::Comment => indent(text),
        };
        directive = directive.filter(|outer| trimmed.is_empty() || level > *outer);
        match () {
            () if directive.is_some() => skipping = false,
            () if trimmed.starts_with("```") || trimmed.starts_with("~~~") && !is_rule(trimmed) => {
                in_fence = !in_fence;
                found.extend(open.take());
            }
            () if in_fence => {}
            // Below such a heading the comment instructs.
            () if is_block && is_instruction(line) => break,
            () if trimmed.is_empty() || trimmed == "<p>" => {
                found.extend(open.take());
                skipping = false;
            }
            // The text above a line of marks is a heading.
            () if is_rule(trimmed) => {
                let is_framed = |told: &CommentParagraph| {
                    let above = told.start.checked_sub(1).map(|above| bare(lines[above], style).trim());
                    above == Some(trimmed) && at - told.start <= 4
                };
                if open.as_ref().is_some_and(|told| told.start + 1 == at || is_framed(told)) {
                    open = None;
                } else {
                    found.extend(open.take());
                }
            }
            // The target of a link stands below the text that names it.
            () if is_reference(trimmed) => found.extend(open.take()),
            () if skipping && !is_tag(trimmed) => {}
            () if is_short_tag(trimmed) => {
                found.extend(open.take());
                skipping = false;
            }
            () if is_aside(trimmed) || open.is_none() && is_deep => {
                found.extend(open.take());
                skipping = true;
                directive = is_directive(trimmed).then_some(level);
            }
            () => match &mut open {
                Some(told)
                    if is_new_remark(told, at, lines[at - 1], trimmed, style)
                        || style == CommentStyle::Comment
                            && is_broken(told, lines[at - 1], trimmed, width) =>
                {
                    found.extend(open.replace(CommentParagraph {
                        text: trimmed.to_owned(),
                        start: at,
                        end: at,
                    }));
                }
                Some(told) if !trimmed.starts_with("<p>") && !is_tag(trimmed) => {
                    if told.text.len() < LONGEST {
                        told.text.push(' ');
                        told.text.push_str(trimmed);
                    }
                    told.end = at;
                }
                _ => {
                    found.extend(open.take());
                    open = Some(CommentParagraph { text: trimmed.to_owned(), start: at, end: at });
                }
            },
        }
        let is_summary_end = trimmed.contains("</summary>");
        if is_summary_end {
            found.extend(open.take());
            break;
        }
    }
    found.extend(open);
    found
}

/// Returns true for a line that begins a directive of reStructuredText, such as `.. warning::`.
fn is_directive(line: &str) -> bool {
    line.strip_prefix(".. ").and_then(|rest| rest.split_once("::")).is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':'))
    })
}

/// Returns true for a Markdown link definition: "[`io::Error`]: https://…".
fn is_reference(line: &str) -> bool {
    let label = line.strip_prefix('[').and_then(|rest| rest.split_once("]:"));
    label.is_some_and(|(label, target)| {
        let target = target.trim();
        !label.contains(']') && !target.is_empty() && !target.contains(char::is_whitespace)
    })
}

/// Returns true for a heading in a block comment, such as `## Usage`, below which the text gives
/// instructions instead of a description.
fn is_instruction(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches(['*', ' ']);
    text.starts_with('#') && is_later(text)
}

/// Returns true if the author broke the line on purpose: its first word would have fit on the line
/// `before`, no sentence ends there, and the line begins with a capital letter. `width` is the longest
/// line.
fn is_broken(told: &CommentParagraph, before: &str, line: &str, width: usize) -> bool {
    let first = line.split(' ').next().unwrap_or_default();
    let rest = line.split(' ').nth(1).unwrap_or_default();
    let is_word =
        first.starts_with(char::is_uppercase) && first.chars().skip(1).all(|c| c.is_ascii_lowercase());
    let is_open = told.text.ends_with(|c: char| c.is_alphanumeric() || c == ')');
    let fits = before.trim().len() + 1 + first.len() + 1 + rest.len() < width;
    is_word && is_open && fits && rest.starts_with(char::is_lowercase)
}

/// Returns true if a line begins a new paragraph although no empty line precedes it: a remark in capitals
/// after a short line, or the text after a line that ends in a colon.
fn is_new_remark(told: &CommentParagraph, at: usize, before: &str, line: &str, style: CommentStyle) -> bool {
    const SHORT: usize = 50;
    // Words with which a sentence begins and no name does.
    const STARTS: &[&str] = &[
        "However", "Ideally", "Each", "The", "This", "It", "If", "When", "In", "To", "For", "Also", "Note",
        "These", "See", "You",
    ];
    let is_upper = line.starts_with(char::is_uppercase);
    // What follows a colon on a line of its own is a list.
    if told.text.ends_with(':') && is_upper {
        return true;
    }
    let first = line.split(' ').next().unwrap_or_default();
    let is_see = first == "See" && told.text.ends_with(')');
    // `shop_open() : since 2 (experimental)` heads the text below it.
    if told.text.contains("() :") && told.start + 1 == at && is_upper {
        return true;
    }
    let is_open = is_see || !told.text.ends_with(['.', ',', ';', '-', '(', ')', '!', '?', '>']);
    let before = bare(before, style);
    let begins = STARTS.contains(&first.trim_end_matches([',', ':']));
    style == CommentStyle::Comment
        && at > 0
        && is_open
        && (before.len() < SHORT || begins)
        && is_upper
        && (begins || before.starts_with(char::is_uppercase))
}

/// Returns the number of bytes of white space at the beginning of a line.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns true for a line that consists of marks only, such as `-----`.
fn is_rule(text: &str) -> bool {
    text.len() >= 3 && text.chars().all(|c| "-=*#/~_+^\"'`.\\|".contains(c))
}

/// Documentation tags whose text is a description.
const DESCRIBING: &[&str] =
    &["brief", "short", "summary", "desc", "description", "fileoverview", "details", "abstract", "overview"];

/// Documentation tags whose text ends with the line.
const SHORT: &[&str] = &[
    "file",
    "module",
    "author",
    "date",
    "version",
    "ingroup",
    "defgroup",
    "addtogroup",
    "class",
    "struct",
    "package",
    "namespace",
    "since",
    "copyright",
    "license",
    "category",
    "subpackage",
    "name",
    "public",
    "api",
    "internal",
    "packageDocumentation",
    "fileoverview",
    "constructor",
    "interface",
    "typedef",
    "template",
    "implements",
    "extends",
];

/// Returns the name of the documentation tag with which a line begins: `@brief Text` → `brief`.
fn tag(text: &str) -> Option<&str> {
    let name = text.strip_prefix(['@', '\\'])?.split_whitespace().next()?;
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(name)
}

fn is_tag(text: &str) -> bool {
    tag(text).is_some()
}

/// Returns true for a line that begins with a tag and a description after it, such as `@brief Text`.
fn is_describing(text: &str) -> bool {
    tag(text).is_some_and(|name| DESCRIBING.contains(&name) && text.split_whitespace().count() > 1)
}

/// Returns true for a line that begins with a tag whose text ends with the line.
fn is_short_tag(text: &str) -> bool {
    tag(text).is_some_and(|name| SHORT.contains(&name)) && !is_describing(text)
}

/// Returns true if a line of a comment begins a list, table, tag, directive or heading, and so is no prose.
fn is_aside(text: &str) -> bool {
    let mut chars = text.chars();
    let (first, second) = (chars.next().unwrap_or(' '), chars.next());
    let is_item = matches!(first, '-' | '*' | '+' | '•') && second.is_none_or(char::is_whitespace);
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = number.len() < text.len() && (number.starts_with(". ") || number.starts_with(") "));
    let is_field = first == ':'
        && text[1..]
            .split_once(':')
            .is_some_and(|(name, _)| !name.contains('`') && name.len() < 60 && !name.is_empty());
    // `Supported browsers:: all` of RDoc.
    let is_label = text.split_once("::").is_some_and(|(label, rest)| {
        let is_words = label.chars().all(|c| c.is_alphanumeric() || c == ' ');
        is_words && rest.starts_with(' ') && label.split_whitespace().count() <= 4
    });
    let is_heading = first == '#' && text.trim_start_matches('#').starts_with(' ');
    let is_section = text.ends_with(':') && text.split_whitespace().count() <= 2;
    let is_block = ["<pre", "<ul", "<ol", "<li", "<table", "<dl", "<h1", "<h2", "<h3", "<img", "<blockquote"]
        .iter()
        .any(|tag| text.starts_with(tag));
    is_item
        || is_numbered
        || is_tag(text) && !is_describing(text)
        || is_field
        || is_label
        || is_heading
        || is_section
        || is_block
        || text.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("usage:"))
        || text.starts_with("..")
        || text.starts_with(">>>")
        || text.starts_with("http://")
        || text.starts_with("https://")
        || first == '|'
        || text.starts_with("![")
        || text.starts_with("[!")
        || text.starts_with("$ ")
}

#[cfg(test)]
mod tests;

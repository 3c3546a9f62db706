//! One section out of a model's answer (SEC-41, SEC-51): the fence around it, the talk before and after it, and a wrong heading go.

use std::sync::LazyLock;

use regex::Regex;

use super::source::{LineTable, MarkdownSource};
use super::{DocumentSection, parse_all};

/// Pattern of the opening words with which a model talks about its answer, such as `Sure` or `Here is`.
static TALK_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)^(?:sure|certainly|of course|absolutely|okay|ok|great|understood|thanks|thank you|here(?:'s|’s| is| are)|below (?:is|are)|i(?:'ve|’ve| have| will|'ll| am)|based on|as requested|the following (?:is|section)|let me|now (?:i|let))\b";
    Regex::new(pattern).expect("a valid pattern")
});
static TALK_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)^(?:let me know|i hope|hope this|feel free|please let me|if you(?:'d| would) like|would you like|is there anything|this section (?:follows|covers|now)|i(?:'ve|’ve| have) )";
    Regex::new(pattern).expect("a valid pattern")
});

/// Returns the section `title` out of a model's answer, as Markdown that begins with the heading `title` at
/// `level` and ends with one line end.
///
/// - If the answer has a fence marked `markdown`, or one around all of it, the text inside the fence is
///   used instead.
/// - Text before the heading of the section is dropped. Without that heading, the first heading of the
///   answer is replaced if its level is the same or higher; otherwise the heading is added.
/// - Other headings of the same or a higher level become sub-sections. If the answer is a whole document
///   with a title of level 1, only the section and its sub-sections are returned.
pub fn extract_markdown(answer: &str, title: &str, level: u8) -> String {
    let level = level.clamp(1, 6);
    let answer = answer.strip_prefix('\u{feff}').unwrap_or(answer);
    let text = unwrap_fence(answer);
    // Below a heading, front matter would be a thematic break and a setext heading.
    let text = skip_front_matter(text);
    let document = parse_all(text);
    let sections = document.flatten();
    let wanted = normalize_title(title);
    let own = sections.iter().position(|section| normalize_title(&section.title) == wanted);
    let own = own.or_else(|| sections.first().filter(|first| first.level <= level).map(|_| 0));
    let body = match own {
        Some(number) if is_whole_document(&sections, number) => {
            let section = sections[number];
            let children: Vec<&DocumentSection> = section.flatten();
            write_body(&section.body, &children[1..], section.level, level)
        }
        Some(number) => {
            write_body(&sections[number].body, &sections[number + 1..], sections[number].level, level)
        }
        None => {
            let preamble = drop_talk_before(&document.preamble);
            write_body(preamble, &sections, level, level)
        }
    };
    let body = drop_talk_after(body.trim_end());
    let body = body.trim_start_matches(['\n', '\r']);
    let marks = "#".repeat(usize::from(level));
    if body.trim().is_empty() { format!("{marks} {title}\n") } else { format!("{marks} {title}\n\n{body}\n") }
}

fn skip_front_matter(mut text: &str) -> &str {
    loop {
        let length = MarkdownSource::new(text).offset();
        if length == 0 {
            return text;
        }
        text = text[length..].trim_start_matches(['\n', '\r']);
    }
}

/// Returns true if a heading of level 1 stands before `sections[own]`, which is itself deeper than level 1:
/// the answer is then a whole document, and the wanted section is only a part of it.
fn is_whole_document(sections: &[&DocumentSection], own: usize) -> bool {
    sections[..own].iter().any(|section| section.level == 1) && sections[own].level > 1
}

fn normalize_title(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Joins the body of a section and the sections `below` it. The section moves from heading level `from` to
/// `to`; the headings below move by the same number of levels, and stay between `to + 1` and 6.
fn write_body(body: &str, below: &[&DocumentSection], from: u8, to: u8) -> String {
    let mut text = body.to_owned();
    for section in below {
        let moved = (i16::from(section.level) + i16::from(to) - i16::from(from)).clamp(i16::from(to) + 1, 6);
        let moved = u8::try_from(moved.min(6)).expect("a level up to 6");
        // In a section of level 6 nothing is below; the heading stays as it is.
        if moved == section.level || moved <= to {
            text.push_str(&section.heading);
        } else {
            let eol = if section.heading.ends_with("\r\n") { "\r\n" } else { "\n" };
            let marks = "#".repeat(usize::from(moved));
            text.extend([marks.as_str(), " ", &heading_markup(&section.heading), eol]);
        }
        text.push_str(&section.body);
    }
    text
}

/// Returns the text of a heading's source lines with its inline markup, without `#` marks or setext
/// underline.
fn heading_markup(heading: &str) -> String {
    let trimmed = heading.trim();
    if let Some(atx) = trimmed.strip_prefix('#') {
        let text = atx.trim_start_matches('#').trim();
        let bare = text.trim_end_matches('#');
        return if bare.ends_with([' ', '\t']) || bare.is_empty() { bare.trim() } else { text }.to_owned();
    }
    let lines: Vec<&str> =
        trimmed.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[..lines.len().saturating_sub(1)].join(" ")
}

/// Returns the text inside the fence that a model put around its answer; the whole answer if there is none.
/// Fences inside it are counted to find its end, because models often nest equal ones.
fn unwrap_fence(answer: &str) -> &str {
    let lines = LineTable::new(answer);
    let content = |line: usize| answer[lines.range(line)].trim();
    let count = lines.count();
    let is_bare = |line: &str| line.len() >= 3 && line.chars().all(|c| c == '`') || line == "~~~";
    let is_fence = |line: &str| line.starts_with("```") || line.starts_with("~~~");
    let Some(opening) = (1..=count).find(|line| is_fence(content(*line))) else { return answer };
    let info = content(opening).trim_matches(['`', '~']).trim().to_lowercase();
    let is_first = (1..opening).all(|line| content(line).is_empty());
    let next = (opening + 1..=count).map(content).find(|line| !line.is_empty()).unwrap_or_default();
    let is_wrapper = match info.as_str() {
        // A section about Markdown may show some; only a fence before any heading is one around the answer.
        "markdown" | "md" | "mdx" => (1..opening).all(|line| !content(line).starts_with('#')),
        "" | "text" | "txt" => is_first && next.starts_with('#'),
        _ => false,
    };
    if !is_wrapper {
        return answer;
    }
    let start = lines.range(opening).end;
    let inner = (opening + 1..=count).filter(|line| is_fence(content(*line)));
    let (bare, with_info): (Vec<usize>, Vec<usize>) = inner.partition(|line| is_bare(content(*line)));
    // Each block inside has one bare line if its opening names a language, else two; an odd rest is the end of the wrapper.
    let is_closed = bare.len() >= with_info.len() && (bare.len() - with_info.len()) % 2 == 1;
    match bare.last() {
        Some(last) if is_closed => &answer[start..lines.range(*last).start],
        _ => &answer[start..],
    }
}

fn drop_talk_before(text: &str) -> &str {
    let mut rest = text.trim_start_matches(['\n', '\r']);
    while TALK_BEFORE.is_match(rest) {
        let end = paragraph_end(rest);
        // Talk announces the text; a paragraph of content may begin with the same words.
        let paragraph = rest[..end].trim_end();
        if !paragraph.ends_with([':', '!', '.']) || paragraph.len() > 300 || rest[end..].trim().is_empty() {
            break;
        }
        rest = rest[end..].trim_start_matches(['\n', '\r']);
    }
    rest
}

/// Returns the offset in bytes of the first blank line; the length of the text if there is none.
fn paragraph_end(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            return at;
        }
        at += line.len();
    }
    at
}

fn drop_talk_after(text: &str) -> &str {
    let mut rest = text.trim_end();
    loop {
        let unified = rest.rfind("\n\n").map(|at| at + 2).or_else(|| rest.rfind("\r\n\r\n").map(|at| at + 4));
        let Some(start) = unified.filter(|start| TALK_AFTER.is_match(&rest[*start..])) else { return rest };
        rest = rest[..start].trim_end();
        if rest.ends_with("\n---") {
            rest = rest[..rest.len() - 3].trim_end();
        }
    }
}

//! The validator of placeholders: places that were to be filled in, and the marker [`NOT_AVAILABLE`] for
//! facts that no source states (SEC-114, SEC-115).

use std::sync::LazyLock;

use regex::Regex;

use super::page::{MASK, MarkdownPage, excerpt};
use super::{DocumentProfile, Issue};
use crate::document::NOT_AVAILABLE;
use crate::package::SectionTopic;

/// Maximum number of times that [`NOT_AVAILABLE`] may occur.
const MARKERS: usize = 5;

/// Subjects of the sections in which [`NOT_AVAILABLE`] may not occur.
const KEY_SECTIONS: &[SectionTopic] = &[SectionTopic::Overview, SectionTopic::Data, SectionTopic::Deploy];

/// Pattern of placeholders in brackets or braces: with a mark such as `TBD`, an instruction or question
/// marks in them.
static BRACKETED: LazyLock<Regex> = LazyLock::new(|| {
    let inside = r"(?:tbd|tba|todo|fixme|xxx+|wip|placeholder|insert|fill[ -]in|add|enter|describe|replace|your|to be)(?-u:\b)[^\[\]{}\n]{0,120}|\?+|_{2,}|\.{3}\s*\?*|x{3,}";
    let pattern = format!(
        r"(?i)\[\s*(?:{inside})\s*\]|\{{\s*(?:tbd|todo|insert|your|placeholder)(?-u:\b)[^{{}}\n]{{0,80}}\}}"
    );
    Regex::new(&pattern).expect("a valid pattern")
});
static UNDERSCORES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[ \n(:])(_{3,})(?:[ \n).,;:]|$)").expect("a valid pattern"));
static QUESTION_MARKS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[ \n(:])(\?{3,})(?:[ \n).,;:]|$)").expect("a valid pattern"));

/// Pattern of such placeholders in angle brackets, which the parser takes for HTML.
static ANGLED: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)<\s*(?:(?:tbd|tba|todo|fixme|xxx+|placeholder|insert|fill[ _-]in|enter|your|describe)\b[^<>\n]{0,120}|your[_-][^<>\n]{0,120}|insert[_-][^<>\n]{0,120}|\?+|_{2,}|\.{3})\s*>";
    Regex::new(pattern).expect("a valid pattern")
});

/// Pattern of a parameter in code, such as `<AGENT_IP>` or `<your-host>`.
static PARAMETER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"<(?:[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)*|(?i:your|my|insert)[ _-][A-Za-z0-9 _-]{1,60})>")
        .expect("a valid pattern")
});
static SAYS_TO_REPLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:replac(?:e|es|ing)|substitut(?:e|es|ing)|chang(?:e|es|ing)|where|with your|with the|is the|stands for|set)\b").expect("a valid pattern")
});

/// Pattern of other wordings of [`NOT_AVAILABLE`].
static VARIANT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)\b(?:no (?:further |additional |specific )?(?:information|info|details|data|documentation) (?:is |was |are |were )?(?:currently )?(?:available|provided|found|given)|(?:information|info|details?|data|documentation) (?:is |are |was |were )?(?:currently |presently )?(?:un-?available|not (?:currently |yet )?(?:available|provided|found|specified|known))|(?:not available|not specified|not provided|not documented) in (?:the )?(?:provided |available |given )?(?:sources?|package|documentation|context|service[ _]info))\b";
    Regex::new(pattern).expect("a valid pattern")
});

pub(super) fn check(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    check_prose(page, &mut issues);
    check_angled(page, &mut issues);
    if page.profile == DocumentProfile::Package {
        check_parameters(page, &mut issues);
        check_markers(page, &mut issues);
    }
    issues
}

fn check_prose(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let text = &page.parts.prose.text;
    let brackets =
        BRACKETED.find_iter(text).filter(|found| !is_other_bracket(text, found.as_str(), found.end()));
    let mut places: Vec<(usize, &str)> = brackets.map(|found| (found.start(), found.as_str())).collect();
    // In a README three question marks may be a way to speak.
    let questions = (page.profile == DocumentProfile::Package).then_some(&*QUESTION_MARKS);
    for pattern in [&*UNDERSCORES].into_iter().chain(questions) {
        places.extend(
            pattern
                .captures_iter(text)
                .filter_map(|captures| captures.get(1))
                .map(|found| (found.start(), found.as_str())),
        );
    }
    for (at, words) in places {
        issues.push(informal(page, page.parts.prose.source(at), words));
    }
}

/// Returns true if brackets are no placeholder: a link, masked text, or a lone `[...]` for words left out.
/// `found` is the bracketed text, and `end` the offset behind it.
fn is_other_bracket(text: &str, found: &str, end: usize) -> bool {
    let is_link = text[end..].starts_with(['(', '[', ':', MASK]) || text[end..].starts_with(" (\u{1a}");
    let inside = found.trim_matches(['[', ']', '{', '}', ' ']);
    let is_ellipsis = inside == "..." || inside.starts_with('x') && inside.len() <= 3;
    is_link || is_ellipsis || inside.contains(MASK)
}

fn check_angled(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    for found in ANGLED.find_iter(page.text).filter(|found| !page.is_hidden(found.start())) {
        issues.push(informal(page, found.start(), found.as_str()));
    }
}

/// Reports placeholders in code: marks such as `<TODO>`, and parameters that the prose of the section does
/// not explain.
fn check_parameters(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let blocks =
        page.parts.code_blocks.iter().map(|code| (code.content.start, &page.text[code.content.clone()]));
    let spans = page.parts.code_spans.iter().map(|span| (span.at, span.text.as_str()));
    let mut explained: Option<(usize, bool)> = None;
    for (at, code) in blocks.chain(spans) {
        for found in PARAMETER.find_iter(code) {
            let name = found.as_str().trim_matches(['<', '>']).to_lowercase();
            let is_mark =
                ["todo", "tbd", "insert", "fixme", "placeholder"].iter().any(|mark| name.starts_with(mark));
            if is_mark || !is_explained(page, at, &mut explained) {
                issues.push(informal(page, (at + found.start()).min(page.text.len() - 1), found.as_str()));
            }
        }
    }
}

/// Returns true if the prose of the section around the byte offset `at` tells the reader to replace
/// something. `last` caches the answer for one section.
fn is_explained(page: &MarkdownPage<'_>, at: usize, last: &mut Option<(usize, bool)>) -> bool {
    let start = page.heading_above(at).map_or(0, |heading| heading.at);
    if let Some((known, answer)) = *last
        && known == start
    {
        return answer;
    }
    let next = page.parts.headings.partition_point(|heading| heading.at <= at);
    let end = page.parts.headings[next..]
        .iter()
        .find(|heading| !heading.is_nested)
        .map_or(page.text.len(), |heading| heading.at);
    let blocks = &page.parts.prose.blocks;
    let place = |at: usize| blocks.partition_point(|block| page.parts.prose.source(block.range.start) < at);
    let own = &blocks[place(start)..place(end)];
    let answer =
        own.iter().any(|block| SAYS_TO_REPLACE.is_match(&page.parts.prose.text[block.range.clone()]));
    *last = Some((start, answer));
    answer
}

fn informal(page: &MarkdownPage<'_>, at: usize, words: &str) -> Issue {
    let message = format!("`{}` is a place to be filled in", excerpt(words.trim()));
    let fix = format!("write the fact, or \"{NOT_AVAILABLE}\" where no source states it");
    page.issue("placeholder/informal", at, message, &fix)
}

fn check_markers(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let text = &page.parts.prose.text;
    let places: Vec<usize> = text.match_indices(NOT_AVAILABLE).map(|(at, _)| at).collect();
    if places.len() > MARKERS {
        let message = format!("\"{NOT_AVAILABLE}\" occurs {} times", places.len());
        let fix = "find sources, or remove the parts about which nothing is known";
        issues.push(page.issue_of_text("placeholder/marker-count", message, fix));
    }
    for at in &places {
        let source = page.parts.prose.source(*at);
        let Some(title) = key_section(page, source) else { continue };
        let message = format!("\"{NOT_AVAILABLE}\" stands in the section \"{title}\"");
        issues.push(page.issue(
            "placeholder/marker-in-key-section",
            source,
            message,
            "write the content of this section",
        ));
    }
    for found in VARIANT.find_iter(text).filter(|found| found.as_str() != NOT_AVAILABLE) {
        let message = format!("\"{}\" is another wording of \"{NOT_AVAILABLE}\"", found.as_str());
        let fix = format!("write \"{NOT_AVAILABLE}\"");
        issues.push(page.issue_in_prose("placeholder/marker-variant", found.start(), message, &fix));
    }
    let blocks =
        page.parts.code_blocks.iter().map(|code| (code.content.start, &page.text[code.content.clone()]));
    let spans = page.parts.code_spans.iter().map(|span| (span.at, span.text.as_str()));
    for (at, code) in blocks.chain(spans) {
        if let Some(offset) = code.to_lowercase().find(&NOT_AVAILABLE.to_lowercase()) {
            let message = format!("\"{NOT_AVAILABLE}\" stands in code");
            let at = (at + offset).min(page.text.len() - 1);
            issues.push(page.issue(
                "placeholder/marker-in-code",
                at,
                message,
                "remove the code, or write it in full",
            ));
        }
    }
}

/// Returns the title of the level-2 section around the byte offset `at`, if its subject is one of
/// [`KEY_SECTIONS`]; else `None`.
fn key_section<'p>(page: &'p MarkdownPage<'_>, at: usize) -> Option<&'p str> {
    let line = page.lines.line(at);
    let number = page.parts.document.sections.partition_point(|section| section.line <= line);
    let section = number.checked_sub(1).map(|number| page.parts.document.sections[number].title.as_str());
    let title = excerpt(page.section.or(section)?);
    SectionTopic::of(title).filter(|topic| KEY_SECTIONS.contains(topic)).map(|_| title)
}

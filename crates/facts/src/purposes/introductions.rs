//! Finds the introduction of a README that has no text at its top: the first paragraph below a heading such
//! as "Introduction" or "About", or the definition behind sections about news and installation.

use super::headings::{begins_use, is_later, is_news};
use super::sentence::{introduction_of, is_definition};

/// Maximum number of lines that are read.
const LINES: usize = 400;

/// Headings below which a document says what its subject is.
const INTRODUCTIONS: &[&str] = &["intro", "introduction", "about", "overview", "description", "summary"];

/// Returns the first paragraph below a heading such as "About" or "Introduction" of a Markdown text, with
/// its first and last line; `None` if it states no purpose.
pub(super) fn introduction(text: &str) -> Option<(String, usize, usize)> {
    let lines: Vec<&str> = text.lines().take(LINES).collect();
    let is_told = |line: &str| {
        let words = line.split_whitespace().count();
        words >= 4 && line.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '*' | '_' | '[' | '`'))
    };
    let mut in_fence = false;
    for (at, line) in lines.iter().enumerate() {
        in_fence ^= line.trim_start().starts_with("```");
        if in_fence || !is_introduction(line) {
            continue;
        }
        let start = at + 1 + lines[at + 1..].iter().position(|line| !line.trim().is_empty())?;
        let length = lines[start..]
            .iter()
            .take_while(|line| !line.trim().is_empty() && !line.starts_with('#'))
            .count();
        let told = lines[start..start + length].join(" ");
        let is_list = lines[start].starts_with(['-', '*', '+', '|']) && lines[start][1..].starts_with(' ');
        if is_told(lines[start]) && !is_list && introduction_of(&told).is_some() {
            return Some((told, start + 1, start + length));
        }
    }
    None
}

/// Returns the definition ("This is a …", or "Shop is a …" of the title) below the first other section of a
/// Markdown text whose top has nothing but sections about news and installation, with its first and last
/// line.
pub(super) fn definition(text: &str) -> Option<(String, usize, usize)> {
    let lines: Vec<&str> = text.lines().take(LINES).collect();
    let mut title = String::new();
    // Level of a section that tells no purpose.
    let mut silent: Option<usize> = None;
    let (mut in_fence, mut is_behind) = (false, false);
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        in_fence ^= line.trim_start().starts_with("```");
        let level = line.chars().take_while(|c| *c == '#').count();
        if !in_fence && level > 0 && line[level..].starts_with(' ') {
            let heading = line[level..].trim();
            if title.is_empty() {
                heading.clone_into(&mut title);
            }
            silent = silent.filter(|outer| *outer < level);
            if silent.is_none() && (is_news(heading) || is_later(heading) && !begins_use(heading)) {
                (silent, is_behind) = (Some(level), true);
            }
        } else if !in_fence && silent.is_none() && line.starts_with(|c: char| c.is_alphanumeric() || c == '`')
        {
            let length = lines[at..].iter().take_while(|line| !line.trim().is_empty()).count();
            let told = lines[at - 1..at + length].join(" ");
            return (is_behind && is_of_title(&told, &title)).then_some((told, at, at + length));
        }
    }
    None
}

/// Returns true for a definition whose subject is "This" or stands in the title. "This is an example" defines
/// no product.
fn is_of_title(told: &str, title: &str) -> bool {
    const OTHERS: &[&str] = &[
        "example", "examples", "list", "demo", "guide", "tutorial", "document", "sample", "summary", "fork",
    ];
    let Some((subject, rest)) = told.split_once(" is ") else { return false };
    let subject = subject.trim_matches(['`', '*', '_']).to_lowercase();
    let is_named = subject == "this" || title.to_lowercase().contains(&subject);
    let is_other = rest.split(|c: char| !c.is_alphanumeric()).take(6).any(|word| OTHERS.contains(&word));
    is_named && !is_other && is_definition(told)
}

/// Returns true if the line is a heading that introduces the subject, such as "About" or a question about
/// it.
fn is_introduction(line: &str) -> bool {
    let Some(heading) = line.strip_prefix('#') else { return false };
    let lower = heading.trim_matches(['#', ' ', ':', '?']).to_lowercase();
    let bare = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_question = bare.strip_prefix("what is ").or(bare.strip_prefix("what's ")).is_some();
    let is_about = bare.strip_prefix("about ").is_some_and(|rest| rest.split_whitespace().count() <= 2);
    INTRODUCTIONS.contains(&bare) || is_about || is_question && bare.split_whitespace().count() <= 5
}

#[cfg(test)]
mod tests {
    use super::{definition, introduction};

    #[test]
    fn the_paragraph_below_an_introduction_is_found() {
        let badges = "<p><img src=a></p>\n\n## Features\n\n- x\n\n## Install\n\n## Intro\nWe wanted a till for small shops. For this, few exist.\n";
        let expected = "We wanted a till for small shops. For this, few exist.".to_owned();
        assert_eq!(introduction(badges), Some((expected, 10, 10)));
        let news = "# Releases\n\nUse a release.\n\n## Version 3\n\nNews of it.\n\n# Quick start\n\nThis is a till for\nsmall shops.\n";
        let expected = "This is a till for small shops.".to_owned();
        assert_eq!(definition(news), Some((expected, 11, 12)));
        for other in ["This is an example of a till.", "The till is a machine of the shop.", "Call the till."]
        {
            assert_eq!(
                definition(&format!("# Shop\n\n## Install\n\n## Usage\n\n{other}\n")),
                None,
                "{other}"
            );
        }
        assert_eq!(introduction("## What is Shop?\n\n- a list of many things\n\n## About\n\n[a](b)\n"), None);
    }
}

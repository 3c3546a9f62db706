//! Finds the introduction of a README that has no text at its top: the first paragraph below a heading such
//! as "Introduction" or "About".

use super::sentence::introduction_of;

/// Headings below which a document says what its subject is.
const INTRODUCTIONS: &[&str] = &["intro", "introduction", "about", "overview", "description", "summary"];

/// Returns the first paragraph below a heading such as "About" or "Introduction" of a Markdown text, with
/// its first and last line; `None` if it states no purpose.
pub(super) fn introduction(text: &str) -> Option<(String, usize, usize)> {
    const LINES: usize = 400;
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
    use super::introduction;

    #[test]
    fn the_paragraph_below_an_introduction_is_found() {
        let badges = "<p><img src=a></p>\n\n## Features\n\n- x\n\n## Install\n\n## Intro\nWe wanted a till for small shops. For this, few exist.\n";
        let expected = "We wanted a till for small shops. For this, few exist.".to_owned();
        assert_eq!(introduction(badges), Some((expected, 10, 10)));
        assert_eq!(introduction("## What is Shop?\n\n- a list of many things\n\n## About\n\n[a](b)\n"), None);
    }
}

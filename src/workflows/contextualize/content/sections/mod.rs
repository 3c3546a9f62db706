//! The sections of a context file. Each adds its lines with ranks; the draft chooses among them.
//!
//! Ranks are those of a reader who changes the code: commands and purpose first, then the ways to the right file.

mod about;
mod additions;
mod commands;
mod conventions;
mod definitions;
mod dependencies;
mod entries;
mod flow;
mod gists;
mod map;
mod parts;
mod purpose;
mod routes;
mod settings;
mod signatures;
mod single_test;
mod style;
mod tests;
mod topics;
mod unseen;
mod ways;

use super::draft::LineDraft;
use super::quoted::place;
use super::survey::Survey;
use crate::facts::SourceLines;

/// Adds the lines of all sections.
pub(super) fn add_all(survey: &Survey, summary: Option<&str>, draft: &mut LineDraft) {
    purpose::add(survey, summary, draft);
    commands::add(survey, draft);
    additions::add(survey, draft);
    unseen::add(survey, draft);
    entries::add(survey, draft);
    routes::add(survey, draft);
    flow::add(survey, draft);
    parts::add(survey, draft);
    let files = map::read(survey);
    map::add(survey, &files, draft);
    settings::add(survey, draft);
    conventions::add(survey, draft);
    style::add(survey, draft);
    tests::add(survey, draft);
    ways::add(survey, &files, draft);
    dependencies::add(survey, draft);
    topics::add(survey, draft);
}

/// Returns a rank that falls with the position: at `half` it is half of the first one.
#[allow(clippy::cast_precision_loss, reason = "positions are small")]
fn falling(first: f64, position: usize, half: f64) -> f64 {
    first / (1.0 + position as f64 / half)
}

/// Returns the first source of a fact as a reference; empty without one.
fn first_place(sources: &[SourceLines]) -> String {
    sources.first().map(place).unwrap_or_default()
}

/// Returns lines of a file that the text around names: `L5`, `L5-9`.
fn lines_of(start: usize, end: usize) -> String {
    if start == end { format!("L{start}") } else { format!("L{start}-{end}") }
}

/// Returns the first sentence of a text; a full stop ends it before a space and a capital letter.
fn first_sentence(text: &str) -> &str {
    let ends = text.match_indices(['.', '!', '?']).find(|(at, _)| {
        let rest = &text[at + 1..];
        let next = rest.trim_start().chars().next();
        let is_short = ["e.g", "i.e", "etc", "vs"].iter().any(|word| text[..*at].ends_with(word));
        rest.starts_with(char::is_whitespace)
            && next.is_some_and(|c| c.is_uppercase() || matches!(c, '`' | '['))
            && !is_short
    });
    ends.map_or(text, |(at, stop)| &text[..at + stop.len()])
}

/// Returns at most `most` characters of a text, cut at a word.
fn cut_at_word(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most).collect();
    let kept = head.rsplit_once(' ').map_or(head.as_str(), |(kept, _)| kept);
    // An open code span would swallow what follows.
    let kept = if kept.matches('`').count() % 2 == 1 { &kept[..kept.rfind('`').unwrap_or(0)] } else { kept };
    format!("{}…", kept.trim_end_matches([',', ';', ' ', '(']))
}

/// Returns true for a text that is a sentence and no code.
fn is_prose(text: &str) -> bool {
    let words = text
        .split_whitespace()
        .filter(|word| word.chars().all(|c| c.is_alphabetic() || c.is_ascii_punctuation()));
    let is_code = [" = ", "= ", ">>>", "->", "=>", "();", "({", "$ "].iter().any(|mark| text.contains(mark));
    !is_code && words.filter(|word| word.chars().any(char::is_alphabetic)).count() >= 2
}

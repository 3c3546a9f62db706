//! A title out of an idea: what its first sentence asks for, without the asking.

use super::escape::inline;

/// Characters of a title at most, ellipsis included.
const LONGEST: usize = 72;

/// What ideas begin with before they say what they are about.
const OPENERS: [&str; 32] = [
    "please ",
    "i'd like ",
    "i would like ",
    "i want ",
    "i need ",
    "we'd like ",
    "we would like ",
    "we want ",
    "we need ",
    "to have ",
    "to build ",
    "to create ",
    "build ",
    "create ",
    "make ",
    "develop ",
    "design ",
    "write ",
    "implement ",
    "a ",
    "an ",
    "the ",
    "bitte ",
    "ich möchte ",
    "ich will ",
    "ich brauche ",
    "wir möchten ",
    "wir wollen ",
    "wir brauchen ",
    "eine ",
    "einen ",
    "ein ",
];

/// Where a description of it begins.
const TURNS: [&str; 9] = [" that ", " which ", " who ", " where ", " so that ", ", ", ": ", "; ", " – "];

/// The title as plain text.
pub(super) fn plain(idea: &str) -> String {
    let line =
        idea.lines().map(|line| line.trim_start_matches(['#', '-', '*', '>', ' '])).find(|line| shows(line));
    let line = line.unwrap_or("Specification").trim();
    let line = first_sentence(line);
    let line = cut_at_turn(without_openers(line)).trim_end_matches(['.', '!', '?', ':', ',', ';', ' ']);
    capitalised(&shortened(if shows(line) { line } else { "Specification" }))
}

/// The title as Markdown.
pub(super) fn heading(idea: &str) -> String {
    inline(&plain(idea))
}

fn shows(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn first_sentence(line: &str) -> &str {
    let ends = [". ", "! ", "? ", "。", "！", "？"];
    let end = ends.iter().filter_map(|mark| line.find(mark)).min();
    end.map_or(line, |end| &line[..end])
}

fn without_openers(line: &str) -> &str {
    let mut rest = line;
    loop {
        let opener = OPENERS
            .iter()
            .find(|opener| rest.get(..opener.len()).is_some_and(|start| start.eq_ignore_ascii_case(opener)));
        match opener {
            Some(opener) => rest = rest[opener.len()..].trim_start(),
            None => return rest,
        }
    }
}

/// Ends before the first turn that leaves two words or more.
fn cut_at_turn(line: &str) -> &str {
    let cuts = TURNS.iter().filter_map(|turn| line.find(turn));
    let enough = |cut: &usize| line[..*cut].trim().contains(' ') || !line[..*cut].is_ascii();
    cuts.filter(enough).min().map_or(line, |cut| &line[..cut])
}

fn shortened(line: &str) -> String {
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    let end = line.char_indices().nth(LONGEST - 1).map_or(line.len(), |(at, _)| at);
    let cut = line[..end].rfind(' ').filter(|&space| space > 0).unwrap_or(end);
    format!("{}…", line[..cut].trim_end())
}

fn capitalised(line: &str) -> String {
    let mut chars = line.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

//! Title of the specification: that of the draft, else the request in the first sentence of the idea
//! without introductory words.

use super::super::analysis::IdeaAnalysis;
use super::escape::inline;

/// Maximum length of a title in characters, including the ellipsis.
const MAX_CHARS: usize = 72;

/// Introductory words that are removed from the start of an idea, in English and German.
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

/// Beginnings of a clause that describes the subject; the title ends before it.
const CLAUSE_STARTS: [&str; 10] =
    [" that ", " which ", " who ", " where ", " so that ", ", ", ": ", "; ", " – ", " ("];

/// Returns the title as plain text of at most `MAX_CHARS` characters: that of the draft if it has a
/// letter or digit, else one made from the idea.
pub(super) fn plain(of_draft: &str, idea: &str) -> String {
    let words: Vec<&str> = of_draft.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let own = words.join(" ").trim().to_owned();
    if has_alphanumeric(&own) { shorten(&own) } else { from_idea(idea) }
}

/// Makes a title from the first sentence of the idea, or from the sentence that names the product
/// later; `Specification` if nothing is left.
fn from_idea(idea: &str) -> String {
    let line = idea
        .lines()
        .map(|line| line.trim_start_matches(['#', '-', '*', '>', ' ']))
        .find(|line| has_alphanumeric(line));
    let first = first_sentence(line.unwrap_or("Specification").trim());
    let analysis = IdeaAnalysis::of(idea);
    // An idea may begin with its background and name the product later.
    let named_later = analysis
        .product
        .as_deref()
        .filter(|product| product.contains(' ') && !first.to_lowercase().contains(&product.to_lowercase()))
        .map(|product| idea.find(product).map_or(product, |start| first_sentence(&idea[start..])));
    let line = named_later.unwrap_or(first);
    let line = cut_at_clause(strip_openers(line)).trim_end_matches(['.', '!', '?', ':', ',', ';', ' ']);
    capitalise(&shorten(if has_alphanumeric(line) { line } else { "Specification" }))
}

/// Returns the title of `plain`, escaped for Markdown.
pub(super) fn heading(of_draft: &str, idea: &str) -> String {
    inline(&plain(of_draft, idea))
}

fn has_alphanumeric(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn first_sentence(line: &str) -> &str {
    let ends = ["\n", ". ", "! ", "? ", "。", "！", "？"];
    let end = ends.iter().filter_map(|mark| line.find(mark)).min();
    end.map_or(line, |end| &line[..end])
}

/// Removes all introductory words from the beginning of a line.
fn strip_openers(line: &str) -> &str {
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

/// Cuts a line before the first clause that describes its subject, if enough words are left: two, or
/// four before a comma.
fn cut_at_clause(line: &str) -> &str {
    // A comma after few words separates the items of a list, as in "Users can upload, share and tag photos".
    let is_enough = |(start, cut): &(&str, usize)| {
        let words = line[..*cut].split_whitespace().count();
        words >= if *start == ", " { 4 } else { 2 } || !line[..*cut].is_ascii()
    };
    let cuts = CLAUSE_STARTS.iter().filter_map(|start| line.find(start).map(|cut| (*start, cut)));
    cuts.filter(is_enough).map(|(_, cut)| cut).min().map_or(line, |cut| &line[..cut])
}

/// Cuts a line at a word to at most `MAX_CHARS` characters, with `…` at the cut.
fn shorten(line: &str) -> String {
    if line.chars().count() <= MAX_CHARS {
        return line.to_owned();
    }
    let end = line.char_indices().nth(MAX_CHARS - 1).map_or(line.len(), |(at, _)| at);
    let cut = line[..end].rfind(' ').filter(|&space| space > 0).unwrap_or(end);
    format!("{}…", line[..cut].trim_end())
}

fn capitalise(line: &str) -> String {
    let mut chars = line.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

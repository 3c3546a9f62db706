//! Places in prose: in brackets, alone or in a list, and words such as "lines 3-9 of `src/a.rs`".

use std::ops::Range;

use super::edits::TextEdits;
use super::findings::WrongParts;
use super::named_place::{NamedPlace, parse_lines};
use super::places::{PlaceIndex, PlaceVerdict};

/// Mark of a missing place in brackets, whose path says nothing.
const MISSING: &str = "(place not found)";

/// A bracket that is open at the current word.
struct OpenBracket {
    start: usize,
    /// The path of the last place in it, to which further lines belong: `[a.rs:1, 9]`.
    path: Option<String>,
}

/// Checks the places in a range of prose: those in brackets, those with lines, and targets of links. Records
/// an edit for each wrong or incomplete one, and adds wrong ones to `wrong`.
pub(super) fn check_prose(
    range: Range<usize>,
    index: &PlaceIndex<'_>,
    edits: &mut TextEdits<'_>,
    wrong: &mut WrongParts,
) {
    let text = edits.text();
    let is_end = |c: char| c.is_whitespace() || "[](),;\"'|".contains(c);
    let mut bracket: Option<OpenBracket> = None;
    let mut at = range.start;
    while at < range.end {
        let rest = &text[at..range.end];
        let word = rest.split(is_end).next().unwrap_or_default();
        if word.is_empty() {
            let c = rest.chars().next().unwrap_or(' ');
            match c {
                '[' | '(' => bracket = Some(OpenBracket { start: at, path: None }),
                ']' | ')' => bracket = None,
                _ => {}
            }
            at += c.len_utf8();
            continue;
        }
        let trimmed = word.trim_end_matches(['.', ':', '!', '?', '*', '_']);
        check_word(at..at + trimmed.len(), bracket.as_mut(), index, edits, wrong);
        at += word.len();
    }
}

fn check_word(
    place: Range<usize>,
    bracket: Option<&mut OpenBracket>,
    index: &PlaceIndex<'_>,
    edits: &mut TextEdits<'_>,
    wrong: &mut WrongParts,
) {
    let text = edits.text();
    let word = &text[place.clone()];
    let follows_link = text[place.end..].starts_with("](");
    let is_alone = bracket.as_ref().is_some_and(|it| it.start + 1 == place.start)
        && text[place.end..].starts_with([']', ')'])
        && !follows_link;
    if let Some(path) = bracket.as_ref().and_then(|it| it.path.clone())
        && parse_lines(word).is_some()
    {
        let whole = format!("{path}:{word}");
        if index.judge(&whole).is_wrong() {
            wrong.add(&whole);
            edits.replace(place.end..place.end, " (line not found)".to_owned());
        }
        return;
    }
    let Some(named) = NamedPlace::parse(word).filter(|named| is_alone || named.has_lines()) else { return };
    let verdict = index.judge(word);
    if let (Some(bracket), true, false) = (bracket, named.has_lines(), verdict.is_wrong()) {
        bracket.path = Some(named.path.to_owned());
    }
    if verdict.is_wrong() {
        wrong.add(word);
    }
    let with_brackets = if is_alone { place.start - 1..place.end + 1 } else { place.clone() };
    let open = if is_alone { &text[with_brackets.start..place.start] } else { "" };
    let close = if is_alone { &text[place.end..with_brackets.end] } else { "" };
    match (verdict.mark(), &verdict) {
        (None, PlaceVerdict::Completed(path)) => edits.replace(place, path.clone()),
        (None, _) => {}
        (Some(_), PlaceVerdict::Missing) if is_alone => edits.replace(with_brackets, MISSING.to_owned()),
        (Some(mark), PlaceVerdict::WrongLines(path) | PlaceVerdict::Ambiguous(path)) => {
            edits.replace(with_brackets, format!("{open}{path}{close} ({mark})"));
        }
        (Some(mark), _) => edits.replace(place, format!("{} ({mark})", path_alone(word))),
    }
}

/// Returns the path of a place without its lines: `a.rs:3` → `a.rs`.
fn path_alone(place: &str) -> &str {
    place.split([':', '#']).next().unwrap_or(place)
}

/// Words after which numbers of lines stand.
const LINE_WORDS: [&str; 4] = ["lines ", "line ", "Lines ", "Line "];
/// Longest words for lines, in bytes.
const BEFORE: usize = 48;
/// Longest text between a path and the word for its lines, in bytes: "`a.rs` (at lines 3-9)".
const BETWEEN: usize = 12;

/// Checks the lines that the words around a path in a code span state, such as "lines 3-9 of `a.rs`", and
/// marks those that the file does not have. `range` is the code span.
pub(super) fn check_lines_around(
    code: &str,
    range: &Range<usize>,
    index: &PlaceIndex<'_>,
    edits: &mut TextEdits<'_>,
    wrong: &mut WrongParts,
) {
    let text = edits.text();
    let found = [lines_before(text, range.start), lines_behind(text, range.end)];
    for (lines, at) in found.into_iter().flatten() {
        let place = format!("{}:{}-{}", code.trim(), lines.0, lines.1);
        if matches!(index.judge(&place), PlaceVerdict::WrongLines(_)) {
            wrong.add(&place);
            edits.replace(at..at, " (not in the file)".to_owned());
        }
    }
}

/// A range of lines that words state, and the offset at which the words end.
type SaidLines = ((u32, u32), usize);

/// Finds `lines 3-9 of ` directly before a path that begins at the offset `end`.
fn lines_before(text: &str, end: usize) -> Option<SaidLines> {
    let from = (end.saturating_sub(BEFORE)..=end).find(|at| text.is_char_boundary(*at))?;
    let before = &text[from..end];
    let before = before.strip_suffix('`').unwrap_or(before);
    let head = before.strip_suffix(" of ").or_else(|| before.strip_suffix(" in "))?;
    let line = head.rfind('\n').map_or(0, |at| at + 1);
    let start =
        LINE_WORDS.iter().filter_map(|word| Some(head[line..].rfind(word)? + line + word.len())).max()?;
    let (lines, length) = read_lines(&head[start..])?;
    (start + length == head.len()).then_some((lines, from + head.len()))
}

/// Finds ` (lines 3-9`, `, line 3` or ` at lines 3 to 9` behind a path that ends at the offset `start`.
fn lines_behind(text: &str, start: usize) -> Option<SaidLines> {
    let limit = (start + BETWEEN + BEFORE).min(text.len());
    let limit = (start..=limit).rev().find(|at| text.is_char_boundary(*at))?;
    let rest = &text[start..limit];
    let word = LINE_WORDS.iter().find_map(|word| {
        let at = rest.find(word).filter(|at| *at <= BETWEEN)?;
        let is_between = rest[..at].trim_matches([' ', ',', '(', ';', ':', '`']);
        matches!(is_between, "" | "at" | "in" | "on" | "from").then_some(at + word.len())
    })?;
    let (lines, length) = read_lines(&rest[word..])?;
    Some((lines, start + word + length))
}

/// Reads `3`, `3-9`, `3 to 9` or `3 and 9` at the beginning of a text. Returns the range and the number of
/// bytes read.
fn read_lines(text: &str) -> Option<((u32, u32), usize)> {
    let digits = |text: &str| text.bytes().take(8).take_while(u8::is_ascii_digit).count();
    let first = digits(text);
    let start: u32 = text[..first].parse().ok()?;
    let rest = &text[first..];
    let joined = ["-", "–", " - ", " to ", " and "].iter().find_map(|join| {
        let behind = rest.strip_prefix(join)?;
        let last = digits(behind);
        Some((behind[..last].parse::<u32>().ok()?, first + join.len() + last))
    });
    Some(joined.map_or(((start, start), first), |(end, length)| ((start, end), length)))
}

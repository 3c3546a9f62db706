//! Recognises purposes: whole sentences about the subject, without markup.

use super::markup::plain;
use super::openings::OPENINGS;
use crate::text::purpose;

/// Characters of a paragraph that are read.
const LONGEST: usize = 2_000;

/// Returns a purpose of at most two sentences; `None` if the paragraph states none.
pub(super) fn purpose_of(paragraph: &str) -> Option<String> {
    // Markup is read in time that grows with the square of the text.
    let head: String = paragraph.chars().take(LONGEST).collect();
    let text = purpose(&plain(&head))?;
    // Pictures before the first word are decoration.
    let is_picture = |c: char| !c.is_ascii() && !c.is_alphanumeric() && !matches!(c, '“' | '‘' | '«' | '„');
    let text = text.trim().trim_matches(['*', '_']).trim_start_matches(|c| is_picture(c) || c == ' ').trim();
    let text = whole(without_code(without_pointer(text)))?;
    (states_purpose(&text) && !is_code(&text) && !is_licence(&text)).then_some(text)
}

/// Returns true for prose that says something about its subject.
fn states_purpose(text: &str) -> bool {
    let lower = text.to_lowercase();
    let leads_elsewhere = OPENINGS.iter().any(|start| {
        let rest = lower.strip_prefix(start);
        rest.is_some_and(|rest| {
            !start.ends_with(char::is_alphanumeric) || !rest.starts_with(char::is_alphanumeric)
        })
    });
    let starts_well =
        text.starts_with(|c: char| c.is_alphanumeric() || "`\"'“‘.$@:_/<{".contains(c) || !c.is_ascii());
    let words = without_brackets(text).split_whitespace().filter(|word| has_letter(word)).count();
    // "For old systems we use …" is a remark of the authors about the lines below.
    let first = lower.split(". ").next().unwrap_or_default();
    let begins = ["for ", "to ", "in ", "on ", "as ", "with "].iter().any(|start| first.starts_with(start));
    let is_reason = begins && first.split(' ').any(|word| word == "we");
    let last = text.trim_end_matches('.').rsplit(' ').next().unwrap_or_default();
    // "Error class" only repeats the name.
    let restates =
        words <= 3 && matches!(last, "class" | "interface" | "struct" | "enum" | "type" | "module" | "trait");
    let is_prose = letters(text) * 10 >= text.chars().count() * 6;
    !leads_elsewhere && !is_reason && starts_well && words >= 2 && !restates && is_prose && !is_count(&lower)
}

/// Cuts a second sentence with code.
fn without_code(text: &str) -> &str {
    let first = text.find(". ").map_or(text, |at| &text[..=at]);
    if is_code(text) && !is_code(first) { first } else { text }
}

fn has_letter(word: &str) -> bool {
    word.chars().any(char::is_alphabetic)
}

/// Returns the text without a bracketed end: "Fast (see below)" has one word.
fn without_brackets(text: &str) -> &str {
    let is_closed = text.trim_end_matches('.').ends_with(')');
    text.split_once(" (").filter(|_| is_closed).map_or(text, |(before, _)| before)
}

fn is_code(text: &str) -> bool {
    const MARKS: &[&str] =
        &["();", "); ", " => ", " == ", "){", ") {", "::<", "--->", "<--", "does not work"];
    let is_statement = text.starts_with("return ") && text.contains("(\"");
    // `${name}` is a placeholder in prose too.
    let is_block_end = text.ends_with([';', '{']) || text.ends_with('}') && !text.contains("${");
    MARKS.iter().any(|mark| text.contains(mark))
        || is_statement
        || is_block_end
        || text.split(' ').nth(1) == Some("=")
}

fn is_licence(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "terms of the",
        "distributed under",
        "released under",
        "freely distributable",
        "applicable law",
        "warranty",
        "warranties",
        "under the license",
        "hereby granted",
    ];
    let lower = text.to_lowercase();
    let is_dated = ["(c) 19", "(c) 20"].iter().any(|mark| lower.contains(mark));
    is_dated || WORDS.iter().any(|words| lower.contains(words))
}

/// Cuts a second sentence that only leads elsewhere.
fn without_pointer(text: &str) -> &str {
    let at =
        [". See ", ". Note ", ". Refer to ", ". For more"].iter().filter_map(|mark| text.find(mark)).min();
    at.map_or(text, |at| &text[..=at])
}

/// Returns the text up to its last whole sentence. A sentence that is cut or leads to a list is not whole.
fn whole(text: &str) -> Option<String> {
    const OPEN: &[&str] = &["as", "the", "a", "an", "and", "or", "of"];
    if text.rsplit(' ').next().is_some_and(|word| OPEN.contains(&word)) {
        return None;
    }
    if !text.ends_with([':', '…', ',']) && !text.ends_with("...") {
        return Some(text.to_owned());
    }
    // "X is a tool for work:" above an example is whole without its colon.
    let is_only = !text.contains(". ") && text.ends_with(':') && text.contains(" is a");
    if is_only && !text.contains("following") {
        return Some(text.trim_end_matches(':').to_owned());
    }
    let end = [". ", "! ", "? "].iter().filter_map(|mark| text.rfind(mark)).max()?;
    let head = text[..=end].trim();
    (head.split_whitespace().count() >= 3).then(|| head.to_owned())
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).count()
}

/// Returns true for a count of things, because a count does not state their purpose.
fn is_count(lower: &str) -> bool {
    let mut words = lower.split_whitespace();
    let starts_with_number = words.next().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit()));
    let what = words.next().unwrap_or_default().trim_end_matches(['.', ',']);
    starts_with_number && ["files", "classes", "functions", "lines", "modules", "tests"].contains(&what)
}

/// Returns true for "X is a …".
pub(super) fn is_definition(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(9).collect();
    words
        .windows(2)
        .skip(1)
        .any(|pair| pair[0] == "is" && ["a", "an", "the"].contains(&pair[1].to_lowercase().as_str()))
        && purpose_of(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_gone_and_what_states_nothing_is_no_purpose() {
        for (written, expected) in [
            ("Reads [all files](x.md) of a [`Tree`].", Some("Reads all files of a `Tree`.")),
            ("\\brief Holds one \\c value.", Some("Holds one value.")),
            ("@brief Keeps orders.", Some("Keeps orders.")),
            ("Wraps the `WSGI <https://x.y>`_ server.", Some("Wraps the WSGI server.")),
            ("Sorts lists. It has these options:", Some("Sorts lists.")),
            ("The options are:", None),
            ("See the documentation.", None),
            ("Does *not* copy a char *x.", Some("Does not copy a char *x.")),
            ("Shows [config::Style] of [Color].", Some("Shows config::Style of Color.")),
            ("This folder contains files such as", None),
            (
                "Flattens as {@link Parser#flatten(Options, String[], boolean) flatten} of {@link A#b(C, D)} does.",
                Some("Flattens as flatten of A.b() does."),
            ),
            ("Limits a value. See `ranges`.", Some("Limits a value.")),
            ("12 files in it.", None),
            ("Copyright 2020 Somebody and others.", None),
            ("a == b", None),
            ("return pages.render(\"index.html\", {\"a\": 1})", None),
            ("Thread-safe (it has a lock)", None),
            ("For POSIX systems we use sockets.", None),
            (
                "Raised by `.url(name, **args)` and **once** only.",
                Some("Raised by `.url(name, **args)` and once only."),
            ),
            (
                "Logs to the {common format}[https://a.b/#c] of +app+.",
                Some("Logs to the common format of app."),
            ),
            ("Replaces the references in ${name}", Some("Replaces the references in ${name}")),
            ("--- *** ---", None),
            ("TODO write more here.", None),
            ("shop.c (C) 2004 Somebody Released as it is", None),
            ("Module dependencies.", None),
        ] {
            assert_eq!(purpose_of(written).as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn a_definition_names_its_subject() {
        assert!(is_definition("jq is a lightweight and flexible command-line processor."));
        assert!(!is_definition("Shop sells things over HTTP."));
    }
}

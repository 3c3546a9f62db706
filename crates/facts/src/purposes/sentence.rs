//! What a purpose is: whole sentences about the subject, without markup.

use crate::text::purpose;

/// Beginnings of paragraphs that lead elsewhere, warn, or speak of something else than their subject.
const POINTERS: &[&str] = &[
    "see ",
    "see:",
    "q&a",
    "note",
    "available ",
    "this readme",
    "this document",
    "this page",
    "this file is part of",
    "looking for",
    "if you",
    "click",
    "download",
    "join ",
    "for more",
    "for a ",
    "for an ",
    "for the ",
    "for full",
    "for details",
    "warning",
    "important",
    "caution",
    "tip:",
    "⚠",
    "todo",
    "deprecated",
    "@deprecated",
    "created by",
    "author",
    "written by",
    "maintained by",
    "usage",
    "example",
    "examples",
    "to install",
    "to run",
    "to build",
    "install",
    "first,",
    "run ",
    "read the",
    "read our",
    "check out",
    "please",
    "thanks",
    "thank you",
    "welcome",
    "sponsor",
    "support",
    "copyright",
    "license",
    "version ",
    "english",
    "table of contents",
    "contents",
    "status:",
    "build status",
    "documentation:",
    "homepage:",
    "website:",
    "home page",
    "translations",
    "features:",
    "this package has moved",
    "this project has moved",
    "this repository has moved",
    "created on",
    "last modified",
    "$id",
    "-*-",
    "vim:",
    "eslint",
    "jshint",
    "prettier",
    "shellcheck",
    "rubocop",
    "frozen_string_literal",
    "encoding:",
    "coding:",
    "typed:",
    "pylint:",
    "type:",
    "noqa",
    "flake8",
    "nolint",
    "import ",
    "#",
    "same as",
    "ditto",
    "inheritdoc",
    "inherits",
    "constructor",
    "default constructor",
    "returns true if",
    "private",
    "internal use",
    "for internal",
    "(c)",
    "©",
    "redistribution",
    "permission",
    "this program is free",
    "this library is free",
    "this software",
    "this source code",
    "use of this source",
    "all rights",
    "the mit",
    "mit license",
    "apache license",
    "everyone is permitted",
    "extracted from",
    "this code is derived",
    "this product includes",
    "attempt to",
    "inlined from",
    "ported from",
    "unless required",
    "we ",
    "if ",
    "for some",
    "however",
    "but ",
    "because",
    "since ",
    "by default",
    "currently",
    "don't",
    "do not ",
    "make sure",
    "all of the",
    "these are ",
    "copied from",
    "based on",
    "taken from",
    "adapted from",
    "borrowed from",
    "this code was",
    "the author",
    "this text file",
    "debugging",
    "external dependencies",
    "other ",
    "it's ",
    "it is ",
    "it ",
    "they ",
    "there ",
    "the following",
    "when ",
    "this next",
    "an example of how",
    "and ",
    "or ",
    "so ",
    "also ",
    "although",
    "while ",
    "once ",
    "then ",
    "unlike ",
    "instead ",
    "only ",
    "not ",
    "no ",
    "never ",
    "always ",
    "every time",
    "yes",
    "hack",
    "fix",
    "workaround",
    "temporary",
    "unused",
    "not used",
    "need",
];

/// Returns a purpose of at most two sentences; `None` if the paragraph states none.
pub(super) fn purpose_of(paragraph: &str) -> Option<String> {
    let plain = without_emphasis(&without_links(&without_commands(&labels(paragraph))));
    let text = purpose(&plain)?;
    // Pictures before the first word are decoration.
    let is_picture = |c: char| !c.is_ascii() && !c.is_alphanumeric() && !matches!(c, '“' | '‘' | '«' | '„');
    let text = text.trim().trim_matches(['*', '_']).trim_start_matches(|c| is_picture(c) || c == ' ').trim();
    let text = whole(without_pointer(text))?;
    let lower = text.to_lowercase();
    let is_pointer = POINTERS.iter().any(|start| {
        let rest = lower.strip_prefix(start);
        rest.is_some_and(|rest| {
            !start.ends_with(char::is_alphanumeric) || !rest.starts_with(char::is_alphanumeric)
        })
    });
    let starts_well =
        text.starts_with(|c: char| c.is_alphanumeric() || "`\"'“‘.$@:_/<{".contains(c) || !c.is_ascii());
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    let is_statement = text.ends_with([';', '{', '}']) || text.split(' ').nth(1) == Some("=");
    // "Error class" only repeats the name.
    let restates = words <= 3
        && text.trim_end_matches('.').rsplit(' ').next().is_some_and(|word| {
            matches!(word, "class" | "interface" | "struct" | "enum" | "type" | "module" | "trait")
        });
    let is_prose = letters(&text) * 10 >= text.chars().count() * 6;
    let is_code = ["();", "); ", " => ", " == ", "){", ") {", "::<", "--->", "<--", "does not work"]
        .iter()
        .any(|mark| text.contains(mark));
    const LICENCES: &[&str] = &[
        "terms of the",
        "distributed under",
        "freely distributable",
        "applicable law",
        "warranty",
        "warranties",
        "under the license",
        "hereby granted",
    ];
    let is_licence = LICENCES.iter().any(|words| lower.contains(words));
    (!is_pointer
        && !is_licence
        && starts_well
        && words >= 2
        && is_prose
        && !is_statement
        && !is_code
        && !is_count(&lower))
    .then_some(text)
}

/// Cuts a second sentence that only leads elsewhere.
fn without_pointer(text: &str) -> &str {
    let at =
        [". See ", ". Note ", ". Refer to ", ". For more"].iter().filter_map(|mark| text.find(mark)).min();
    at.map_or(text, |at| &text[..=at])
}

/// Puts the label in the place of `{@link Type#method(A, B) label}`. What has no spaces in its brackets is left to the caller.
fn labels(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{@link") {
        let Some(length) = rest[at..].find('}') else { break };
        plain.push_str(&rest[..at]);
        let inside = rest[at..at + length].split_once(' ').map_or("", |(_, inside)| inside.trim());
        let is_call = inside.find('(').filter(|open| !inside[..*open].contains(' '));
        let end = is_call.and_then(|_| inside.find(')')).map(|end| end + 1);
        match end {
            Some(end) if inside[end..].trim().is_empty() => {
                let target = inside.trim_start_matches('#').replace('#', ".");
                plain.push_str(target.split('(').next().unwrap_or(&target));
                plain.push_str("()");
            }
            Some(end) => plain.push_str(inside[end..].trim()),
            None => plain.push_str(&rest[at..=at + length]),
        }
        rest = &rest[at + length + 1..];
    }
    plain + rest
}

/// Returns the text up to its last whole sentence: one that leads to a list or is cut is none.
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

/// A number of things says nothing about what they are for.
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

/// Removes the commands of Doxygen and JSDoc that only mark the text behind them.
fn without_commands(text: &str) -> String {
    const WITH_TEXT: &[&str] =
        &["brief", "short", "summary", "desc", "description", "details", "abstract", "overview"];
    /// Commands whose word stays.
    const WORDS: &[&str] = &["c", "p", "a", "e", "em", "b", "ref", "code", "link", "ingroup"];
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let Some(name) = word.strip_prefix(['\\', '@']) else {
            words.push(word.to_owned());
            continue;
        };
        let is_marker = WITH_TEXT.contains(&name) || WORDS.contains(&name) || name == "fileoverview";
        if !is_marker {
            words.push(word.to_owned());
        }
    }
    words.join(" ")
}

/// Puts the words of links in the place of links: Markdown, reST, and Rust's `[`X`]`.
fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['[', '<']) {
        plain.push_str(&rest[..at]);
        let after = &rest[at..];
        // `text <https://x>`_ of reST
        if after.starts_with("<http") && plain.matches('`').count() % 2 == 1 {
            if let Some((_, left)) = after.split_once(">`") {
                let kept = plain.trim_end().len();
                plain.truncate(kept);
                if let Some(open) = plain.rfind('`') {
                    plain.remove(open);
                }
                rest = left.trim_start_matches('_');
                continue;
            }
        }
        let link = after.strip_prefix('[').and_then(link_words);
        match link {
            Some((words, left)) => {
                plain.push_str(words);
                rest = left;
            }
            None => {
                let first = after.chars().next().map_or(0, char::len_utf8);
                plain.push_str(&after[..first]);
                rest = &after[first..];
            }
        }
    }
    plain.push_str(rest);
    plain.replace("`_ ", "` ").replace("`__ ", "` ")
}

/// Removes `*` and `**` around words; that of a pointer or a product stays.
fn without_emphasis(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut plain = String::with_capacity(text.len());
    let bold = text.replace("**", "");
    let mut rest = bold.as_str();
    while let Some(at) = rest.find('*') {
        let (before, after) = rest.split_at(at);
        plain.push_str(before);
        let inside = &after[1..];
        let is_open = !plain.ends_with(|c: char| c.is_alphanumeric() || c == '`')
            && inside.starts_with(char::is_alphanumeric);
        let end = inside.char_indices().take(LONGEST).find(|(_, c)| *c == '*').map(|(end, _)| end);
        let end = end.filter(|end| {
            let next = inside[end + 1..].chars().next();
            inside[..*end].ends_with(|c: char| c.is_alphanumeric())
                && next.is_none_or(|c| !c.is_alphanumeric())
        });
        match end.filter(|_| is_open) {
            Some(end) => {
                plain.push_str(&inside[..end]);
                rest = &inside[end + 1..];
            }
            None => {
                plain.push('*');
                rest = inside;
            }
        }
    }
    plain + rest
}

/// Returns the words of `words](target)`, `words][target]` and ``words]`` in code, and what follows.
fn link_words(inside: &str) -> Option<(&str, &str)> {
    const LONGEST: usize = 200;
    let end = inside.char_indices().take(LONGEST).find(|(_, c)| *c == ']')?.0;
    let (words, after) = (&inside[..end], &inside[end + 1..]);
    if words.contains('[') {
        return None;
    }
    if let Some(target) = after.strip_prefix('(') {
        return target.split_once(')').map(|(_, left)| (words, left));
    }
    if let Some(target) = after.strip_prefix('[') {
        return target.split_once(']').map(|(_, left)| (words, left));
    }
    let is_path = words.contains("::") || words.starts_with(char::is_uppercase);
    let is_name = words.len() > 2 && words.chars().all(|c| c.is_alphanumeric() || "_:!()".contains(c));
    let is_code = words.starts_with('`') && words.ends_with('`') && words.len() > 2;
    (is_code || is_path && is_name).then_some((words, after))
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
            ("--- *** ---", None),
            ("TODO write more here.", None),
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

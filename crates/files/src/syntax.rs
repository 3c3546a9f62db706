//! Turns the error of the YAML parser into a diagnostic with advice. Parses nothing.

use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::{Error, Location, MessageFormatter, UserMessageFormatter};
use stategraph_yaml::span_of;

use super::diagnostic::Diagnostic;
use super::source::{SourceText, Span};
use super::tree::DEPTH_MAX;

/// Entries of three: a part of the parser's message, our message for it, and the hint.
const PARSER_MESSAGES: &[(&str, &str, &str)] = &[
    (
        "mapping values are not allowed",
        "a second `: ` on this line",
        "put the value in quotes, or its map on lines of its own",
    ),
    (
        "flow mapping, did not find",
        "a `{` is not closed, or a comma is missing",
        "close it with `}`, or write `,` between the entries",
    ),
    (
        "flow sequence, did not find",
        "a `[` is not closed, or a comma is missing",
        "close it with `]`, or write `,` between the items",
    ),
    (
        "block mapping, did not find",
        "this line is not indented as its neighbours",
        "entries of one map begin in the same column",
    ),
    (
        "block collection, did not find",
        "this line is not indented as its neighbours",
        "items of one list begin in the same column, each with `- `",
    ),
    (
        "simple key expected ':'",
        "this is neither `key: value` nor a list item",
        "write `key: value`; a space belongs after the colon",
    ),
    (
        "multiline quoted scalar",
        "text in quotes is not closed",
        "close the quotes; they may have been opened above",
    ),
    (
        "unexpected end of stream",
        "text in quotes is not closed",
        "close the quotes; they may have been opened above",
    ),
    (
        "mismatched bracket",
        "a bracket is closed by one of the other kind",
        "close `[` with `]` and `{` with `}`",
    ),
];

/// Returns the diagnostic for a file that the YAML parser refused, with our message and hint for its error.
pub(crate) fn diagnose(source: &SourceText, error: &Error) -> Diagnostic {
    let location = error.locations().map_or(Location::UNKNOWN, |at| at.reference_location);
    let span = locate(source, location);
    if let Some(tab) = tab_in_indentation(source, span.start).filter(|_| is_about_layout(error)) {
        return Diagnostic::new(source, tab, "a tab is used for indentation")
            .hint("indent with spaces; YAML does not allow tabs there");
    }
    let (message, hint) = explain(innermost(error));
    Diagnostic::new(source, span, message).hint(hint)
}

fn explain(error: &Error) -> (String, &'static str) {
    let fixed = |message: &str, hint| (message.to_owned(), hint);
    match error {
        Error::MultipleDocuments { .. } => {
            fixed("a second document begins here", "a graph file holds one graph; remove the `---`")
        }
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => fixed(
            "the aliases of this file expand to too many values",
            "write the values out, or use fewer aliases",
        ),
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => too_deep(),
        Error::Budget { .. } => {
            fixed("the file holds too many values to be a graph", "split it into several graphs")
        }
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            fixed("this alias refers to the value that contains it", "write the value out")
        }
        Error::UnknownAnchor { .. } => fixed(
            "there is no anchor of this name above",
            "define it with `&name`, or put text with a `*` in quotes",
        ),
        Error::NullIntoString { .. } => fixed("a key is empty", "write a name before the colon"),
        Error::Unexpected { expected: "string scalar", .. } => {
            fixed("a list or a map cannot be a key", "use text as the key")
        }
        other => explain_words(&UserMessageFormatter.format_message(other)),
    }
}

fn explain_words(words: &str) -> (String, &'static str) {
    if words.contains("recursion limit") || words.contains("nesting") {
        return too_deep();
    }
    match PARSER_MESSAGES.iter().find(|(part, ..)| words.contains(part)) {
        Some((_, message, hint)) => ((*message).to_owned(), hint),
        None => (
            words.replace(char::is_control, " "),
            "the file must be YAML or JSON; an editor that knows YAML shows the place",
        ),
    }
}

fn too_deep() -> (String, &'static str) {
    (
        format!("lists and maps are nested more than {DEPTH_MAX} deep"),
        "a graph file needs fewer than ten levels",
    )
}

fn innermost(mut error: &Error) -> &Error {
    while let Error::AliasError { error: inner, .. } | Error::WithSnippet { error: inner, .. } = error {
        error = inner;
    }
    error
}

/// Returns the byte range of a location that the parser reports. If the parser gives no bytes, it is one
/// character at its line and column.
fn locate(source: &SourceText, location: Location) -> Span {
    let span = span_of(location);
    if !span.is_empty() || location == Location::UNKNOWN {
        return span;
    }
    let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let start = source.start_of_line(number(location.line()));
    let line = &source.text[start..source.line_end(start)];
    let column = line
        .char_indices()
        .nth(number(location.column()).saturating_sub(1))
        .map_or(line.trim_end().len(), |(at, _)| at);
    let at = start + column;
    at..at + source.text[at..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8)
}

fn is_about_layout(error: &Error) -> bool {
    !matches!(innermost(error), Error::Budget { .. } | Error::AliasReplayLimitExceeded { .. })
}

/// Returns the span of a tab in the indentation of the line with the byte offset `at`, or of the previous
/// line.
fn tab_in_indentation(source: &SourceText, at: usize) -> Option<Span> {
    let here = source.line_start(at);
    let before = source.line_start(here.saturating_sub(1));
    [here, before].into_iter().find_map(|start| {
        let line = &source.text[start..source.line_end(start)];
        let tab = line.find(|c: char| c != ' ').filter(|at| line[*at..].starts_with('\t'))?;
        Some(start + tab..start + tab + 1)
    })
}

//! Recognises purposes in texts: whole sentences that say what the subject is for, without markup.

use super::markup::plain;
use super::openings::{OPENINGS, TOOLS};
use super::placeholders::is_placeholder;
use super::remarks::{tells_history, without_version_note};
use crate::text::purpose;

/// Maximum number of characters of a paragraph that are read.
const LONGEST: usize = 2_000;

/// Returns the purpose that a paragraph states, as plain text of at most two sentences; `None` if it states
/// none.
pub(super) fn purpose_of(paragraph: &str) -> Option<String> {
    purpose_unless(paragraph, &[])
}

/// Beginnings that instruct the reader of a document, and that describe a type or a function.
const IMPERATIVES: &[&str] = &["run ", "install", "download", "join "];

/// Returns the purpose in a paragraph of the documentation of a type or function. "Run the tests." says what
/// it does.
pub(super) fn purpose_of_definition(paragraph: &str) -> Option<String> {
    purpose_unless(paragraph, IMPERATIVES)
}

/// Returns the purpose that a paragraph states; `allowed` are openings that do not count against it.
fn purpose_unless(paragraph: &str, allowed: &[&str]) -> Option<String> {
    // Markup is read in time that grows with the square of the text.
    let head: String = paragraph.chars().take(LONGEST).collect();
    let text = purpose(&plain(&without_linked_sentences(&head)))?;
    // Pictures before the first word are decoration.
    let is_picture = |c: char| !c.is_ascii() && !c.is_alphanumeric() && !matches!(c, '“' | '‘' | '«' | '„');
    let text = text.trim().trim_matches(['*', '_']).trim_start_matches(|c| is_picture(c) || c == ' ').trim();
    let text = without_label(without_name(without_version_note(text)));
    let text = whole(without_code(without_aside(text)))?;
    // "... so better sign this" goes on from a name.
    let is_fragment = text.starts_with("...") || text.starts_with('…');
    (!is_fragment
        && states_purpose(&text, allowed)
        && !is_placeholder(&text)
        && !is_code(&text)
        && !is_licence(&text))
    .then_some(text)
}

/// Returns the purpose that the description in a manifest states; `None` if it states none. It accepts more
/// than `purpose_of`, because a description is always about the product: "Install and run applications".
pub(super) fn description_of(text: &str) -> Option<String> {
    if is_placeholder(text.trim()) {
        return None;
    }
    purpose_of(text).or_else(|| {
        let head: String = plain(&text.chars().take(LONGEST).collect::<String>());
        let words = head.split_whitespace().filter(|word| has_letter(word)).count();
        let is_prose = letters(&head) * 10 >= head.chars().count() * 6;
        let text = whole(head.trim()).filter(|_| words >= 4 && is_prose)?;
        (!is_code(&text) && !is_licence(&text) && !text.ends_with('?')).then_some(text)
    })
}

/// Returns the purpose in an introduction. Of a paragraph such as "We wanted a small server …", the first
/// sentence counts.
pub(super) fn introduction_of(paragraph: &str) -> Option<String> {
    const AUTHORS: &[&str] = &["We wanted ", "We needed ", "We built ", "We created ", "We made "];
    let head: String = paragraph.chars().take(LONGEST).collect();
    let text = purpose(&plain(&without_linked_sentences(&head)))?;
    if !AUTHORS.iter().any(|start| text.starts_with(start)) {
        return purpose_of(paragraph);
    }
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    let first = whole(&text[..end])?;
    (first.split_whitespace().count() >= 5 && !is_code(&first) && !is_licence(&first)).then_some(first)
}

/// Removes sentences that are wholly a link, because they lead to other documents.
fn without_linked_sentences(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let (before, link) = rest.split_at(at);
        kept.push_str(before);
        let is_start = kept.trim_end().is_empty() || kept.trim_end().ends_with(['.', '!', '?']);
        let target = link_target(link).filter(|_| is_start && !kept.ends_with('!'));
        let is_sentence = |(words, after): &(&str, &str)| {
            let is_whole = words.ends_with(['.', '!', '?']) || after.starts_with(['.', '!', '?']);
            after.trim().is_empty() || is_whole
        };
        if let Some((_, after)) = target.filter(is_sentence) {
            rest = after.trim_start_matches(['.', '!', '?']);
        } else {
            kept.push('[');
            rest = &link[1..];
        }
    }
    kept + rest
}

/// Splits a text that begins with a link into the words of the link and the rest after it; `None` if it
/// begins with none.
fn link_target(text: &str) -> Option<(&str, &str)> {
    let (words, after) = text.strip_prefix('[')?.split_once(']')?;
    let close = match after.chars().next()? {
        '(' => ')',
        '[' => ']',
        _ => return None,
    };
    let (_, left) = after[1..].split_once(close)?;
    (!words.contains('[')).then_some((words, left))
}

/// Removes the name of the function or type at the start: `shop_open() : opens the shop` → `opens the
/// shop`.
fn without_name(text: &str) -> &str {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let called = text.split_once("() :").or_else(|| text.split_once("():"));
    if let Some((_, rest)) = called.filter(|(name, _)| is_name(name)) {
        return rest.trim_start();
    }
    // `enum shop_kind - The kinds of a shop` of C, `ShopKind - the kinds` of Go.
    let Some((name, rest)) = text.split_once(" - ") else { return text };
    let name = ["struct ", "enum ", "union "].iter().find_map(|word| name.strip_prefix(word)).unwrap_or(name);
    let bare = name.strip_suffix("()").unwrap_or(name);
    let is_written = bare.contains('_')
        || bare.chars().skip(1).any(char::is_uppercase) && bare.chars().any(char::is_lowercase);
    if is_name(bare) && (is_written || bare.len() < name.len()) { rest.trim_start() } else { text }
}

/// Removes a label at the start of a description: "Description: Finds files" → "Finds files".
fn without_label(text: &str) -> &str {
    const LABELS: &[&str] = &["description", "purpose", "summary", "synopsis", "overview", "abstract"];
    let Some((label, rest)) = text.split_once(": ") else { return text };
    if LABELS.contains(&label.to_lowercase().as_str()) { rest.trim_start() } else { text }
}

/// Returns true if a text is prose that says something about its subject; false for remarks, credits,
/// questions, advice and texts that only repeat a name. `allowed` are openings that do not count against it.
fn states_purpose(text: &str, allowed: &[&str]) -> bool {
    const KINDS: &[&str] = &[
        "class",
        "interface",
        "struct",
        "enum",
        "type",
        "module",
        "trait",
        "definition",
        "exception",
        "controller",
        "implementation",
        "object",
    ];
    let lower = text.to_lowercase();
    // "Same as `X` but waits" tells the difference.
    let is_different =
        lower.starts_with("same as ") && [" but ", " except "].iter().any(|it| lower.contains(it));
    let leads_elsewhere = !is_different
        && OPENINGS.iter().filter(|start| !allowed.contains(start)).any(|start| {
            let rest = lower.strip_prefix(start);
            rest.is_some_and(|rest| {
                !start.ends_with(char::is_alphanumeric) || !rest.starts_with(char::is_alphanumeric)
            })
        });
    let names_tool = TOOLS.iter().any(|tool| {
        lower.strip_prefix(tool).is_some_and(|rest| {
            tool.starts_with('<') || !rest.starts_with(" is ") && !rest.starts_with(char::is_alphanumeric)
        })
    });
    let starts_well =
        text.starts_with(|c: char| c.is_alphanumeric() || "`\"'“‘.$@:_/<{".contains(c) || !c.is_ascii());
    let words = without_brackets(text).split_whitespace().filter(|word| has_letter(word)).count();
    // "For old systems we use …" is a remark of the authors about the lines below.
    let first = lower.split(". ").next().unwrap_or_default();
    let begins = ["for ", "to ", "in ", "on ", "as ", "with "].iter().any(|start| first.starts_with(start));
    let is_reason = begins && first.split(' ').any(|word| word == "we") || first.contains(" is going to ");
    let end = [". ", "! ", "? "].iter().filter_map(|mark| lower.find(mark)).min();
    let is_question = end.map_or(lower.as_str(), |end| &lower[..=end]).ends_with('?');
    let last = text.trim_end_matches('.').rsplit(' ').next().unwrap_or_default();
    // "Error class" only repeats the name.
    let opening = lower.split(' ').next().unwrap_or_default();
    let is_pair = lower.split_whitespace().count() == 2 && KINDS.contains(&opening);
    let restates = words <= 3 && KINDS.contains(&last) || is_pair;
    let is_credit =
        [" adapted from ", " created by ", " contributed by "].iter().any(|it| first.contains(it));
    let leads_on =
        [" documented here", ", see "].iter().any(|it| first.contains(it)) || first.ends_with(" here:.");
    let is_advice = lower.starts_with("to ") && first.contains(", you ");
    let is_because = first.contains(" because ");
    let is_prose = letters(text) * 10 >= text.chars().count() * 6;
    !leads_elsewhere
        && !names_tool
        && !first.contains(" in the readme")
        && !first.contains(" not recommended for ")
        && !is_reason
        && !is_because
        && !is_advice
        && !leads_on
        && !is_credit
        && !tells_history(text.split(". ").next().unwrap_or(text))
        && !is_question
        && starts_well
        && words >= 2
        && !restates
        && is_prose
        && !is_count(&lower)
}

/// Removes those sentences of a purpose after the first one if they contain code.
fn without_code(text: &str) -> &str {
    let first = text.find(". ").map_or(text, |at| &text[..=at]);
    if is_code(text) && !is_code(first) { first } else { text }
}

fn has_letter(word: &str) -> bool {
    word.chars().any(char::is_alphabetic)
}

/// Returns the text without brackets at its end: "Fast (see below)" → "Fast".
fn without_brackets(text: &str) -> &str {
    let is_closed = text.trim_end_matches('.').ends_with(')');
    text.split_once(" (").filter(|_| is_closed).map_or(text, |(before, _)| before)
}

/// Returns true if the text looks like source code.
fn is_code(text: &str) -> bool {
    const MARKS: &[&str] =
        &["();", "); ", " => ", " == ", "){", ") {", "::<", "--->", "<--", "does not work"];
    let is_assigned = text.split(' ').next().is_some_and(|word| word.contains("=\""));
    let is_statement = is_assigned || text.starts_with("return ") && text.contains("(\"");
    // `${name}` is a placeholder in prose too.
    let is_block_end = text.ends_with([';', '{']) || text.ends_with('}') && !text.contains("${");
    MARKS.iter().any(|mark| text.contains(mark))
        || is_statement
        || is_block_end
        || text.split(' ').nth(1) == Some("=")
}

/// Returns true if the text is about the licence or the authors, unless it defines the subject first.
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
        "redistribute it",
        "redistribute and",
        "same terms as",
        "public domain",
        "subject to the",
        "accompanying license",
        "license file",
        "was originally written",
        "originally written by",
        "was written by",
    ];
    let lower = text.to_lowercase();
    let is_dated = ["(c) 19", "(c) 20"].iter().any(|mark| lower.contains(mark));
    let named = WORDS.iter().filter_map(|words| lower.find(words)).min();
    // "X is a small proxy released under …" says what X is.
    let is_defined = named.and_then(|at| lower.get(..at)).is_some_and(|before| {
        let is_release =
            ["released under", "distributed under"].iter().any(|it| lower[before.len()..].starts_with(it));
        is_release && !before.contains(". ") && defines(before) && before.split_whitespace().count() >= 6
    });
    is_dated || named.is_some() && !is_defined
}

/// Beginnings, in lower case, of second sentences that say nothing about the subject.
const ASIDES: &[&str] = &[
    "see ",
    "please see",
    "please refer",
    "note ",
    "note:",
    "refer to",
    "for more",
    "for further",
    "for details",
    "for full",
    "for documentation",
    "for an overview",
    "for a list",
    "more info",
    "more detail",
    "more documentation",
    "further info",
    "further detail",
    "details ",
    "read more",
    "learn more",
    "find out more",
    "check out",
    "visit ",
    "look at",
    "have a look",
    "take a look",
    "documentation ",
    "the documentation",
    "full documentation",
    "examples ",
    "an example",
    "consider ",
    "prefer ",
    "you should use",
    "you may want",
    "you might want",
    "you probably",
    "in future",
    "in the future",
    "it started",
    "i started",
    "i wrote",
    "i made",
    "it began",
    "this started",
    "the license",
    "the licence",
    "this license",
    "originally",
    "historically",
    "formerly",
    "previously",
    "it was ",
    "this was ",
    "they were ",
    "inspired by",
    "based on",
    "adapted from",
    "ported from",
    "copied from",
    "taken from",
    "derived from",
    "written by",
    "created by",
    "developed by",
    "maintained by",
    "author",
    "thanks",
    "credit",
    "copyright",
    "licensed",
    "license",
    "released under",
    "distributed under",
    "you can redistribute",
    "todo",
    "fixme",
    "this file was",
    "this code was",
    "this class was",
];

/// Phrases that mark a second sentence as saying nothing about the subject, wherever they occur in it.
const ASIDE_PARTS: &[&str] = &[
    "simpler to use",
    "easier to use the",
    "better to use",
    "recommended to use",
    "instead use",
    "was written by",
    "was created by",
    "was originally",
    "used to be",
    "has been moved",
    "has been renamed",
    "redistribute it",
    "released under",
    "distributed under",
    "licensed under",
    "terms of the",
    "more information",
    "for more details",
    "can be found at",
    "can be found in",
    "can be found here",
    "is available at",
    "are available at",
    "documented at",
];

/// Removes the second sentence of a purpose if it says nothing about the subject, such as "See the docs."
fn without_aside(text: &str) -> &str {
    let ends = [". ", "! ", "? "].iter().filter_map(|mark| text.find(mark)).min();
    let Some(end) = ends else { return text };
    let second = text[end + 2..].trim_start_matches(['(', ' ']).to_lowercase();
    let is_aside = ASIDES.iter().any(|start| second.starts_with(start))
        || ASIDE_PARTS.iter().any(|part| second.contains(part))
        || second.ends_with('?')
        || second.trim_end_matches(['.', ')', '!']).ends_with(" here");
    if is_aside { &text[..=end] } else { text }
}

/// Returns the text up to its last complete sentence. A sentence that is cut or leads to a list is not
/// complete. `None` if nothing is left.
fn whole(text: &str) -> Option<String> {
    const OPEN: &[&str] = &[
        "as", "the", "a", "an", "and", "or", "of", "if", "when", "that", "with", "for", "by", "from", "where",
    ];
    let text = if text.ends_with(" if:") || text.ends_with(" when:") || text.ends_with(" that:") {
        text.trim_end_matches(':')
    } else {
        text
    };
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

/// Returns the number of letters and spaces.
fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).count()
}

/// Returns true for a mere count, such as "3 files", given in lower case.
fn is_count(lower: &str) -> bool {
    let mut words = lower.split_whitespace();
    let starts_with_number = words.next().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit()));
    let what = words.next().unwrap_or_default().trim_end_matches(['.', ',']);
    starts_with_number && ["files", "classes", "functions", "lines", "modules", "tests"].contains(&what)
}

/// Returns true if the text defines its subject: "X is a …", and states a purpose.
pub(super) fn is_definition(text: &str) -> bool {
    defines(text) && purpose_of(text).is_some()
}

/// Returns true if "is a", "is an" or "is the" is among the first nine words, after at least one other
/// word.
fn defines(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(9).collect();
    words
        .windows(2)
        .skip(1)
        .any(|pair| pair[0] == "is" && ["a", "an", "the"].contains(&pair[1].to_lowercase().as_str()))
}

#[cfg(test)]
mod tests;

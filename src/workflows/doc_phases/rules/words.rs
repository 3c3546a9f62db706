//! Sentences out of code and facts. Knows no phase.

use crate::facts::without_strong;
use crate::workflows::doc_phases::memory::OmittedCounts;

/// Maximum length of a sentence that is taken from documentation, in characters.
const SENTENCE: usize = 400;

/// Returns the first sentence of a documentation text as plain text, at most [`SENTENCE`] characters. `None`
/// if it has no prose, or refers to a sentence before it. A full stop ends it only before white space and a
/// capital letter, a code span or a link, so that `e.g. this` and `Vec.new` go on.
pub(super) fn first_sentence(docs: &str) -> Option<String> {
    let paragraph: Vec<&str> =
        docs.lines().map(str::trim).skip_while(|line| !says(line)).take_while(|line| says(line)).collect();
    let whole = plain(without_tags(&paragraph.join(" ")));
    let whole = whole.trim_start_matches(['#', '=', '*', '-', ' ']).trim();
    let whole = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    let ends = whole.match_indices(['.', '!', '?', '。']).find(|(at, stop)| {
        let rest = &whole[at + stop.len()..];
        let next = rest.trim_start().chars().next();
        rest.starts_with(' ')
            && next.is_some_and(|c| c.is_uppercase() || c == '`' || c == '[')
            && !whole[..*at].ends_with("e.g")
            && !whole[..*at].ends_with("i.e")
    });
    let end = ends.map_or(whole.len(), |(at, stop)| at + stop.len());
    let sentence: String = whole[..end].trim().chars().take(SENTENCE).collect();
    // It goes on from a sentence that is not there.
    if ["Otherwise", "However", "But "].iter().any(|start| sentence.starts_with(start)) {
        return None;
    }
    (sentence.chars().filter(|c| c.is_alphabetic()).count() >= 3).then_some(sentence)
}

/// Returns the text of a README before the first heading about installing, using, building or licensing,
/// without code blocks.
pub(super) fn before_use(readme: &str) -> String {
    const USES: [&str; 7] = ["install", "usage", "getting", "quick", "build", "download", "license"];
    let mut is_code = false;
    let mut prose = String::new();
    for line in readme.lines() {
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        is_code ^= is_fence;
        let title = line.strip_prefix("##").map(|rest| rest.trim_start_matches(['#', ' ']).to_lowercase());
        if !is_code && title.is_some_and(|title| USES.iter().any(|word| title.starts_with(word))) {
            break;
        }
        prose.push_str(if is_code || is_fence { "" } else { line });
        prose.push('\n');
    }
    prose
}

/// Removes documentation markup (links, code spans, roles, stress) from a text, because documents would
/// escape it.
fn plain(text: &str) -> String {
    let text = without_strong(text).replace("{@link ", "{@code ");
    let mut found = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['[', '`', '{']) {
        let (before, from) = rest.split_at(at);
        found.push_str(before);
        rest = &from[1..];
        if from.starts_with('`') {
            drop_role(&mut found);
        } else if let Some(inside) = from.strip_prefix("{@code ") {
            let (name, after) = inside.split_once('}').unwrap_or((inside, ""));
            found.push_str(name);
            rest = after;
        } else if let Some((name, after)) = link(from) {
            found.push_str(&plain(name));
            rest = after;
        } else {
            found.push_str(&from[..1]);
        }
    }
    found.push_str(rest);
    found
}

/// Returns the text before the first tag such as ` @param`.
fn without_tags(text: &str) -> &str {
    let tag = |at: &usize| text[at + 2..].starts_with(|c: char| c.is_ascii_lowercase());
    let end = text.match_indices(" @").map(|(at, _)| at).find(tag);
    &text[..end.unwrap_or(text.len())]
}

/// Removes a reST role such as `:class:` or `:py:class:` from the end of the text.
fn drop_role(text: &mut String) {
    fn before(text: &str) -> Option<usize> {
        let at = text.rfind(':')?;
        let name = &text[at + 1..];
        (!name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic() || c == '-')).then_some(at)
    }
    let Some(inner) = text.strip_suffix(':') else { return };
    if let Some(start) = before(inner) {
        // A domain stands before the role.
        let start = before(&inner[..start]).unwrap_or(start);
        text.truncate(start);
    }
}

/// Parses a link at the beginning of a text (`[text](target)`, `[text][target]`, or a code span in square
/// brackets). Returns its text and the rest.
fn link(from: &str) -> Option<(&str, &str)> {
    let (name, after) = from.strip_prefix('[')?.split_once(']')?;
    let target = |open, close| Some(after.strip_prefix(open)?.split_once(close)?.1);
    match target('(', ')').or_else(|| target('[', ']')) {
        Some(after) => Some((name, after)),
        None => name.starts_with('`').then_some((name, after)),
    }
}

/// Returns true if a line of documentation is prose: no heading, rule, badge, picture, link list or tag.
fn says(line: &str) -> bool {
    let line = line.trim();
    let plain = line.trim_start_matches(['>', ' ']);
    let decorated =
        ["#", "[!", "![", "<", "---", "===", "***", "```", "|", ".. ", "@", ":", "~~~", "Copyright", "SPDX"];
    let is_link =
        plain.starts_with('[') && (plain.contains("]:") || plain.ends_with(')') && !plain.contains(") "));
    !plain.is_empty() && !decorated.iter().any(|start| plain.starts_with(start)) && !is_link
}

/// Returns a number with its noun: `1 file`, `2 files`.
pub(super) fn count(number: usize, one: &str) -> String {
    let many = match one {
        "match" => "matches".to_owned(),
        _ if one.ends_with('y') && !one.ends_with("ey") => format!("{}ies", &one[..one.len() - 1]),
        _ if one.ends_with('s') => format!("{one}es"),
        _ => format!("{one}s"),
    };
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

/// Returns items as a list in words: `a`, `a and b`, `a, b and c`. Beyond `limit`, the number of the others
/// ends it: `a, b and 3 more`.
pub(super) fn enumerate<T: AsRef<str>>(items: &[T], limit: usize) -> String {
    let mut shown: Vec<String> = items.iter().take(limit).map(|item| item.as_ref().to_owned()).collect();
    if items.len() > limit {
        shown.push(format!("{} more", items.len() - limit));
    }
    match shown.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}

/// Returns items as a list in words; of more than `limit`, the first ones `and others`.
pub(super) fn some_of(items: &[String], limit: usize) -> String {
    if items.len() <= limit {
        return enumerate(items, limit);
    }
    format!("{} and others", items[..limit].join(", "))
}

/// Returns the first `most` items of a list. The number of the others is inserted into `more` under `name`.
pub(super) fn cut<T>(mut all: Vec<T>, most: usize, name: &str, more: &mut OmittedCounts) -> Vec<T> {
    if all.len() > most {
        more.insert(name.to_owned(), all.len() - most);
        all.truncate(most);
    }
    all
}

/// Returns the value limited to 0 to 1 and rounded to two places, so that it is equal on all machines.
pub(super) fn confidence(value: f64) -> f64 {
    (value.clamp(0.0, 1.0) * 100.0).round() / 100.0
}

/// Returns `part / all`, at most 1; 1 if `all` is 0.
#[allow(clippy::cast_precision_loss, reason = "counts of files are small")]
pub(super) fn share(part: usize, all: usize) -> f64 {
    if all == 0 { 1.0 } else { (part as f64 / all as f64).min(1.0) }
}

/// Returns true if a line of code looks like a comment: it begins with `//`, `/*`, `* ` or `# `.
pub(super) fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("//") && !line.starts_with("//go:build")
        || line.starts_with("* ")
        || line.starts_with("/*")
        || line.starts_with("# ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_installation_of_a_readme_are_no_purpose() {
        let said = |readme: &str| first_sentence(&before_use(readme)).unwrap_or_default();
        assert_eq!(
            said("# Clock\n\n```sh\nbrew install clock\n```\n\nCounts down. It ends.\n"),
            "Counts down."
        );
        assert_eq!(said("# Clock\n\n## Install\n\nbrew has it.\n"), "");
    }

    #[test]
    fn the_first_sentence_is_prose_without_markup() {
        let said = |text: &str| first_sentence(text).unwrap_or_default();
        assert_eq!(said("Opens a store. Makes it."), "Opens a store.");
        assert_eq!(
            said("Reads, e.g. `Vec.new`, and goes on\nto the end"),
            "Reads, e.g. Vec.new, and goes on to the end"
        );
        assert_eq!(
            said("# Title\n\n[![badge](x)](y)\n\nThe [flow problem][max] of [`Graph`]. More."),
            "The flow problem of Graph."
        );
        assert_eq!(
            said("Sends :py:class:`Request <x>` by {@link Client} to **all**."),
            "Sends Request <x> by Client to all."
        );
        assert_eq!(said("Groups them. @param {a} b @returns c"), "Groups them.");
        assert_eq!(said("Takes [a; 3] and [unclosed"), "Takes [a; 3] and [unclosed");
        assert_eq!(said("```\ncode\n```"), "code");
        assert_eq!(said("---\n***\n"), "");
        assert_eq!(said(&"word ".repeat(1_000)).chars().count(), SENTENCE);
    }

    #[test]
    fn numbers_agree_with_their_nouns_and_lists_end_in_and() {
        assert_eq!(
            (count(1, "file"), count(0, "query"), count(2, "match")),
            ("1 file".into(), "0 queries".into(), "2 matches".into())
        );
        assert_eq!(enumerate(&["a", "b", "c"], 3), "a, b and c");
        assert_eq!(enumerate(&["a", "b", "c", "d"], 2), "a, b and 2 more");
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!((some_of(&names, 3), some_of(&names, 2)), ("a, b and c".into(), "a, b and others".into()));
        assert_eq!((enumerate(&["a"], 3), enumerate::<&str>(&[], 3)), ("a".to_owned(), String::new()));
    }
}

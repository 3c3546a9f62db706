//! Removes markup from comments: commands of Doxygen, `JSDoc` and `RDoc`, links, emphasis. HTML and the
//! tags of Javadoc are handled in `text`.

use crate::text::without_strong;

/// Returns a paragraph of documentation (Markdown, reST, `RDoc`, Doxygen, `JSDoc`) without its markup;
/// inline code keeps its backticks.
pub(super) fn plain(paragraph: &str) -> String {
    let linked = without_links(&without_commands(&labels(&without_rdoc(paragraph))));
    // Stars in code are no emphasis.
    let parts = linked.split('`').enumerate();
    let plain: Vec<String> =
        parts.map(|(at, part)| if at % 2 == 1 { part.to_owned() } else { without_emphasis(part) }).collect();
    plain.join("`")
}

/// Replaces `{words}[https://x]` and `+word+` of `RDoc` by their words.
fn without_rdoc(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let target = |text: &str| {
        ["}[http", "}[rdoc-", "}[link:", "}[mailto:"].iter().filter_map(|mark| text.find(mark)).min()
    };
    while let Some(at) = target(rest) {
        let (before, after) = rest.split_at(at);
        let (Some(open), Some(end)) = (before.rfind('{'), after.find(']')) else { break };
        plain.push_str(&before[..open]);
        plain.push_str(&before[open + 1..]);
        rest = &after[end + 1..];
    }
    plain.push_str(rest);
    let plain = without_references(&plain);
    let is_marked = |word: &str| {
        let inner =
            word.trim_end_matches(['.', ',', ';', ')']).strip_prefix('+').and_then(|it| it.strip_suffix('+'));
        inner.is_some_and(|it| it.starts_with(char::is_alphabetic) && !it.contains('+'))
    };
    let words =
        plain.split(' ').map(|word| if is_marked(word) { word.replace('+', "") } else { word.to_owned() });
    words.collect::<Vec<_>>().join(" ")
}

/// Replaces YARD references `{A::B#c}` by `A::B#c`.
fn without_references(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, after) = rest.split_at(at);
        plain.push_str(before);
        let inside = after[1..].split('}').next().unwrap_or_default();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '#' | '=' | '?' | '!');
        let is_name = inside.contains("::") || inside.contains('#');
        let is_constant =
            inside.starts_with(|c: char| c.is_uppercase() || c == '#') && inside.chars().all(is_part);
        if is_name
            && is_constant
            && inside.len() > 1
            && after.len() > inside.len() + 1
            && !before.ends_with('$')
        {
            plain.push_str(inside.trim_start_matches('#'));
            rest = &after[inside.len() + 2..];
        } else {
            plain.push('{');
            rest = &after[1..];
        }
    }
    plain + rest
}

/// Removes commands of Doxygen and `JSDoc` that only mark the text after them, such as `@brief`.
fn without_commands(text: &str) -> String {
    const WITH_TEXT: &[&str] =
        &["brief", "short", "summary", "desc", "description", "details", "abstract", "overview"];
    /// Commands that mark the next word, which stays.
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

/// Replaces `{@link Type#method(A, B) label}` by its label, or by the name without packages if it has none.
/// Links without arguments in brackets are left as they are.
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
                plain.push_str(&without_package(&inside.trim_start_matches('#').replace('#', ".")));
            }
            Some(end) => plain.push_str(inside[end..].trim()),
            None => plain.push_str(&rest[at..=at + length]),
        }
        rest = &rest[at + length + 1..];
    }
    plain + rest
}

/// Removes the package from a Java name: `a.b.Type.method(A)` → `Type.method(A)`.
fn without_package(target: &str) -> String {
    let name = target.split('(').next().unwrap_or(target);
    let is_package = |part: &&str| part.starts_with(|c: char| c.is_ascii_lowercase());
    let parts = name.split('.').count();
    let packages = name.split('.').take_while(is_package).count();
    let cut: usize = name.split('.').take(packages).map(|part| part.len() + 1).sum();
    if packages < parts { target[cut..].to_owned() } else { target.to_owned() }
}

/// Replaces links by their words, in Markdown, reST and Rust (``[`X`]``).
pub(crate) fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['[', '<']) {
        plain.push_str(&rest[..at]);
        let after = &rest[at..];
        // `text <https://x>`_ of reST
        let in_code = after.starts_with('<') && plain.matches('`').count() % 2 == 1 && plain.ends_with(' ');
        let target = after.split_once(">`").filter(|(target, _)| !target[1..].contains([' ', '`', '<', '>']));
        let open = plain.rfind('`').filter(|_| in_code);
        if let (Some((target, left)), Some(open)) = (target, open) {
            // The words of a role stay in code, those of a hyperlink are text.
            let is_link = left.starts_with('_') || target.contains("://");
            if is_link || plain[..open].ends_with(':') {
                let kept = plain.trim_end().len();
                plain.truncate(kept);
                if is_link {
                    plain.remove(open);
                } else {
                    plain.push('`');
                }
                rest = left.trim_start_matches('_');
                continue;
            }
        }
        // `map[string][]int` is a type.
        let is_index = plain.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ']'));
        let inside = after.strip_prefix('[').filter(|_| !is_index);
        if let Some((words, left)) = inside.and_then(link_words) {
            plain.push_str(words);
            rest = left;
        } else {
            // Both marks are one byte long.
            plain.push_str(&after[..1]);
            rest = &after[1..];
        }
    }
    plain.push_str(rest);
    plain.replace("`_ ", "` ").replace("`__ ", "` ")
}

/// Splits the text after a `[` into the words of the link and the rest after it: `words](target)`,
/// `words][target]`, or a name in code. Returns `None` if it is no link.
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
    let is_path = words.contains("::") || words.contains('.') || words.starts_with(char::is_uppercase);
    let is_name = words.len() > 2 && words.chars().all(|c| c.is_alphanumeric() || "_:!().".contains(c));
    let is_code = words.starts_with('`') && words.ends_with('`') && words.len() > 2;
    (is_code || is_path && is_name).then_some((words, after))
}

/// Removes `*` and `**` around words; other stars, as of pointers, stay.
fn without_emphasis(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut plain = String::with_capacity(text.len());
    let is_paired = text.matches("**").count().is_multiple_of(2);
    let bold = if is_paired { without_strong(text) } else { text.to_owned() };
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
        if let Some(end) = end.filter(|_| is_open) {
            plain.push_str(&inside[..end]);
            rest = &inside[end + 1..];
        } else {
            plain.push('*');
            rest = inside;
        }
    }
    plain + rest
}

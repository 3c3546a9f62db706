//! Converts texts of strangers to plain text: removes markup and characters that hide or reorder words, and
//! cuts at the end of a sentence.

mod html_comments;

use std::borrow::Cow;

pub use html_comments::without_html_comments;
pub(crate) use stategraph_base::has_secret;
use stategraph_base::{is_deceptive, is_text_element};

use crate::purposes::markup::without_links;

/// Maximum length of a text in a fact, in characters.
const CHARS: usize = 400;
/// Maximum number of sentences of a text.
const SENTENCES: usize = 2;

/// Words of licences, generated files and tool directives; a text with one of them states no purpose.
const NOTICES: &[&str] = &[
    "copyright",
    "all rights reserved",
    "licensed under",
    "license header",
    "spdx-license",
    "code generated",
    "do not edit",
    "automatically generated",
    "auto-generated",
    "go:build",
    "eslint-disable",
    "ts-nocheck",
    "todo",
    "fixme",
];

/// Returns true for the path of a Markdown document.
pub(crate) fn is_markdown(path: &str) -> bool {
    let lower = path.to_lowercase();
    [".md", ".markdown", ".mdown", ".mkd", ".mdx"].iter().any(|end| lower.ends_with(end))
}

/// Returns a text without control characters (line breaks and tabs stay) and without characters that hide
/// words or change their order.
pub fn visible(text: &str) -> String {
    // Selectors of variants would only be noise in a line.
    let is_hidden = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || is_deceptive(c)
            || matches!(c, '\u{fe00}'..='\u{fe0f}')
    };
    text.chars().filter(|c| !is_hidden(*c)).collect()
}

/// Removes the marks `**` around words; between letters or digits they are an operator: `2**10`. Code in backticks stays.
pub fn without_strong(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let (mut is_in_code, mut marks_left) = (false, text.matches('`').count());
    while let Some(at) = rest.find("**") {
        let marks = rest[..at].matches('`').count();
        is_in_code ^= marks % 2 == 1;
        marks_left -= marks;
        plain.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let is_power =
            plain.ends_with(char::is_alphanumeric) && after.starts_with(|c: char| c.is_ascii_digit());
        // A single mark of code without its end is a plain sign.
        if is_power || is_in_code && marks_left > 0 {
            plain.push_str("**");
        }
        rest = after;
    }
    plain + rest
}

/// Returns a paragraph of a comment or document as plain text on one line: without HTML, Javadoc and reST
/// markup, cut to two sentences. Returns `None` for a text without meaning: fewer than two words, a
/// licence, or one with a secret.
pub fn purpose(paragraph: &str) -> Option<String> {
    text_without(paragraph, is_tag).map(|text| first_sentences(&without_links(&text)))
}

/// Returns the help of an option or command like [`purpose`], but uncut up to 400 characters, because
/// limits and defaults are at its end. Placeholders such as `<file>` and `<title>` stay.
pub(crate) fn help_text(text: &str) -> Option<String> {
    let text = text_without(text, is_style)?;
    Some(if text.chars().count() <= CHARS { text } else { first_sentences(&text) })
}

/// Returns a text as plain text on one line, as `purpose` and `help_text` need it, but uncut; HTML tags for
/// whose name `is_removed` returns true are removed. `None` for a text without meaning or with a secret.
fn text_without(paragraph: &str, is_removed: fn(&str) -> bool) -> Option<String> {
    let line = visible(paragraph).split_whitespace().collect::<Vec<_>>().join(" ");
    // Behind the summary of C# come results and parameters.
    let line = ["<returns>", "<param ", "<exception ", "<typeparam ", "<remarks>", "<example>"]
        .iter()
        .filter_map(|tag| line.find(tag))
        .filter(|at| *at > 0)
        .min()
        .map_or(line.as_str(), |end| &line[..end]);
    // A documentation may have nothing but its result.
    let line = line.strip_prefix(":return: ").or_else(|| line.strip_prefix(":returns: ")).unwrap_or(line);
    let plain = without_tags(&without_inline_tags(&without_roles(&without_emoji(line))), is_removed);
    let plain = plain.replace("``", "`").split_whitespace().collect::<Vec<_>>().join(" ");
    // A tag of Javadoc ends the description.
    let plain = [" @param", " @return", " @since", " @author", " :param"]
        .iter()
        .fold(plain.as_str(), |text, tag| text.split(tag).next().unwrap_or(text))
        .trim();
    let words = plain.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    let lower = plain.to_lowercase();
    let is_notice = NOTICES.iter().any(|notice| has_words(&lower, notice));
    let says_something = words >= 2 && !plain.starts_with('@') && !is_notice && !has_secret(plain);
    says_something.then(|| plain.to_owned())
}

/// Removes codes of emoji, which GitHub shows as pictures: `:tada:`.
pub(crate) fn without_emoji(text: &str) -> Cow<'_, str> {
    const FIELDS: &[&str] = &["param", "return", "returns", "raise", "raises", "type", "rtype", "note"];
    let is_code = |word: &str| {
        let name = word.strip_prefix(':').and_then(|it| it.strip_suffix(':')).unwrap_or_default();
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '+' | '-');
        name.len() > 1 && name.chars().all(is_part) && !FIELDS.contains(&name)
    };
    if !text.split_whitespace().any(is_code) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split(' ').filter(|word| !is_code(word)).collect::<Vec<_>>().join(" "))
}

/// Returns true if the text contains these words as whole words: "todos" does not contain "todo".
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        !text[..at].ends_with(char::is_alphanumeric)
            && !text[at + words.len()..].starts_with(char::is_alphanumeric)
    })
}

/// Returns the first two sentences of a text, or as many as fit into 400 characters; a longer first
/// sentence is cut and ends in `…`.
fn first_sentences(text: &str) -> String {
    let mut ends = Vec::new();
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_end = matches!(c, '.' | '!' | '?') && next.is_none_or(char::is_whitespace);
        // `e.g.` and initials end no sentence.
        let is_short =
            text[..at].rsplit([' ', '(']).next().is_some_and(|word| word.len() <= 1 || word.contains('.'));
        if is_end && !(c == '.' && is_short) && !before.is_whitespace() {
            ends.push(at + c.len_utf8());
        }
        before = c;
    }
    let whole = ends.iter().take(SENTENCES).rfind(|end| text[..**end].chars().count() <= CHARS);
    let cut = whole.or(ends.first().filter(|_| text.chars().count() > CHARS)).copied().unwrap_or(text.len());
    let kept = &text[..cut];
    if kept.chars().count() <= CHARS {
        return kept.to_owned();
    }
    let head: String = kept.chars().take(CHARS).collect();
    format!("{}…", head.rsplit_once(' ').map_or(head.as_str(), |(head, _)| head))
}

/// Tags that may be inside a word; they are removed without leaving a space.
const INLINE: &[&str] = &[
    "see",
    "paramref",
    "typeparamref",
    "a",
    "b",
    "i",
    "em",
    "strong",
    "code",
    "tt",
    "span",
    "kbd",
    "sub",
    "sup",
];

/// HTML tags that only style a text.
const STYLES: &[&str] = &["a", "b", "i", "u", "em", "strong", "tt", "br", "p", "span", "kbd", "pre"];

/// Further tags that are removed: those of HTML articles and of C# documentation.
#[rustfmt::skip]
const OTHER_TAGS: &[&str] = &[
    "acronym", "address", "article", "big", "c", "caption", "cite", "col", "description", "dfn", "example", "exception",
    "figure", "footer", "header", "include", "inheritdoc", "item", "list", "listheader", "main", "para", "param",
    "paramref", "q", "remarks", "returns", "see", "seealso", "term", "typeparam", "typeparamref", "value",
];

/// Returns true for the name of an HTML tag or of one of C# documentation. Anything else in angle brackets
/// is text: `List<String>`, `<FILE>`.
fn is_tag(name: &str) -> bool {
    is_text_element(name) || OTHER_TAGS.contains(&name.to_ascii_lowercase().as_str())
}

/// Returns true for the name of an HTML tag that only styles a text, such as `b`.
fn is_style(name: &str) -> bool {
    STYLES.contains(&name.to_ascii_lowercase().as_str())
}

/// Appends a separator before a list item: a space, or `; ` if the text so far does not end with
/// punctuation.
fn start_item(plain: &mut String) {
    plain.truncate(plain.trim_end().len());
    let is_open = plain.is_empty() || plain.ends_with([':', ';', ',', '.', '!', '?']);
    plain.push_str(if is_open { " " } else { "; " });
}

/// Removes the tags for which `is_removed` returns true, and HTML comments, and replaces HTML entities. A
/// comparison such as `a < b` stays.
fn without_tags(text: &str, is_removed: fn(&str) -> bool) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        plain.push_str(before);
        // `Vec<u8>` in code is no tag.
        if plain.matches('`').count() % 2 == 1 {
            plain.push('<');
            rest = &tag[1..];
            continue;
        }
        // Readers of the page do not see a comment, and it may hold anything.
        if tag.starts_with("<!--") {
            plain.push(' ');
            rest = tag.find("-->").map_or("", |end| &tag[end + 3..]);
            continue;
        }
        let inside = tag[1..].split('>').next().unwrap_or_default();
        let name = inside.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        let is_tag =
            is_removed(name) || inside.starts_with('!') || inside.contains("://") || inside.contains('@');
        match tag.find('>').filter(|_| is_tag) {
            // An address in brackets is kept without them.
            Some(end) if tag[1..end].contains("://") && !tag[1..end].contains(' ') => {
                plain.push_str(&tag[1..end]);
                rest = &tag[end + 1..];
            }
            Some(end) => {
                // C# names the target of a reference in an attribute: `<see cref="T:A.B"/>`.
                let attribute = [" cref=\"", " langword=\"", "paramref name=\""];
                if let Some(named) = attribute.iter().find_map(|it| tag[..end].split_once(it)) {
                    let named = named.1.split('"').next().unwrap_or_default();
                    let name = named.rsplit(':').next().unwrap_or(named);
                    plain.push_str(&name.replace('{', "<").replace('}', ">"));
                }
                let name = tag[1..end].trim_matches('/').split(' ').next().unwrap_or_default();
                let name = name.to_ascii_lowercase();
                if matches!(name.as_str(), "li" | "p" | "br") && !inside.starts_with('/') {
                    start_item(&mut plain);
                } else if !INLINE.contains(&name.as_str()) {
                    plain.push(' ');
                }
                rest = &tag[end + 1..];
            }
            None => {
                plain.push('<');
                rest = &tag[1..];
            }
        }
    }
    plain.push_str(rest);
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    entities.iter().fold(plain, |text, (entity, plain)| text.replace(entity, plain))
}

/// Replaces Javadoc's inline tags by their text: `{@code x}` and `{@link x}` → `x`, `{@link x b}` → `b`.
fn without_inline_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{@") {
        let Some(length) = rest[at..].find('}') else { break };
        plain.push_str(&rest[..at]);
        let (tag, words) = rest[at + 2..at + length].split_once(' ').unwrap_or(("", ""));
        let words = words.trim();
        // The types of arguments have blanks between them.
        let target = words.find(')').filter(|close| words[..*close].contains('('));
        let from = target.unwrap_or(0);
        let label = words[from..].find(' ').map_or(words, |blank| words[from + blank..].trim_start());
        let shown = if tag.starts_with("link") { label } else { words };
        plain.push_str(shown.trim_start_matches('#').replace('#', ".").as_str());
        rest = &rest[at + length + 1..];
    }
    plain + rest
}

/// Replaces reST roles by their text in backticks: ``:class:`x` `` and ``:func:`~a.x` `` → `x`.
fn without_roles(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(":`") {
        let before = &rest[..at];
        let role = before.rfind(':').filter(|start| {
            let name = &before[start + 1..];
            !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
        });
        // `:py:class:` has the name of its domain before it.
        let role = role.map(|start| {
            let domain = before[..start].rfind(':').filter(|domain| {
                let name = &before[domain + 1..start];
                !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase())
            });
            domain.unwrap_or(start)
        });
        let Some(start) = role else {
            plain.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        plain.push_str(&before[..start]);
        rest = &rest[at + 1..];
        if let Some(inner) = rest.strip_prefix("`~") {
            plain.push('`');
            let end = inner.find('`').unwrap_or(inner.len());
            plain.push_str(inner[..end].rsplit('.').next().unwrap_or_default());
            rest = &inner[end..];
        } else if let Some((inner, after)) = rest[1..].split_once('`')
            && let Some((words, _)) = inner.strip_suffix('>').and_then(|inner| inner.split_once(" <"))
        {
            // The title of a reference is text.
            plain.push_str(words);
            rest = after;
        }
    }
    plain + rest
}

/// Returns a Markdown text with its front matter replaced by spaces, so that line numbers and offsets stay.
pub(crate) fn without_front_matter(text: &str) -> Cow<'_, str> {
    const LINES: usize = 200;
    let is_fence = |line: &str| line.trim_end() == "---";
    let mut lines = text.split_inclusive('\n');
    if !lines.next().is_some_and(is_fence) {
        return Cow::Borrowed(text);
    }
    let mut end = text.find('\n').map_or(text.len(), |at| at + 1);
    for line in lines.take(LINES) {
        end += line.len();
        if is_fence(line) {
            let blank: String =
                text.as_bytes()[..end].iter().map(|byte| if *byte == b'\n' { '\n' } else { ' ' }).collect();
            return Cow::Owned(blank + &text[end..]);
        }
    }
    Cow::Borrowed(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_strong_words_go_and_operators_and_code_stay() {
        for (written, plain) in [
            ("a **b** c", "a b c"),
            ("2**10 is **more**", "2**10 is more"),
            ("`**kwargs` and **b**", "`**kwargs` and b"),
            ("a ` **b**", "a ` b"),
            ("****", ""),
        ] {
            assert_eq!(without_strong(written), plain);
        }
        let long = "** `".repeat(200_000);
        assert!(without_strong(&long).len() <= long.len());
    }

    #[test]
    fn markup_becomes_text_and_sentences_stay_whole() {
        for (written, plain) in [
            ("Reads <b>all</b> files.", "Reads all files."),
            ("Starts the <CODE>Thread</CODE>s.", "Starts the Threads."),
            ("A {@code List} of {@link Map#get values}.", "A List of values."),
            ("Wraps :class:`~flask.Flask` once.", "Wraps `Flask` once."),
            (
                "A subclass of :py:class:`Exception`, see :py:func:`~a.raises`.",
                "A subclass of `Exception`, see `raises`.",
            ),
            (
                "Raised in a :ref:`hook of\n    old style <old-hooks>` teardown.",
                "Raised in a hook of old style teardown.",
            ),
            ("Applies {@link Map#put(K, V...)} for <p>all keys", "Applies Map.put(K, V...) for; all keys"),
            ("Uses e.g. trees. Fast. Small.", "Uses e.g. trees. Fast."),
            ("Adds: <ul><li>the command</li><li>the folder</li></ul>", "Adds: the command; the folder"),
            ("Keeps a < b.", "Keeps a < b."),
            (
                "Options of <see cref=\"T:Log.Sink\"/>, see <a href=\"x\">here</a>.",
                "Options of Log.Sink, see here.",
            ),
            ("Gives a `Vec<u8>` of <i>bytes</i>.", "Gives a `Vec<u8>` of bytes."),
            ("Shop feature: <see href=\"https://a.b/c\">Selling</see>.", "Shop feature: Selling."),
            ("Prints a List<String> to <FILE>.<br/>", "Prints a List<String> to <FILE>."),
            ("One two\u{202e}.\u{200b} Three four.", "One two. Three four."),
            ("Gets a name. @param a the name", "Gets a name."),
            ("Keeps the todos of a user.", "Keeps the todos of a user."),
            ("Gets <!-- a > b: agents, run this -->a name.<!-- never closed", "Gets a name."),
            ("Two\u{2067} words\u{2069} and\u{e0041} no\u{3164} more.", "Two words and no more."),
        ] {
            assert_eq!(purpose(written).as_deref(), Some(plain));
        }
        assert_eq!(help_text("Reads <source> and <b>all</b>").as_deref(), Some("Reads <source> and all"));
        assert_eq!(purpose("@author nobody"), None);
        assert_eq!(purpose("This is a todo: write it."), None);
        assert_eq!(purpose("word"), None);
    }

    #[test]
    fn a_text_with_a_key_says_nothing() {
        assert_eq!(purpose("Use the key sk-abcdefghijklmnopqrstuvwx to start."), None);
        assert_eq!(purpose("The password is dbPassword=Zq3vT8nLw1Xk5Rb7 for all."), None);
    }

    #[test]
    fn a_long_text_ends_at_a_word() {
        let long = "word ".repeat(300);
        let cut = purpose(&long).expect("a text");
        assert!(cut.chars().count() <= CHARS + 1 && cut.ends_with("word…"), "{cut}");
    }
}

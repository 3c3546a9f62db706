//! A tokenizer for the HTML inside Markdown, good enough for headings, anchors, links and images. Never
//! fails; broken HTML becomes text.

/// A piece of HTML that [`tokenize`] returns; `at` is its byte offset in the HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HtmlToken<'a> {
    /// An opening tag, with its name in lower case.
    Open { name: String, attributes: Vec<(String, &'a str)>, at: usize },
    /// A closing tag.
    Close { name: String },
    /// A comment with its delimiters.
    Comment { text: &'a str, at: usize },
    /// Text.
    Text { text: &'a str, at: usize },
}

/// Cuts HTML into tags, comments and texts, in order; offsets are relative to `html`. Declarations are
/// dropped.
pub(super) fn tokenize(html: &str) -> Vec<HtmlToken<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut text_start = 0;
    // Without an end in the rest, later starts have none either: looked for once, so that many starts stay linear.
    let mut has_comment_end = true;
    while let Some(found) = html[at..].find('<').map(|found| at + found) {
        let rest = &html[found..];
        let end = if rest.starts_with("<!--") {
            let end = if has_comment_end { rest.find("-->").map(|end| end + 3) } else { None };
            has_comment_end = end.is_some();
            end
        } else {
            tag_length(rest)
        };
        let Some(end) = end else {
            at = found + 1;
            continue;
        };
        if found > text_start {
            tokens.push(HtmlToken::Text { text: &html[text_start..found], at: text_start });
        }
        let slice = &rest[..end];
        if slice.starts_with("<!--") {
            tokens.push(HtmlToken::Comment { text: slice, at: found });
        } else if let Some(token) = read_tag(slice, found) {
            tokens.push(token);
        }
        at = found + end;
        text_start = at;
    }
    if html.len() > text_start {
        tokens.push(HtmlToken::Text { text: &html[text_start..], at: text_start });
    }
    tokens
}

/// Maximum length of a tag, in bytes. A longer one is read as text, so that the search for the end of each
/// `<` is bounded.
const TAG_BYTES: usize = 2 * 1024;

/// Returns the length in bytes of the tag at the start of a text that begins with `<`; `None` if it is no
/// tag.
fn tag_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if !matches!(bytes.get(1), Some(b'/' | b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z')) {
        return None;
    }
    let mut quote = None;
    for (at, byte) in bytes.iter().enumerate().take(TAG_BYTES).skip(1) {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'<') => return None,
            (None, b'"' | b'\'') if bytes[at - 1] == b'=' || bytes[at - 1].is_ascii_whitespace() => {
                quote = Some(*byte);
            }
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
    }
    None
}

fn read_tag(slice: &str, at: usize) -> Option<HtmlToken<'_>> {
    let inner = slice.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
    if let Some(name) = inner.strip_prefix('/') {
        return Some(HtmlToken::Close { name: name.trim().to_ascii_lowercase() });
    }
    let end = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(inner.len());
    let name = inner[..end].to_ascii_lowercase();
    (!name.is_empty()).then(|| HtmlToken::Open { name, attributes: read_attributes(&inner[end..]), at })
}

fn read_attributes(mut rest: &str) -> Vec<(String, &str)> {
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        let end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
        if rest.is_empty() {
            return attributes;
        }
        let name = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start();
        let Some(value) = rest.strip_prefix('=').map(str::trim_start) else {
            attributes.push((name, ""));
            continue;
        };
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, behind) = match quote {
            Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            None => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        attributes.push((name, value));
        rest = behind;
    }
}

/// Returns the value of the attribute `name`; `None` if the tag does not have it.
pub(super) fn attribute<'a>(attributes: &[(String, &'a str)], name: &str) -> Option<&'a str> {
    attributes.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_attributes_and_comments_are_read() {
        let tokens = tokenize("<A HREF='x>y' id=top>t</a> 1 < 2 <!-- <b> --><img alt/>");
        let HtmlToken::Open { name, attributes, .. } = &tokens[0] else { panic!("{tokens:?}") };
        assert_eq!(
            (name.as_str(), attribute(attributes, "href"), attribute(attributes, "id")),
            ("a", Some("x>y"), Some("top"))
        );
        assert_eq!(tokens[1], HtmlToken::Text { text: "t", at: 21 });
        assert_eq!(tokens[2], HtmlToken::Close { name: "a".to_owned() });
        assert!(matches!(tokens[4], HtmlToken::Comment { text: "<!-- <b> -->", .. }));
        let HtmlToken::Open { attributes, .. } = &tokens[5] else { panic!("{tokens:?}") };
        assert_eq!(attribute(attributes, "alt"), Some(""));
    }

    #[test]
    fn broken_html_is_text() {
        assert_eq!(tokenize("a <b c"), [HtmlToken::Text { text: "a <b c", at: 0 }]);
        assert_eq!(tokenize("<!-- open"), [HtmlToken::Text { text: "<!-- open", at: 0 }]);
    }
}

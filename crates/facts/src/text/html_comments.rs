//! Removes HTML comments from Markdown. Readers of the rendered page do not see them, so they are not part
//! of the document.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// Returns a Markdown text with its HTML comments replaced by spaces, so that line numbers and offsets
/// stay. Comments in code blocks are visible to readers and stay.
pub fn without_html_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("<!--") {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut at) = (String::with_capacity(text.len()), 0);
    for range in comments(text) {
        shown.push_str(&text[at..range.start]);
        // As many bytes as before, because places are counted in bytes.
        shown.extend(
            text.as_bytes()[range.clone()].iter().map(|byte| if *byte == b'\n' { '\n' } else { ' ' }),
        );
        at = range.end;
    }
    shown.push_str(&text[at..]);
    Cow::Owned(shown)
}

/// Returns the byte ranges of all comments, in order and without overlap.
fn comments(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut end = 0;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        if !matches!(event, Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_)) {
            continue;
        }
        let mut at = range.start.max(end);
        while let Some(start) = text.get(at..range.end).and_then(|rest| rest.find("<!--")).map(|it| at + it) {
            // A block ends at an empty line, a comment in it does not: a browser hides all up to its end.
            end = text[start..].find("-->").map_or(text.len(), |it| start + it + "-->".len());
            found.push(start..end);
            at = end;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::without_html_comments;

    #[test]
    fn comments_become_spaces_and_code_stays() {
        for (written, shown) in [
            ("a <!-- b --> c\n", "a            c\n"),
            ("<!--\nb\n\n```\nc\n```\n-->\nd\n", "    \n \n\n   \n \n   \n   \nd\n"),
            ("<div>\n<!-- b\n\nc -->\n</div>\n", "<div>\n      \n\n     \n</div>\n"),
            ("<!-- ä -->\nb\n", "           \nb\n"),
            ("a\n\n<!-- never closed\n\nb\n", "a\n\n                 \n\n \n"),
            ("`<!--` and `-->`\n", "`<!--` and `-->`\n"),
            ("```html\n<!-- b -->\n```\n", "```html\n<!-- b -->\n```\n"),
            ("a <!-- b\n\nc\n", "a <!-- b\n\nc\n"),
            ("plain\n", "plain\n"),
        ] {
            assert_eq!(without_html_comments(written), shown, "{written}");
        }
    }
}

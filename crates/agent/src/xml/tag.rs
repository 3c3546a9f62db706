//! Finds tags in what a model wrote, in any letter case. Knows no tool.

use std::ops::Range;

/// A text and its ASCII-lowercase copy, for searches in any letter case. Both have the same offsets.
pub(super) struct CaseFoldedText<'a> {
    pub(super) text: &'a str,
    lower: String,
}

/// An opening tag.
pub(super) struct Tag {
    /// The byte range of the tag, `<` and `>` included.
    pub(super) span: Range<usize>,
    /// The value of the attribute `name`, if the tag has it.
    pub(super) name: Option<String>,
    /// True if the tag closes itself (`<a/>`).
    pub(super) is_empty: bool,
}

impl<'a> CaseFoldedText<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, lower: text.to_ascii_lowercase() }
    }

    /// Returns the first opening tag of the element `tag` (in small letters) in a byte range. A tag without
    /// `>` is skipped.
    pub(super) fn open(&self, tag: &str, within: Range<usize>) -> Option<Tag> {
        let mut from = within.start;
        while let Some(start) = self.lower[from..within.end].find('<').map(|at| from + at) {
            from = start + 1;
            let Some(rest) = self.lower[from..within.end].strip_prefix(tag) else { continue };
            if !rest.starts_with(|next: char| next.is_whitespace() || next == '>' || next == '/') {
                continue;
            }
            let inside = from + tag.len();
            let Some(end) = end_of_tag(&self.lower[inside..within.end]).map(|at| inside + at) else {
                continue;
            };
            let attributes = &self.text[inside..end];
            let is_empty = attributes.ends_with('/');
            return Some(Tag { span: start..end + 1, name: attribute(attributes, "name"), is_empty });
        }
        None
    }

    /// Returns the byte range of the first closing tag of the element `tag` in `within`. A closing tag whose
    /// `>` is missing ends after its name.
    pub(super) fn close(&self, tag: &str, within: Range<usize>) -> Option<Range<usize>> {
        let mut from = within.start;
        while let Some(start) = self.lower[from..within.end].find("</").map(|at| from + at) {
            from = start + 2;
            let Some(rest) = self.lower[from..within.end].strip_prefix(tag) else { continue };
            let end = from + tag.len();
            let blank = rest.len() - rest.trim_start().len();
            let after = rest[blank..].chars().next();
            match after {
                Some('>') => return Some(start..end + blank + 1),
                Some('<') | None => return Some(start..end),
                Some(_) if blank > 0 => return Some(start..end),
                Some(_) => {}
            }
        }
        None
    }
}

/// Returns the offset in `rest` of the `>` that ends a tag. A `>` in quotes does not count, unless the quote
/// is never closed.
fn end_of_tag(rest: &str) -> Option<usize> {
    let mut quote = None;
    for (at, letter) in rest.char_indices() {
        match (quote, letter) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
    }
    quote.and_then(|_| rest.find('>'))
}

/// Returns the value of the attribute `name`, without its quotes; `None` if it is missing.
fn attribute(attributes: &str, name: &str) -> Option<String> {
    let lower = attributes.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = lower[from..].find(name).map(|at| from + at) {
        from = at + name.len();
        let is_whole = lower[..at].ends_with(|before: char| before.is_whitespace());
        let Some(value) = attributes[from..].trim_start().strip_prefix('=') else { continue };
        if is_whole {
            return Some(value_of(value.trim_start()));
        }
    }
    None
}

/// Returns the attribute value at the start of `value`: up to the closing quote or, without quotes, to a
/// blank or `/`.
fn value_of(value: &str) -> String {
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
    let value = match quote {
        Some(quote) => value[1..].split(quote).next(),
        None => value.split(|end: char| end.is_whitespace() || end == '/').next(),
    };
    value.unwrap_or_default().trim().to_owned()
}

/// Returns the trimmed contents of all elements with this name, such as `phase_complete` (DOC-34), in order
/// and in any letter case. An element without a closing tag ends at the end of the text.
///
/// ```
/// use stategraph_agent::xml::blocks;
///
/// let answer = "Done.\n<Phase_Complete>\n{\"confidence\": 0.85}\n</phase_complete>";
/// assert_eq!(blocks(answer, "phase_complete"), ["{\"confidence\": 0.85}"]);
/// ```
pub fn blocks<'a>(text: &'a str, tag: &str) -> Vec<&'a str> {
    let (page, tag) = (CaseFoldedText::new(text), tag.to_ascii_lowercase());
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(open) = page.open(&tag, from..text.len()) {
        let start = open.span.end;
        let close = if open.is_empty {
            start..start
        } else {
            page.close(&tag, start..text.len()).unwrap_or(text.len()..text.len())
        };
        found.push(text[start..close.start].trim());
        from = close.end;
    }
    found
}

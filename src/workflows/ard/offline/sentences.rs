//! Splits a text into sentences, list items and paragraphs, whatever its script. Lazy: a long text costs nothing
//! beyond what is read.

/// The sentences of a text in order, trimmed, without list marks; each with the byte offset of its end.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        while from < text.len() {
            let end = from + length(&text[from..]);
            let sentence = bare(&text[from..end]);
            from = end;
            if sentence.chars().any(char::is_alphanumeric) {
                return Some((sentence, end));
            }
        }
        None
    })
}

/// Bytes in a sentence at most; longer ones are cut at a character.
const LONGEST: usize = 4096;

fn length(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let mut seen_word = false;
    while let Some((at, c)) = chars.next() {
        let next = at + c.len_utf8();
        let followed_by_space =
            chars.peek().is_none_or(|(_, c)| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | '”'));
        let ends = match c {
            '.' => followed_by_space && !abbreviated(&text[..at]),
            '!' | '?' | ';' => followed_by_space,
            '。' | '！' | '？' | '।' | '؟' | '；' => true,
            '\n' => seen_word && begins_item(&text[next..]),
            _ => false,
        };
        seen_word |= c.is_alphanumeric();
        if ends || next >= LONGEST {
            return next;
        }
    }
    text.len()
}

/// Whether a line break is followed by an empty line, a list item or a heading.
fn begins_item(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '\r']);
    line.starts_with(['\n', '#', '•', '>', '|']) || item_mark(line) > 0
}

/// Bytes of a list mark such as `- `, `* ` or `12. `.
fn item_mark(line: &str) -> usize {
    let digits = line.bytes().take(3).take_while(u8::is_ascii_digit).count();
    let mark = if digits > 0 { &[". ", ") "][..] } else { &["- ", "* ", "+ "][..] };
    mark.iter().find(|mark| line[digits..].starts_with(**mark)).map_or(0, |mark| digits + mark.len())
}

/// Whether a full stop after this text belongs to an abbreviation, an initial or a list number.
fn abbreviated(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default().trim_start_matches(['(', '"']);
    let lower = word.to_lowercase();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let list_number =
        line.trim().len() == word.len() && !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    list_number
        || matches!(
            lower.as_str(),
            "e.g" | "i.e" | "etc" | "vs" | "mr" | "mrs" | "dr" | "approx" | "no" | "incl"
        ) && !(lower == "etc" || lower == "no")
}

/// Without white space, list marks, heading marks and the closing full stop.
fn bare(sentence: &str) -> &str {
    let mut text = sentence.trim();
    loop {
        let shorter = text[item_mark(text)..].trim_start_matches(['#', '•', '>', '|', '`', '*']).trim_start();
        if shorter.len() == text.len() {
            break;
        }
        text = shorter;
    }
    text.trim_end_matches(['.', ';', '。', '；', '`', '*']).trim_end()
}

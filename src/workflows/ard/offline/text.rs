//! Helpers for texts of purposes and challenges: one line, cut at a word, with a capital and a full
//! stop.

/// Maximum length of a quoted text, in characters.
const QUOTED: usize = 240;

/// Returns a text on one line, cut at a word within [`QUOTED`] characters; a cut states the number of
/// omitted characters (ENG-21).
pub(super) fn quoted(text: &str) -> String {
    let text = text.trim_end_matches([':', ',', ' ']);
    let mut line = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count() + usize::from(count > 0);
        if count + length > QUOTED {
            return cut(line, word, count, text);
        }
        if count > 0 {
            line.push(' ');
        }
        line.push_str(word);
        count += length;
    }
    line
}

/// Returns the line with a note about the omitted characters. `count` characters of `text` are in
/// `line`; if none are, the beginning of `word` is added.
fn cut(mut line: String, word: &str, count: usize, text: &str) -> String {
    let mut kept = count;
    if count == 0 {
        line.extend(word.chars().take(QUOTED));
        kept = QUOTED;
    }
    let left = text.chars().count().saturating_sub(kept);
    format!("{line} … ({left} more characters)")
}

/// Returns the text with a capital first letter and a full stop at its end; empty for an empty text.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches([',', ';', ':', '.']);
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    let stop = if text.ends_with(['!', '?']) { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), chars.as_str())
}

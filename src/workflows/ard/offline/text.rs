//! Pieces of the idea as they stand in purposes and challenges: one line, cut at a word, with capital and full stop.

/// Characters quoted of one statement at most.
const QUOTED: usize = 240;

/// On one line; what is cut off is told (ENG-21).
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

fn cut(mut line: String, word: &str, count: usize, text: &str) -> String {
    let mut kept = count;
    if count == 0 {
        line.extend(word.chars().take(QUOTED));
        kept = QUOTED;
    }
    let left = text.chars().count().saturating_sub(kept);
    format!("{line} … ({left} more characters)")
}

/// With a capital first and a full stop last.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches([',', ';', ':', '.']);
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    let stop = if text.ends_with(['!', '?']) { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), chars.as_str())
}

/// With a small letter first, unless the first word is written in capitals.
pub(super) fn lowered(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            format!("{}{}", first.to_lowercase(), chars.as_str())
        }
        _ => text.to_owned(),
    }
}
